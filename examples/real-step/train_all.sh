#!/bin/bash
# Runs inside the emulated network: trains under each plan, started by what `launch` writes.
# Usage: train_all.sh FOLDER "NAMES OF PLANS" ARGUMENTS OF train.py...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
names=$2
shift 2
export PATH=$here/bin:$PATH REAL_STEP_HOMES=$folder/homes

# A window that shrinks in every pause makes long, thin links slow anew at each message.
for host in $LONGHAUL_EMULATE_HOSTS; do
    "$LONGHAUL" emulate exec "$host" -- sysctl -q -w net.ipv4.tcp_slow_start_after_idle=0
done
for name in $names; do
    rm -rf "$folder/launch/$name" "$folder/results/$name"
    "$LONGHAUL" launch "$folder/plans/$name.json" --to env --hosts "$folder/job-hosts.toml" \
        --name "$name" -o "$folder/launch/$name" -- \
        "${PYTHON:-/usr/bin/python3}" "$here/train.py" "$@" --out "$folder/results/$name" >/dev/null
    sh "$folder/launch/$name/launch.sh" >"$folder/launch-$name.txt" 2>&1 || {
        cat "$folder/launch-$name.txt"
        exit 1
    }
    echo "trained under $name" >&2
done
