// The look-up in chains of trees and rails: no branch depends on the nodes, and every step is a
// sum.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "longhaul/topology/rules.hpp"
#include "longhaul/topology/shape.hpp"

namespace longhaul::topology {

/// The rules towards endpoints, where each asks only which digits are equal and one number tells
/// the neighbours of an action apart. The digits that a node shares with the destination make a
/// number, that and the role name a group of neighbours, and the numbers of the neighbour and of
/// the link on the way are sums of the digits of both, each times a constant.
class TreeTable {
public:
    /// nullopt where a chain asks for more: rings, meshes, dragonflies, more than kSlots axes.
    [[nodiscard]] static std::optional<TreeTable> make(const Shape& shape, const RuleTable& rules);

    /// Digits of a node, or zero where it has none: first the axes of the endpoints, then the
    /// switch's own.
    static constexpr std::size_t kSlots = 8;
    using Numbers = std::array<std::uint32_t, kSlots>;

    [[nodiscard]] Numbers digits_of(std::uint32_t endpoint) const {
        Numbers digits{};
        split(places_.front(), endpoint, axes_, digits);
        return digits;
    }

    /// A neighbour and the directed link to it, by 32 bits of a hash; false when there is none.
    /// `to`: digits_of(the destination), which is not `at`. O(axes).
    bool next(std::uint32_t at,
              const Numbers& to,
              std::uint32_t hash,
              std::uint32_t& node,
              std::uint32_t& link) const {
        std::size_t role = 0;
        for (const std::uint32_t first : first_nodes_) {
            role += at >= first ? 1 : 0;
        }
        const RolePlaces& places = places_[role];
        const std::uint32_t index = at - places.base;
        Numbers from{};
        split(places, index, slots_, from);
        std::size_t equal = role;
        for (std::size_t i = 0; i < axes_; ++i) {
            equal = 2 * equal + (from[i] == to[i] ? 1 : 0);
        }
        const Choice& choice = choices_[choice_of_[equal]];
        const std::uint64_t drawn = std::uint64_t{hash} * choice.count;
        auto pick = static_cast<std::uint32_t>(drawn >> 32U);
        const Step* step = &steps_[choice.first_step];
        while (pick >= step->count) {
            pick -= (step++)->count;
        }
        std::uint32_t next = step->base + pick * step->of_pick;
        for (std::size_t i = 0; i < axes_; ++i) {
            next += from[i] * step->of_from[i] + to[i] * step->of_to[i];
        }
        for (std::size_t i = axes_; i < slots_; ++i) {
            next += from[i] * step->of_from[i];
        }
        node = next;
        link = step->link_base + index * step->link_of_index + next * step->link_of_next +
               pick * step->link_of_pick + from[axes_] * step->link_of_own;
        return choice.count != 0;
    }

private:
    /// How the index of a node in its role falls into digits: index / inner - index / outer *
    /// radix, each by a multiplication; factor 0 gives the digit 0.
    struct Place {
        std::uint64_t inner = 0;
        std::uint64_t outer = 0;
        std::uint32_t radix = 0;
    };
    struct RolePlaces {
        std::array<Place, kSlots> slots{};
        std::uint32_t base = 0;  ///< first node
    };
    /// The neighbours of one action: `count` of them, told apart by a pick 0 .. count - 1.
    struct Step {
        std::uint32_t count = 1;
        std::uint32_t base = 0;
        std::uint32_t of_pick = 0;
        Numbers of_from{};
        Numbers of_to{};
        std::uint32_t link_base = 0;
        std::uint32_t link_of_index = 0;
        std::uint32_t link_of_next = 0;
        std::uint32_t link_of_pick = 0;
        std::uint32_t link_of_own = 0;
    };
    /// The actions of a rule.
    struct Choice {
        std::uint32_t first_step = 0;
        std::uint32_t count = 0;  ///< neighbours of all
    };

    static void split(const RolePlaces& places,
                      std::uint32_t index,
                      std::size_t slots,
                      Numbers& digits) {
        for (std::size_t i = 0; i < slots; ++i) {
            const Place& place = places.slots[i];
            digits[i] =
                static_cast<std::uint32_t>((index * place.inner) >> Divisor::kShift) -
                static_cast<std::uint32_t>((index * place.outer) >> Divisor::kShift) * place.radix;
        }
    }
    friend class TreeTableMaker;

    std::size_t axes_ = 0;   ///< of the endpoints: slots 0 .. axes_ - 1
    std::size_t slots_ = 0;  ///< of all roles; axes_ is that of a switch's own digit
    std::vector<std::uint32_t> first_nodes_;  ///< of the roles behind the endpoints
    std::vector<RolePlaces> places_;          ///< one a role
    std::vector<Step> steps_;
    std::vector<Choice> choices_;
    /// By role and, bit by bit from the first slot, whether the digits are equal.
    std::vector<std::uint16_t> choice_of_;
};

}  // namespace longhaul::topology
