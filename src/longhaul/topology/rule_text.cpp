// Rules as people read them.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/rules.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

std::string axis_name(const Shape& shape, int axis) {
    const int levels = shape.levels();
    return axis < levels ? shape.chain().levels[slot(axis)].member
                         : shape.chain().levels[slot(axis - levels)].switch_name;
}

std::string condition_text(const Shape& shape, const Condition& condition) {
    const std::string name = axis_name(shape, condition.axis);
    const std::uint32_t radix = shape.radix(condition.axis);
    if (condition.high == 0) {
        return "same " + name;
    }
    if (condition.low == 1 && condition.high == radix - 1) {
        return "other " + name;
    }
    return condition.low == condition.high
               ? fmt::format("{} + {}", name, condition.low)
               : fmt::format("{} + {} to {}", name, condition.low, condition.high);
}

std::string pick_text(const Shape& shape, int axis, Pick pick, bool mesh) {
    const std::string name = axis_name(shape, axis);
    switch (pick) {
        case Pick::kAny:
            return fmt::format("any {} of {}", name, shape.radix(axis) - (mesh ? 1 : 0));
        case Pick::kEqual:
            return "the destination's " + name;
        case Pick::kOther:
            return "any other " + name;
    }
    return "";
}

std::string action_text(const Shape& shape, const Action& action) {
    const LinkClass& links = shape.classes()[slot(action.link_class)];
    if (links.pattern == Pattern::kRing) {
        return fmt::format(
            "one {} {}", axis_name(shape, links.axis), action.reverse ? "back" : "forward");
    }
    const bool mesh = links.high == links.low;
    const std::vector<int> axes = free_axes(links, action.reverse);
    std::string text = mesh             ? "along"
                       : action.reverse ? "down to " + role_name(shape, links.low)
                                        : "up to " + role_name(shape, links.high);
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (shape.radix(axes[k]) > 1) {
            text += (k == 0 ? ": " : ", ") + pick_text(shape, axes[k], action.picks[k], mesh);
        }
    }
    return text;
}

}  // namespace

std::string role_name(const Shape& shape, int role) {
    const int level = shape.roles()[slot(role)].level;
    return level == 0 ? shape.chain().endpoint : shape.chain().levels[slot(level - 1)].switch_name;
}

std::vector<std::string> rule_lines(const Shape& shape, const RuleTable& table, int role) {
    std::vector<std::string> lines;
    for (const Rule& rule : table.roles[slot(role)]) {
        std::string text;
        for (const Condition& condition : rule.conditions) {
            text += (text.empty() ? "" : ", ") + condition_text(shape, condition);
        }
        text += text.empty() ? "always: " : ": ";
        std::string to;
        for (const Action& action : rule.actions) {
            to += (to.empty() ? "" : "; or ") + action_text(shape, action);
        }
        const bool here = role == table.target_role &&
                          std::ranges::all_of(rule.conditions, [](const Condition& condition) {
                              return condition.high == 0;
                          });
        lines.push_back(text + (!to.empty() ? to : here ? "arrived" : "no path"));
    }
    return lines;
}

}  // namespace longhaul::topology
