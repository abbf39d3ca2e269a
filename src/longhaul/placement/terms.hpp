// What the score counts besides payloads and links: chosen by the user, kept in plans.
#pragma once

#include <optional>
#include <string_view>

#include "longhaul/placement/layers.hpp"

namespace longhaul::placement {

/// How the transfers of a pipeline add up. Additive: every edge moves its whole payload, one after
/// another (DT-FM). Pipelined: micro-batches follow each other over first-in-first-out links.
enum class Objective { kAdditive, kPipelined };

/// "additive", "pipelined".
[[nodiscard]] std::string_view name_of(Objective objective);
[[nodiscard]] std::optional<Objective> objective_of_name(std::string_view name);

/// How the replicas of a stage average their gradients, see exchange.hpp.
enum class Exchange { kSharded, kRing, kCentral, kTree, kHierarchical };

/// "sharded", "ring", "central", "tree", "hierarchical".
[[nodiscard]] std::string_view name_of(Exchange kind);
[[nodiscard]] std::optional<Exchange> exchange_of_name(std::string_view name);

struct Terms {
    Objective objective = Objective::kAdditive;
    Exchange exchange = Exchange::kSharded;
    bool count_shared = true;  ///< capacity that the fabric states as shared, see contention.hpp
    Schedule schedule = Schedule::kOneForwardOneBackward;  ///< decides memory for activations
    double forward_share = 1.0 / 3;  ///< of stage_seconds; backward takes twice as long as forward
    friend bool operator==(const Terms&, const Terms&) = default;
};

}  // namespace longhaul::placement
