#include "longhaul/study/advise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longhaul/schedule/streamed.hpp"
#include "longhaul/schedule/streamed_search.hpp"

namespace longhaul::study {
namespace {

constexpr double kNothing = std::numeric_limits<double>::infinity();

bool waits_in_every_step(Way way) {
    return way == Way::kPlaced || way == Way::kEveryStep;
}

/// The least exchange of a step that is proved, over all ways that wait in every step and apply.
void prove(Verdict& verdict,
           const WaysProblem& problem,
           const PlacedStep* placed,
           double exchange_bound_s) {
    verdict.at_least_s = kNothing;
    if (problem.no_islands.empty()) {
        verdict.at_least_s = exchange_bound_s;
        verdict.proof =
            "what an island computed must leave it and reach the farthest island, whatever the "
            "exchange";
    }
    if (placed != nullptr && placed->exchange.seconds < verdict.at_least_s) {
        verdict.at_least_s = placed->exchange.seconds;
        verdict.proof = fmt::format("least bound over {} shapes, of pp {} x dp {}, {}",
                                    std::ranges::count_if(placed->tried,
                                                          [](const placement::ShapeTrial& trial) {
                                                              return trial.reason.empty();
                                                          }),
                                    placed->exchange.shape.pp,
                                    placed->exchange.shape.dp,
                                    placed->exchange.method);
    }
}

std::string verdict_text(const Verdict& verdict) {
    switch (verdict.per_step) {
        case PerStep::kSlower:
            return fmt::format(
                "per-step synchronisation is slower than the useful compute window for every "
                "plausible map: at least {:.6f} s of exchange against {:.6f} s of compute",
                verdict.at_least_s,
                verdict.window_s);
        case PerStep::kUnsettled:
            return fmt::format(
                "per-step synchronisation is slower than the useful compute window for every map "
                "that was found: {:.6f} s of exchange against {:.6f} s of compute; proved are "
                "{:.6f} s",
                verdict.found_s,
                verdict.window_s,
                verdict.at_least_s);
        case PerStep::kUseful:
            break;
    }
    return std::isfinite(verdict.found_s) ? fmt::format(
                                                "per-step synchronisation fits the useful compute "
                                                "window: {:.6f} s of exchange "
                                                "against {:.6f} s of compute",
                                                verdict.found_s,
                                                verdict.window_s)
                                          : "no way that waits in every step can be done";
}

Verdict judge(const WaysProblem& problem,
              const PlacedStep* placed,
              const std::vector<Option>& options,
              double exchange_bound_s) {
    Verdict verdict;
    verdict.window_s = problem.compute_s;
    verdict.found_s = kNothing;
    for (const Option& each : options) {
        if (each.possible() && waits_in_every_step(each.way)) {
            verdict.found_s = std::min(verdict.found_s, each.step_s - verdict.window_s);
        }
    }
    prove(verdict, problem, placed, exchange_bound_s);
    if (std::isfinite(verdict.at_least_s) && verdict.at_least_s > verdict.window_s) {
        verdict.per_step = PerStep::kSlower;
    } else if (std::isfinite(verdict.found_s) && verdict.found_s > verdict.window_s) {
        verdict.per_step = PerStep::kUnsettled;
    }
    verdict.text = verdict_text(verdict);
    return verdict;
}

std::vector<double> longest_cliques(const schedule::TimedSchedule& timed) {
    std::vector<double> round_ms;
    for (const schedule::TimedRound& round : timed.rounds) {
        double longest = 0;
        for (const schedule::TimedClique& clique : round.cliques) {
            longest = std::max(longest, clique.time_ms);
        }
        round_ms.push_back(longest);
    }
    return round_ms;
}

schedule::Optimised of_streams(const schedule::StreamedTimes& streamed) {
    schedule::Optimised found;
    found.schedule = streamed.schedule.schedule();
    found.score.feasible = true;
    found.score.score_ms = streamed.score_ms;
    found.score.area = streamed.area;
    found.score.round_ms = longest_cliques(streamed.schedule);
    found.bound_method = "none";
    return found;
}

schedule::Optimised no_schedule(std::string reason) {
    schedule::Optimised none;
    none.reason = std::move(reason);
    return none;
}

/// Streamed rounds, from the best that do not overlap.
schedule::Optimised best_of_streams(const schedule::Schedule& start,
                                    const schedule::OptimiseOptions& how,
                                    schedule::RoundTimes& times) {
    schedule::StreamedSearch search;
    search.largest = how.largest;
    search.max_period = how.max_period;
    search.seeds = how.starts;
    search.seeds.push_back(start);
    search.seed = how.seed;
    search.stop = how.stop;
    search.programs = std::max(1, static_cast<int>(search.programs * how.effort));
    search.moves = std::max(1, static_cast<int>(search.moves * how.effort));
    const auto best = schedule::best_streamed(times, how.mixing, search);
    if (!best) {
        return no_schedule("no schedule that was tried can be streamed");
    }
    schedule::Optimised found = of_streams(best->best);
    found.bound_ms = best->bound_ms;
    found.bound_method = best->bound_ms > 0 ? "pairs of rounds" : "none";
    found.evaluated = static_cast<std::uint64_t>(best->programs);
    return found;
}

schedule::Optimised best_schedule(const WaysProblem& problem, const AdviseOptions& options) {
    schedule::RoundTimes times(problem.islands, problem.can);
    schedule::OptimiseOptions how = options.optimiser;
    const bool streamed = problem.pace == schedule::Pace::kStreamed;
    how.pace = streamed ? schedule::Pace::kUniform : problem.pace;
    if (streamed && how.max_period == 0) {
        how.max_period = schedule::StreamedSearch{}.max_period;
    }
    if (!problem.multicast) {
        how.largest = 2;
    }
    how.mixing = schedule::with_targets(how.mixing, problem.islands);
    schedule::Optimised best = schedule::optimise_schedule(times, how);
    return streamed && best.schedule ? best_of_streams(*best.schedule, how, times) : best;
}

/// The schedule to compare, as if it had been found.
schedule::Optimised given_schedule(const WaysProblem& problem, const ScheduleChoice& given) {
    schedule::RoundTimes times(problem.islands, problem.can);
    if (!given.mixing.mixes) {
        return no_schedule("the cliques do not join all islands");
    }
    if (problem.pace == schedule::Pace::kStreamed) {
        std::string reason;
        const auto streamed = schedule::stream_schedule(
            given.schedule, times, schedule::with_targets({}, problem.islands), &reason);
        return streamed ? of_streams(*streamed) : no_schedule(std::move(reason));
    }
    schedule::Optimised found;
    found.schedule = given.schedule;
    found.score.feasible = true;
    found.score.area = given.mixing.area;
    found.score.mixing = given.mixing;
    for (const schedule::Round& round : given.schedule.rounds) {
        found.score.round_ms.push_back(times.time_ms(round));
        if (!std::isfinite(found.score.round_ms.back())) {
            return no_schedule(times.reason(round));
        }
    }
    found.score.score_ms = schedule::score_of(found.score.round_ms, given.mixing, problem.pace);
    return found;
}

}  // namespace

double default_effort(std::size_t islands) {
    constexpr double kEffort = 0.05;
    constexpr double kFew = 16;
    const double more = std::max(1.0, static_cast<double>(islands) / kFew);
    return std::max(0.001, kEffort / (more * more * more));
}

Advice advise(WaysProblem problem, const PlacedStep* placed, const AdviseOptions& options) {
    Advice advice;
    if (problem.no_islands.empty()) {
        advice.optimised = options.given ? given_schedule(problem, *options.given)
                                         : best_schedule(problem, options);
    }
    problem.schedules =
        options.given
            ? std::vector<ScheduleChoice>{*options.given}
            : schedule_choices(problem.islands, problem.multicast, advice.optimised.schedule);
    advice.options = options_at(problem, {});
    const auto choice_at = [&](Scales scales) {
        const std::vector<Option> there = options_at(problem, scales);
        const int best = choose(there, problem.overhead, options.most_staleness_steps);
        return best < 0 ? -1 : static_cast<int>(there[static_cast<std::size_t>(best)].way);
    };
    advice.best = choose(advice.options, problem.overhead, options.most_staleness_steps);
    advice.exchange_bound_s = exchange_bound_ms(problem.islands, problem.gradient_gb) / 1000;
    advice.verdict = judge(problem, placed, advice.options, advice.exchange_bound_s);
    schedule::RoundTimes times(problem.islands, problem.can);
    advice.exchanges = exchange_times(times, problem.multicast);
    if (options.crossings) {
        advice.over_links = change_points(
            [&](double factor) { return choice_at({.links = factor, .computing = 1}); },
            options.scan);
        advice.over_computing = change_points(
            [&](double factor) { return choice_at({.links = 1, .computing = factor}); },
            options.scan);
    }
    return advice;
}

}  // namespace longhaul::study
