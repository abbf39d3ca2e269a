#include "longhaul/schedule_comparable.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "longhaul/schedule/replan.hpp"
#include "longhaul/schedule/timed_score.hpp"

namespace longhaul::app {
namespace {

using schedule::Clique;

std::string names_of(Clique islands, const schedule::Islands& all) {
    std::vector<std::string> names;
    for (const int island : schedule::members_of(islands)) {
        names.push_back(all.islands[static_cast<std::size_t>(island)].name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string until_text(double ms) {
    return std::isfinite(ms) ? fmt::format("{:.6g} ms", ms) : std::string("the end");
}

/// Everything but a schedule with what an update is worth later: what is run does not forget.
std::optional<double> unforgetting(schedule::TimedSchedule timed,
                                   const schedule::Islands& islands,
                                   std::string* reason) {
    timed.forgetting = 1;
    return schedule::computed_score(timed, islands, reason);
}

std::optional<double> score_without(const schedule::TimedSchedule& timed,
                                    const schedule::Islands& islands,
                                    Clique absent,
                                    std::string* reason) {
    if (absent == 0) {
        return unforgetting(timed, islands, reason);
    }
    if (std::popcount(absent) + 1 >= static_cast<int>(islands.size())) {
        *reason = "fewer than two islands are left";
        return std::nullopt;
    }
    const schedule::Remaining left = schedule::remaining_of(timed, islands, absent);
    return unforgetting(left.schedule, left.islands, reason);
}

}  // namespace

Away islands_away(const schedule::SimulationOptions& options,
                  const schedule::Islands& islands,
                  double end_ms) {
    Away away;
    std::vector<std::string> why;
    const auto name = [&](int island) {
        return islands.islands[static_cast<std::size_t>(island)].name;
    };
    for (const schedule::Change& change : options.changes) {
        const Clique bit = Clique{1} << change.island;
        const bool alone =
            std::ranges::count(options.changes, change.island, &schedule::Change::island) == 1;
        if (alone && !change.joins && change.round == 0) {
            away.throughout |= bit;
            continue;
        }
        away.partly |= bit;
        why.push_back(fmt::format("{} {} in round {}",
                                  name(change.island),
                                  change.joins ? "joins" : "leaves",
                                  change.round + 1));
    }
    for (const schedule::Outage& outage : options.outages) {
        if (outage.what != schedule::Outage::What::kIsland || outage.from_ms >= end_ms) {
            continue;
        }
        const int island = static_cast<int>(outage.index);
        if (outage.from_ms <= 0 && outage.to_ms >= end_ms) {
            away.throughout |= Clique{1} << island;
            continue;
        }
        away.partly |= Clique{1} << island;
        why.push_back(fmt::format("{} is down from {:.6g} to {}",
                                  name(island),
                                  outage.from_ms,
                                  until_text(outage.to_ms)));
    }
    away.partly &= ~away.throughout;
    away.why = away.partly == 0 ? "" : fmt::format("{}", fmt::join(why, ", "));
    return away;
}

Computed computed_scores(const schedule::TimedSchedule& timed,
                         const schedule::Islands& islands,
                         const schedule::SimulationOptions& options) {
    double period_ms = 0;
    for (const schedule::TimedRound& round : timed.rounds) {
        period_ms += round.length_ms;
    }
    const double end_ms = period_ms * options.rounds / static_cast<double>(timed.rounds.size());
    const Away away = islands_away(options, islands, end_ms);
    Computed computed;
    computed.without = names_of(away.throughout, islands);
    computed.score_ms = score_without(timed, islands, away.throughout, &computed.uncomputed);
    computed.not_comparable = away.why;
    if (away.partly != 0) {
        std::string ignored;
        const Clique ever = away.throughout | away.partly;
        computed.without_partly = names_of(ever, islands);
        computed.remaining_ms = score_without(timed, islands, ever, &ignored);
    }
    return computed;
}

double guard_for_jitter(const schedule::TimedSchedule& timed,
                        const schedule::Islands& islands,
                        std::optional<double> jitter_ms) {
    constexpr double kDeviations = 3;
    double worst = 0;
    for (const schedule::TimedRound& round : timed.rounds) {
        for (const schedule::TimedClique& clique : round.cliques) {
            std::vector<double> variance(static_cast<std::size_t>(islands.network.nodes), 0);
            std::vector<std::vector<double>> arriving(islands.size());
            const std::vector<int> members = schedule::members_of(clique.members);
            for (std::size_t i = 0; members.size() > 2 && i < members.size(); ++i) {
                std::ranges::fill(variance, 0.0);
                for (const std::uint32_t link : clique.trees[i].links) {
                    const topology::Link& hop = islands.network.links[link];
                    const double jitter = jitter_ms.value_or(islands.jitter_ms[link]);
                    variance[hop.to] = variance[hop.from] + jitter * jitter;
                }
                for (const int receiver : members) {
                    if (receiver != members[i]) {
                        arriving[static_cast<std::size_t>(receiver)].push_back(
                            variance[static_cast<std::size_t>(receiver)]);
                    }
                }
            }
            for (std::vector<double>& each : arriving) {
                std::ranges::sort(each, std::ranges::greater{});
                worst = each.size() > 1 ? std::max(worst, each[0] + each[1]) : worst;
            }
        }
    }
    return kDeviations * std::sqrt(worst);
}

}  // namespace longhaul::app
