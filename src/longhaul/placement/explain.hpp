// Why a placement costs what it costs, and what one exchange of devices around it would change.
// Under every term of a problem; tensor groups count as one, named by their first device.
#pragma once

#include <algorithm>
#include <string>
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
    int resource = -1;  ///< shared capacity that takes longer than the pair; -1: none
};

/// One stage group: what its exchange waits for, and its compute.
struct StageReason {
    int stage = 0;
    int device = -1;  ///< sharded, hierarchical: the slowest; ring, tree: of the slowest hop;
                      ///< central: the root
    double seconds = 0;
    int worst_peer = -1;  ///< -1: a group of one
    double worst_peer_seconds = 0;
    double compute = 0;       ///< seconds of the whole step, 0 without compute times
    int compute_device = -1;  ///< the slowest one, the first of equals; -1: no compute times
    int first_layer = -1;     ///< -1: layers are not divided
    double needed_gb = 0;     ///< memory of its layers on each device
    double memory_gb = 0;     ///< of its smallest device; infinite: unknown
    int memory_device = -1;   ///< that device; -1: layers are not divided
};

/// Shared capacity and what waits for it; 0 seconds where other things take longer.
struct ResourceReason {
    int resource = 0;
    std::string name;
    double exchange = 0;          ///< seconds that the exchange of all stages loads it
    bool binds_exchange = false;  ///< and no stage group takes as long
    double edges = 0;             ///< sum of the edges that wait for it
};

/// Messages after the first of one pass under the pipelined objective: each waits for the slowest
/// pair, the slowest stage or the busiest shared resource, whichever takes longest.
struct RepeatReason {
    bool forward = true;
    int messages = 0;      ///< after the first
    double pair_s = 0;     ///< of one message on the slowest pair of the path
    double compute_s = 0;  ///< of one message on the slowest stage
    double shared_s = 0;   ///< of one message of all pairs over the busiest resource
    [[nodiscard]] double each_s() const { return std::max({pair_s, compute_s, shared_s}); }
    [[nodiscard]] double seconds() const { return messages * each_s(); }
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
    std::vector<StageReason> stages;        ///< one a stage
    std::size_t binding_stage = 0;          ///< of the exchange
    std::vector<EdgeReason> edges;          ///< one an edge, pp - 1 of them
    std::size_t binding_edge = 0;           ///< the largest; meaningless when there are no edges
    std::vector<ResourceReason> resources;  ///< shared capacity that something is sent over
    std::size_t slowest_stage = 0;          ///< of compute
    std::vector<RepeatReason> repeats;      ///< pipelined: forward and backward
    EdgeReason slowest_pair;                ///< pipelined: of the whole path
    int busiest_resource = -1;              ///< pipelined: while all edges send; -1: none
    std::string misfit;                     ///< why the layers do not fit; empty: they do
    /// The changes around what binds, best first: each device that binds (of the binding stage's
    /// slowest exchange, the largest edge, the slowest pair and stage where they count, the largest
    /// senders over a resource that binds), against every device of another stage or left out that
    /// differs from it. Of interchangeable devices one stands for all, an exchange that gives the
    /// same stage groups again (but for their names) is none, and of equal scores one is listed. At
    /// most `limit`; none that does not fit into memory.
    std::vector<Change> changes;
    std::size_t changes_tried = 0;
};

/// O(n) inner solutions for each device that binds. `host_of` only matters with tp > 1 and devices
/// left out.
[[nodiscard]] Explanation explain(const Problem& problem,
                                  const Placement& placement,
                                  std::span<const int> host_of,
                                  std::size_t limit,
                                  int threads);

/// Pairs of devices that binding terms wait for, with the placement as it stands: exchanges of the
/// slowest stage groups, the slowest pairs of every edge, the slowest pair of all where messages
/// repeat. Units of `unit`, a problem with tp = 1.
[[nodiscard]] std::vector<std::pair<int, int>> binding_pairs(const Problem& unit,
                                                             const Stages& stages);

/// Shared resources that the exchange or an edge waits for, ascending, ties included.
[[nodiscard]] std::vector<int> binding_resources(const Problem& unit, const Stages& stages);

/// Stages whose compute is the slowest, ties included; empty without compute times. With layers
/// divided over unequal devices, all stages: each one's speed moves layers.
[[nodiscard]] std::vector<std::size_t> binding_compute(const Problem& unit, const Stages& stages);

}  // namespace longhaul::placement
