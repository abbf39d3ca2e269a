#include "longhaul/study/ways_to_train.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/streamed.hpp"
#include "longhaul/study/island_network.hpp"

namespace longhaul::study {
namespace {

constexpr double kUnreachable = std::numeric_limits<double>::infinity();
constexpr double kWhole = 1e-9;   // a number of steps so near to a whole one is that one
constexpr double kAsFast = 1e-9;  // relative: rounding of a quotient

/// Least whole H >= 1 that is at least `steps`.
double whole_steps(double steps) {
    return std::max(1.0, std::ceil(steps - kWhole * std::max(1.0, steps)));
}

/// The ways over one network, at one scale.
class Costing {
public:
    Costing(const WaysProblem& problem, Scales scales)
        : problem_(problem),
          scales_(scales),
          islands_(with_faster_links(problem.islands, scales.links)),
          window_s_(problem.compute_s * scales.computing),
          local_s_(problem.local_step_s ? problem.local_step_s(scales.computing) : window_s_) {}

    [[nodiscard]] std::vector<Option> all() {
        std::vector<Option> options;
        if (problem_.placed_step_s) {
            Option placed = option(Way::kPlaced, problem_.placed_shape);
            finish(placed, problem_.placed_step_s(scales_));
            options.push_back(std::move(placed));
        }
        schedule::Capabilities gradients = problem_.can;
        gradients.payload_gb = problem_.gradient_gb;
        schedule::RoundTimes in_every_step(islands_, gradients);
        options.push_back(every_step(fastest(exchange_times(in_every_step, problem_.multicast))));
        schedule::RoundTimes times(islands_, problem_.can);
        const ExchangeTime exchange = fastest(exchange_times(times, problem_.multicast));
        options.push_back(waiting(exchange));
        options.push_back(overlapped(exchange));
        options.push_back(best_schedule(times));
        for (Option& each : options) {
            if (each.way != Way::kPlaced && !problem_.no_islands.empty()) {
                each = option(each.way, "");
                each.problem = problem_.no_islands;
            }
        }
        mark_pareto(options);
        return options;
    }

private:
    static Option option(Way way, std::string how) {
        Option made;
        made.way = way;
        made.how = std::move(how);
        return made;
    }

    /// What follows from the seconds of a step.
    void finish(Option& made, double step_s) const {
        made.step_s = step_s;
        made.tokens_per_s = problem_.tokens / step_s;
        made.idle = std::max(0.0, 1 - window_s_ / step_s);
    }

    [[nodiscard]] Option every_step(const ExchangeTime& exchange) const {
        Option made = option(Way::kEveryStep, std::string(name_of(exchange.kind)));
        made.exchange_s = exchange.ms / 1000;
        made.inner_steps = 1;
        finish(made, local_s_ + made.exchange_s);
        return made;
    }

    [[nodiscard]] Option waiting(const ExchangeTime& exchange) const {
        Option made = option(Way::kWaiting, std::string(name_of(exchange.kind)));
        made.exchange_s = exchange.ms / 1000;
        const double share = problem_.overhead;
        // With one step between exchanges it is the way above.
        made.inner_steps =
            std::max(2.0, whole_steps(made.exchange_s * (1 - share) / (share * local_s_)));
        finish(made, local_s_ + made.exchange_s / made.inner_steps);
        made.staleness_steps = (made.inner_steps - 1) / 2;
        made.staleness_s = made.staleness_steps * made.step_s;
        return made;
    }

    [[nodiscard]] Option overlapped(const ExchangeTime& exchange) const {
        Option made = option(Way::kOverlapped, std::string(name_of(exchange.kind)));
        made.exchange_s = exchange.ms / 1000;
        made.inner_steps = whole_steps(made.exchange_s / local_s_);
        finish(made, local_s_);
        made.staleness_s = 1.5 * made.exchange_s;
        made.staleness_steps = made.staleness_s / local_s_;
        return made;
    }

    [[nodiscard]] Option best_schedule(schedule::RoundTimes& times) const {
        Option best = option(Way::kSchedule, "");
        best.staleness_s = kUnreachable;
        for (const ScheduleChoice& choice : problem_.schedules) {
            const auto [score_ms, longest_ms] = problem_.pace == schedule::Pace::kStreamed
                                                    ? streamed(choice, times)
                                                    : in_turn(choice, times);
            if (score_ms / 1000 < best.staleness_s) {
                best.how = choice.name;
                best.staleness_s = score_ms / 1000;
                best.exchange_s = longest_ms / 1000;
            }
        }
        if (!std::isfinite(best.staleness_s)) {
            best = option(Way::kSchedule, "");
            best.problem = problem_.schedules.empty() ? "no schedule joins all islands"
                           : problem_.schedules.size() == 1
                               ? problem_.schedules.front().name + " cannot be run"
                               : "none of the schedules can be run";
            return best;
        }
        finish(best, local_s_);
        best.staleness_steps = best.staleness_s / local_s_;
        return best;
    }

    /// Score and longest round; infinite when a round has no time or the cliques do not join all.
    using Times = std::pair<double, double>;

    [[nodiscard]] Times in_turn(const ScheduleChoice& choice, schedule::RoundTimes& times) const {
        std::vector<double> round_ms;
        for (const schedule::Round& round : choice.schedule.rounds) {
            round_ms.push_back(times.time_ms(round));
        }
        const double longest = *std::ranges::max_element(round_ms);
        return std::isfinite(longest)
                   ? Times{schedule::score_of(round_ms, choice.mixing, problem_.pace), longest}
                   : Times{kUnreachable, kUnreachable};
    }

    [[nodiscard]] Times streamed(const ScheduleChoice& choice, schedule::RoundTimes& times) const {
        const auto found =
            schedule::stream_schedule(choice.schedule, times, schedule::with_targets({}, islands_));
        if (!found) {
            return {kUnreachable, kUnreachable};
        }
        double longest = 0;
        for (const schedule::TimedRound& round : found->schedule.rounds) {
            for (const schedule::TimedClique& clique : round.cliques) {
                longest = std::max(longest, clique.time_ms);
            }
        }
        return {found->score_ms, longest};
    }

    static void mark_pareto(std::vector<Option>& options) {
        for (Option& each : options) {
            each.pareto =
                each.possible() && std::ranges::none_of(options, [&](const Option& other) {
                    const bool as_good = other.tokens_per_s >= each.tokens_per_s * (1 - kAsFast) &&
                                         other.staleness_s <= each.staleness_s;
                    const bool better = other.tokens_per_s > each.tokens_per_s * (1 + kAsFast) ||
                                        other.staleness_s < each.staleness_s;
                    return other.possible() && as_good && better;
                });
        }
    }

    const WaysProblem& problem_;
    Scales scales_;
    schedule::Islands islands_;
    double window_s_ = 0;
    double local_s_ = 0;
};

}  // namespace

std::string_view name_of(Way way) {
    switch (way) {
        case Way::kPlaced:
            return "per step, placed";
        case Way::kEveryStep:
            return "per step, islands";
        case Way::kWaiting:
            return "local steps, waiting";
        case Way::kOverlapped:
            return "local steps, overlapped";
        case Way::kSchedule:
            return "schedule";
    }
    return "";
}

std::vector<Option> options_at(const WaysProblem& problem, Scales scales) {
    LONGHAUL_ASSERT(scales.links > 0 && scales.computing > 0);
    return Costing(problem, scales).all();
}

int choose(const std::vector<Option>& options, double overhead, double most_steps) {
    const auto counts = [&](const Option& each) {
        return each.possible() && each.staleness_steps <= most_steps;
    };
    double most = 0;
    for (const Option& each : options) {
        most = counts(each) ? std::max(most, each.tokens_per_s) : most;
    }
    int best = -1;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (!counts(options[i]) ||
            options[i].tokens_per_s < most * (1 - overhead) * (1 - kAsFast)) {
            continue;
        }
        // Equal ones but for rounding: the earlier way, so that no crossing comes of it.
        const auto better = [&](const Option& one, const Option& other) {
            if (std::abs(one.staleness_steps - other.staleness_steps) >
                kAsFast * other.staleness_steps) {
                return one.staleness_steps < other.staleness_steps;
            }
            return one.tokens_per_s > other.tokens_per_s * (1 + kAsFast);
        };
        if (best < 0 || better(options[i], options[static_cast<std::size_t>(best)])) {
            best = static_cast<int>(i);
        }
    }
    return best;
}

std::vector<ScheduleChoice> schedule_choices(const schedule::Islands& islands,
                                             bool multicast,
                                             const std::optional<schedule::Schedule>& found) {
    const int n = static_cast<int>(islands.size());
    std::vector<schedule::NamedSchedule> named;
    if (found) {
        named.push_back({"found", *found});
    }
    const schedule::Clique all = n == 64 ? ~schedule::Clique{0} : (schedule::Clique{1} << n) - 1;
    named.push_back({"all-to-all", {{schedule::Round{{all}}}}});
    named.insert(named.end(), islands.schedules.begin(), islands.schedules.end());
    const schedule::MixingOptions mixing = schedule::with_targets({}, islands);
    std::vector<ScheduleChoice> choices;
    for (schedule::NamedSchedule& each : named) {
        const bool pairs = std::ranges::all_of(each.schedule.rounds, [](const auto& round) {
            return std::ranges::all_of(round.cliques, [](schedule::Clique clique) {
                return schedule::clique_size(clique) <= 2;
            });
        });
        const bool known = std::ranges::any_of(choices, [&](const ScheduleChoice& choice) {
            return choice.schedule == each.schedule;
        });
        if (!known && (multicast || pairs)) {
            schedule::Survival survival = schedule::survival(each.schedule, n, mixing);
            choices.push_back(
                {std::move(each.name), std::move(each.schedule), std::move(survival)});
        }
    }
    return choices;
}

}  // namespace longhaul::study
