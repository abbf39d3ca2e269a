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
# The modes of place.
worldwide="$source/fabrics/dtfm-table2-worldwide.json"
"$longhaul" place --fabric "$worldwide" --pp 8 --dp 8 --c-pp 0.128 --c-dp 0.650 --budget 4000 -o "$work/old.json" >/dev/null
for threads in 1 3; do
    "$longhaul" place --fabric "$worldwide" --from "$work/old.json" --c-pp 0.512 --c-dp 1.3 --moves 24 \
        --budget 16000 --baseline-samples 0 --threads "$threads" >"$work/from-$threads"
    "$longhaul" place --fabric "$worldwide" --pp 8 --dp 8 --c-pp 0.512 --c-dp 1.3 --robust --samples 4 \
        --budget 4000 --baseline-samples 0 --threads "$threads" >"$work/robust-$threads"
    "$longhaul" place --fabric "$worldwide" --pp 8 --dp 8 --phase c_pp=0.03:1:5 c_dp=0.1:5:5 \
        --budget 4000 --threads "$threads" -o "$work/csv-$threads" --picture "$work/svg-$threads" >/dev/null
    "$longhaul" explain "$work/old.json" --threads "$threads" >"$work/explain-$threads"
done
for mode in from robust csv svg explain; do cmp "$work/$mode-1" "$work/$mode-3"; done

# The comparison has something to compare.
grep -q 'rank_map=(' "$work/text-1"
grep -q '"rank_map"' "$work/plan-1"
echo "determinism: all checks passed"
