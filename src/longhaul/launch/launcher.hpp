// The launchers that longhaul writes files for: one table, one entry each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/launch/job.hpp"

namespace longhaul::launch {

/// One file of a launch folder.
struct OutputFile {
    std::string path;  ///< plain name inside the folder
    std::string text;
    bool executable = false;
};

/// Everything that a launch folder holds.
struct Launch {
    std::vector<OutputFile> files;
    std::string start;               ///< the command that starts the job, typed inside the folder
    std::vector<std::string> notes;  ///< what a person should know before starting
};

/// How a launcher numbers the processes of a host.
enum class LocalRanks {
    kByRank,     ///< 0, 1, ... in the order of global ranks
    kRankModulo  ///< global rank modulo the number of processes there (DeepSpeed)
};

/// One launcher. Pure: files in memory, nothing is run.
struct Launcher {
    std::string_view name;
    std::string_view help;       ///< one line for --help
    std::string_view expresses;  ///< which rank maps it can express, for the documentation
    LocalRanks local_ranks;
    /// Why this job cannot be launched so, or "".
    std::string (*refusal)(const Job& job);
    core::Result<Launch> (*emit)(const Job& job);
};

[[nodiscard]] std::span<const Launcher> launchers();
/// By name, or nullptr.
[[nodiscard]] const Launcher* find_launcher(std::string_view name);

/// Whether a launcher can start this job as it stands.
struct Verdict {
    std::string reason;               ///< "" = yes
    std::vector<std::string> others;  ///< launchers that can
};
[[nodiscard]] Verdict check(const Launcher& launcher, const Job& job);

/// All files of a launch: those of the launcher, rank_map.tsv and README.txt. Fails with the reason
/// and with the launchers that can when this one cannot express the map. O(output).
[[nodiscard]] core::Result<Launch> emit(const Launcher& launcher, Job job);

}  // namespace longhaul::launch
