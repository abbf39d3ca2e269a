// torchrun with the static rendezvous: node ranks are given, not found. Rank = sum of the process
// counts of all lower node ranks + local rank (torch/distributed/elastic/agent/server/api.py).
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

std::string torchrun_children(const Job& job) {
    std::string text = "case \"$host\" in\n";
    const std::vector<int> order = hosts_by_rank(job);
    for (std::size_t node = 0; node < order.size(); ++node) {
        const auto h = static_cast<std::size_t>(order[node]);
        text += fmt::format("{}) node_rank={} processes={} ;;\n",
                            single_quoted(job.hosts.hosts[h].name),
                            node,
                            job.ranks_of_host[h].size());
    }
    return text + fmt::format(
                      "*)\n"
                      "    printf 'longhaul: host %s is not in the map\\n' \"$host\" >&2\n"
                      "    exit 1\n"
                      "    ;;\n"
                      "esac\n"
                      "child torchrun --rdzv_backend=static --nnodes={} "
                      "--nproc_per_node=\"$processes\" \\\n"
                      "    --node_rank=\"$node_rank\" --master_addr={} --master_port={} \\\n"
                      "    --max_restarts=0 --no_python \"$here/rank_exec.sh\" \\\n"
                      "    {} &\n"
                      "pids=$!\n",
                      order.size(),
                      shell_quoted(job.master().address),
                      job.master_port,
                      command_words(job));
}

bool same_counts(const Job& job) {
    return std::ranges::all_of(job.ranks_of_host, [&](const std::vector<int>& ranks) {
        return ranks.size() == job.ranks_of_host.front().size();
    });
}

}  // namespace

std::string refuse_split_hosts(const Job& job) {
    const std::optional<int> host = split_host(job);
    if (!host) {
        return "";
    }
    const auto h = static_cast<std::size_t>(*host);
    return fmt::format("it gives every host one block of consecutive ranks, but host {} holds {}",
                       job.hosts.hosts[h].name,
                       ranges_text(job.ranks_of_host[h]));
}

core::Result<Launch> emit_torchrun(const Job& job) {
    Identity identity;
    identity.set_master = false;
    Launch launch{ssh_files(job, identity, torchrun_children(job)), "sh launch.sh", {}};
    launch.notes.emplace_back(
        "The rendezvous is static, so ranks follow the given node ranks. Do not change it to c10d "
        "or etcd: these order hosts by name.");
    if (!same_counts(job)) {
        launch.notes.emplace_back(
            "Hosts run different numbers of processes. torchrun adds them up in node order, but "
            "its manual promises only equal numbers; verify_rank.sh tells if a version differs.");
    }
    return launch;
}

}  // namespace longhaul::launch::detail
