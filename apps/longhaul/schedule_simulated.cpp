#include "longhaul/schedule_simulated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {
namespace {

using schedule::Simulation;

constexpr double kTolerance = 0.005;  ///< of the score
constexpr double kFull = 1 + 1e-6;    ///< of a link
constexpr double kUnbiased = 1e-6;    ///< bias that is not worth a word
constexpr const char* kWhy[] = {"complete", "timeout", "conflict", "flush"};

/// Mean and longest time of the runs of one round of the period.
std::pair<double, double> times_of(const Simulation& run, std::size_t round, std::size_t period) {
    double sum = 0;
    double longest = 0;
    std::size_t count = 0;
    for (std::size_t k = round; k < run.round_ms.size(); k += period) {
        sum += run.round_ms[k];
        longest = std::max(longest, run.round_ms[k]);
        ++count;
    }
    return {count == 0 ? 0 : sum / static_cast<double>(count), longest};
}

/// Shortest time of sending of a clique that adds up, ms.
double shortest_sending_ms(const schedule::TimedSchedule& timed) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const schedule::TimedRound& round : timed.rounds) {
        for (const schedule::TimedClique& clique : round.cliques) {
            if (schedule::clique_size(clique.members) > 2) {
                shortest = std::min(shortest, clique.sending_ms);
            }
        }
    }
    return shortest;
}

/// Place and value of the largest entry; 0 of nothing.
std::pair<std::size_t, double> fullest(const std::vector<double>& values) {
    if (values.empty()) {
        return {0, 0};
    }
    const auto at = std::ranges::max_element(values);
    return {static_cast<std::size_t>(at - values.begin()), *at};
}

double number(std::uint64_t count) {
    return static_cast<double>(count);
}

std::string rounds_of(const SimulatedSchedule& simulated, const schedule::Islands& islands) {
    const schedule::Schedule plain = simulated.timed.schedule();
    const std::size_t period = plain.rounds.size();
    std::string text = "               computed      mean simulated, longest\n";
    for (std::size_t k = 0; k < period; ++k) {
        const auto [mean, longest] = times_of(simulated.run, k, period);
        text += fmt::format("round {:<4} {:>12.3f} ms {:>12.3f} ms {:>12.3f} ms  {}\n",
                            k + 1,
                            planned_ms(simulated.timed.rounds[k]),
                            mean,
                            longest,
                            round_text(plain.rounds[k], islands));
    }
    return text;
}

std::string computed_text(const Computed& computed) {
    const std::string without =
        computed.without.empty() ? "" : fmt::format(" without {}", computed.without);
    std::string text = computed.score_ms
                           ? fmt::format("{:.3f} ms computed{}", *computed.score_ms, without)
                           : "none computed" + without + ": " + computed.uncomputed;
    if (computed.remaining_ms) {
        text +=
            fmt::format(", {:.3f} ms without {}", *computed.remaining_ms, computed.without_partly);
    }
    return text;
}

/// Whether the score of streamed rounds differs though nothing disturbed them: sums of two rounds
/// met at an access link.
bool sums_met(const SimulatedSchedule& simulated, const schedule::Islands& islands) {
    const schedule::SimulationOptions& options = simulated.options;
    const bool jitters = options.jitter_ms ? *options.jitter_ms > 0
                                           : std::ranges::any_of(islands.jitter_ms,
                                                                 [](double ms) { return ms > 0; });
    const Computed& computed = simulated.computed;
    return simulated.timed.pace == schedule::Pace::kStreamed && !jitters && options.loss == 0 &&
           options.duplication == 0 && options.outages.empty() && computed.score_ms &&
           computed.not_comparable.empty() && simulated.run.split == 0 &&
           std::abs(simulated.run.score_ms - *computed.score_ms) > kTolerance * *computed.score_ms;
}

std::string score_of_run(const SimulatedSchedule& simulated, const schedule::Islands& islands) {
    const Simulation& run = simulated.run;
    const Computed& computed = simulated.computed;
    std::string text = "score      " + computed_text(computed);
    if (run.births == 0) {
        return text + "\n";
    }
    text += fmt::format("; {:.3f} ms simulated, standard error {:.3f} ms of {} updates",
                        run.score_ms,
                        run.score_error_ms,
                        run.births);
    if (computed.score_ms && *computed.score_ms > 0 && computed.not_comparable.empty()) {
        text += fmt::format(": {:+.2f} %", 100 * (run.score_ms / *computed.score_ms - 1));
    }
    text +=
        run.unsettled > 0
            ? fmt::format("; {} updates were never agreed on in the time followed", run.unsettled)
            : "";
    text += run.bias > kUnbiased
                ? fmt::format("\nbias       updates count {:.2f} % more or less than their share",
                              100 * run.bias)
                : "";
    if (!computed.not_comparable.empty()) {
        text += fmt::format("\ncompared   not: {}, so the run is partly with and partly without it",
                            computed.not_comparable);
    }
    if (sums_met(simulated, islands)) {
        text +=
            "\nnote       sums of two rounds meet at access links: the score counts one after the "
            "other, the run sends them on as they come";
    }
    if (simulated.timed.forgetting != 1) {
        text += fmt::format(
            "\nnote       the schedule forgets ({} a round); both scores here are without that",
            simulated.timed.forgetting);
    }
    return text + "\n";
}

/// Arrivals that differ by more than memory bears split sums: a guard plans for that.
std::string hint_of(const SimulatedSchedule& simulated, const schedule::Islands& islands) {
    constexpr double kOften = 0.05;
    const double guard = guard_for_jitter(simulated.timed, islands, simulated.options.jitter_ms);
    if (simulated.run.split_rate() < kOften || guard <= simulated.timed.guard_ms) {
        return "";
    }
    return fmt::format(
        "hint       sums are split because arrivals jitter by more than memory bears: plan with "
        "--guard-ms {:.3g} and memory for it ({:.4g} GB at this rate of sending)\n",
        guard,
        guard / shortest_sending_ms(simulated.timed) * simulated.timed.payload_gb);
}

std::string memory_of(const Simulation& run, const schedule::Islands& islands) {
    const auto most =
        std::ranges::max_element(run.aggregators, {}, &schedule::AggregatorUse::peak_gb);
    return fmt::format(
        "memory     at most {:.6g} GB, {} of {} slots ({})\n",
        most->peak_gb,
        most->peak_slots,
        most->slots,
        islands.islands[static_cast<std::size_t>(most - run.aggregators.begin())].name);
}

std::string counts_of(const Simulation& run) {
    std::string left;
    for (std::size_t why = 0; why < schedule::kEvictions; ++why) {
        left += fmt::format("{}{} {}", why == 0 ? "" : ", ", run.evictions[why], kWhy[why]);
    }
    const auto& copies = run.copies;
    return fmt::format(
        "sums       {:.6g} outputs a weight, {:.4g} % of {} split; left slots: {}\n"
        "blocks     {} sent, {} resent; lost {} on links, {} at islands; {} duplicate, {} "
        "overlapping, {} stale\n"
        "missing    {} of {} contributions, {} more absent; {} wrong sums\n",
        run.outputs_per_weight(),
        100 * run.split_rate(),
        run.weights,
        left,
        copies.created,
        run.resends,
        copies.lost_on_links,
        copies.lost_at_island,
        copies.duplicate,
        copies.overlapping,
        copies.stale,
        run.contributions.missing,
        run.contributions.planned,
        run.contributions.absent,
        run.wrong_sums);
}

std::string links_of(const Simulation& run, const schedule::Islands& islands) {
    if (run.link_peak.empty()) {
        return "";
    }
    const auto [link, load] = fullest(run.link_peak);
    const auto [island, egress] = fullest(run.egress_peak);
    return fmt::format("links      fullest {} at {:.1f} %; access out of {} at {:.1f} %\n",
                       schedule::link_names(islands)[link],
                       100 * load,
                       islands.islands[island].name,
                       100 * egress);
}

core::Value counts_value(const Simulation& run) {
    core::Value evictions = core::Value::object();
    for (std::size_t why = 0; why < schedule::kEvictions; ++why) {
        evictions.set(kWhy[why], number(run.evictions[why]));
    }
    return core::Value::object()
        .set("weights", number(run.weights))
        .set("outputs_per_weight", run.outputs_per_weight())
        .set("split_rate", run.split_rate())
        .set("evictions", std::move(evictions))
        .set("resends", number(run.resends))
        .set("copies",
             core::Value::object()
                 .set("created", number(run.copies.created))
                 .set("lost_on_links", number(run.copies.lost_on_links))
                 .set("lost_at_island", number(run.copies.lost_at_island))
                 .set("merged", number(run.copies.merged))
                 .set("duplicate", number(run.copies.duplicate))
                 .set("overlapping", number(run.copies.overlapping))
                 .set("stale", number(run.copies.stale)))
        .set("contributions",
             core::Value::object()
                 .set("planned", number(run.contributions.planned))
                 .set("absent", number(run.contributions.absent))
                 .set("merged", number(run.contributions.merged))
                 .set("missing", number(run.contributions.missing)))
        .set("wrong_sums", number(run.wrong_sums))
        .set("worst_row_error", run.worst_row_error);
}

}  // namespace

double planned_ms(const schedule::TimedRound& round) {
    double latest = 0;
    for (const schedule::TimedClique& clique : round.cliques) {
        latest = std::max(latest, clique.time_ms);
    }
    return latest;
}

std::vector<std::string> disagreements(const SimulatedSchedule& simulated,
                                       const schedule::Islands& islands) {
    const Simulation& run = simulated.run;
    std::vector<std::string> found;
    const Computed& computed = simulated.computed;
    if (computed.score_ms && computed.not_comparable.empty() && run.births > 0) {
        const double allowed = kTolerance * *computed.score_ms + run.score_error_ms;
        if (!(std::abs(run.score_ms - *computed.score_ms) <= allowed)) {
            found.push_back(fmt::format("the score differs by more than {:.3f} ms", allowed));
        }
    }
    if (!computed.score_ms && run.unsettled > 0) {
        found.push_back(fmt::format("{} updates never reached all islands", run.unsettled));
    }
    if (run.wrong_sums > 0) {
        found.push_back(fmt::format("{} wrong sums", run.wrong_sums));
    }
    if (const auto [link, load] = fullest(run.link_peak); load > kFull) {
        found.push_back(fmt::format("{} is filled to {:.1f} % of its capacity",
                                    schedule::link_names(islands)[link],
                                    100 * load));
    }
    return found;
}

std::string simulated_text(const SimulatedSchedule& simulated, const LoadedIslands& loaded) {
    const std::size_t period = simulated.timed.rounds.size();
    return network_line(loaded) +
           fmt::format("schedule   {}: {} round{}, {}; {} run, {} blocks each\n",
                       simulated.name,
                       period,
                       period == 1 ? "" : "s",
                       schedule::name_of(simulated.timed.pace),
                       simulated.options.rounds,
                       simulated.options.blocks) +
           rounds_of(simulated, loaded.islands) + score_of_run(simulated, loaded.islands) +
           memory_of(simulated.run, loaded.islands) + counts_of(simulated.run) +
           links_of(simulated.run, loaded.islands) + hint_of(simulated, loaded.islands);
}

core::Value simulated_value(const SimulatedSchedule& simulated, const LoadedIslands& loaded) {
    const Simulation& run = simulated.run;
    const Computed& computed = simulated.computed;
    const schedule::Islands& islands = loaded.islands;
    std::vector<double> planned;
    for (const schedule::TimedRound& round : simulated.timed.rounds) {
        planned.push_back(planned_ms(round));
    }
    core::Value memory = core::Value::array();
    core::Value egress = core::Value::object();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        memory.append(core::Value::object()
                          .set("island", islands.islands[i].name)
                          .set("slots", number(run.aggregators[i].slots))
                          .set("peak_slots", number(run.aggregators[i].peak_slots))
                          .set("peak_gb", run.aggregators[i].peak_gb));
        egress.set(islands.islands[i].name, run.egress_peak[i]);
    }
    core::Value links = core::Value::object();
    const std::vector<std::string> names = schedule::link_names(islands);
    for (std::size_t link = 0; link < names.size(); ++link) {
        links.set(names[link], run.link_peak[link]);
    }
    core::Value wrong = core::Value::array();
    for (const std::string& each : disagreements(simulated, islands)) {
        wrong.append(each);
    }
    core::Value value =
        core::Value::object()
            .set("network", islands.name)
            .set("name", simulated.name)
            .set("pace", std::string(schedule::name_of(simulated.timed.pace)))
            .set("feasible", true)
            .set("computed_score",
                 computed.score_ms ? core::Value(*computed.score_ms) : core::Value())
            .set("computed_without", computed.without)
            .set("not_comparable", computed.not_comparable)
            .set("remaining_score",
                 computed.remaining_ms ? core::Value(*computed.remaining_ms) : core::Value())
            .set("score", run.births > 0 ? core::Value(run.score_ms) : core::Value())
            .set("score_error", run.score_error_ms)
            .set("births", run.births)
            .set("unsettled", run.unsettled)
            .set("bias", run.bias)
            .set("computed_round_ms", core::Value(planned))
            .set("round_ms", core::Value(run.round_ms))
            .set("memory", std::move(memory))
            .set("links", std::move(links))
            .set("egress", std::move(egress))
            .set("disagreements", std::move(wrong));
    core::Value counts = counts_value(run);
    for (core::Member& member : counts.members) {
        value.set(member.key, std::move(member.value));
    }
    return value;
}

}  // namespace longhaul::app
