// The neighbours that an action stands for: counted, chosen by index, listed.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/topology/rules.hpp"
#include "longhaul/topology/shape.hpp"

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

    [[nodiscard]] Spot spot(const Shape& shape, std::uint32_t node) const;

    /// How many next hops there are from a spot to an endpoint with these digits (`exit`: to the
    /// border), and the index-th of them, index < count; `next` may be nullptr. O(rules + levels).
    [[nodiscard]] std::uint32_t count(const Shape& shape,
                                      const Spot& from,
                                      const Digits& to,
                                      bool exit) const;
    [[nodiscard]] Hop hop(const Shape& shape,
                          const Spot& from,
                          const Digits& to,
                          bool exit,
                          std::uint32_t index,
                          Spot* next) const;
    /// One of the next hops by 32 bits of a hash; false when there is none.
    bool choose(const Shape& shape,
                const Spot& from,
                const Digits& to,
                bool exit,
                std::uint32_t hash,
                Hop& chosen,
                Spot& next) const;
    /// Directed links of all next hops, sorted.
    [[nodiscard]] std::vector<std::uint32_t> links(const Shape& shape,
                                                   std::uint32_t from,
                                                   std::uint32_t to,
                                                   bool exit) const;

private:
    /// What a lookup found: a rule, or the one cable of a dragonfly.
    struct Match {
        const Rule* rule = nullptr;
        Digits to{};
        bool cable = false;
        std::uint32_t count = 0;
    };
    void match(
        const Shape& shape, const Spot& from, const Digits& to, bool exit, Match& found) const;
    [[nodiscard]] Hop take(const Shape& shape,
                           const Spot& from,
                           const Match& found,
                           std::uint32_t index,
                           Spot* next) const;

    std::vector<RuleTable> tables_;
    bool gateway_ = false;
    bool exits_ = false;
    int exit_role_ = 0;
};

}  // namespace longhaul::topology
