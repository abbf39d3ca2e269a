// Predictions against measured steps: does the model rank placements as the real network does?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/study/rank_correlation.hpp"

namespace longhaul::study {

/// One plan of a file of measured steps (docs/formats/measured-steps.md).
struct MeasuredStep {
    std::string name;
    std::string plan;             ///< file, relative to the file of measured steps
    std::vector<double> seconds;  ///< of its steps, at least one, > 0
};

/// Reads "longhaul.measured-steps/1", JSON or TOML by its name; two plans or more. All problems are
/// reported.
[[nodiscard]] core::Result<std::vector<MeasuredStep>> read_measured_steps(std::string_view text,
                                                                          std::string_view name);

/// A plan with what was predicted and measured, in seconds.
struct ComparedStep {
    std::string name;
    double model = 0;
    double simulated = 0;
    double measured = 0;  ///< median of its steps
    /// What the median may be, see median_interval; the median itself where nothing is known.
    double measured_lower = 0;
    double measured_upper = 0;
};

/// Interval of the median of the steps: order statistics that hold it with 95 % at least, whatever
/// the distribution (Conover, 1999, section 3.2); of less than six steps, which hold it with less,
/// the least and the largest. Not empty. O(n log n).
[[nodiscard]] CorrelationInterval median_interval(std::vector<double> seconds);

struct ValidateOptions {
    double near = 0.10;            ///< simulated steps this near count as right
    double least_tau = 0.8;        ///< of the simulated ranking
    double fastest_within = 0.03;  ///< what the plan that is predicted best may lose
    int draws = 2000;
    std::uint64_t seed = 7;
};

/// How one prediction ranks the plans.
struct Ranking {
    std::optional<double> tau;
    std::optional<double> rho;
    std::optional<CorrelationInterval> tau_interval;
    std::optional<CorrelationInterval> rho_interval;
    /// Of few plans, instead of the intervals: that a random ranking reaches this tau.
    std::optional<double> chance;
};

struct Validation {
    Ranking model;
    Ranking simulated;
    int near = 0;                 ///< plans whose simulated step is near the measured one
    std::size_t best = 0;         ///< least simulated step, the first of equals
    std::size_t fastest = 0;      ///< least measured step
    double lost = 0;              ///< measured step of the best over the fastest, minus 1
    bool lost_in_spread = false;  ///< the intervals of both medians overlap: it may be none
    /// Why the predictions cannot be used to choose; empty: they can.
    std::vector<std::string> reasons;
};

/// Two steps or more. A prediction is rejected when the plan that it puts first loses more than
/// `fastest_within` and more than the spread of the measured steps explains, or tau is below
/// `least_tau`. O(draws n^2).
[[nodiscard]] Validation validate(const std::vector<ComparedStep>& steps,
                                  const ValidateOptions& options);

/// The object that `validate --json` prints.
[[nodiscard]] core::Value to_value(const std::vector<ComparedStep>& steps,
                                   const Validation& validation);

}  // namespace longhaul::study
