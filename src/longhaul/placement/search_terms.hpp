// Search under terms that pair costs do not tell: another exchange, shared capacity, compute on
// unequal devices.
#pragma once

#include <optional>

#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

/// Whether a problem has such terms.
[[nodiscard]] bool has_other_terms(const Problem& problem);

/// The problem with the sharded exchange and nothing shared.
[[nodiscard]] Problem without_exchange(const Problem& problem);

/// Scores a result on a problem, in the best order of its stages.
void rescore(const Problem& problem, SearchResult& found);

/// Where a result does not fit the memory of the devices: the same made to fit (see made_to_fit),
/// or where nothing does as near to that as can be; none where it fits as it is.
[[nodiscard]] std::optional<SearchResult> fitted(const Problem& problem, const SearchResult& found);

/// Stand-ins of the problem with pair costs alone, one for each weight of the exchange: what the
/// plain search finds under them is scored by solve_inner on the problem itself. Source of the
/// weights: 0 asks for the pipeline alone, above 1 exchanges count more than they do when sharded.
[[nodiscard]] std::vector<Problem> stand_ins(const Problem& problem);

/// Simulated annealing from stage groups under the whole score: devices of two stages change
/// places, a few alike ones at once, stretches of stages are turned around, and devices that are
/// left out take places. Only the stage groups and edges that a move touches are scored anew, but
/// under the pipelined objective without shared capacity. `temperature`: of the first move, as a
/// part of the best score; hot walks leave their start, cold ones better it. Of a start whose score
/// is known, a walk that finds nothing better returns it as it is; so does one that has no budget
/// for a move, at once.
inline constexpr double kColdStart = 0.03;
inline constexpr double kHotStart = 1;
[[nodiscard]] SearchResult anneal_terms(const Problem& problem,
                                        const Stages& start,
                                        std::uint64_t budget,
                                        std::uint64_t stream,
                                        const SearchOptions& options,
                                        double temperature = kColdStart,
                                        std::optional<double> start_score = {});

/// Stand-ins first, then annealing from the best of them with half of the budget.
/// `plain(problem, options)` searches a problem of pair costs.
using PlainSearch = std::function<SearchResult(const Problem&, const SearchOptions&)>;
[[nodiscard]] SearchResult search_terms(const Problem& problem,
                                        const SearchOptions& options,
                                        const PlainSearch& plain);

}  // namespace longhaul::placement
