// Megatron-LM: the flags that make it number ranks as the map does, and torchrun where the map
// allows it, else env://.
#include <fmt/format.h>

#include "longhaul/launch/detail/emitters.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

bool numbers_like(const Job& job, std::string_view name) {
    return equal_on(axis_sizes(job.shape), *job.convention, *find_convention(name));
}

/// Flags, each with its words.
std::vector<std::vector<std::string>> megatron_flags(const Job& job) {
    std::vector<std::vector<std::string>> flags = {
        {"--tensor-model-parallel-size", fmt::format("{}", job.shape.tp)},
        {"--context-parallel-size", "1"},
        {"--pipeline-model-parallel-size", fmt::format("{}", job.shape.pp)}};
    // Without the flag Megatron numbers replicas first.
    if (!numbers_like(job, "megatron")) {
        flags.push_back({"--use-tp-pp-dp-mapping"});
    }
    return flags;
}

}  // namespace

std::string refuse_megatron(const Job& job) {
    return numbers_like(job, "megatron") || numbers_like(job, "megatron-tp-pp-dp")
               ? ""
               : fmt::format("Megatron-LM cannot number ranks as {} does", job.convention->name);
}

core::Result<Launch> emit_megatron(const Job& job) {
    Job with_flags = job;
    std::string lines;
    for (const std::vector<std::string>& flag : megatron_flags(job)) {
        std::vector<std::string>& command = with_flags.options.command;
        command.insert(command.end(), flag.begin(), flag.end());
        lines += shell_words(flag) + "\n";
    }
    const bool blocks = refuse_split_hosts(job).empty();
    core::Result<Launch> launch = blocks ? emit_torchrun(with_flags) : emit_env(with_flags);
    if (launch) {
        launch->files.push_back({"megatron_flags.txt", std::move(lines)});
        launch->notes.push_back(fmt::format(
            "Started by {}; the flags of megatron_flags.txt are added to the command. "
            "Do not set them a second time.",
            blocks ? "torchrun" : "env:// (no block of ranks a host, so not torchrun)"));
    }
    return launch;
}

}  // namespace longhaul::launch::detail
