// The search that `place` uses: seeds, then annealing over counts, then over devices.
#pragma once

#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

/// Searches pair costs; what it finds is scored with compute where the problem has any. Other terms
/// go through search_terms.
class PortfolioSearch : public Search {
public:
    [[nodiscard]] SearchResult run(const Problem& problem,
                                   const SearchOptions& options) const override;
};

}  // namespace longhaul::placement
