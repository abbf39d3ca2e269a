// For tests of the event simulation: small networks, schedules and failures drawn at random.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/simulate.hpp"

namespace longhaul::schedule::detail {

/// A ring of `n` islands with random latencies and one chord. Access links do not hold outputs up.
inline Islands ring_islands(int n, core::Random& random) {
    Islands islands;
    islands.name = "ring";
    islands.network.nodes = n;
    const auto join = [&](int a, int b) {
        const double latency = 1 + 30 * random.uniform();
        const auto from = static_cast<topology::NodeId>(a);
        const auto to = static_cast<topology::NodeId>(b);
        const int cost = latency_cost(latency);
        islands.network.links.push_back({from, to, 100, latency, cost, false});
        islands.network.links.push_back({to, from, 100, latency, cost, false});
        islands.jitter_ms.insert(islands.jitter_ms.end(), 2, 0.0);
    };
    for (int i = 0; i < n; ++i) {
        islands.islands.push_back({.name = "i" + std::to_string(i),
                                   .region = "",
                                   .egress_gbps = 80,
                                   .ingress_gbps = 8000});
        if (i > 0) {
            join(i - 1, i);
        }
    }
    join(n - 1, 0);
    if (n > 3) {
        join(0, 2);
    }
    return islands;
}

/// A clique over shortest trees; offsets are those given, the rest follows.
inline TimedClique clique_of(const Islands& islands,
                             Clique members,
                             double sending_ms,
                             std::vector<double> offset_ms) {
    TimedClique clique;
    clique.members = members;
    clique.offset_ms = std::move(offset_ms);
    const std::vector<int> list = members_of(members);
    if (list.size() < 2) {
        return clique;
    }
    clique.sending_ms = sending_ms;
    for (std::size_t i = 0; i < list.size(); ++i) {
        topology::Stream stream{list[i], list, 1};
        std::erase(stream.receivers, list[i]);
        clique.trees.push_back(topology::shortest_trees(islands.network, {stream}).front());
        for (const double latency :
             topology::stream_latencies(islands.network, stream, clique.trees.back())) {
            clique.time_ms = std::max(clique.time_ms, clique.offset_ms[i] + latency + sending_ms);
        }
    }
    return clique;
}

inline TimedSchedule random_schedule(const Islands& islands, core::Random& random) {
    TimedSchedule schedule;
    schedule.pace = static_cast<Pace>(random.below(3));
    schedule.timeout_ms = random.below(3) == 0 ? 0 : 5 + 60 * random.uniform();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        schedule.memory_gb.push_back(random.below(3) == 0 ? 0 : random.uniform());
    }
    double longest = 0;
    for (std::uint32_t k = 0; k <= random.below(3); ++k) {
        std::vector<Clique> cliques(1 + random.index(2), 0);
        for (std::size_t i = 0; i < islands.size(); ++i) {
            cliques[random.index(cliques.size())] |= Clique{1} << i;
        }
        TimedRound round;
        for (const Clique members : make_round(cliques, static_cast<int>(islands.size())).cliques) {
            std::vector<double> offsets;
            for (int m = 0; m < clique_size(members); ++m) {
                offsets.push_back(20 * random.uniform());
            }
            round.cliques.push_back(clique_of(islands, members, 100, offsets));
            longest = std::max(longest, round.cliques.back().time_ms);
        }
        schedule.rounds.push_back(std::move(round));
    }
    for (TimedRound& round : schedule.rounds) {
        round.length_ms = schedule.pace == Pace::kStreamed ? 130 : std::max(longest, 100.0);
    }
    return schedule;
}

inline void add_failures(const Islands& islands, core::Random& random, SimulationOptions& options) {
    const double end = 150.0 * options.rounds;
    for (std::uint32_t i = 0; i < random.below(4); ++i) {
        Outage outage;
        outage.what = static_cast<Outage::What>(random.below(4));
        const std::size_t count =
            outage.what == Outage::What::kLink ? islands.network.links.size() : islands.size();
        outage.index = static_cast<std::uint32_t>(random.index(count));
        outage.from_ms = end * random.uniform();
        outage.to_ms = random.below(4) == 0 ? std::numeric_limits<double>::infinity()
                                            : outage.from_ms + end * random.uniform() / 2;
        options.outages.push_back(outage);
    }
    if (random.below(2) == 0) {
        const int island = static_cast<int>(random.index(islands.size()));
        const bool joins = random.below(2) == 0;
        const int round = static_cast<int>(random.index(slot(options.rounds)));
        options.changes.push_back({round, island, joins});
        if (round + 1 < options.rounds && random.below(2) == 0) {
            options.changes.push_back({round + 1, island, !joins});
        }
    }
}

inline SimulationOptions random_options(const Islands& islands, core::Random& random) {
    SimulationOptions options;
    options.rounds = 2 + static_cast<int>(random.below(4));
    options.blocks = 3 + static_cast<int>(random.below(10));
    options.births = 0;
    options.seed = random.next();
    options.index = static_cast<SlotIndex>(random.below(2));
    options.jitter_ms = random.below(2) == 0 ? 0 : 5 * random.uniform();
    options.loss = random.below(2) == 0 ? 0 : 0.3 * random.uniform();
    options.duplication = random.below(3) == 0 ? 0.3 * random.uniform() : 0;
    options.tries = static_cast<int>(random.below(4));
    options.patience_ms = 1 + 20 * random.uniform();
    options.grace_ms = 80 * random.uniform();
    options.missing = static_cast<Missing>(random.below(2));
    add_failures(islands, random, options);
    return options;
}

}  // namespace longhaul::schedule::detail
