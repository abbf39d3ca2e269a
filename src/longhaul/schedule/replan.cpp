#include "longhaul/schedule/replan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/round_exchanges.hpp"
#include "longhaul/schedule/detail/timed_stream.hpp"

namespace longhaul::schedule {

using detail::slot;

namespace {

/// Latency from member to member over the trees of a clique, k x k.
core::Grid<double> latencies_of(const TimedClique& clique, const Islands& islands) {
    const std::vector<int> members = members_of(clique.members);
    const std::vector<topology::Stream> streams = detail::streams_of(members);
    core::Grid<double> latency_ms(members.size(), members.size(), 0);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto far = topology::stream_latencies(islands.network, streams[i], clique.trees[i]);
        for (std::size_t r = 0; r < far.size(); ++r) {
            latency_ms(i, r < i ? r : r + 1) = far[r];
        }
    }
    return latency_ms;
}

/// Part of the payload that receiver r must hold.
double share_needed(const TimedClique& clique,
                    const core::Grid<double>& latency_ms,
                    std::size_t r,
                    double guard_ms) {
    const std::size_t k = latency_ms.rows();
    const auto sends = [&](std::size_t i) {
        return clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[i];
    };
    double needed = 0;
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            if (i == j || i == r || j == r) {
                continue;
            }
            const double behind = clique.offset_ms[i] + latency_ms(i, r) - clique.offset_ms[j] -
                                  latency_ms(j, r) + guard_ms;
            needed = std::max(needed, behind / sends(j));
            if (!clique.sender_ms.empty()) {
                needed = std::max(needed, 1 - (sends(j) - behind) / sends(i));
            }
        }
    }
    // Who holds all of it needs no more.
    return clique.sender_ms.empty() ? needed : std::min(needed, 1.0);
}

/// Rows and columns of the positions that are kept; rows sum to 1 again.
core::Grid<double> kept_weights(const core::Grid<double>& weights,
                                const std::vector<std::size_t>& kept) {
    core::Grid<double> left(kept.size(), kept.size(), 0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        double sum = 0;
        for (const std::size_t from : kept) {
            sum += weights(kept[i], from);
        }
        for (std::size_t j = 0; j < kept.size(); ++j) {
            left(i, j) = sum > 0 ? weights(kept[i], kept[j]) / sum : (i == j ? 1 : 0);
        }
    }
    return left;
}

/// The clique of those who are left, by their new numbers; nobody: 0 members.
TimedClique kept_clique(const TimedClique& clique, const std::vector<int>& number) {
    const std::vector<int> members = members_of(clique.members);
    std::vector<std::size_t> kept;
    TimedClique left;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (number[slot(members[i])] >= 0) {
            kept.push_back(i);
            left.members |= Clique{1} << number[slot(members[i])];
        }
    }
    left.sending_ms = clique.sending_ms;
    left.time_ms = clique.time_ms;
    for (const std::size_t i : kept) {
        left.offset_ms.push_back(clique.offset_ms[i]);
        if (!clique.sender_ms.empty()) {
            left.sender_ms.push_back(clique.sender_ms[i]);
        }
        if (kept.size() > 1) {
            left.trees.push_back(clique.trees[i]);
        }
    }
    if (!clique.weights.empty() && kept.size() > 1) {
        left.weights = kept_weights(clique.weights, kept);
    }
    return left;
}

}  // namespace

std::optional<TimedSchedule> timed_anew(const TimedSchedule& schedule,
                                        const RoundTimes& times,
                                        Pace pace,
                                        std::string* reason) {
    LONGHAUL_ASSERT(pace != Pace::kStreamed);
    const Islands& islands = times.islands();
    const Capabilities& can = times.capabilities();
    std::vector<double> stream_ms;
    for (const topology::Link& link : islands.network.links) {
        stream_ms.push_back(8000 * can.payload_gb / link.gbps);
    }
    TimedSchedule anew = schedule;
    anew.pace = pace;
    anew.payload_gb = can.payload_gb;
    anew.guard_ms = can.guard_ms;
    anew.memory_gb = can.memory_gb;
    double longest = 0;
    for (std::size_t k = 0; k < anew.rounds.size(); ++k) {
        std::vector<detail::CliqueOnTrees> own;
        for (const TimedClique& clique : schedule.rounds[k].cliques) {
            own.push_back(detail::on_trees(islands, can, clique.members, clique.trees));
        }
        std::vector<const detail::CliqueOnTrees*> loaded;
        for (const detail::CliqueOnTrees& clique : own) {
            loaded.push_back(&clique);
        }
        const auto found = detail::exchanges_of(loaded, stream_ms, can.sharing);
        if (!found) {
            if (reason != nullptr) {
                *reason = fmt::format(
                    "round {}: no offsets make contributions arrive together on its trees", k + 1);
            }
            return std::nullopt;
        }
        anew.rounds[k] = detail::timed_round(islands, loaded, *found);
        for (std::size_t c = 0; c < own.size(); ++c) {
            anew.rounds[k].cliques[c].weights = schedule.rounds[k].cliques[c].weights;
        }
        longest = std::max(longest, anew.rounds[k].length_ms);
    }
    for (TimedRound& round : anew.rounds) {
        round.length_ms = pace == Pace::kUniform ? longest : round.length_ms;
    }
    return anew;
}

Remaining remaining_of(const TimedSchedule& schedule, const Islands& islands, Clique absent) {
    const std::size_t nodes = slot(islands.network.nodes);
    Remaining left{schedule, islands};
    left.islands.islands.clear();
    left.islands.schedules.clear();
    left.schedule.memory_gb.clear();
    std::vector<int> number(nodes, -1);  // of a node among islands that are left
    std::vector<std::string> forwards;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if ((absent >> i & 1U) != 0) {
            forwards.push_back(islands.islands[i].name);
            continue;
        }
        number[i] = static_cast<int>(left.islands.islands.size());
        left.islands.islands.push_back(islands.islands[i]);
        left.schedule.memory_gb.push_back(schedule.memory_gb[i]);
    }
    LONGHAUL_ASSERT(!left.islands.islands.empty());
    std::vector<int> place = number;  // of every node
    int next = static_cast<int>(left.islands.islands.size());
    for (int& at : place) {
        at = at < 0 ? next++ : at;
    }
    forwards.insert(forwards.end(), islands.transit.begin(), islands.transit.end());
    left.islands.transit = std::move(forwards);
    for (topology::Link& link : left.islands.network.links) {
        link.from = static_cast<topology::NodeId>(place[link.from]);
        link.to = static_cast<topology::NodeId>(place[link.to]);
    }
    for (TimedRound& round : left.schedule.rounds) {
        for (TimedClique& clique : round.cliques) {
            clique = kept_clique(clique, number);
        }
        std::erase_if(round.cliques, [](const TimedClique& clique) { return clique.members == 0; });
    }
    return left;
}

std::vector<double> memory_needed_gb(const TimedSchedule& schedule, const Islands& islands) {
    if (schedule.pace == Pace::kStreamed) {
        return detail::streamed_memory_gb(schedule, islands);
    }
    std::vector<double> needed(islands.size(), 0);
    for (const TimedRound& round : schedule.rounds) {
        for (const TimedClique& clique : round.cliques) {
            const std::vector<int> members = members_of(clique.members);
            if (members.size() < 3) {
                continue;
            }
            const core::Grid<double> latency_ms = latencies_of(clique, islands);
            for (std::size_t r = 0; r < members.size(); ++r) {
                double& most = needed[slot(members[r])];
                most = std::max(
                    most,
                    schedule.payload_gb * share_needed(clique, latency_ms, r, schedule.guard_ms));
            }
        }
    }
    return needed;
}

}  // namespace longhaul::schedule
