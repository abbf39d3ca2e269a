// What a run of branch and bound visited: all that other code needs to follow it.
#pragma once

#include <cstddef>
#include <vector>

namespace longhaul::placement {

/// Nodes in depth-first order. The root, at depth 0, is left out.
struct ProofLog {
    /// A column that was taken for some stages below the last node of depth - 1.
    struct Node {
        int depth = 1;
        int column = 0;  ///< index into columns
        int times = 1;   ///< stages that hold it
        friend bool operator==(const Node&, const Node&) = default;
    };
    std::size_t most_nodes = 1'000'000;     ///< the run stops when they are exceeded
    std::vector<int> order;                 ///< classes, the first that is covered first
    std::vector<std::vector<int>> columns;  ///< devices of each class, in rising order of the run
    std::vector<Node> nodes;
};

}  // namespace longhaul::placement
