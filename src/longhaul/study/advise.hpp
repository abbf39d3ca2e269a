// Which way to train: what each way costs, whether waiting in every step can be useful at all, and
// where the answer would change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/study/change_points.hpp"
#include "longhaul/study/per_step.hpp"
#include "longhaul/study/ways_to_train.hpp"

namespace longhaul::study {

struct AdviseOptions {
    double most_staleness_steps = 500;  ///< local steps that updates may be stale on average
    bool crossings = true;
    ChangeOptions scan{};                   ///< of both scales
    schedule::OptimiseOptions optimiser{};  ///< of the schedule; `largest` 2 without multicast
    /// A schedule to compare instead of searching one; `optimised` then holds it without a bound.
    std::optional<ScheduleChoice> given{};
};

/// How much of a full search a first look takes: 0.05, and beyond 16 islands less by the cube of
/// their number, which is how a search grows; at least 0.001.
[[nodiscard]] double default_effort(std::size_t islands);

/// What is proved of ways that wait in every step.
enum class PerStep {
    kSlower,     ///< no map and no exchange is shorter than the useful compute window
    kUnsettled,  ///< those that were found are not shorter; it is not proved that none is
    kUseful      ///< one that was found is shorter
};

struct Verdict {
    PerStep per_step = PerStep::kUseful;
    double at_least_s = 0;  ///< no exchange of a step is shorter
    double found_s = 0;     ///< step - window of the fastest way that was found; infinite: none
    double window_s = 0;    ///< useful compute of a step
    std::string proof;      ///< of at_least_s
    std::string text;       ///< the verdict in a sentence
};

struct Advice {
    std::vector<Option> options;
    int best = -1;  ///< of options; -1: none can be done
    Verdict verdict;
    std::vector<ExchangeTime> exchanges;      ///< of what local steps exchange
    double exchange_bound_s = 0;              ///< no exchange of gradients is shorter, of any kind
    schedule::Optimised optimised;            ///< the best schedule of the network as it stands
    std::vector<ChangePoint> over_links;      ///< by the rate of all links; answers are Way or -1
    std::vector<ChangePoint> over_computing;  ///< by how long computing takes
};

/// Searches the best schedule, compares the ways, and finds the scales at which the choice
/// (ways_to_train.hpp, `choose`) changes. At other scales than 1 schedules are those known at 1,
/// with their times there. Streamed rounds are searched from the best that do not overlap; their
/// bound holds for one and two rounds. `placed`: of the fabric, for the proof; null without one.
/// The problem's `schedules` are filled in. O(optimise_schedule + change_points options_at).
[[nodiscard]] Advice advise(WaysProblem problem,
                            const PlacedStep* placed,
                            const AdviseOptions& options);

/// The object that `advise --json` prints: "longhaul.advice/1".
[[nodiscard]] core::Value to_value(const Advice& advice,
                                   const WaysProblem& problem,
                                   const PlacedStep* placed);

}  // namespace longhaul::study
