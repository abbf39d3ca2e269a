// One row, one seed, in a process of its own: rows do not share caches, heap or peak memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "longhaul/placement/solve.hpp"
#include "instance.hpp"

namespace longhaul::bench {

/// What one run of a row gave. All on one thread; seconds are model seconds for scores and bounds,
/// CPU seconds of the process otherwise, where the name does not say wall.
struct Measurement {
    double score = 0;
    double bound = 0;
    double optimal = 0;  ///< 1 where the bound meets the score
    double nodes = 0;
    double evaluations = 0;
    double first_score = 0;  ///< of the plan that a search gives that is told to stop at once
    double first_cpu_s = 0;
    double first_wall_s = 0;
    double early_score = 0;  ///< when stopped after Bar::best_within_s; 0: not asked
    double final_cpu_s = 0;
    double final_wall_s = 0;
    double seed_score = 0;  ///< best seed of the dendrograms; 0: not asked
    double peak_mb = 0;     ///< largest resident size of the process
    std::string found_by;
    std::string method;  ///< of the bound
};

/// CPU seconds after which a child is killed: a run that never ends.
inline constexpr int kChildLimit_s = 3600;

/// One line of JSON, and back.
[[nodiscard]] core::Value to_value(const Measurement& measurement);
[[nodiscard]] core::Result<Measurement> read_measurement(const core::Value& value);

/// A value on one line.
[[nodiscard]] std::string one_line(const core::Value& value);

/// CPU seconds of this process.
[[nodiscard]] double cpu_seconds();

/// Runs `work` in a child process that may take `limit_s` seconds of CPU and returns what it gives;
/// `peak_mb` is raised to the child's peak.
[[nodiscard]] core::Result<core::Value> in_child(
    const std::function<core::Result<core::Value>()>& work, int limit_s, double& peak_mb);

/// Plans a problem three times: told to stop at once, after Bar::best_within_s (where asked), and
/// after the row's limit.
[[nodiscard]] core::Result<Measurement> plan_row(const fabric::Fabric& fabric,
                                                 const Instance& row,
                                                 std::uint64_t seed);

/// plan_row in a child, with the row's fabric.
[[nodiscard]] core::Result<Measurement> measure(const std::string& source_folder,
                                                const Instance& row,
                                                std::uint64_t seed);

/// The best of `runs` searches of `budget` evaluations with different seeds, or the optimum where a
/// proof needs no more. In a child.
struct LongRuns {
    double score = 0;
    bool proved = false;
    int runs = 0;
};
[[nodiscard]] core::Result<LongRuns> run_long(const std::string& source_folder,
                                              const Instance& row,
                                              int runs,
                                              std::uint64_t budget);

}  // namespace longhaul::bench
