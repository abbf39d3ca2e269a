// The cliques of one round on given trees: times that share the links, and the round that they
// make.
#pragma once

#include <optional>
#include <vector>

#include "longhaul/schedule/capabilities.hpp"
#include "longhaul/schedule/clique_time.hpp"
#include "longhaul/schedule/detail/clique_on_trees.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule::detail {

/// Exchanges of all cliques under equal parts, or the best parts, of the links; nothing when one
/// cannot be aligned. `stream_ms`: payload over the capacity of each link.
[[nodiscard]] std::optional<std::vector<CliqueTime>> exchanges_of(
    const std::vector<const CliqueOnTrees*>& cliques,
    const std::vector<double>& stream_ms,
    Sharing sharing);

/// The round of these exchanges, one a clique; where trees are empty, those of shortest paths. Its
/// length is that of its longest clique.
[[nodiscard]] TimedRound timed_round(const Islands& islands,
                                     const std::vector<const CliqueOnTrees*>& cliques,
                                     const std::vector<CliqueTime>& exchanges);

}  // namespace longhaul::schedule::detail
