// The messages of a data-parallel exchange: who sends what to whom after what.
#pragma once

#include <span>
#include <vector>

#include "longhaul/placement/exchange.hpp"
#include "longhaul/study/step_graph.hpp"

namespace longhaul::study {

/// One exchange of one stage group.
struct ExchangeJob {
    placement::ExchangePlan plan;  ///< of the group; points are devices
    placement::Exchange kind = placement::Exchange::kSharded;
    std::vector<int> region;          ///< of every device
    std::vector<int> replica;         ///< of every member
    double gb = 0;                    ///< gradients of a member
    bool one_peer_at_a_time = false;  ///< a member sends to its peers one after another
    Task label;                       ///< stage and chunk of the tasks
};

/// Tasks of the exchange. A member joins in after its task of `ready` (by position in plan.group);
/// returns what each must wait for until it has the average. Messages:
///
///     sharded, central, tree, ring, hierarchical: see placement/exchange.hpp
///
/// A ring passes D - 1 parts on while it reduces and D - 1 while it gathers. O(messages).
[[nodiscard]] std::vector<std::vector<int>> add_exchange(StepGraph& graph,
                                                         const ExchangeJob& job,
                                                         std::span<const int> ready);

}  // namespace longhaul::study
