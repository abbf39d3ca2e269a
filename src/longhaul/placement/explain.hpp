// Why a placement costs what it costs, and what one exchange of devices around it would change.
#pragma once

#include <vector>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// The slowest pair of one edge of the path.
struct EdgeReason {
    int stage = 0;  ///< joins stage and stage + 1
    int replica = 0;
    int device = -1;
    int next_device = -1;
    double seconds = 0;
};

/// The slowest device of one stage group, and its most expensive peer.
struct StageReason {
    int stage = 0;
    int device = -1;
    double seconds = 0;
    int worst_peer = -1;
    double worst_peer_seconds = 0;
};

/// Two devices change places, then pairs and order of stages are solved anew.
struct Change {
    int device = -1;
    int other = -1;
    Score score;
    std::size_t alike = 0;  ///< further exchanges with the same score, not listed
};

struct Explanation {
    Score score;
    std::vector<StageReason> stages;  ///< one a stage
    std::size_t binding_stage = 0;    ///< of the data-parallel term
    std::vector<EdgeReason> edges;    ///< one an edge, pp - 1 of them
    std::size_t binding_edge = 0;     ///< the largest; meaningless when there are no edges
    /// The changes around what binds, best first: each device of the binding stage's slowest
    /// exchange and of the largest edge, against every device of another stage that differs from
    /// it. Of interchangeable devices one stands for all, an exchange that gives the same stage
    /// groups again (but for their names) is none, and of equal scores one is listed. At most
    /// `limit`.
    std::vector<Change> changes;
    std::size_t changes_tried = 0;
};

/// O(4 n) inner solutions. pp <= kMaxExactStages.
[[nodiscard]] Explanation explain(const Costs& costs,
                                  const Placement& placement,
                                  std::size_t limit,
                                  int threads);

}  // namespace longhaul::placement
