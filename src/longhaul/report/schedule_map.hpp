// Who averages with whom: the rounds of a schedule as small maps of the network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longhaul/report/svg.hpp"

namespace longhaul::report {

struct MapLink {
    std::size_t a = 0;  ///< nodes
    std::size_t b = 0;
    double latency_ms = 0;  ///< >= 0
};

/// A link that the streams of a clique cross.
struct MapUse {
    std::size_t a = 0;  ///< nodes
    std::size_t b = 0;
};

struct MapRound {
    std::vector<std::vector<int>> cliques;  ///< islands by number, each in at most one; those that
                                            ///< are in none, or in one of their own, are alone
    double time_ms = 0;                     ///< not finite: the round cannot be timed
    /// One a clique: the links of its multicast trees. Empty: not known, hulls are drawn instead.
    std::vector<std::vector<MapUse>> trees{};
};

struct ScheduleMap {
    std::string title;
    std::string subtitle;
    std::vector<std::string> islands;  ///< names of nodes 0, 1, ...; at least one
    std::size_t transit = 0;           ///< nodes behind them that only forward
    std::vector<MapLink> links;        ///< undirected; those that appear twice are drawn once
    std::vector<Point> places;  ///< one a node, any unit, y downwards; empty: from the latencies
    std::vector<MapRound> rounds;
    double common_ms = 0;   ///< what every round takes, where all take the same; 0: they do not
    std::string caption{};  ///< what the words of the picture mean; stands below, in lines
};

/// An SVG picture: a panel a round, each with the links, and in the colour of every clique the
/// links of its trees (side by side where cliques share one) or, where those are not known, a hull;
/// the islands as named points in its colour (grey when alone) and the time underneath. Places come
/// from `places` when all are given and finite, else from the latencies of shortest paths
/// (places_by_distance), else from a circle; close islands are moved apart. Names lie equally in
/// all panels, never on each other nor on a point; panels grow until they do.
/// O(rounds (islands + links) + islands^2 sweeps).
[[nodiscard]] std::string draw(const ScheduleMap& map);

}  // namespace longhaul::report
