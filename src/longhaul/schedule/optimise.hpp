// The best schedule that can be found, and how much better any other could be.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {

struct OptimiseOptions {
    int largest = 0;  ///< members of a clique at most; 0: no limit
    /// Rounds of a period at most; 0: four, and 24 where all rounds can be listed.
    int max_period = 0;
    Pace pace = Pace::kUniform;  ///< uniform or own; streamed: streamed.hpp
    MixingOptions mixing;
    std::uint64_t seed = 1;
    double effort = 1;  ///< scales how many schedules are looked at, > 0
    /// Schedules that are scored at most, more or less: it is asked where `stop` is.
    std::uint64_t most_evaluated = std::numeric_limits<std::uint64_t>::max();
    std::vector<Schedule> starts;  ///< the search starts from these too and is never worse
    std::function<bool()> stop;    ///< asked now and then; true ends the search
};

struct Optimised {
    std::optional<Schedule> schedule;  ///< nothing when no schedule joins all islands
    std::string reason;                ///< why not
    ScheduleScore score;
    double bound_ms = 0;  ///< no schedule of any period, of cliques of at most `largest`, is below
    std::string bound_method;     ///< how that was proved
    bool optimal = false;         ///< score and bound are equal
    std::uint64_t rounds = 0;     ///< feasible rounds, when all were listed
    std::uint64_t evaluated = 0;  ///< schedules that were scored
    bool stopped = false;         ///< `stop` or most_evaluated ended it

    [[nodiscard]] double gap() const { return bound_ms > 0 ? score.score_ms / bound_ms - 1 : 0; }
};

/// Up to ten islands all rounds are listed (docs/mathematics/schedule.md): pairs of rounds give the
/// bound and, where the best pair is reached, a proof for every period; prefixes of schedules and
/// windows of more rounds tighten it, and longer periods come from a beam search over sequences of
/// rounds. Above, annealing and path relinking from the schedules of comparators.hpp; the bound
/// then comes from who can reach whom in time.
/// Equal results for equal seeds. Flexible trees have heuristic times: the bound counts every
/// stream at its access rate.
[[nodiscard]] Optimised optimise_schedule(RoundTimes& times, const OptimiseOptions& options);

}  // namespace longhaul::schedule
