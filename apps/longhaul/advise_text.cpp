#include "longhaul/advise_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace longhaul::app {
namespace {

using study::Option;

std::string head_text(const study::Advice& advice, const AdviseCase& made) {
    const study::WaysProblem& problem = made.problem;
    std::string text = "islands  ";
    for (const schedule::Island& island : problem.islands.islands) {
        text += " " + island.name;
    }
    text += fmt::format("; parameters {:.6g} GB, gradients {:.6g} GB\n",
                        problem.can.payload_gb,
                        problem.gradient_gb);
    text += fmt::format("step      {}{:.6f} s of compute",
                        made.counts_tokens ? fmt::format("{:.6g} tokens, ", problem.tokens) : "",
                        problem.compute_s);
    if (problem.local_step_s && problem.no_islands.empty()) {
        text += fmt::format("; on the slowest island {:.6f} s", problem.local_step_s(1));
    }
    text += "\nexchange  of the parameters:";
    const char* before = "";
    for (const study::ExchangeTime& time : advice.exchanges) {
        text +=
            std::isfinite(time.ms)
                ? fmt::format("{} {} {:.6f} s", before, study::name_of(time.kind), time.ms / 1000)
                : fmt::format("{} {} impossible", before, study::name_of(time.kind));
        before = ",";
    }
    text += fmt::format("; of the gradients at least {:.6f} s\n", advice.exchange_bound_s);
    for (const study::ExchangeTime& time : advice.exchanges) {
        if (!std::isfinite(time.ms)) {
            text += fmt::format("          {}: {}\n", study::name_of(time.kind), time.detail);
        }
    }
    return text;
}

std::string option_text(const Option& option, bool best) {
    std::string text = fmt::format(
        "{}{} {:<25}", best ? '>' : ' ', option.pareto ? '*' : ' ', study::name_of(option.way));
    if (!option.possible()) {
        return text + option.problem + "\n";
    }
    return text +
           fmt::format("{:<14} {:>6} {:>12.6f} {:>13.6g} {:>6.1f} {:>12.6f} {:>9.1f}\n",
                       option.how,
                       option.inner_steps > 0 ? fmt::format("{:.0f}", option.inner_steps) : "-",
                       option.step_s,
                       option.tokens_per_s,
                       100 * option.idle,
                       option.staleness_s,
                       option.staleness_steps);
}

std::string table_text(const study::Advice& advice, const AdviseCase& made) {
    std::string text = fmt::format("\n   {:<25}{:<14} {:>6} {:>12} {:>13} {:>6} {:>12} {:>9}\n",
                                   "",
                                   "how",
                                   "H",
                                   "step s",
                                   made.counts_tokens ? "tokens/s" : "steps/s",
                                   "idle %",
                                   "staleness s",
                                   "steps");
    for (std::size_t i = 0; i < advice.options.size(); ++i) {
        text += option_text(advice.options[i], static_cast<int>(i) == advice.best);
    }
    return text + "   > best, * none is as good in both tokens and staleness\n\n";
}

std::string bound_text(const schedule::Optimised& found, schedule::Pace pace) {
    if (found.optimal) {
        return "proved best of all periods";
    }
    if (found.bound_ms <= 0) {
        return "no bound";
    }
    return pace == schedule::Pace::kStreamed
               ? fmt::format("no streamed one of one or two rounds is below {:.3f} ms",
                             found.bound_ms)
               : fmt::format("no schedule is below {:.3f} ms", found.bound_ms);
}

std::string proofs_text(const study::Advice& advice, const AdviseCase& made) {
    std::string text;
    if (made.placed) {
        const study::PlacedStep& placed = *made.placed;
        text += fmt::format(
            "placed    {:.6f} s by the model{}; no map of {} shapes is below {:.6f} s\n",
            placed.seconds,
            placed.replayed_s ? fmt::format(", {:.6f} s replayed", *placed.replayed_s) : "",
            std::ranges::count_if(placed.tried,
                                  [](const auto& trial) { return trial.reason.empty(); }),
            placed.bound.seconds);
    }
    const schedule::Optimised& found = advice.optimised;
    if (made.given && !found.schedule) {
        text += fmt::format("schedule  {} cannot be run: {}\n", made.given->name, found.reason);
    }
    if (found.schedule) {
        text += fmt::format(
            "schedule  {} round{} of {:.3f} ms or less, A {:.4f}, score {:.3f} ms, {}\n",
            found.schedule->period(),
            found.schedule->period() == 1 ? "" : "s",
            *std::ranges::max_element(found.score.round_ms),
            found.score.area,
            found.score.score_ms,
            bound_text(found, made.problem.pace));
    }
    return text;
}

/// The fastest way that waits in every step; nullptr: none can be done.
const Option* per_step_of(const study::Advice& advice) {
    const Option* fastest = nullptr;
    for (const Option& each : advice.options) {
        const bool waits = each.way == study::Way::kPlaced || each.way == study::Way::kEveryStep;
        if (waits && each.possible() &&
            (fastest == nullptr || each.tokens_per_s > fastest->tokens_per_s)) {
            fastest = &each;
        }
    }
    return fastest;
}

std::string verdict_text(const study::Advice& advice) {
    std::string text = fmt::format("verdict   {}\n", advice.verdict.text);
    if (!advice.verdict.proof.empty() && advice.verdict.per_step != study::PerStep::kUseful) {
        text += fmt::format("          proved by: {}\n", advice.verdict.proof);
    }
    if (advice.best < 0) {
        return text + "best      none: nothing can be done within that staleness\n";
    }
    const Option& best = advice.options[static_cast<std::size_t>(advice.best)];
    text += fmt::format("best      {} ({})", study::name_of(best.way), best.how);
    const Option* per_step = per_step_of(advice);
    if (best.staleness_steps > 0) {
        if (per_step != nullptr) {
            text += fmt::format(
                ": {:.3g} times as fast as the fastest per-step way, which idles "
                "{:.1f} %;",
                best.tokens_per_s / per_step->tokens_per_s,
                100 * per_step->idle);
        } else {
            text += ":";
        }
        text += fmt::format(
            " staleness {:.6f} s, {:.1f} steps", best.staleness_s, best.staleness_steps);
    } else {
        text += fmt::format(": idles {:.1f} %, nothing is stale", 100 * best.idle);
    }
    return text + "\n";
}

std::string way_text(int way) {
    return way < 0 ? "none" : std::string(study::name_of(static_cast<study::Way>(way)));
}

std::string crossings_text(const std::vector<study::ChangePoint>& changes,
                           const std::string& what,
                           const study::ChangeOptions& scan) {
    if (changes.empty()) {
        return fmt::format("  {}: the same from x{:.6g} to x{:.6g}\n", what, scan.low, scan.high);
    }
    std::string text = fmt::format(
        "  {}: below x{:.6g} {}", what, changes.front().at, way_text(changes.front().before));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        text += i + 1 < changes.size()
                    ? fmt::format(", to x{:.6g} {}", changes[i + 1].at, way_text(changes[i].after))
                    : fmt::format(", above {}", way_text(changes[i].after));
    }
    return text + "\n";
}

}  // namespace

std::string advise_text(const study::Advice& advice,
                        const AdviseCase& made,
                        const AdviseInputs& inputs) {
    std::string text = head_text(advice, made) + table_text(advice, made) +
                       proofs_text(advice, made) + verdict_text(advice);
    const study::AdviseOptions& options = inputs.advise;
    if (options.crossings) {
        text += fmt::format(
            "crossings of the best: least stale of those within {:.6g} % of the most tokens a "
            "second, at most {:.6g} steps\n",
            100 * made.problem.overhead,
            options.most_staleness_steps);
        text += crossings_text(advice.over_links, "rates of links", options.scan);
        text += crossings_text(advice.over_computing, "compute window", options.scan);
    }
    return text;
}

}  // namespace longhaul::app
