// Open MPI: a rankfile names the host of every rank, so any map can be expressed.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::string_view kRun = R"sh(
# mpirun reaches the hosts through ssh_agent.sh, which knows their users and ports. The agent is named
# "sh" with an argument since the daemons of Open MPI look for its first word on their host, too.
run() {
    cd -- "$here"
    case "$(mpirun --version)" in
    *"(Open MPI) "[1-4].*)
        set -- --hostfile mpi_hosts --rankfile rankfile --mca plm_rsh_agent "sh ./ssh_agent.sh" \
            --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1
        ;;
    *)
        set -- --hostfile mpi_hosts --map-by rankfile:file=rankfile \
            --prtemca plm_ssh_agent "sh ./ssh_agent.sh" --prtemca plm_ssh_no_tree_spawn 1 \
            --prtemca prte_keep_fqdn_hostnames 1
        ;;
    esac
    # shellcheck disable=SC1003,SC2016 # quoted values stay as they are
    exec mpirun "$@" @BTL@-np @TASKS@ \
        sh -c 'cd && exec sh "$0/rank_exec.sh" "$@"' @REMOTE@ \
        @COMMAND@
}

stop() {
    printf 'longhaul: interrupt mpirun itself; it ends its processes\n' >&2
    return 1
}
)sh";

constexpr std::string_view kAgent = R"sh(#!/bin/sh
# Remote shell of mpirun: ssh with the user and port of each host.
#   ssh_agent.sh HOST COMMAND...
set -eu
host=$1
shift
case "$host" in
@CASES@*)
    printf 'longhaul: mpirun asks for %s, which the hosts file does not name\n' "$host" >&2
    exit 1
    ;;
esac
)sh";

OutputFile agent_file(const Job& job) {
    std::string cases;
    for (const Host& host : job.hosts.hosts) {
        cases += fmt::format("{}) exec ssh -o BatchMode=yes -o ConnectTimeout=30 {} \"$*\" ;;\n",
                             single_quoted(host.address),
                             ssh_destination(host));
    }
    const std::array<Fill, 1> values{{{"CASES", std::move(cases)}}};
    return {"ssh_agent.sh", filled(kAgent, values), true};
}

OutputFile hosts_file(const Job& job) {
    std::string text;
    for (const int host : hosts_by_rank(job)) {
        const auto h = static_cast<std::size_t>(host);
        text +=
            fmt::format("{} slots={}\n", job.hosts.hosts[h].address, job.ranks_of_host[h].size());
    }
    return {"mpi_hosts", std::move(text)};
}

/// A process may use all cores that the file says, else those of socket 0: a rankfile always binds.
OutputFile rankfile(const Job& job) {
    std::string text;
    for (const Process& process : job.processes) {
        const Host& host = job.host_of(process.rank);
        const std::string slots =
            host.cores == 0 ? "0:*" : (host.cores == 1 ? "0" : fmt::format("0-{}", host.cores - 1));
        text += fmt::format("rank {}={} slot={}\n", process.rank, host.address, slots);
    }
    return {"rankfile", std::move(text)};
}

/// Interface of MPI's own traffic, where all hosts have the same.
std::string btl_words(const Job& job) {
    const std::string& interface = job.hosts.hosts.front().interface;
    for (const Host& host : job.hosts.hosts) {
        if (host.interface != interface) {
            return "";
        }
    }
    return interface.empty() ? ""
                             : fmt::format("--mca btl_tcp_if_include {} ", shell_quoted(interface));
}

}  // namespace

std::string refuse_mpi(const Job& job) {
    for (const Host& host : job.hosts.hosts) {
        if (host.address.find(':') != std::string::npos) {
            return fmt::format(
                "a rankfile holds no IPv6 addresses, but host {} has {}", host.name, host.address);
        }
    }
    return "";
}

core::Result<Launch> emit_mpi(const Job& job) {
    if (std::ranges::find(job.options.command, ":") != job.options.command.end()) {
        return core::fail({"",
                           "command",
                           "it holds the word \":\", which mpirun takes for itself",
                           "leave it out, or use another launcher"});
    }
    Identity identity;
    identity.rank = "${OMPI_COMM_WORLD_RANK-}";
    identity.local_rank = "${OMPI_COMM_WORLD_LOCAL_RANK-}";
    identity.world_size = "${OMPI_COMM_WORLD_SIZE-}";
    const std::array<Fill, 4> values{{{"BTL", btl_words(job)},
                                      {"REMOTE", shell_quoted(launch_dir(job))},
                                      {"TASKS", fmt::format("{}", job.world_size())},
                                      {"COMMAND", command_words(job)}}};
    Launch launch{{verifier_file(),
                   rank_exec_file(job, identity),
                   agent_file(job),
                   hosts_file(job),
                   rankfile(job),
                   ssh_push_file(job, filled(kRun, values))},
                  "sh launch.sh",
                  {}};
    launch.notes.emplace_back(
        "A rankfile always binds processes to cores: to all cores when the hosts file gives "
        "`cores`, else to those of socket 0.");
    launch.notes.emplace_back("Written for Open MPI 4; for version 5 (PRRTE) as its manual says.");
    return launch;
}

}  // namespace longhaul::launch::detail
