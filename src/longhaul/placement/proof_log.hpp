// What a run of branch and bound visited: all that other code needs to follow it.
#pragma once

#include <cstddef>
#include <utility>
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

/// Why no stage that may stand often is cheap: for each number of different stages, a tree over
/// which classes the stage holds. See different_stages.hpp.
struct DifferentLog {
    /// Nodes in depth-first order. Roots, one a class k: the stage holds k and no class before it.
    struct Node {
        int branch = -1;  ///< class that it holds in the first child, and does not in the second
        /// Of a leaf: classes that it holds, and what their sums weigh; none where no stage fits.
        std::vector<std::pair<int, double>> weights{};
        friend bool operator==(const Node&, const Node&) = default;
    };
    struct Number {
        int different = 2;
        std::vector<Node> nodes;
    };
    std::vector<Number> numbers;  ///< rising; numbers that are not needed may miss
};

}  // namespace longhaul::placement
