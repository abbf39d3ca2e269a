#!/bin/sh
# The same inputs and seed must give the same bytes for any number of threads.
# Usage: determinism.sh LONGHAUL SOURCE_DIR
set -eu
longhaul=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What may differ is named here: the wall time and the number of threads themselves.
plan() {
    SOURCE_DATE_EPOCH=0 "$longhaul" place --fabric "$source/fabrics/$2" --pp "$3" --dp "$4" --c-pp 0.128 --c-dp 0.650 \
        --budget 40000 --threads "$1" --seed "$5" -o "$work/plan.json" >"$work/text-$1"
    grep -v -e '"wall_s"' -e '"threads"' -e '"command"' "$work/plan.json" >"$work/plan-$1"
}

for seed in 7 8; do
    for case in "dtfm-table2-worldwide.json 8 8" "dtfm-spot.json 8 8" "two-datacenters-synthetic.toml 4 8"; do
        # shellcheck disable=SC2086  # three words
        for threads in 1 2 3; do plan $threads $case $seed; done
        for threads in 2 3; do
            cmp "$work/text-1" "$work/text-$threads"
            cmp "$work/plan-1" "$work/plan-$threads"
        done
    done
done
# The comparison has something to compare.
grep -q 'rank_map=(' "$work/text-1"
grep -q '"rank_map"' "$work/plan-1"
echo "determinism: all checks passed"
