#include "longhaul/topology/hops.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

/// How many digits a pick allows. Of a mesh, the next digit differs from the node's own.
std::uint32_t options(Pick pick, std::uint32_t radix, bool mesh) {
    if (pick == Pick::kEqual) {
        return 1;
    }
    return radix - (pick == Pick::kOther ? 1 : 0) - (mesh ? 1 : 0);
}

/// The index-th of the digits that differ from two others (which may be the same).
std::uint32_t skip(std::uint32_t index, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = std::min(a, b);
    const std::uint32_t high = std::max(a, b);
    index += index >= low ? 1 : 0;
    return index + (high != low && index >= high ? 1 : 0);
}

/// Whether no destination fits both.
bool apart(const Rule& one, const Rule& other) {
    return std::ranges::any_of(one.conditions, [&](const Condition& a) {
        return std::ranges::any_of(other.conditions, [&](const Condition& b) {
            return a.axis == b.axis && (a.high < b.low || b.high < a.low);
        });
    });
}

/// Share of all destinations that fit.
double share_of(const Shape& shape, const Rule& rule) {
    double share = 1;
    for (const Condition& each : rule.conditions) {
        share *= static_cast<double>(each.high - each.low + 1) / shape.radix(each.axis);
    }
    return share;
}

/// The rules as look-ups try them: what most destinations fit first, where the order is free.
std::vector<Rule> likely_first(const Shape& shape, std::vector<Rule> rules) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!apart(rules[i], rules[j])) {
                return rules;
            }
        }
    }
    std::ranges::stable_sort(
        rules, std::ranges::greater{}, [&](const Rule& rule) { return share_of(shape, rule); });
    return rules;
}

}  // namespace

tl::expected<ChainRoutes, std::string> ChainRoutes::make(const Shape& shape, bool exits) {
    ChainRoutes routes;
    std::vector<int> targets{0};
    routes.gateway_ = shape.dragonfly();
    routes.exits_ = exits;
    if (routes.gateway_) {
        targets.push_back(shape.up_role(shape.levels() - 1));
    }
    if (exits) {
        targets.push_back(shape.up_role(shape.levels()));
    }
    for (const int target : targets) {
        auto table = compile_rules(shape, target);
        if (!table) {
            return tl::unexpected(table.error());
        }
        routes.tables_.push_back(std::move(*table));
    }
    routes.flatten(shape);
    routes.tree_ = TreeTable::make(shape, routes.tables_.front());
    return routes;
}

void ChainRoutes::flatten(const Shape& shape) {
    roles_ = shape.roles().size();
    for (const RuleTable& table : tables_) {
        for (const std::vector<Rule>& list : table.roles) {
            first_rule_.push_back(static_cast<std::uint32_t>(rules_.size()));
            for (const Rule& rule : likely_first(shape, list)) {
                FlatRule flat;
                flat.first_condition = static_cast<std::uint32_t>(conditions_.size());
                for (const Condition& each : rule.conditions) {
                    conditions_.push_back({static_cast<std::uint32_t>(each.axis),
                                           shape.radix(each.axis),
                                           each.low,
                                           each.high - each.low});
                }
                flat.last_condition = static_cast<std::uint32_t>(conditions_.size());
                flat.first_action = static_cast<std::uint32_t>(actions_.size());
                for (const Action& each : rule.actions) {
                    const LinkClass& links = shape.classes()[slot(each.link_class)];
                    FlatAction action{1,
                                      static_cast<std::uint32_t>(each.link_class),
                                      each.reverse,
                                      each.picks,
                                      free_axes(links, each.reverse)};
                    for (std::size_t k = 0; k < action.axes.size(); ++k) {
                        action.count *= options(
                            each.picks[k], shape.radix(action.axes[k]), links.high == links.low);
                    }
                    flat.count += action.count;
                    actions_.push_back(std::move(action));
                }
                flat.last_action = static_cast<std::uint32_t>(actions_.size());
                rules_.push_back(flat);
            }
        }
    }
    first_rule_.push_back(static_cast<std::uint32_t>(rules_.size()));
}

ChainRoutes::Spot ChainRoutes::spot(const Shape& shape, std::uint32_t node) {
    Spot spot;
    spot.role = shape.role_of(node);
    spot.index = node - shape.roles()[slot(spot.role)].base;
    shape.decode(spot.role, spot.index, spot.digits);
    return spot;
}

bool ChainRoutes::holds(const FlatRule& rule, const Digits& from, const Digits& to) const {
    for (std::uint32_t i = rule.first_condition; i < rule.last_condition; ++i) {
        const FlatCondition& condition = conditions_[i];
        const std::uint32_t own = from[condition.axis];
        const std::uint32_t wanted = to[condition.axis];
        const std::uint32_t offset = wanted >= own ? wanted - own : wanted + condition.radix - own;
        if (offset - condition.low > condition.width) {
            return false;
        }
    }
    return true;
}

void ChainRoutes::match(
    const Shape& shape, const Spot& from, const Digits& to, bool exit, Match& found) const {
    found.to = &to;
    std::size_t table = exit ? tables_.size() - 1 : 0;
    if (gateway_) {
        const int top = shape.levels() - 1;
        const std::uint32_t n = shape.radix(top);
        const std::uint32_t own = from.digits[slot(top)];
        if (const std::uint32_t offset = (to[slot(top)] + n - own) % n; offset != 0) {
            found.port = from.digits;
            shape.decode_label(top, shape.port_towards(offset), found.port);
            found.cable = from.role == tables_[1].target_role && found.port == from.digits;
            found.count = 1;
            if (found.cable) {
                return;
            }
            found.to = &found.port;
            table = 1;
        }
    }
    const std::size_t list = table * roles_ + slot(from.role);
    for (std::uint32_t i = first_rule_[list]; i < first_rule_[list + 1]; ++i) {
        if (holds(rules_[i], from.digits, *found.to)) {
            found.rule = &rules_[i];
            found.count = rules_[i].count;
            return;
        }
    }
    found.count = 0;
}

ChainRoutes::Hop ChainRoutes::across(
    const Shape& shape, const FlatAction& action, const Digits& to, std::uint32_t index, Spot& at) {
    const LinkClass& links = shape.classes()[action.link_class];
    const int own = links.up_free.front();
    const std::uint32_t low_index = at.index;
    const std::uint32_t low_digit = at.digits[slot(own)];
    for (std::size_t k = action.axes.size(); k > 0; --k) {
        const int axis = action.axes[k - 1];
        const Pick pick = action.picks[k - 1];
        std::uint32_t digit = index;
        if (k > 1) {
            const std::uint32_t choices = options(pick, shape.radix(axis), false);
            digit = index % choices;
            index /= choices;
        }
        const std::uint32_t wanted = to[slot(axis)];
        at.digits[slot(axis)] = pick == Pick::kEqual ? wanted
                                : pick == Pick::kAny ? digit
                                                     : skip(digit, wanted, wanted);
    }
    at.role = action.reverse ? links.low : links.high;
    at.index = shape.encode(at.role, at.digits);
    const std::uint32_t low = action.reverse ? at.index : low_index;
    const std::uint32_t digit = action.reverse ? low_digit : at.digits[slot(own)];
    return {shape.roles()[slot(at.role)].base + at.index,
            2 * (links.base + low * shape.radix(own) + digit) + (action.reverse ? 1 : 0)};
}

ChainRoutes::Hop ChainRoutes::along(
    const Shape& shape, const FlatAction& action, const Digits& to, std::uint32_t index, Spot& at) {
    const LinkClass& links = shape.classes()[action.link_class];
    const Digits from = at.digits;
    const std::uint32_t own = from[slot(links.axis)];
    std::uint32_t& digit = at.digits[slot(links.axis)];
    bool reverse = action.reverse;
    if (links.pattern == Pattern::kRing) {
        const std::uint32_t n = shape.radix(links.axis);
        digit = (own + (reverse ? n - 1 : 1)) % n;
    } else {
        const std::uint32_t wanted = to[slot(links.axis)];
        const Pick pick = action.picks.front();
        digit = pick == Pick::kEqual ? wanted : skip(index, own, pick == Pick::kAny ? own : wanted);
        reverse = digit < own;
    }
    at.index = shape.encode(at.role, at.digits);
    return {shape.roles()[slot(at.role)].base + at.index,
            shape.link(links, from, at.digits, reverse)};
}

ChainRoutes::Hop ChainRoutes::take(const Shape& shape,
                                   const Match& found,
                                   std::uint32_t index,
                                   Spot& at) const {
    if (!found.cable) {
        std::uint32_t i = found.rule->first_action;
        while (index >= actions_[i].count) {
            index -= actions_[i++].count;
        }
        const FlatAction& action = actions_[i];
        const LinkClass& links = shape.classes()[action.link_class];
        return links.high != links.low ? across(shape, action, *found.to, index, at)
                                       : along(shape, action, *found.to, index, at);
    }
    const int top = shape.levels() - 1;
    const std::uint32_t n = shape.radix(top);
    const Digits from = at.digits;
    const std::uint32_t own = from[slot(top)];
    at.digits[slot(top)] = (*found.to)[slot(top)];
    const std::uint32_t back = (own + n - at.digits[slot(top)]) % n;
    shape.decode_label(top, shape.port_towards(back), at.digits);
    at.index = shape.encode(at.role, at.digits);
    const bool reverse = at.digits[slot(top)] < own;
    return {shape.roles()[slot(at.role)].base + at.index,
            shape.link(shape.classes().back(), from, at.digits, reverse)};
}

bool ChainRoutes::choose(const Shape& shape,
                         const Digits& to,
                         bool exit,
                         std::uint32_t hash,
                         Spot& at,
                         Hop& chosen) const {
    Match found;
    match(shape, at, to, exit, found);
    if (found.count == 0) {
        return false;
    }
    const auto index =
        static_cast<std::uint32_t>((std::uint64_t{hash} * std::uint64_t{found.count}) >> 32U);
    chosen = take(shape, found, index, at);
    return true;
}

bool ChainRoutes::next_by_rules(const Shape& shape,
                                std::uint32_t from,
                                std::uint32_t to,
                                bool exit,
                                std::uint32_t hash,
                                Hop& chosen) const {
    Digits digits{};
    if (!exit) {
        shape.decode(0, to, digits);
    }
    Spot at = spot(shape, from);
    return choose(shape, digits, exit, hash, at, chosen);
}

std::vector<std::uint32_t> ChainRoutes::links(const Shape& shape,
                                              std::uint32_t from,
                                              std::uint32_t to,
                                              bool exit) const {
    std::vector<std::uint32_t> links;
    if (!exit && from == to) {
        return links;
    }
    const Spot here = spot(shape, from);
    const Digits digits = exit ? Digits{} : spot(shape, to).digits;
    Match found;
    match(shape, here, digits, exit, found);
    links.reserve(found.count);
    for (std::uint32_t i = 0; i < found.count; ++i) {
        Spot next = here;
        links.push_back(take(shape, found, i, next).link);
    }
    std::ranges::sort(links);
    return links;
}

}  // namespace longhaul::topology
