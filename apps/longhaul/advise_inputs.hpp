// What advise compares: options as typed, and the problem that they make.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/study/advise.hpp"
#include "longhaul/study/island_network.hpp"

namespace longhaul::app {

struct AdviseInputs {
    std::string fabric;
    std::string network;
    std::string job;
    std::string island_by = "label";
    std::optional<int> pp;
    std::optional<int> dp;
    std::optional<double> sequence_seconds;
    std::optional<double> tflops;
    std::optional<double> step_seconds;
    std::optional<double> tokens;
    std::optional<double> payload_gb;
    std::optional<double> gradient_gb;
    std::optional<double> memory_gb;
    std::optional<double> access_gbps;
    std::optional<int> microbatches;
    int parallel = 1;
    std::string multicast;  ///< "yes", "no"; empty: yes with a network
    std::string objective = "pipelined";
    std::string exchange = "sharded";
    std::string rounds = "uniform";
    std::string schedule;                ///< name or file; empty: the best that is found
    std::optional<double> time_limit_s;  ///< of searches and proofs; 0: none
    std::optional<double> effort;        ///< of the search for a schedule
    double overhead = 0.1;
    placement::SolveOptions solve;
    study::AdviseOptions advise;
};

/// What the options name, read, checked and placed.
struct AdviseCase {
    study::WaysProblem problem;
    std::optional<study::PlacedStep> placed;     ///< absent without a fabric
    bool counts_tokens = true;                   ///< false: tokens are not known, steps count
    std::optional<study::ScheduleChoice> given;  ///< of --schedule
};

/// Fails on what is missing or does not fit together, and where nothing can be placed.
[[nodiscard]] core::Result<AdviseCase> load_advise(const AdviseInputs& inputs);

}  // namespace longhaul::app
