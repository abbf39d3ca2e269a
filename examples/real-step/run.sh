#!/bin/bash
# Does the model rank placements as real training does? Emulates eight hosts, measures their links,
# places, trains a small GPT under the best plan, the order of hosts, one region a stage and random
# maps, and compares model, simulation and measurement.
# Usage: run.sh [FOLDER [NUMBER OF PLANS [OPTIONS OF measure plan...]]]
#
# Needs python3-torch and the right to emulate; 15 plans take about thirteen minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export LONGHAUL=${LONGHAUL:-longhaul} PYTHON=${PYTHON:-/usr/bin/python3}
folder=${1:-real-step}
plans=${2:-15}
shift $(($# < 2 ? $# : 2))
model=(--pp 2 --layers 2 --width 128 --batch 2 --length 64 --microbatches 8)
steps=${REAL_STEP_STEPS:-6}
campaign=(--patterns "peer,crossing" --widths 2 --blocks 1 --repeats 3 --most-repeats 3 --smallest 64KiB --largest 512KiB)
[ $# -eq 0 ] || campaign=("$@")

mkdir -p "$folder/launch" "$folder/results"
"$LONGHAUL" emulate "$here/wan.toml" --check --fabric "$folder/truth.json" >"$folder/network.txt"

if [ "${REAL_STEP_LINKS:-measured}" = stated ]; then
    echo "1. links: as wan.toml states them, without a campaign"
    cp "$folder/truth.json" "$folder/fabric.json"
else
    echo "1. links: what an agent on every host measures"
    "$LONGHAUL" emulate "$here/wan.toml" --quiet -- "$here/../eight-hosts/campaign.sh" "$folder" "${campaign[@]}" \
        >"$folder/campaign.txt"
    "$LONGHAUL" measure fit "$folder/raw.jsonl" -o "$folder/links.json" --fabric "$folder/fabric.json" \
        >"$folder/fits.txt"
fi

echo "2. the job: payloads of its stages, and what they compute, from a short training on one host"
ranks=()
for rank in 0 1 2 3; do
    RANK=$rank WORLD_SIZE=4 MASTER_ADDR=127.0.0.1 MASTER_PORT=29517 GLOO_SOCKET_IFNAME=lo \
        "$PYTHON" "$here/train.py" "${model[@]}" --steps 8 --out "$folder/profile" &
    ranks+=("$!")
done
for rank in "${ranks[@]}"; do wait "$rank"; done
read -r -a job < <("$PYTHON" "$here/job.py" "$folder/profile" --place)
read -r -a update < <("$PYTHON" "$here/job.py" "$folder/profile" --step)

echo "3. plans"
"$LONGHAUL" place --fabric "$folder/fabric.json" "${job[@]}" --objective pipelined -o "$folder/plan.json" \
    >"$folder/plan.txt"
"$LONGHAUL" place --fabric "$folder/fabric.json" "${job[@]}" --objective pipelined --seed 2 \
    -o "$folder/other-seed.json" >"$folder/other-seed.txt"
names=$("$PYTHON" "$here/plans.py" "$folder/plan.json" "$folder/other-seed.json" "$folder/plans" "$plans")

echo "4. training under each of $plans plans"
{
    printf 'format = "longhaul.hosts/1"\ninterface = "wan0"\ndevices = 1\n'
    sed -n 's/^\([a-z]*-[0-9]\) *\([0-9.]*\) .*/[[host]]\nname = "\1"\naddress = "\2"\nssh_address = "\1"/p' \
        "$folder/network.txt"
} >"$folder/job-hosts.toml"
"$LONGHAUL" emulate "$here/wan.toml" --quiet -- "$here/train_all.sh" "$folder" "$names" "${model[@]}" --steps "$steps"

echo "5. predictions against runs"
"$PYTHON" "$here/collect.py" "$folder/plans" "$folder/results" -o "$folder/measured-steps.json"
"$LONGHAUL" validate "$folder/measured-steps.json" --schedule 1f1b --sharing queue --cores "$(nproc)" "${update[@]}"
