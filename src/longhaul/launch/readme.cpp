#include <fmt/format.h>

#include "longhaul/launch/detail/scripts.hpp"

namespace longhaul::launch::detail {
namespace {

std::string host_lines(const Job& job) {
    std::string text;
    for (const int host : hosts_by_rank(job)) {
        const auto h = static_cast<std::size_t>(host);
        text += fmt::format(
            "  {:<24} ranks {}\n", job.hosts.hosts[h].name, ranges_text(job.ranks_of_host[h], 12));
    }
    return text;
}

}  // namespace

OutputFile readme_file(const Launcher& launcher, const Job& job, const Launch& launch) {
    std::string text = fmt::format(
        "longhaul launch files for {}: {}\n\n"
        "Plan: {}, {} stages x {} replicas. Ranks are numbered as {} does: rank = {}.\n"
        "Rank 0 is on host {}; processes meet at {} port {}.\n\n"
        "Start, inside this folder:\n  {}\n\n"
        "Every process first runs verify_rank.sh, which compares its rank with rank_map.tsv and "
        "ends\nthe job when they differ (\"the map said 17, got 3\").\n\n",
        launcher.name,
        launcher.help,
        job.options.plan.empty() ? "(no name)" : job.options.plan,
        job.shape.pp,
        job.shape.dp,
        job.convention->name,
        plan_formula(*job.convention, job.shape),
        job.master().name,
        job.master().address,
        job.master_port,
        launch.start);
    if (!launch.notes.empty()) {
        text += "Notes\n";
        for (const std::string& note : launch.notes) {
            text += fmt::format("- {}\n", note);
        }
        text += "\n";
    }
    text += "Hosts\n" + host_lines(job);
    return {"README.txt", std::move(text)};
}

}  // namespace longhaul::launch::detail
