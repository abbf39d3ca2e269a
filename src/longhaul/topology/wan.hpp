// The irregular part: an explicit table of next links between the sites of a WAN, and paths through
// it that policies ask for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// Directed links of a path between two sites, in order.
using WanPath = std::vector<LinkId>;

/// Next links of all shortest paths between sites. Sites with the same next links share a set.
class WanTable {
public:
    WanTable() = default;
    /// `avoided`: sorted undirected links that count as down. O(sites links log sites).
    WanTable(const Topology& topology, std::span<const std::uint32_t> avoided);

    /// Links out of `from` on shortest paths to site `to` != from; empty: there is no path.
    [[nodiscard]] const std::vector<LinkId>& next(int from, int to) const {
        return sets_[set_of_[static_cast<std::size_t>(from) * sites_ +
                             static_cast<std::size_t>(to)]];
    }
    [[nodiscard]] const std::vector<std::vector<LinkId>>& sets() const { return sets_; }
    [[nodiscard]] std::uint32_t set(int from, int to) const {
        return set_of_[static_cast<std::size_t>(from) * sites_ + static_cast<std::size_t>(to)];
    }

private:
    std::size_t sites_ = 0;
    std::vector<std::uint32_t> set_of_;
    std::vector<std::vector<LinkId>> sets_{{}};
};

/// The cheapest `count` paths between two sites that share no other site (min-cost flow with unit
/// nodes: Suurballe 1974), cheapest first; fewer when there are no more. Ties go to lower links.
[[nodiscard]] std::vector<WanPath> disjoint_paths(const Topology& topology,
                                                  int from,
                                                  int to,
                                                  int count);

/// The cheapest simple path through a site: two paths from it that share no site, one to each end.
/// Empty when there is none.
[[nodiscard]] WanPath path_through(const Topology& topology, int from, int to, int via);

}  // namespace longhaul::topology
