// Searches for any problem: what goes beyond the plain search is reduced to it.
#pragma once

#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

/// Searches with one kind of search. Pipelined problems are searched under several caps of the
/// slowest pair, each an additive problem; problems with more devices than places under several
/// choices of what to leave out. The score is that of solve_inner on the whole problem. Another
/// exchange or shared capacity with devices to spare: starts from what the same options find
/// without these terms, so that the result is never worse than that.
[[nodiscard]] SearchResult find(const Problem& problem,
                                SearchKind kind,
                                const SearchOptions& options);

/// The same without that start.
[[nodiscard]] SearchResult find_anew(const Problem& problem,
                                     SearchKind kind,
                                     const SearchOptions& options);

}  // namespace longhaul::placement
