#!/bin/bash
# From eight hosts to a placement: emulate, measure, fit, place, and compare with the placement that
# the true links give. Usage: run.sh [FOLDER [OPTIONS OF measure plan...]]
#
# The network is emulated on this machine (root, or user namespaces); on real hosts, start the agents
# yourself and leave out the first step.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LONGHAUL=${LONGHAUL:-longhaul}
folder=${1:-eight-hosts}
[ $# -eq 0 ] || shift
# crossing: two transfers at once between regions, to see what those share
[ $# -gt 0 ] || set -- --patterns ping,peer,crossing --widths 2
job=(--pp 4 --dp 2 --c-pp 0.004 --c-dp 0.02)

mkdir -p "$folder"
"$LONGHAUL" emulate "$here/wan.toml" --check --fabric "$folder/truth.json" >"$folder/network.txt"
"$LONGHAUL" emulate "$here/wan.toml" --quiet -- "$here/campaign.sh" "$folder" "$@"

"$LONGHAUL" measure fit "$folder/raw.jsonl" -o "$folder/links.json" --fabric "$folder/fabric.json" \
    >"$folder/fits.txt"
"$LONGHAUL" measure check "$folder/links.json" >"$folder/check.txt" || true # its answer is for people
"$LONGHAUL" place --fabric "$folder/fabric.json" "${job[@]}" -o "$folder/plan.json" | tee "$folder/plan.txt"

# The plan that was made from measurements, at the price of the true links.
score() { sed -n 's/^ *"score": \([0-9.e+-]*\),\{0,1\}$/\1/p' | head -n 1; }
"$LONGHAUL" place --fabric "$folder/truth.json" "${job[@]}" --json --baseline-samples 0 \
    >"$folder/best.json"
best=$(score <"$folder/best.json")
"$LONGHAUL" evaluate --fabric "$folder/truth.json" "${job[@]}" --rank-map "$folder/plan.json" \
    --json >"$folder/found.json"
found=$(score <"$folder/found.json")
echo
echo "with the true links: placed from measurements $found s, placed from the truth $best s"
awk -v found="$found" -v best="$best" 'BEGIN { exit !(best > 0 && found <= best * (1 + 1e-6)) }' || {
    echo "the placements differ"
    exit 1
}
echo "the placements are equal"
