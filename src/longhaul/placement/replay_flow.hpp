// Largest flows and matchings for the checker of certificates, by the plainest of methods.
#pragma once

#include <cstddef>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Whole units over arcs with room, along shortest paths that have some left (Edmonds and Karp,
/// 1972). O(nodes arcs^2) at worst.
class ReplayFlow {
public:
    explicit ReplayFlow(std::size_t nodes) : arcs_of_(nodes) {}

    void add(std::size_t from, std::size_t to, int room);
    /// Units that reach the sink, at most.
    [[nodiscard]] int most(std::size_t source, std::size_t sink);

private:
    struct Arc {
        std::size_t to;
        int room;
    };
    /// Arcs by which a shortest path enters its nodes; empty when the sink is out of reach.
    [[nodiscard]] std::vector<std::size_t> shortest(std::size_t source, std::size_t sink) const;

    std::vector<Arc> arcs_;  ///< each is followed by its reverse
    std::vector<std::vector<std::size_t>> arcs_of_;
};

/// The least threshold under which `rows` and `columns` have 1, 2, … disjoint pairs, up to `most`:
/// pairs are opened group by group of equal cost, and the matching is grown while it can be. Pairs
/// of infinite cost do not exist. O(costs pairs + most pairs).
[[nodiscard]] std::vector<double> disjoint_pairs(const core::Grid<double>& costs, std::size_t most);

/// Paths over open pairs (a symmetric table) that hold all nodes once, at least: exact up to 10
/// nodes, else n' less half of what may flow at two units a node and one a pair, rounded down, of
/// every connected part of n' nodes, and at least one. Parts of more than 128 nodes count one.
[[nodiscard]] int chains_that_cover(const core::Grid<char>& open);

}  // namespace longhaul::placement
