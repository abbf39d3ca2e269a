// Routing as compilation. Towards one destination, all nodes of a role whose digits compare alike
// with those of the destination are equal: renumbering the members of a group changes nothing. So
// the shortest paths of the whole network are those of a small graph of such classes, and a rule
// list a role says everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "longhaul/topology/shape.hpp"

namespace longhaul::topology {

/// Which values a free digit of the next node may take.
enum class Pick : std::uint8_t {
    kAny,    ///< all (of a mesh: all but the node's own)
    kEqual,  ///< the digit of the destination
    kOther   ///< all but that of the destination (of a mesh: and the node's own)
};

/// A set of neighbours: along one class of links, one way, with these digits.
struct Action {
    int link_class = 0;
    bool reverse = false;     ///< down; of a ring one step back
    std::vector<Pick> picks;  ///< one a free axis (see free_axes)

    friend bool operator==(const Action&, const Action&) = default;
};

/// Holds when (digit of the destination - digit of the node) mod radix lies in [low, high].
struct Condition {
    int axis = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;

    friend bool operator==(const Condition&, const Condition&) = default;
};

/// When all conditions hold, the actions give the next hops. No actions: there is no path.
struct Rule {
    std::vector<Condition> conditions;
    std::vector<Action> actions;

    friend bool operator==(const Rule&, const Rule&) = default;
};

/// Rules towards the nodes of one role. The first rule of a role that holds counts; one always
/// does.
struct RuleTable {
    int target_role = 0;
    std::vector<std::vector<Rule>> roles;

    friend bool operator==(const RuleTable&, const RuleTable&) = default;
};

/// Axes that the next node has and this one lacks, or where they differ, in the order of picks:
/// of trees the digits of the other role, of a mesh and a dragonfly the members' axis.
[[nodiscard]] std::vector<int> free_axes(const LinkClass& links, bool reverse);

/// All shortest paths (least sum of costs) to the nodes of a role. With a dragonfly outermost, the
/// paths inside one member of it. The error says which nesting the rules cannot express.
/// O(states x links a role); states = roles x 2^levels, times the length of each ring.
[[nodiscard]] tl::expected<RuleTable, std::string> compile_rules(const Shape& shape,
                                                                 int target_role);

/// The same as text, one line a rule: for people.
[[nodiscard]] std::vector<std::string> rule_lines(const Shape& shape,
                                                  const RuleTable& table,
                                                  int role);

/// "host", "pod agg": name of a role.
[[nodiscard]] std::string role_name(const Shape& shape, int role);

}  // namespace longhaul::topology
