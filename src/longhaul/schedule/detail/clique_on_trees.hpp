// One clique on given trees: its program, and the streams that it puts on links.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "longhaul/schedule/capabilities.hpp"
#include "longhaul/schedule/clique_time.hpp"

namespace longhaul::schedule::detail {

struct CliqueOnTrees {
    std::vector<int> members;
    CliqueProblem problem;                                  ///< least_ms: of the access links
    std::vector<std::pair<std::uint32_t, double>> streams;  ///< directed link, how many
    std::vector<topology::StreamTree> trees;
};

/// A stream a member to all others; receivers in the order of members.
[[nodiscard]] std::vector<topology::Stream> streams_of(const std::vector<int>& members);

/// A clique with its trees; trees of shortest paths when none are given.
[[nodiscard]] CliqueOnTrees on_trees(const Islands& islands,
                                     const Capabilities& can,
                                     Clique clique,
                                     std::vector<topology::StreamTree> trees);

/// Islands that exchange with each other, directly or through others (n x n, sender x receiver), on
/// shortest trees.
[[nodiscard]] CliqueOnTrees part_on_trees(const Islands& islands,
                                          const Capabilities& can,
                                          Clique part,
                                          const core::Grid<char>& sends);

/// Time of sending that links leave to a clique when `on_link` streams share them equally;
/// stream_ms: payload over the capacity of each link.
[[nodiscard]] double least_of(const CliqueOnTrees& clique,
                              const std::vector<double>& on_link,
                              const std::vector<double>& stream_ms);

/// The same when the clique has the network to itself.
[[nodiscard]] double least_alone(const CliqueOnTrees& clique, const std::vector<double>& stream_ms);

}  // namespace longhaul::schedule::detail
