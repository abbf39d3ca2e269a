#include "longhaul/topology/tree_table.hpp"

#include <algorithm>

#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

/// Fills a table, or finds that it cannot.
class TreeTableMaker {
public:
    TreeTableMaker(const Shape& shape, const RuleTable& rules) : shape_(shape), rules_(rules) {
        table_.axes_ = slot(shape.levels());
    }

    std::optional<TreeTable> make() {
        if (rules_.target_role != 0 || !order_axes() || !add_rules()) {
            return std::nullopt;
        }
        for (std::size_t r = 0; r < shape_.roles().size(); ++r) {
            add_places(shape_.roles()[r]);
            if (r > 0) {
                table_.first_nodes_.push_back(shape_.roles()[r].base);
            }
        }
        return std::move(table_);
    }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    /// Where a role keeps the digit of an axis; kNone: it has none.
    [[nodiscard]] std::size_t slot_of(const Role& role, int axis) const {
        const auto found = std::ranges::find(role.axes, axis);
        if (found == role.axes.end()) {
            return kNone;
        }
        if (axis < shape_.levels()) {
            return slot(axis);
        }
        // The own digit is the last; others that tell switches apart stand before it.
        std::size_t place = table_.axes_;
        for (auto each = found + 1; each != role.axes.end(); ++each) {
            place += *each >= shape_.levels() ? 1 : 0;
        }
        return place;
    }

    /// Whether all switches fit the slots, and every link leads between roles.
    bool order_axes() {
        table_.slots_ = table_.axes_ + 1;
        for (const Role& role : shape_.roles()) {
            const auto own = std::ranges::count_if(
                role.axes, [this](int axis) { return axis >= shape_.levels(); });
            table_.slots_ = std::max(table_.slots_, table_.axes_ + static_cast<std::size_t>(own));
        }
        return table_.slots_ <= TreeTable::kSlots &&
               std::ranges::all_of(shape_.classes(),
                                   [](const LinkClass& links) { return links.high != links.low; });
    }

    void add_places(const Role& role) {
        TreeTable::RolePlaces places;
        places.base = role.base;
        std::uint32_t inner = 1;
        for (std::size_t k = role.axes.size(); k > 0; --k) {
            const int axis = role.axes[k - 1];
            TreeTable::Place& place = places.slots[slot_of(role, axis)];
            place.inner = Divisor(inner).factor();
            inner *= shape_.radix(axis);
            place.outer = Divisor(inner).factor();
            place.radix = shape_.radix(axis);
        }
        table_.places_.push_back(places);
    }

    /// The rule of each role and each set of equal digits.
    bool add_rules() {
        for (std::size_t r = 0; r < shape_.roles().size(); ++r) {
            const std::size_t first = table_.choices_.size();
            for (const Rule& rule : rules_.roles[r]) {
                if (!add_choice(shape_.roles()[r], rule)) {
                    return false;
                }
            }
            for (std::uint32_t equal = 0; equal < 1U << table_.axes_; ++equal) {
                std::size_t number = 0;
                while (!fits(rules_.roles[r][number], equal)) {
                    ++number;  // some rule always holds
                }
                table_.choice_of_.push_back(static_cast<std::uint16_t>(first + number));
            }
        }
        return true;
    }

    /// Bit axes - 1 - a of `equal` tells about axis a.
    [[nodiscard]] bool fits(const Rule& rule, std::uint32_t equal) const {
        return std::ranges::all_of(rule.conditions, [&](const Condition& each) {
            const bool same = ((equal >> (shape_.levels() - 1 - each.axis)) & 1U) != 0;
            return same == (each.low == 0);
        });
    }

    bool add_choice(const Role& role, const Rule& rule) {
        for (const Condition& each : rule.conditions) {
            const bool same = each.low == 0 && each.high == 0;
            const bool other = each.low == 1 && each.high == shape_.radix(each.axis) - 1;
            if (each.axis >= shape_.levels() || (!same && !other)) {
                return false;
            }
        }
        TreeTable::Choice choice{static_cast<std::uint32_t>(table_.steps_.size()), 0};
        for (const Action& action : rule.actions) {
            if (!add_step(role, action)) {
                return false;
            }
            choice.count += table_.steps_.back().count;
        }
        if (rule.actions.empty()) {
            table_.steps_.emplace_back();  // read, and of no effect
        }
        table_.choices_.push_back(choice);
        return true;
    }

    static std::size_t place_of(const std::vector<int>& list, std::vector<int>::const_iterator at) {
        return static_cast<std::size_t>(at - list.begin());
    }

    bool add_step(const Role& role, const Action& action) {
        const LinkClass& links = shape_.classes()[slot(action.link_class)];
        const Role& target = shape_.roles()[slot(action.reverse ? links.low : links.high)];
        const std::vector<int> free = free_axes(links, action.reverse);
        TreeTable::Step step;
        step.base = target.base;
        std::uint32_t weight = 1;
        auto picked = free.end();  // the last one, from inside to outside
        for (std::size_t k = target.axes.size(); k > 0; --k) {
            const int axis = target.axes[k - 1];
            const auto at = std::ranges::find(free, axis);
            const Pick pick = at == free.end() ? Pick::kAny : action.picks[place_of(free, at)];
            if (at == free.end()) {
                step.of_from[slot_of(role, axis)] = weight;
            } else if (pick == Pick::kEqual) {
                step.of_to[slot(axis)] = weight;
            } else if (shape_.radix(axis) > 1) {
                // One number picks several digits where they stand side by side, in this order.
                const bool beside =
                    picked == free.end() || (at < picked && weight == step.of_pick * step.count);
                if (!beside || pick == Pick::kOther) {
                    return false;
                }
                step.of_pick = picked == free.end() ? weight : step.of_pick;
                step.count *= shape_.radix(axis);
                picked = at;
            }
            weight *= shape_.radix(axis);
        }
        return add_link(action, links, target, step);
    }

    /// 2 x (first + index of the lower node x radix + digit of the higher one) + direction.
    bool add_link(const Action& action,
                  const LinkClass& links,
                  const Role& target,
                  TreeTable::Step step) {
        const int own = links.up_free.front();
        const std::uint32_t radix = shape_.radix(own);
        step.link_base = 2 * links.base + (action.reverse ? 1 : 0);
        if (action.reverse) {
            step.link_base -= 2 * radix * target.base;
            step.link_of_next = 2 * radix;
            step.link_of_own = 2;
        } else {
            if (action.picks.front() == Pick::kEqual) {
                return false;
            }
            step.link_of_index = 2 * radix;
            step.link_of_pick = 2;
        }
        table_.steps_.push_back(step);
        return true;
    }

    const Shape& shape_;
    const RuleTable& rules_;
    TreeTable table_;
};

std::optional<TreeTable> TreeTable::make(const Shape& shape, const RuleTable& rules) {
    return TreeTableMaker(shape, rules).make();
}

}  // namespace longhaul::topology
