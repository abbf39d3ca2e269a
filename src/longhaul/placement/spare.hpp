// More devices than places: which to leave out, and why.
#pragma once

#include <functional>
#include <vector>

#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

/// Chooses shape.devices() of the devices and places them. Starts without the devices that are far
/// from all others, and without each class in turn; from the best, anneal_terms walks over all
/// devices; then devices are exchanged between used and left out while that helps, and all are
/// placed anew. A `known` placement of this problem comes first: it is bettered under all terms,
/// and nothing worse is returned.
[[nodiscard]] SearchResult find_with_spare(const Problem& problem,
                                           SearchKind kind,
                                           const SearchOptions& options,
                                           const SearchResult* known = nullptr);

/// What a device that is left out would cost.
struct LeftOut {
    int device = -1;
    double score = 0;  ///< least score when it takes a place, infinite where no memory bears that
    int instead_of = -1;  ///< the device of that place; -1: none, or no tensor group holds it
};

/// One entry a device that the stage groups do not hold. Every place is scored with the order of
/// stages kept, O(spare * n * pp) matchings, once for all devices of a class; then, the best first,
/// with the best order: all of them where that takes less than about a second, else some. Devices
/// whose class was not done when `stop` answers true have none.
[[nodiscard]] std::vector<LeftOut> left_out(const Problem& problem,
                                            const Stages& stages,
                                            int threads,
                                            const std::function<bool()>& stop = {});

}  // namespace longhaul::placement
