#!/bin/bash
# Runs inside the emulated network (see run.sh): an agent on every host, the coordinator in the
# control namespace. Usage: campaign.sh FOLDER [OPTIONS OF measure plan...]
set -euo pipefail
folder=$1
shift

rm -f "$folder/token" "$folder/raw.jsonl"
(umask 077 && head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$folder/token")

# Hosts of a region share its links to the others: no two of them cross the border at once.
{
    echo 'format = "longhaul.measure-hosts/1"'
    read -ra addresses <<<"$LONGHAUL_EMULATE_ADDRESSES"
    i=0
    for host in $LONGHAUL_EMULATE_HOSTS; do
        region=${host%-*}
        printf '\n[[host]]\nname = "%s"\naddress = "%s"\nsite = "%s"\ngroups = ["%s-border"]\n' \
            "$host" "${addresses[i]}" "$region" "$region"
        i=$((i + 1))
    done
} >"$folder/hosts.toml"

agents=()
trap 'kill "${agents[@]}"' EXIT
for host in $LONGHAUL_EMULATE_HOSTS; do
    exec {says}< <(exec "$LONGHAUL" emulate exec "$host" -- "$LONGHAUL" measure agent --quiet \
        --listen wan0:7711 --token-file "$folder/token" --peers "$folder/hosts.toml" \
        --peers "coordinator=$LONGHAUL_EMULATE_CONTROL" 2>>"$folder/agents.txt")
    agents+=("$!")
    read -r _ <&"$says" # it says where it listens
done

"$LONGHAUL" measure plan "$folder/hosts.toml" -o "$folder/plan.jsonl" "$@"
"$LONGHAUL" measure run "$folder/plan.jsonl" -o "$folder/raw.jsonl" --token-file "$folder/token"
