#include "longhaul/schedule/polish.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/clique_on_trees.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/sender_rates.hpp"

namespace longhaul::schedule {

using detail::slot;

namespace {

/// The least time of sending of each member: its egress, the ingress of all others, and its part of
/// every link of its tree.
std::vector<double> floors_of(const TimedClique& clique,
                              const RoundTimes& times,
                              const std::vector<double>& on_link) {
    const Islands& islands = times.islands();
    const double payload = 8000 * times.capabilities().payload_gb;
    const std::vector<int> members = members_of(clique.members);
    std::vector<double> floors;
    for (std::size_t i = 0; i < members.size(); ++i) {
        double floor = payload / islands.islands[slot(members[i])].egress_gbps;
        for (std::size_t r = 0; r < members.size(); ++r) {
            if (r != i) {
                floor = std::max(floor, payload / islands.islands[slot(members[r])].ingress_gbps);
            }
        }
        for (const std::uint32_t link : clique.trees[i].links) {
            floor = std::max(floor, on_link[link] * payload / islands.network.links[link].gbps);
        }
        floors.push_back(floor);
    }
    return floors;
}

void take_sender_rates(TimedClique& clique,
                       const RoundTimes& times,
                       const std::vector<double>& on_link) {
    const std::vector<double> floors = floors_of(clique, times, on_link);
    CliqueProblem problem =
        detail::on_trees(times.islands(), times.capabilities(), clique.members, clique.trees)
            .problem;
    problem.least_ms = *std::ranges::min_element(floors);
    const auto found = sender_times(problem, floors);
    if (!found || found->time_ms >= clique.time_ms * (1 - 1e-9)) {
        return;
    }
    clique.time_ms = found->time_ms;
    clique.offset_ms = found->offset_ms;
    clique.sender_ms = found->sending_ms;
    clique.sending_ms = *std::ranges::max_element(found->sending_ms);
}

}  // namespace

TimedSchedule with_sender_rates(TimedSchedule schedule, const RoundTimes& times) {
    LONGHAUL_ASSERT(schedule.pace != Pace::kStreamed);
    double longest = 0;
    for (TimedRound& round : schedule.rounds) {
        const std::vector<double> on_link = times.streams_on_links(round);
        round.length_ms = 0;
        for (TimedClique& clique : round.cliques) {
            if (clique_size(clique.members) > 1) {
                take_sender_rates(clique, times, on_link);
                round.length_ms = std::max(round.length_ms, clique.time_ms);
            }
        }
        longest = std::max(longest, round.length_ms);
    }
    for (TimedRound& round : schedule.rounds) {
        round.length_ms = schedule.pace == Pace::kUniform ? longest : round.length_ms;
    }
    return schedule;
}

TimedSchedule with_best_weights(TimedSchedule schedule, int islands, const WeightOptions& options) {
    const CliqueWeights found = best_weights(schedule.schedule(), islands, options);
    if (found.area >= found.equal_area * (1 - 1e-9)) {
        return schedule;
    }
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        auto& cliques = schedule.rounds[k].cliques;
        std::ranges::sort(cliques, {}, [](const TimedClique& clique) {
            return std::countr_zero(clique.members);
        });
        for (std::size_t c = 0; c < cliques.size(); ++c) {
            if (clique_size(cliques[c].members) > 1) {
                cliques[c].weights = found.blocks[k][c];
            }
        }
    }
    return schedule;
}

}  // namespace longhaul::schedule
