// The neighbours that an action stands for: counted, chosen by index, listed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longhaul/topology/rules.hpp"
#include "longhaul/topology/shape.hpp"
#include "longhaul/topology/tree_table.hpp"

namespace longhaul::topology {

/// Rules with what a lookup needs beside them.
class ChainRoutes {
public:
    /// One neighbour on the way: local node, local directed link.
    struct Hop {
        std::uint32_t node = 0;
        std::uint32_t link = 0;

        friend bool operator==(const Hop&, const Hop&) = default;
    };
    /// A node of the chain.
    struct Spot {
        int role = 0;
        std::uint32_t index = 0;  ///< in its role
        Digits digits{};
    };

    /// Tables towards endpoints, and towards the ports up of the outermost level with `exits`.
    /// Fails with the reason when the rules cannot express the chain.
    [[nodiscard]] static tl::expected<ChainRoutes, std::string> make(const Shape& shape,
                                                                     bool exits);

    [[nodiscard]] const RuleTable& to_endpoint() const { return tables_[0]; }
    /// Towards the ports up of level `levels - 1` inside one member of a dragonfly; nullptr else.
    [[nodiscard]] const RuleTable* to_port() const { return gateway_ ? &tables_[1] : nullptr; }
    /// Towards the border of a site; nullptr without a WAN.
    [[nodiscard]] const RuleTable* to_exit() const { return exits_ ? &tables_.back() : nullptr; }

    [[nodiscard]] static Spot spot(const Shape& shape, std::uint32_t node);

    /// The quick look-up towards endpoints; nullptr where the chain is not made of trees and rails.
    [[nodiscard]] const TreeTable* tree() const { return tree_ ? &*tree_ : nullptr; }

    /// One of the next hops from a node to an endpoint or, with `exit`, to the border, by 32 bits
    /// of a hash; false when there is none. At the destination itself there is no next hop.
    bool next(const Shape& shape,
              std::uint32_t from,
              std::uint32_t to,
              bool exit,
              std::uint32_t hash,
              Hop& chosen) const {
        return tree_ && !exit
                   ? tree_->next(from, tree_->digits_of(to), hash, chosen.node, chosen.link)
                   : next_by_rules(shape, from, to, exit, hash, chosen);
    }
    /// The same by the rules alone, as tree() has no part in it.
    bool next_by_rules(const Shape& shape,
                       std::uint32_t from,
                       std::uint32_t to,
                       bool exit,
                       std::uint32_t hash,
                       Hop& chosen) const;

    /// Moves on to one of the next hops by 32 bits of a hash; false when there is none.
    bool choose(const Shape& shape,
                const Digits& to,
                bool exit,
                std::uint32_t hash,
                Spot& at,
                Hop& chosen) const;
    /// Directed links of all next hops, sorted.
    [[nodiscard]] std::vector<std::uint32_t> links(const Shape& shape,
                                                   std::uint32_t from,
                                                   std::uint32_t to,
                                                   bool exit) const;

private:
    /// Rules laid out flat, with everything that does not depend on the nodes worked out.
    struct FlatCondition {
        std::uint32_t axis = 0;
        std::uint32_t radix = 1;
        std::uint32_t low = 0;
        std::uint32_t width = 0;  ///< high - low
    };
    struct FlatAction {
        std::uint32_t count = 1;  ///< neighbours
        std::uint32_t link_class = 0;
        bool reverse = false;
        std::vector<Pick> picks;
        std::vector<int> axes;  ///< one a pick
    };
    struct FlatRule {
        std::uint32_t first_condition = 0;
        std::uint32_t last_condition = 0;
        std::uint32_t first_action = 0;
        std::uint32_t last_action = 0;
        std::uint32_t count = 0;  ///< neighbours of all actions
    };
    /// What a lookup found: a rule, or the one cable of a dragonfly.
    struct Match {
        const FlatRule* rule = nullptr;
        const Digits* to = nullptr;
        Digits port{};  ///< where `to` points when the way leads to a port
        bool cable = false;
        std::uint32_t count = 0;
    };
    void flatten(const Shape& shape);
    [[nodiscard]] bool holds(const FlatRule& rule, const Digits& from, const Digits& to) const;
    void match(
        const Shape& shape, const Spot& from, const Digits& to, bool exit, Match& found) const;
    /// Each of these moves `at` in place.
    Hop take(const Shape& shape, const Match& found, std::uint32_t index, Spot& at) const;
    /// The index-th neighbour of an action between roles.
    static Hop across(const Shape& shape,
                      const FlatAction& action,
                      const Digits& to,
                      std::uint32_t index,
                      Spot& at);
    /// The same of a mesh or ring.
    static Hop along(const Shape& shape,
                     const FlatAction& action,
                     const Digits& to,
                     std::uint32_t index,
                     Spot& at);

    std::vector<RuleTable> tables_;
    std::optional<TreeTable> tree_;
    std::vector<FlatCondition> conditions_;
    std::vector<FlatAction> actions_;
    std::vector<FlatRule> rules_;
    std::vector<std::uint32_t> first_rule_;  ///< by table x roles + role, and one past the last
    std::size_t roles_ = 0;
    bool gateway_ = false;
    bool exits_ = false;
};

}  // namespace longhaul::topology
