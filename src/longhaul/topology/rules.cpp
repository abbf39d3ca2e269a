#include "longhaul/topology/rules.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>

#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

constexpr std::size_t kMostStates = 400'000;
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

bool has(const std::vector<int>& axes, int axis) {
    return std::ranges::find(axes, axis) != axes.end();
}

/// A class of nodes of one role: on each axis shared with the target, the class of the offset: 0
/// equal, 1 different; on rings the offset itself.
struct State {
    int role = 0;
    std::array<std::uint32_t, kMostAxes> offset{};
};

struct Step {
    std::size_t to = 0;
    Action action;
};

/// The small graph of classes.
class Quotient {
public:
    Quotient(const Shape& shape, int target_role)
        : shape_(shape), target_(shape.roles()[slot(target_role)].axes) {
        for (std::size_t r = 0; r < shape.roles().size(); ++r) {
            std::vector<int> shared;
            std::size_t count = 1;
            for (const int axis : shape.roles()[r].axes) {
                if (has(target_, axis)) {
                    shared.push_back(axis);
                    count = std::min(count * classes(axis), kMostStates + 1);
                }
            }
            shared_.push_back(std::move(shared));
            base_.push_back(states_);
            states_ = std::min(states_ + count, kMostStates + 1);
        }
        target_role_ = target_role;
    }

    [[nodiscard]] bool too_large() const { return states_ > kMostStates; }
    [[nodiscard]] const std::vector<int>& shared(int role) const { return shared_[slot(role)]; }

    [[nodiscard]] bool ring(int axis) const {
        return axis < shape_.levels() &&
               shape_.chain().levels[slot(axis)].pattern == Pattern::kRing;
    }
    /// How many classes the offset on an axis has.
    [[nodiscard]] std::size_t classes(int axis) const {
        const std::uint32_t radix = shape_.radix(axis);
        return ring(axis) ? radix : std::min<std::size_t>(radix, 2);
    }

    [[nodiscard]] std::size_t index(const State& state) const {
        std::size_t index = 0;
        for (const int axis : shared(state.role)) {
            index = index * classes(axis) + state.offset[slot(axis)];
        }
        return base_[slot(state.role)] + index;
    }

    /// All steps out of a state.
    [[nodiscard]] std::vector<Step> steps(const State& from) const {
        std::vector<Step> found;
        for (std::size_t c = 0; c < shape_.classes().size(); ++c) {
            const LinkClass& links = shape_.classes()[c];
            if (links.pattern == Pattern::kDragonfly) {
                continue;
            }
            const bool tree = links.high != links.low;
            if (links.low == from.role) {
                tree ? cross(from, static_cast<int>(c), false, found)
                     : along(from, static_cast<int>(c), found);
            }
            if (tree && links.high == from.role) {
                cross(from, static_cast<int>(c), true, found);
            }
        }
        return found;
    }

    /// Costs to the target of all states.
    [[nodiscard]] std::vector<std::int64_t> distances() const {
        std::vector<std::vector<std::pair<std::size_t, int>>> into(states_);
        for_each_state([&](const State& state) {
            for (const Step& step : steps(state)) {
                into[step.to].emplace_back(index(state), cost(step));
            }
        });
        std::vector<std::int64_t> distance(states_, kFar);
        std::priority_queue<std::pair<std::int64_t, std::size_t>,
                            std::vector<std::pair<std::int64_t, std::size_t>>,
                            std::greater<>>
            queue;
        const std::size_t target = index({target_role_, {}});
        distance[target] = 0;
        queue.emplace(0, target);
        while (!queue.empty()) {
            const auto [far, state] = queue.top();
            queue.pop();
            if (far > distance[state]) {
                continue;
            }
            for (const auto& [before, price] : into[state]) {
                if (far + price < distance[before]) {
                    distance[before] = far + price;
                    queue.emplace(far + price, before);
                }
            }
        }
        return distance;
    }

    [[nodiscard]] int cost(const Step& step) const {
        return shape_.classes()[slot(step.action.link_class)].cable.cost;
    }

    template <class Visit>
    void for_each_state(Visit visit) const {
        for (std::size_t r = 0; r < shape_.roles().size(); ++r) {
            State state{static_cast<int>(r), {}};
            walk(state, 0, visit);
        }
    }

private:
    template <class Visit>
    void walk(State& state, std::size_t depth, Visit& visit) const {
        const std::vector<int>& axes = shared(state.role);
        if (depth == axes.size()) {
            visit(static_cast<const State&>(state));
            return;
        }
        for (std::size_t k = 0; k < classes(axes[depth]); ++k) {
            state.offset[slot(axes[depth])] = static_cast<std::uint32_t>(k);
            walk(state, depth + 1, visit);
        }
        state.offset[slot(axes[depth])] = 0;
    }

    /// Steps between an endpoint or switch and a switch.
    void cross(const State& from, int link_class, bool reverse, std::vector<Step>& found) const {
        const LinkClass& links = shape_.classes()[slot(link_class)];
        State to{reverse ? links.low : links.high, {}};
        for (const int axis : shared(to.role)) {
            if (has(shape_.roles()[slot(from.role)].axes, axis)) {
                to.offset[slot(axis)] = from.offset[slot(axis)];
            }
        }
        const std::vector<int> axes = free_axes(links, reverse);
        Action action{link_class, reverse, std::vector<Pick>(axes.size(), Pick::kAny)};
        choose(axes, 0, to, action, found);
    }

    void choose(const std::vector<int>& axes,
                std::size_t depth,
                State& to,
                Action& action,
                std::vector<Step>& found) const {
        if (depth == axes.size()) {
            found.push_back({index(to), action});
            return;
        }
        const int axis = axes[depth];
        const std::size_t options = has(target_, axis) ? classes(axis) : 1;
        for (std::size_t k = 0; k < options; ++k) {
            to.offset[slot(axis)] = static_cast<std::uint32_t>(k);
            action.picks[depth] = options == 1 ? Pick::kAny : k == 0 ? Pick::kEqual : Pick::kOther;
            choose(axes, depth + 1, to, action, found);
        }
    }

    /// Steps of a mesh or a ring.
    void along(const State& from, int link_class, std::vector<Step>& found) const {
        const LinkClass& links = shape_.classes()[slot(link_class)];
        const std::uint32_t n = shape_.radix(links.axis);
        const bool known = has(target_, links.axis);
        State to = from;
        std::uint32_t& offset = to.offset[slot(links.axis)];
        if (links.pattern == Pattern::kRing) {
            for (const bool reverse : {false, true}) {
                offset = known ? (from.offset[slot(links.axis)] + (reverse ? 1 : n - 1)) % n : 0;
                found.push_back({index(to), {link_class, reverse, {}}});
            }
        } else if (n > 1 && (!known || from.offset[slot(links.axis)] == 0)) {
            offset = known ? 1 : 0;
            found.push_back({index(to), {link_class, false, {Pick::kAny}}});
        } else if (n > 1) {
            offset = 0;
            found.push_back({index(to), {link_class, false, {Pick::kEqual}}});
            if (n > 2) {
                offset = 1;
                found.push_back({index(to), {link_class, false, {Pick::kOther}}});
            }
        }
    }

    const Shape& shape_;
    std::vector<int> target_;
    int target_role_ = 0;
    std::vector<std::vector<int>> shared_;
    std::vector<std::size_t> base_;
    std::size_t states_ = 0;
};

/// The pick in which two actions differ, when it is the only one and the first says "equal", the
/// second "other".
std::optional<std::size_t> joint(const Action& a, const Action& b) {
    if (a.link_class != b.link_class || a.reverse != b.reverse) {
        return std::nullopt;
    }
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < a.picks.size(); ++k) {
        if (a.picks[k] == b.picks[k]) {
            continue;
        }
        if (found || a.picks[k] != Pick::kEqual || b.picks[k] != Pick::kOther) {
            return std::nullopt;
        }
        found = k;
    }
    return found;
}

/// Joins one pair of actions into one with "any"; false when there is none.
bool join_once(std::vector<Action>& actions) {
    for (std::size_t i = 0; i < actions.size(); ++i) {
        for (std::size_t j = 0; j < actions.size(); ++j) {
            if (const auto pick = joint(actions[i], actions[j])) {
                actions[i].picks[*pick] = Pick::kAny;
                actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(j));
                return true;
            }
        }
    }
    return false;
}

/// An action, and how many steps it stands for.
using Counted = std::vector<std::pair<Action, std::size_t>>;

void count(Counted& list, const Action& action) {
    const auto same = std::ranges::find(list, action, &std::pair<Action, std::size_t>::first);
    if (same == list.end()) {
        list.emplace_back(action, 1);
    } else {
        ++same->second;
    }
}

/// The actions on shortest paths; false when one stands for steps of which only some are.
bool best_actions(const Quotient& quotient,
                  const State& state,
                  const std::vector<std::int64_t>& distance,
                  std::vector<Action>& actions) {
    Counted chosen;
    Counted offered;
    for (const Step& step : quotient.steps(state)) {
        count(offered, step.action);
        if (distance[step.to] != kFar &&
            distance[step.to] + quotient.cost(step) == distance[quotient.index(state)]) {
            count(chosen, step.action);
        }
    }
    for (const auto& entry : chosen) {
        if (std::ranges::find(offered, entry) == offered.end()) {
            return false;
        }
        actions.push_back(entry.first);
    }
    return true;
}

/// Makes the rule list of one role out of the actions of its states.
class RuleMaker {
public:
    RuleMaker(const Shape& shape,
              const Quotient& quotient,
              int role,
              const std::vector<std::vector<Action>>& actions)
        : shape_(shape), quotient_(quotient), axes_(quotient.shared(role)), actions_(actions) {
        state_.role = role;
    }

    [[nodiscard]] std::vector<Rule> rules() { return from(0); }

private:
    std::vector<Rule> from(std::size_t depth) {
        if (depth == axes_.size()) {
            return {{{}, actions_[quotient_.index(state_)]}};
        }
        const int axis = axes_[depth];
        if (shape_.dragonfly() && axis == shape_.levels() - 1) {
            return from(depth + 1);  // other members are reached through ports
        }
        std::vector<Rule> all;
        std::vector<Rule> run;
        std::uint32_t start = 0;
        const auto count = static_cast<std::uint32_t>(quotient_.classes(axis));
        for (std::uint32_t k = 0; k <= count; ++k) {
            std::vector<Rule> rules;
            if (k < count) {
                state_.offset[slot(axis)] = k;
                rules = from(depth + 1);
            }
            if (k > 0 && (k == count || rules != run)) {
                if (start == 0 && k == count) {
                    state_.offset[slot(axis)] = 0;
                    return run;
                }
                const std::uint32_t last = k == count ? shape_.radix(axis) - 1 : k - 1;
                for (Rule& rule : run) {
                    rule.conditions.insert(rule.conditions.begin(), {axis, start, last});
                    all.push_back(std::move(rule));
                }
                start = k;
            }
            run = std::move(rules);
        }
        state_.offset[slot(axis)] = 0;
        return all;
    }

    const Shape& shape_;
    const Quotient& quotient_;
    std::vector<int> axes_;
    const std::vector<std::vector<Action>>& actions_;
    State state_;
};

}  // namespace

std::vector<int> free_axes(const LinkClass& links, bool reverse) {
    if (links.high != links.low) {
        return reverse ? links.down_free : links.up_free;
    }
    return links.pattern == Pattern::kRing ? std::vector<int>() : std::vector<int>{links.axis};
}

tl::expected<RuleTable, std::string> compile_rules(const Shape& shape, int target_role) {
    const Quotient quotient(shape, target_role);
    if (quotient.too_large()) {
        return tl::unexpected(std::string("its rings make too many classes of nodes"));
    }
    const std::vector<std::int64_t> distance = quotient.distances();
    std::vector<std::vector<Action>> actions(distance.size());
    bool expressible = true;
    quotient.for_each_state([&](const State& state) {
        const std::size_t i = quotient.index(state);
        if (distance[i] == 0 || distance[i] == kFar) {
            return;
        }
        expressible = best_actions(quotient, state, distance, actions[i]) && expressible;
        while (join_once(actions[i])) {
        }
    });
    if (!expressible) {
        return tl::unexpected(std::string("its ring lies under switches that prefer some members"));
    }
    RuleTable table{target_role, {}};
    for (std::size_t r = 0; r < shape.roles().size(); ++r) {
        table.roles.push_back(RuleMaker(shape, quotient, static_cast<int>(r), actions).rules());
    }
    return table;
}

}  // namespace longhaul::topology
