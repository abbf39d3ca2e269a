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

    /// The set that holds from a node to a destination; kRules: the rules hold. O(1) on average:
    /// each node divides its destinations into equal spans, about two an entry.
    [[nodiscard]] std::uint32_t set_at(std::uint32_t node, std::uint32_t destination) const {
        if (entries_.empty() && dead_.empty()) {
            return kRules;
        }
        const Spans& spans = spans_[node];
        const std::uint32_t* place = &places_[spans.first + (destination >> spans.shift)];
        // Most spans hold the begin of one entry at most, so that one step, without a branch, is
        // enough for them; behind the last entry stands one more.
        std::uint32_t at = place[0];
        at += static_cast<std::uint32_t>(at < place[1]) &
              static_cast<std::uint32_t>(ranges_[at + 1].lo <= destination);
        while (at < place[1] && ranges_[at + 1].lo <= destination) {
            ++at;
        }
        const Range& range = ranges_[at];
        const std::uint32_t set = destination - range.lo < range.width ? range.set : kRules;
        return is_dead(destination) ? 0 : set;
    }
    static constexpr std::uint32_t kRules = ~std::uint32_t{0};

    /// Local directed links from a node to a destination; nullptr: the rules hold.
    [[nodiscard]] const std::vector<std::uint32_t>* find(std::uint32_t node,
                                                         std::uint32_t destination) const {
        const std::uint32_t set = set_at(node, destination);
        return set == kRules ? nullptr : &sets_[set];
    }
    /// The next hops of a set, in the order of its links.
    [[nodiscard]] std::span<const ChainRoutes::Hop> hops(std::uint32_t set) const {
        return std::span(hops_).subspan(first_hop_[set], first_hop_[set + 1] - first_hop_[set]);
    }

private:
    friend class PatchMaker;
    /// Destinations of a node: span i holds those of the form (i << shift) + ...  A node without
    /// entries has one span, with an empty range.
    struct Spans {
        std::uint32_t first = 0;  ///< its place in places_, which has one more than there are spans
        std::uint32_t shift = 31;
    };
    /// An entry without its node: destination - lo < width.
    struct Range {
        std::uint32_t lo = 0;
        std::uint32_t width = 0;
        std::uint32_t set = 0;
    };

    [[nodiscard]] bool is_dead(std::uint32_t destination) const {
        return ((dead_bits_[destination / 64] >> (destination % 64)) & 1U) != 0;
    }
    /// What look-ups use, from the entries, sets and dead endpoints.
    void index(const Shape& shape, std::span<const Link> links);
    void index_node(std::uint32_t node, std::uint32_t first, std::uint32_t last);

    std::vector<Entry> entries_;                        ///< by node, then by destination
    std::vector<std::vector<std::uint32_t>> sets_{{}};  ///< set 0 is empty
    std::vector<std::uint32_t> dead_;

    std::uint32_t endpoints_ = 0;
    std::vector<std::uint64_t> dead_bits_;  ///< one a destination
    std::vector<Spans> spans_;              ///< one a node
    std::vector<std::uint32_t> places_;  ///< of the last entry that begins before a span, or in it
    std::vector<Range> ranges_;          ///< an empty one, one an entry, and one behind them
    std::vector<std::uint32_t> first_hop_{0, 0};
    std::vector<ChainRoutes::Hop> hops_;
};

}  // namespace longhaul::topology
