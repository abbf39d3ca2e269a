// The DeepSpeed launcher, once on every host (--no_ssh): hosts in the order of the hostfile, ranks
// in the order of hosts, LOCAL_RANK = rank modulo the processes of the host
// (deepspeed/launcher/launch.py), which rotates them against the devices when hosts differ in size.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

std::string hostfile(const Job& job) {
    std::string text;
    for (const int host : hosts_by_rank(job)) {
        const Host& entry = job.hosts.hosts[static_cast<std::size_t>(host)];
        const int highest = *std::ranges::max_element(entry.gpus);
        text += fmt::format("{} slots={}\n", entry.name, highest + 1);
    }
    return text;
}

/// "host:0,2@host2:1": which slots to use, needed where they are not all of them.
std::string inclusion(const Job& job) {
    std::string text;
    bool needed = false;
    for (const int host : hosts_by_rank(job)) {
        const Host& entry = job.hosts.hosts[static_cast<std::size_t>(host)];
        std::vector<int> gpus = entry.gpus;
        std::ranges::sort(gpus);
        needed = needed || gpus.back() + 1 != static_cast<int>(gpus.size());
        text += fmt::format("{}{}:{}", text.empty() ? "" : "@", entry.name, fmt::join(gpus, ","));
    }
    return needed ? text : "";
}

std::string deepspeed_children(const Job& job) {
    std::string text = "case \"$host\" in\n";
    const std::vector<int> order = hosts_by_rank(job);
    for (std::size_t node = 0; node < order.size(); ++node) {
        text +=
            fmt::format("{}) node_rank={} ;;\n",
                        single_quoted(job.hosts.hosts[static_cast<std::size_t>(order[node])].name),
                        node);
    }
    const std::string include = inclusion(job);
    return text + fmt::format(
                      "*)\n"
                      "    printf 'longhaul: host %s is not in the map\\n' \"$host\" >&2\n"
                      "    exit 1\n"
                      "    ;;\n"
                      "esac\n"
                      "child deepspeed --hostfile=\"$here/hostfile\" {}\\\n"
                      "    --no_ssh --node_rank=\"$node_rank\" --master_addr={} "
                      "--master_port={} \\\n"
                      "    --no_python --no_local_rank \"$here/rank_exec.sh\" \\\n"
                      "    {} &\n"
                      "pids=$!\n",
                      include.empty() ? "" : "--include=" + shell_quoted(include) + " ",
                      shell_quoted(job.master().address),
                      job.master_port,
                      command_words(job));
}

}  // namespace

core::Result<Launch> emit_deepspeed(const Job& job) {
    Identity identity;
    identity.set_master = false;
    Launch launch{ssh_files(job, identity, deepspeed_children(job)), "sh launch.sh", {}};
    launch.files.push_back({"hostfile", hostfile(job)});
    launch.notes.emplace_back(
        "deepspeed runs on every host with --no_ssh (DeepSpeed has it since 2024); the hostfile "
        "names "
        "hosts only to order them.");
    launch.notes.emplace_back(
        "LOCAL_RANK is the rank modulo the processes of the host, as DeepSpeed sets it; "
        "rank_exec.sh orders CUDA_VISIBLE_DEVICES to match. The training script reads LOCAL_RANK; "
        "it gets no --local_rank argument.");
    const Convention& pipeline = *find_convention("deepspeed-pipe-data");
    if (!equal_on(axis_sizes(job.shape), *job.convention, pipeline)) {
        launch.notes.push_back(fmt::format(
            "Ranks are numbered as {} does. PipelineModule of DeepSpeed numbers them as "
            "{}: use --convention {} with it.",
            job.convention->name,
            pipeline.name,
            pipeline.name));
    }
    return launch;
}

}  // namespace longhaul::launch::detail
