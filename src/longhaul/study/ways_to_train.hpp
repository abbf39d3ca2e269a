// Ways to train one model on islands that are far apart, and what each costs: waiting, or
// staleness.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/schedule/optimise.hpp"
#include "longhaul/study/exchange_times.hpp"

namespace longhaul::study {

/// In the order of tables.
enum class Way {
    kPlaced,      ///< one job over all devices, placed; everybody waits in every step
    kEveryStep,   ///< a replica an island; gradients are exchanged in every step
    kWaiting,     ///< islands train H steps on their own, then exchange parameters and wait
    kOverlapped,  ///< the same, but train on while the exchange is on its way
    kSchedule     ///< rounds of cliques beside the training (module schedule)
};
inline constexpr int kWays = 5;

/// "per step, placed", "per step, islands", "local steps, waiting", "local steps, overlapped",
/// "schedule".
[[nodiscard]] std::string_view name_of(Way way);

/// A schedule that may be used, with how fast it mixes.
struct ScheduleChoice {
    std::string name;
    schedule::Schedule schedule;
    schedule::Survival mixing;
};

/// Rates of all links and seconds of all computing, relative to what was stated.
struct Scales {
    double links = 1;
    double computing = 1;
};

/// A fabric or a network of islands, with a job.
struct WaysProblem {
    schedule::Islands islands;
    schedule::Capabilities can;  ///< payload_gb: parameters, what local steps exchange
    double gradient_gb = 1;      ///< what an exchange in every step moves
    bool multicast = true;       ///< a stream reaches many islands, and aggregators add up
    double tokens = 1;           ///< of a step, all islands together
    double compute_s = 1;        ///< the useful compute window: all devices share the work

    /// Seconds of a step of an island by itself, of the slowest island, when computing takes so
    /// many times as long; empty: compute_s times that.
    std::function<double(double)> local_step_s;
    std::string no_islands;  ///< why no island can train by itself; empty: all can
    /// Seconds of a step of the placed job; empty: there is no fabric to place on.
    std::function<double(Scales)> placed_step_s;
    std::string placed_shape;  ///< "pp 8 x dp 8"

    double overhead = 0.1;  ///< share of the time that waiting, or being slower, may take
    schedule::Pace pace = schedule::Pace::kUniform;  ///< of schedules
    std::vector<ScheduleChoice> schedules;
};

/// One way under given scales.
struct Option {
    Way way = Way::kPlaced;
    std::string how;      ///< shape, kind of exchange, or name of the schedule
    std::string problem;  ///< why it cannot be done; empty: it can
    double step_s = 0;    ///< a step, with its share of waiting
    double tokens_per_s = 0;
    double idle = 0;  ///< share of the time in which devices do not compute
    /// Mean time for which islands disagree about an update; 0 in ways that wait in every step.
    double staleness_s = 0;
    double staleness_steps = 0;  ///< steps that an island computes in that time
    double inner_steps = 0;      ///< H; 0: does not apply
    double exchange_s = 0;       ///< until all agree; of a schedule, its longest round
    bool pareto = false;         ///< no other way is as good in both tokens and staleness
    [[nodiscard]] bool possible() const { return problem.empty(); }
};

/// All ways that apply, in the order of Way: the placed job only with a fabric.
///
/// With X for the exchange and c for a local step, whatever the kind of exchange:
///     every step   step c + X(gradients)
///     waiting      the least H with X / (H c + X) <= overhead; step c + X / H; H is 2 at
///                  least; staleness (H - 1) / 2 steps
///     overlapped   the least H with H c >= X; step c; exchanges one after the other:
///                  staleness 3 X / 2, the score of a schedule with that one round
///     schedule     step c; staleness: the least score of the schedules that can be run
/// O(exchange_times + schedules rounds).
[[nodiscard]] std::vector<Option> options_at(const WaysProblem& problem, Scales scales);

/// The choice among them: of those whose staleness is at most `most_steps`, the most tokens a
/// second set the mark; of those that reach (1 - overhead) of it, the least stale wins, then the
/// faster. -1: none can be done. O(options).
[[nodiscard]] int choose(const std::vector<Option>& options, double overhead, double most_steps);

/// The choice of schedule: everybody in one clique, those that the network names and `found`.
/// Without multicast, only schedules of pairs. O(schedules mixing).
[[nodiscard]] std::vector<ScheduleChoice> schedule_choices(
    const schedule::Islands& islands,
    bool multicast,
    const std::optional<schedule::Schedule>& found);

}  // namespace longhaul::study
