// Where exceptions and avoided links make next hops differ from the rules: found by search, kept as
// ranges of destinations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/topology/hops.hpp"
#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

/// The patches of one site, in its local numbers. Destination `endpoints()` stands for the border.
class Patches {
public:
    /// From a node to the destinations lo .. hi - 1: the links of a set, instead of the rules.
    struct Entry {
        std::uint32_t node = 0;
        std::uint32_t lo = 0;
        std::uint32_t hi = 0;
        std::uint32_t set = 0;

        friend bool operator==(const Entry&, const Entry&) = default;
    };

    /// Every node and destination is compared: one search for each group of endpoints that hang on
    /// one link of the same switch, and none for destinations whose paths the exceptions do not
    /// touch. `avoided`: sorted undirected links of the whole network that count as down.
    /// O(destinations (nodes + links)).
    [[nodiscard]] static Patches make(const Topology& topology,
                                      int site,
                                      const ChainRoutes& rules,
                                      std::span<const std::uint32_t> avoided,
                                      bool exits);

    [[nodiscard]] bool empty() const { return entries_.empty() && dead_.empty(); }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& sets() const { return sets_; }
    /// Endpoints without a link: reached by nobody.
    [[nodiscard]] const std::vector<std::uint32_t>& dead() const { return dead_; }

    /// Local directed links from a node to a destination; nullptr: the rules hold. O(log entries).
    [[nodiscard]] const std::vector<std::uint32_t>* find(std::uint32_t node,
                                                         std::uint32_t destination) const;

private:
    friend class PatchMaker;
    std::vector<Entry> entries_;                        ///< by node, then by destination
    std::vector<std::vector<std::uint32_t>> sets_{{}};  ///< set 0 is empty
    std::vector<std::uint32_t> dead_;
    std::vector<char> patched_;  ///< a node: whether it has entries
};

}  // namespace longhaul::topology
