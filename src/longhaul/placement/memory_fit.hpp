// Whether the memory of the devices can hold the layers at all, and placements in which it does.
//
// Of any placement, the k-th largest of its stages (by the smallest device of each) has at most the
// memory of the (k dp)-th largest device. Stages of devices in the order of their memory have just
// that, so that they fit whenever any placement does: what is left to decide is which of these
// groups of devices is which stage of the path, and where the layers are divided.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Memory that the devices of each stage must have for some division of the layers.
struct MemoryFit {
    /// GB on each device, stages in path order. Empty: none was found that the groups hold.
    std::vector<double> needed_gb;
    double missing_gb =
        0;  ///< beyond the memory of the groups, in the worst stage: 0 where it fits
    bool complete =
        true;  ///< false: the search was narrowed, so that what was found may be bettered
};

/// Whether layers and memory are given, and one device at least cannot hold all layers.
[[nodiscard]] bool memory_matters(const Problem& problem);

/// Divides the layers over groups of dp devices, those of most memory together, in any order of the
/// groups (tp = 1). Exact by dynamic programming over how many groups of each memory are used and
/// how many layers they hold, O(states * groups of different memory * layers); beyond `work` such
/// steps only the states with most room are kept. Of the orders that fit, the one whose groups are
/// most like the stages of `guide` (path order) is taken. Where nothing fits, the least missing_gb
/// with which something would, found by halving.
inline constexpr std::uint64_t kFitWork = 20'000'000;
[[nodiscard]] MemoryFit fit_memory(const Problem& problem,
                                   const Stages* guide = nullptr,
                                   std::uint64_t work = kFitWork);

/// An order of given stages in which they hold the layers, near to the order they have; empty where
/// none was found. O(work).
inline constexpr std::uint64_t kFitWorkOfOrder = 200'000;
[[nodiscard]] std::vector<int> fitting_order(const Problem& problem,
                                             const Stages& stages,
                                             std::uint64_t work);

/// Stages whose devices have the memory of a fit: those of `guide` stay where they can, others are
/// filled up with the nearest devices that are large enough. Never runs out of devices: stages of
/// most need choose first. O(pp n dp^2).
[[nodiscard]] Stages seated(const Problem& problem, const MemoryFit& fit, const Stages& guide);

/// The stages made to fit with as few changes as that allows; none where nothing was found to fit.
[[nodiscard]] std::optional<Stages> made_to_fit(const Problem& problem, const Stages& stages);

/// Whether it is proved that no placement holds the layers (tp = 1, or tensor groups as devices).
[[nodiscard]] bool proved_not_to_fit(const Problem& problem);

/// What to say when a search ended without a plan that fits: that none does, when that is proved,
/// and what was `closest` (why_nothing_fits). Where tensor groups mix devices of different memory,
/// other groups might do. `host_of`: of the devices.
[[nodiscard]] std::string none_fits(const Problem& problem,
                                    std::span<const int> host_of,
                                    const std::string& closest);

}  // namespace longhaul::placement
