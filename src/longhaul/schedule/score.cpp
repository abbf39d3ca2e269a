#include "longhaul/schedule/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule {

using detail::kNever;

namespace {

std::vector<double> targets_of(const MixingOptions& options, const Islands& islands) {
    if (!options.target.empty()) {
        return options.target;
    }
    std::vector<double> target;
    for (const Island& island : islands.islands) {
        target.push_back(island.target);
    }
    const bool equal =
        std::ranges::adjacent_find(target, std::ranges::not_equal_to()) == target.end();
    return equal ? std::vector<double>() : target;
}

}  // namespace

MixingOptions with_targets(MixingOptions options, const Islands& islands) {
    options.target = targets_of(options, islands);
    return options;
}

double score_of(const std::vector<double>& round_ms,
                const Survival& mixing,
                Pace pace,
                double forgetting) {
    LONGHAUL_ASSERT(pace != Pace::kStreamed && round_ms.size() == mixing.curves.size());
    if (!std::isfinite(mixing.area)) {
        return kNever;
    }
    if (pace == Pace::kUniform) {
        return mixing.area * *std::ranges::max_element(round_ms);
    }
    const std::size_t period = round_ms.size();
    double weighted = 0;
    double total = 0;
    for (std::size_t k = 0; k < period; ++k) {
        double lifetime = round_ms[k] / 2;
        double worth = 1;
        for (std::size_t h = 0; h < mixing.curves[k].size(); ++h) {
            lifetime += worth * mixing.curves[k][h] * round_ms[(k + 1 + h) % period];
            worth *= forgetting;
        }
        weighted += round_ms[k] * lifetime;
        total += round_ms[k];
    }
    return total == 0 ? 0 : weighted / total;
}

ScheduleScore score_schedule(const Schedule& schedule,
                             RoundTimes& times,
                             Pace pace,
                             const MixingOptions& mixing) {
    LONGHAUL_ASSERT(!schedule.rounds.empty());
    const Islands& islands = times.islands();
    const MixingOptions options = with_targets(mixing, islands);
    ScheduleScore found;
    found.score_ms = kNever;
    found.mixing = survival(schedule, static_cast<int>(islands.size()), options);
    found.area = found.mixing.area;
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        found.round_ms.push_back(times.time_ms(schedule.rounds[k]));
        if (!std::isfinite(found.round_ms.back()) && found.reason.empty()) {
            found.reason = fmt::format("round {}: {}", k + 1, times.reason(schedule.rounds[k]));
        }
    }
    if (!found.mixing.mixes) {
        found.area = kNever;  // also where forgetting ends the curves
    }
    if (found.reason.empty() && !found.mixing.mixes) {
        found.reason =
            "the cliques of all rounds together do not join all islands: an update "
            "would never reach some of them";
    }
    for (std::size_t k = 0; pace == Pace::kOwn && k < schedule.rounds.size(); ++k) {
        if (found.reason.empty() && islands.size() > 1 &&
            std::ssize(schedule.rounds[k].cliques) == std::ssize(islands.islands)) {
            found.reason = fmt::format(
                "round {}: all islands are alone, which takes no time where rounds have their own "
                "lengths; leave it out",
                k + 1);
        }
    }
    found.feasible = found.reason.empty();
    if (found.feasible) {
        found.score_ms = score_of(found.round_ms, found.mixing, pace, options.forgetting);
    }
    return found;
}

void weigh_by_target(TimedSchedule& timed, const std::vector<double>& target) {
    if (target.empty()) {
        return;
    }
    for (TimedRound& round : timed.rounds) {
        for (TimedClique& clique : round.cliques) {
            const std::vector<int> members = members_of(clique.members);
            const std::size_t k = members.size();
            if (k < 2) {
                continue;
            }
            double sum = 0;
            for (const int member : members) {
                sum += target[detail::slot(member)];
            }
            clique.weights = core::Grid<double>(k, k);
            for (std::size_t i = 0; i < k; ++i) {
                for (std::size_t j = 0; j < k; ++j) {
                    clique.weights(i, j) = target[detail::slot(members[j])] / sum;
                }
            }
        }
    }
}

TimedSchedule timed_schedule(const Schedule& schedule, RoundTimes& times, Pace pace) {
    LONGHAUL_ASSERT(pace != Pace::kStreamed);
    TimedSchedule timed;
    timed.network_name = times.islands().name;
    timed.pace = pace;
    timed.payload_gb = times.capabilities().payload_gb;
    timed.guard_ms = times.capabilities().guard_ms;
    timed.memory_gb = times.capabilities().memory_gb;
    double longest = 0;
    for (const Round& round : schedule.rounds) {
        auto found = times.timed(round);
        LONGHAUL_ASSERT(found);
        longest = std::max(longest, found->length_ms);
        timed.rounds.push_back(std::move(*found));
    }
    for (TimedRound& round : timed.rounds) {
        round.length_ms = pace == Pace::kUniform ? longest : round.length_ms;
    }
    weigh_by_target(timed, with_targets({}, times.islands()).target);
    return timed;
}

Schedule TimedSchedule::schedule() const {
    Schedule plain;
    for (const TimedRound& round : rounds) {
        auto& cliques = plain.rounds.emplace_back().cliques;
        for (const TimedClique& clique : round.cliques) {
            cliques.push_back(clique.members);
        }
        std::ranges::sort(cliques, {}, [](Clique c) { return std::countr_zero(c); });
    }
    return plain;
}

}  // namespace longhaul::schedule
