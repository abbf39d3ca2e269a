#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::string_view kVerifier = R"sh(#!/bin/sh
# Stops a process that does not have the rank that rank_map.tsv gives it.
#   verify_rank.sh HOST LOCAL_RANK RANK WORLD_SIZE
# Ends with 0 when all is as planned, with 1 and a message when it is not.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
host=${1-} local_rank=${2-} rank=${3-} world_size=${4-}
tab=$(printf '\t')

stop() {
    printf 'longhaul: host %s, local rank %s: %s\n' "${host:-?}" "${local_rank:-?}" "$1" >&2
    exit 1
}

[ -n "$host" ] || stop "the launcher gave no host"
[ -n "$rank" ] || stop "the launcher gave no rank"
expected='' owner=nobody ranks=0
while IFS=$tab read -r device row_host _ row_local row_rank _; do
    [ "$device" != device ] || continue
    ranks=$((ranks + 1))
    if [ "$row_rank" = "$rank" ]; then
        owner="host $row_host, local rank $row_local"
    fi
    if [ "$row_host" = "$host" ] && [ "$row_local" = "$local_rank" ]; then
        expected=$row_rank
    fi
done <"$here/rank_map.tsv"
[ -n "$expected" ] || stop "the map has no such process, got $rank (which belongs to $owner)"
[ "$expected" = "$rank" ] ||
    stop "the map said $expected, got $rank (which belongs to $owner)"
[ "$world_size" = "$ranks" ] || stop "the map has $ranks ranks, the launcher ${world_size:-none}"
)sh";

constexpr std::string_view kRankExec = R"sh(#!/bin/sh
# Runs one training process: verifies its rank, sets its environment, becomes the command.
#   rank_exec.sh COMMAND [ARGUMENT...]
# shellcheck disable=SC1003,SC2016 # quoted values stay as they are
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
host=@HOST@
RANK=@RANK@ LOCAL_RANK=@LOCAL_RANK@ WORLD_SIZE=@WORLD_SIZE@
"$here/verify_rank.sh" "$host" "$LOCAL_RANK" "$RANK" "$WORLD_SIZE" || exit 1
gpus='' processes='' interface='' workdir=''
case "$host" in
@CASES@esac
export RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE="$processes"
@MASTER@# The devices of this host in the order of local ranks: process k uses the k-th of them.
export CUDA_VISIBLE_DEVICES="$gpus"
if [ -n "$interface" ]; then
    export NCCL_SOCKET_IFNAME="${NCCL_SOCKET_IFNAME:-=$interface}"
    export GLOO_SOCKET_IFNAME="${GLOO_SOCKET_IFNAME:-$interface}"
fi
if [ -n "$workdir" ]; then
    cd -- "$workdir"
fi
exec "$@"
)sh";

/// One arm of the case on the host.
std::string host_case(const Job& job, int index) {
    const Host& host = job.hosts.hosts[static_cast<std::size_t>(index)];
    const std::vector<int> gpus = gpus_by_local_rank(job, index);
    std::string text = fmt::format("{})\n    gpus={} processes={}",
                                   single_quoted(host.name),
                                   fmt::join(gpus, ","),
                                   gpus.size());
    if (!host.interface.empty()) {
        text += " interface=" + shell_quoted(host.interface);
    }
    if (!host.workdir.empty()) {
        text += " workdir=" + shell_quoted(host.workdir);
    }
    return text + "\n    ;;\n";
}

}  // namespace

OutputFile rank_map_file(const Job& job) {
    std::vector<const Process*> by_device;
    for (const Process& process : job.processes) {
        by_device.push_back(&process);
    }
    std::ranges::sort(by_device, {}, &Process::device);
    std::string text = "device\thost\tgpu\tlocal_rank\trank\tstage\treplica\n";
    for (const Process* process : by_device) {
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                            process->device,
                            job.hosts.hosts[static_cast<std::size_t>(process->host)].name,
                            process->gpu,
                            process->local_rank,
                            process->rank,
                            process->stage,
                            process->replica);
    }
    return {"rank_map.tsv", std::move(text)};
}

OutputFile verifier_file() {
    return {"verify_rank.sh", std::string(kVerifier), true};
}

OutputFile rank_exec_file(const Job& job, const Identity& identity) {
    std::string cases;
    for (std::size_t host = 0; host < job.hosts.hosts.size(); ++host) {
        cases += host_case(job, static_cast<int>(host));
    }
    std::string master;
    if (identity.set_master) {
        const std::string& address =
            identity.master_address.empty() ? job.master().address : identity.master_address;
        master = fmt::format(
            "export MASTER_ADDR={} MASTER_PORT={}\n", shell_quoted(address), job.master_port);
    }
    const std::array<Fill, 6> values{{{"HOST", std::string(identity.host)},
                                      {"RANK", std::string(identity.rank)},
                                      {"LOCAL_RANK", std::string(identity.local_rank)},
                                      {"WORLD_SIZE", std::string(identity.world_size)},
                                      {"CASES", std::move(cases)},
                                      {"MASTER", std::move(master)}}};
    return {"rank_exec.sh", filled(kRankExec, values), true};
}

std::string command_words(const Job& job) {
    return shell_words(job.options.command);
}

}  // namespace longhaul::launch::detail
