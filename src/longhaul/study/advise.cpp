#include "longhaul/study/advise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

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

schedule::Optimised best_schedule(const WaysProblem& problem, const AdviseOptions& options) {
    schedule::RoundTimes times(problem.islands, problem.can);
    schedule::OptimiseOptions how = options.optimiser;
    how.pace = problem.pace;
    if (!problem.multicast) {
        how.largest = 2;
    }
    how.mixing = schedule::with_targets(how.mixing, problem.islands);
    return schedule::optimise_schedule(times, how);
}

}  // namespace

Advice advise(WaysProblem problem, const PlacedStep* placed, const AdviseOptions& options) {
    Advice advice;
    if (problem.no_islands.empty()) {
        advice.optimised = best_schedule(problem, options);
    }
    problem.schedules =
        schedule_choices(problem.islands, problem.multicast, advice.optimised.schedule);
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
