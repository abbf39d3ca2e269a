// env:// over ssh: every process is started with its own RANK, so any map can be expressed.
#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {

std::string env_children(const Job& job) {
    std::string text = fmt::format(
        "run() {{\n"
        "    child env RANK=\"$1\" LOCAL_RANK=\"$2\" WORLD_SIZE={} \"$here/rank_exec.sh\" \\\n"
        "        {}\n"
        "}}\n\n"
        "case \"$host\" in\n",
        job.world_size(),
        command_words(job));
    for (std::size_t h = 0; h < job.hosts.hosts.size(); ++h) {
        text += fmt::format("{})\n", single_quoted(job.hosts.hosts[h].name));
        for (const int rank : job.ranks_of_host[h]) {
            text += fmt::format("    run {} {} &\n    pids=\"$pids $!\"\n",
                                rank,
                                job.processes[static_cast<std::size_t>(rank)].local_rank);
        }
        text += "    ;;\n";
    }
    return text +
           "*)\n"
           "    printf 'longhaul: host %s is not in the map\\n' \"$host\" >&2\n"
           "    exit 1\n"
           "    ;;\n"
           "esac\n";
}

std::string refuse_nothing(const Job& /*job*/) {
    return "";
}

core::Result<Launch> emit_env(const Job& job) {
    return Launch{ssh_files(job, Identity(), env_children(job)), "sh launch.sh", {}};
}

}  // namespace longhaul::launch::detail
