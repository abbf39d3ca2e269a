// What a run of branch and bound visited: all that other code needs to follow it.
#pragma once

#include <cstddef>
#include <vector>

namespace longhaul::placement {

/// Nodes of one slice of the data-parallel term, in depth-first order; the root is left out.
struct SliceLog {
    /// A column that was taken for some stages below the last node of depth - 1.
    struct Node {
        int depth = 1;
        int column = 0;   ///< index into the columns of the log
        int times = 1;    ///< stages that hold it
        int covers = -1;  ///< class that all its children hold; -1 when it has none
        friend bool operator==(const Node&, const Node&) = default;
    };
    double floor = 0;  ///< data-parallel terms above this (in the first slice: any)
    double cap = 0;    ///< and up to this
    int covers = -1;   ///< class that the children of the root hold
    std::vector<Node> nodes;
};

/// Slices in rising order, each beginning where the one before ends.
struct ProofLog {
    std::vector<std::vector<int>> columns;  ///< devices of each class in a stage
    std::vector<SliceLog> slices;
    [[nodiscard]] std::size_t nodes() const {
        std::size_t sum = 0;
        for (const SliceLog& slice : slices) {
            sum += slice.nodes.size();
        }
        return sum;
    }
};

}  // namespace longhaul::placement
