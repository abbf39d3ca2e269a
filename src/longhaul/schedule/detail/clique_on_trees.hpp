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
    std::vector<topology::StreamTree> trees;                ///< empty on shortest paths
};

/// A stream a member to all others; receivers in the order of members.
[[nodiscard]] std::vector<topology::Stream> streams_of(const std::vector<int>& members);

/// Latencies and links of the shortest paths from every island to every other, found once.
class ShortestPaths {
public:
    explicit ShortestPaths(const Islands& islands);

    [[nodiscard]] const core::Grid<double>& latency_ms() const { return latency_ms_; }
    [[nodiscard]] const std::vector<std::uint32_t>& links(int from, int to) const {
        return links_(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    }

private:
    core::Grid<double> latency_ms_;
    core::Grid<std::vector<std::uint32_t>> links_;
};

/// A clique on shortest paths, without its trees: O(members^2 links a path).
[[nodiscard]] CliqueOnTrees on_paths(const Islands& islands,
                                     const Capabilities& can,
                                     const ShortestPaths& paths,
                                     Clique clique);

/// A clique on these trees, one a member.
[[nodiscard]] CliqueOnTrees on_trees(const Islands& islands,
                                     const Capabilities& can,
                                     Clique clique,
                                     std::vector<topology::StreamTree> trees);

/// Islands that exchange with each other, directly or through others (n x n, sender x receiver), on
/// shortest paths.
[[nodiscard]] CliqueOnTrees part_on_paths(const Islands& islands,
                                          const Capabilities& can,
                                          const ShortestPaths& paths,
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
