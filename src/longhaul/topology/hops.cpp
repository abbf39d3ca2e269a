#include "longhaul/topology/hops.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

bool holds(const Shape& shape, const Rule& rule, const Digits& from, const Digits& to) {
    for (const Condition& condition : rule.conditions) {
        const std::uint32_t own = from[slot(condition.axis)];
        const std::uint32_t wanted = to[slot(condition.axis)];
        const std::uint32_t offset =
            wanted >= own ? wanted - own : wanted + shape.radix(condition.axis) - own;
        if (offset < condition.low || offset > condition.high) {
            return false;
        }
    }
    return true;
}

/// How many digits a pick allows, and the index-th of them. `own` is the node's digit where the
/// next one must differ from it (a mesh), else the radix.
std::uint32_t options(Pick pick, std::uint32_t radix, bool mesh) {
    if (pick == Pick::kEqual) {
        return 1;
    }
    return radix - (pick == Pick::kOther ? 1 : 0) - (mesh ? 1 : 0);
}

std::uint32_t option(Pick pick, std::uint32_t index, std::uint32_t own, std::uint32_t wanted) {
    if (pick == Pick::kEqual) {
        return wanted;
    }
    const std::uint32_t low = pick == Pick::kOther ? std::min(own, wanted) : own;
    const std::uint32_t high = pick == Pick::kOther ? std::max(own, wanted) : own;
    index += index >= low ? 1 : 0;
    return index + (high != low && index >= high ? 1 : 0);
}

std::uint32_t count_of(const Shape& shape, const Action& action) {
    const LinkClass& links = shape.classes()[slot(action.link_class)];
    if (action.picks.empty()) {
        return 1;
    }
    const bool mesh = links.high == links.low;
    const std::vector<int>& axes = links.pattern == Pattern::kMesh ? links.down_free
                                   : action.reverse                ? links.down_free
                                                                   : links.up_free;
    std::uint32_t count = 1;
    for (std::size_t k = 0; k < action.picks.size(); ++k) {
        const int axis = mesh ? links.axis : axes[k];
        count *= options(action.picks[k], shape.radix(axis), mesh);
    }
    return count;
}

/// The index-th neighbour of an action.
ChainRoutes::Hop neighbour(const Shape& shape,
                           const Action& action,
                           const ChainRoutes::Spot& from,
                           const Digits& to,
                           std::uint32_t index,
                           ChainRoutes::Spot* next) {
    const LinkClass& links = shape.classes()[slot(action.link_class)];
    const bool mesh = links.high == links.low;
    ChainRoutes::Spot spot = from;
    bool reverse = action.reverse;
    if (links.pattern == Pattern::kRing) {
        const std::uint32_t n = shape.radix(links.axis);
        spot.digits[slot(links.axis)] = (from.digits[slot(links.axis)] + (reverse ? n - 1 : 1)) % n;
    } else if (mesh) {
        const std::uint32_t own = from.digits[slot(links.axis)];
        spot.digits[slot(links.axis)] =
            option(action.picks.front(), index, own, to[slot(links.axis)]);
        reverse = spot.digits[slot(links.axis)] < own;
    } else {
        const std::vector<int>& axes = reverse ? links.down_free : links.up_free;
        for (std::size_t k = axes.size(); k > 0; --k) {
            const std::uint32_t radix = shape.radix(axes[k - 1]);
            const std::uint32_t wanted = to[slot(axes[k - 1])];
            const Pick pick = action.picks[k - 1];
            const std::uint32_t choices = options(pick, radix, false);
            const std::uint32_t own = k == 1 ? index : index % choices;
            index = k == 1 ? 0 : index / choices;
            spot.digits[slot(axes[k - 1])] =
                option(pick, own, pick == Pick::kOther ? wanted : radix, wanted);
        }
        spot.role = reverse ? links.low : links.high;
    }
    ChainRoutes::Hop hop{shape.node(spot.role, spot.digits),
                         shape.link(links, from.digits, spot.digits, reverse)};
    if (next != nullptr) {
        *next = spot;
    }
    return hop;
}

}  // namespace

tl::expected<ChainRoutes, std::string> ChainRoutes::make(const Shape& shape, bool exits) {
    ChainRoutes routes;
    std::vector<int> targets{0};
    routes.gateway_ = shape.dragonfly();
    routes.exits_ = exits;
    routes.exit_role_ = shape.up_role(shape.levels());
    if (routes.gateway_) {
        targets.push_back(shape.up_role(shape.levels() - 1));
    }
    if (exits) {
        targets.push_back(routes.exit_role_);
    }
    for (const int target : targets) {
        auto table = compile_rules(shape, target);
        if (!table) {
            return tl::unexpected(table.error());
        }
        routes.tables_.push_back(std::move(*table));
    }
    return routes;
}

ChainRoutes::Spot ChainRoutes::spot(const Shape& shape, std::uint32_t node) const {
    Spot spot;
    spot.role = shape.role_of(node);
    shape.decode(spot.role, node - shape.roles()[slot(spot.role)].base, spot.digits);
    return spot;
}

void ChainRoutes::match(
    const Shape& shape, const Spot& from, const Digits& to, bool exit, Match& found) const {
    found.to = to;
    const RuleTable* table = exit ? &tables_.back() : tables_.data();
    if (gateway_) {
        const int top = shape.levels() - 1;
        const std::uint32_t n = shape.radix(top);
        const std::uint32_t own = from.digits[slot(top)];
        if (const std::uint32_t offset = (to[slot(top)] + n - own) % n; offset != 0) {
            Digits port = from.digits;
            shape.decode_label(top, shape.port_towards(offset), port);
            found.cable = from.role == tables_[1].target_role && port == from.digits;
            found.count = 1;
            if (found.cable) {
                return;
            }
            found.to = port;
            table = &tables_[1];
        }
    }
    for (const Rule& rule : table->roles[slot(from.role)]) {
        if (holds(shape, rule, from.digits, found.to)) {
            found.rule = &rule;
            break;
        }
    }
    found.count = 0;
    if (found.rule != nullptr) {
        for (const Action& action : found.rule->actions) {
            found.count += count_of(shape, action);
        }
    }
}

ChainRoutes::Hop ChainRoutes::take(const Shape& shape,
                                   const Spot& from,
                                   const Match& found,
                                   std::uint32_t index,
                                   Spot* next) const {
    if (!found.cable) {
        for (const Action& action : found.rule->actions) {
            const std::uint32_t count = count_of(shape, action);
            if (index < count) {
                return neighbour(shape, action, from, found.to, index, next);
            }
            index -= count;
        }
    }
    LONGHAUL_ASSERT(found.cable);
    const int top = shape.levels() - 1;
    const std::uint32_t n = shape.radix(top);
    Spot spot = from;
    spot.digits[slot(top)] = found.to[slot(top)];
    const std::uint32_t own = from.digits[slot(top)];
    const std::uint32_t back = (own + n - spot.digits[slot(top)]) % n;
    shape.decode_label(top, shape.port_towards(back), spot.digits);
    const bool reverse = spot.digits[slot(top)] < own;
    Hop hop{shape.node(spot.role, spot.digits),
            shape.link(shape.classes().back(), from.digits, spot.digits, reverse)};
    if (next != nullptr) {
        *next = spot;
    }
    return hop;
}

std::uint32_t ChainRoutes::count(const Shape& shape,
                                 const Spot& from,
                                 const Digits& to,
                                 bool exit) const {
    Match found;
    match(shape, from, to, exit, found);
    return found.count;
}

ChainRoutes::Hop ChainRoutes::hop(const Shape& shape,
                                  const Spot& from,
                                  const Digits& to,
                                  bool exit,
                                  std::uint32_t index,
                                  Spot* next) const {
    Match found;
    match(shape, from, to, exit, found);
    return take(shape, from, found, index, next);
}

bool ChainRoutes::choose(const Shape& shape,
                         const Spot& from,
                         const Digits& to,
                         bool exit,
                         std::uint32_t hash,
                         Hop& chosen,
                         Spot& next) const {
    Match found;
    match(shape, from, to, exit, found);
    if (found.count == 0) {
        return false;
    }
    const auto index =
        static_cast<std::uint32_t>((std::uint64_t{hash} * std::uint64_t{found.count}) >> 32U);
    chosen = take(shape, from, found, index, &next);
    return true;
}

std::vector<std::uint32_t> ChainRoutes::links(const Shape& shape,
                                              std::uint32_t from,
                                              std::uint32_t to,
                                              bool exit) const {
    const Spot spot = this->spot(shape, from);
    const Digits digits = exit ? Digits{} : this->spot(shape, to).digits;
    std::vector<std::uint32_t> links;
    if (!exit && from == to) {
        return links;
    }
    Match found;
    match(shape, spot, digits, exit, found);
    for (std::uint32_t i = 0; i < found.count; ++i) {
        links.push_back(take(shape, spot, found, i, nullptr).link);
    }
    std::ranges::sort(links);
    return links;
}

}  // namespace longhaul::topology
