// Groups of a topology file: from nested tables to chains of levels.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longhaul/topology/detail/readers.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology::detail {
namespace {

using core::Cursor;

/// One [[group]] as it was written.
struct Group {
    std::string name;
    std::string inner;        ///< of what it has `count`
    bool endpoints = false;   ///< `inner` names endpoints, not a group
    std::vector<Level> made;  ///< levels, innermost first; more than one for a fat tree
    double ports = 0;         ///< of each switch; 0: not given
    double cables = 1;
    Cursor table;
};

std::optional<Cursor> of(const Cursor& table, std::string_view key) {
    return table.find(key);
}

/// A whole number from 1 on under a key; 0 after a problem.
std::uint32_t read_count(const Cursor& table,
                         std::string_view key,
                         std::string_view meaning,
                         int least = 1) {
    const auto place = table.require(key, meaning);
    return static_cast<std::uint32_t>(place ? place->integer(least, kMostCount).value_or(0) : 0);
}

Cable read_cable(const Cursor& table, int cost) {
    Cable cable;
    cable.gbps = 1;
    if (table.require("gbps", "the rate of one cable in each direction, Gbit/s")) {
        cable.gbps = read_gbps(table, "gbps", 1);
    }
    cable.latency_ms = read_latency(table, "", 0);
    cable.cost = cost;
    if (const auto place = of(table, "cost")) {
        cable.cost = place->integer(1, kMostCost).value_or(cost);
    }
    if (const auto place = of(table, "cables")) {
        cable.gbps *= place->integer(1, 100'000).value_or(1);
    }
    return cable;
}

std::string read_switch_name(const Cursor& table, const std::string& fallback) {
    const auto place = of(table, "switch_name");
    return place ? read_name(*place, true) : fallback;
}

constexpr std::uint32_t kMostPorts = 10'000;

/// Levels of a k-ary fat tree (Al-Fares, Loukissas, Vahdat: SIGCOMM 2008).
std::vector<Level> fat_tree(const Cursor& table, const Group& group) {
    const std::uint32_t k = read_count(table, "k", "the ports of each switch, an even number", 2);
    if (k % 2 != 0) {
        of(table, "k")->report(fmt::format("found {}", k), "it must be even");
    }
    if (k > kMostPorts) {
        of(table, "k")->report(fmt::format("found {}", k), fmt::format("at most {}", kMostPorts));
    }
    if (k == 0 || k % 2 != 0 || k > kMostPorts) {
        return {};
    }
    const Cable cable = read_cable(table, 1);
    const std::uint32_t half = k / 2;
    return {{"rack", group.inner, half, Pattern::kTree, 1, "edge", false, 0, cable},
            {"pod", "rack", half, Pattern::kTree, half, "agg", false, 0, cable},
            {group.name, "pod", k, Pattern::kRails, half * half, "core", false, 0, cable}};
}

constexpr std::array<std::pair<std::string_view, Pattern>, 5> kPatterns = {
    {{"tree", Pattern::kTree},
     {"rails", Pattern::kRails},
     {"mesh", Pattern::kMesh},
     {"ring", Pattern::kRing},
     {"dragonfly", Pattern::kDragonfly}}};

void read_up(const Cursor& table, Level& level) {
    const auto place = of(table, "up");
    const auto text = place ? place->string() : std::nullopt;
    if (!text) {
        return;
    }
    if (*text != "switches" && *text != "members") {
        place->report("found " + core::shown(*text), "it must be \"switches\" or \"members\"");
    }
    level.up_members = *text == "members";
}

std::vector<Level> plain_level(const Cursor& table, const Group& group, Pattern pattern) {
    Level level;
    level.group = group.name;
    level.member = group.inner;
    level.pattern = pattern;
    const int least = pattern == Pattern::kRing ? 3 : level.has_switches() ? 1 : 2;
    level.count = read_count(table, "count", "how many members it has", least);
    level.cable = read_cable(table, pattern == Pattern::kDragonfly ? 3 : 1);
    if (level.has_switches()) {
        level.switches = read_count(table, "switches", "how many switches it has");
        level.switch_name = read_switch_name(table, "switch");
        read_up(table, level);
        if (level.switch_name == level.member && !level.member.empty()) {
            of(table, "switch_name")
                .value_or(table)
                .report("its switches are named like its members", "choose another name");
        }
        if (level.switches == 0) {
            return {};
        }
    }
    if (pattern == Pattern::kDragonfly) {
        level.cables_per_port =
            read_count(table, "cables_per_port", "the cables to other members at each port");
        if (level.cables_per_port == 0) {
            return {};
        }
    }
    return level.count == 0 ? std::vector<Level>() : std::vector<Level>{level};
}

void read_levels(const Cursor& table, Group& group) {
    const auto place = table.require("pattern", "how its members are wired");
    const auto text = place ? place->string() : std::nullopt;
    if (!text) {
        return;
    }
    if (*text == "fat-tree") {
        table.only_keys({"name",
                         "members",
                         "endpoints",
                         "pattern",
                         "k",
                         "gbps",
                         "latency_ms",
                         "latency_us",
                         "cables",
                         "cost",
                         "note"});
        group.made = fat_tree(table, group);
        return;
    }
    const auto* found =
        std::ranges::find(kPatterns, *text, &std::pair<std::string_view, Pattern>::first);
    if (found == kPatterns.end()) {
        const bool wan = *text == "wan";
        place->report("found " + core::shown(*text),
                      wan ? "a WAN is made of [[site]] and [[link]] tables, not of a group"
                          : "known: tree, rails, mesh, ring, dragonfly, fat-tree");
        return;
    }
    const bool tree = found->second == Pattern::kTree || found->second == Pattern::kRails;
    if (tree) {
        table.only_keys({"name",
                         "members",
                         "endpoints",
                         "count",
                         "pattern",
                         "switches",
                         "switch_name",
                         "up",
                         "ports",
                         "gbps",
                         "latency_ms",
                         "latency_us",
                         "cables",
                         "cost",
                         "note"});
    } else if (found->second == Pattern::kDragonfly) {
        table.only_keys({"name",
                         "members",
                         "endpoints",
                         "count",
                         "pattern",
                         "cables_per_port",
                         "gbps",
                         "latency_ms",
                         "latency_us",
                         "cables",
                         "cost",
                         "note"});
    } else {
        table.only_keys({"name",
                         "members",
                         "endpoints",
                         "count",
                         "pattern",
                         "gbps",
                         "latency_ms",
                         "latency_us",
                         "cables",
                         "cost",
                         "note"});
    }
    group.made = plain_level(table, group, found->second);
}

Group read_group(const Cursor& table) {
    Group group{"", "", false, {}, 0, 1, table};
    if (const auto place = table.require("name", "the name of the group")) {
        group.name = read_name(*place, true);
    }
    const auto members = of(table, "members");
    const auto endpoints = of(table, "endpoints");
    if (members.has_value() == endpoints.has_value()) {
        table.report(members ? "has both members and endpoints" : "has no members",
                     "give members = \"GROUP\", or endpoints = \"NAME\" for the innermost group");
    } else {
        group.inner = read_name(members ? *members : *endpoints, true);
        group.endpoints = endpoints.has_value();
    }
    read_levels(table, group);
    if (const auto place = of(table, "ports")) {
        group.ports = place->integer(1, kMostCount).value_or(0);
    }
    if (const auto place = of(table, "cables")) {
        group.cables = place->value().number;
    }
    return group;
}

/// Builds the chain below one outermost group and checks it from inside to outside.
class ChainMaker {
public:
    ChainMaker(const std::vector<Group>& groups, bool site) : groups_(groups), site_(site) {}

    /// nullopt after a problem.
    std::optional<Chain> make(int root) {
        std::vector<int> nest;
        for (int g = root; g >= 0;) {
            if (std::ranges::find(nest, g) != nest.end()) {
                return std::nullopt;  // reported by the caller
            }
            nest.push_back(g);
            const Group& group = groups_[slot(g)];
            if (group.made.empty() || group.inner.empty()) {
                return std::nullopt;  // reported where it was read
            }
            g = group.endpoints ? -1 : index_of(group.inner);
            if (!group.endpoints && g < 0) {
                return std::nullopt;
            }
        }
        std::ranges::reverse(nest);
        chain_.endpoint = groups_[slot(nest.front())].inner;
        good_ = true;
        for (std::size_t i = 0; i < nest.size() && good_; ++i) {
            const Group& group = groups_[slot(nest[i])];
            for (const Level& level : group.made) {
                add(group, level, i + 1 == nest.size());
            }
        }
        if (good_) {
            check_top(groups_[slot(nest.back())]);
            check_switches(nest);
        }
        return good_ ? std::optional(chain_) : std::nullopt;
    }

    [[nodiscard]] int index_of(const std::string& name) const {
        const auto found = std::ranges::find(groups_, name, &Group::name);
        return found == groups_.end() ? -1 : static_cast<int>(found - groups_.begin());
    }

private:
    void refuse(const Group& group, std::string_view key, std::string what, std::string fix) {
        of(group.table, key).value_or(group.table).report(std::move(what), std::move(fix));
        good_ = false;
    }

    void add(const Group& group, const Level& level, bool outermost) {
        if (!good_) {
            return;
        }
        if (chain_.levels.size() >= kMostLevels) {
            refuse(group,
                   "members",
                   fmt::format("nested deeper than {} groups", kMostLevels),
                   "nest less");
            return;
        }
        const std::string key = group.made.size() > 1 ? "k" : "count";
        nodes_ *= level.count;
        links_ *= level.count;
        nodes_ += level.switches;
        check_pattern(group, level, outermost);
        if (nodes_ > kMostNodes) {
            refuse(group,
                   key,
                   fmt::format("makes {:.0f} nodes in group \"{}\"", nodes_, level.group),
                   fmt::format("at most {}: describe a part of the network", kMostNodes));
        } else if (links_ > kMostLinks) {
            refuse(group,
                   key,
                   fmt::format("makes {:.0f} links in group \"{}\"", links_, level.group),
                   fmt::format("at most {}: describe a part of the network", kMostLinks));
        }
        chain_.levels.push_back(level);
    }

    /// Counts links and ports up of one group.
    void check_pattern(const Group& group, const Level& level, bool outermost) {
        const double n = level.count;
        switch (level.pattern) {
            case Pattern::kTree:
                links_ += n * ports_ * level.switches;
                ports_ = level.up_members ? n * ports_ : level.switches;
                break;
            case Pattern::kRails:
                if (std::fmod(level.switches, ports_) != 0) {
                    refuse(group,
                           "switches",
                           fmt::format("{} switches for members with {:.0f} ports up each",
                                       level.switches,
                                       ports_),
                           "rails need a multiple of the ports: each port has its own switches");
                }
                links_ += n * level.switches;
                ports_ = level.up_members ? n * ports_ : level.switches;
                break;
            case Pattern::kMesh:
                links_ += ports_ * n * (n - 1) / 2;
                ports_ *= n;
                break;
            case Pattern::kRing:
                links_ += ports_ * n;
                ports_ *= n;
                break;
            case Pattern::kDragonfly:
                if (!outermost || site_) {
                    refuse(group,
                           "pattern",
                           "a dragonfly inside another group or site",
                           "a dragonfly is the whole network");
                }
                if (ports_ * level.cables_per_port < n - 1) {
                    refuse(
                        group,
                        "count",
                        fmt::format("{:.0f} members, but {:.0f} ports with {} cable{} each reach "
                                    "{:.0f} others",
                                    n,
                                    ports_,
                                    level.cables_per_port,
                                    level.cables_per_port == 1 ? "" : "s",
                                    ports_ * level.cables_per_port),
                        "fewer members, or more cables_per_port");
                }
                links_ += n * (n - 1) / 2;
                ports_ *= n;
                break;
        }
    }

    void check_top(const Group& group) {
        if (site_ && ports_ != 1) {
            refuse(group,
                   "name",
                   fmt::format("has {:.0f} ports up", ports_),
                   "a site of a WAN needs one: put a tree with one switch around it");
        }
    }

    /// Ports that each switch needs, where the file says how many there are.
    void check_switches(const std::vector<int>& nest) {
        double below = 1;
        std::size_t l = 0;
        for (const int g : nest) {
            const Group& group = groups_[slot(g)];
            for (std::size_t m = 0; m < group.made.size(); ++m, ++l) {
                const Level& level = chain_.levels[l];
                if (group.ports > 0 && level.has_switches()) {
                    const double down =
                        level.count * (level.pattern == Pattern::kTree ? below : 1) * group.cables;
                    const double up = level.up_members ? 0 : up_links(l + 1, level.switches);
                    if (down + up > group.ports) {
                        refuse(
                            group,
                            "ports",
                            fmt::format("a switch needs {:.0f} ports down and {:.0f} up, and has "
                                        "{:.0f}",
                                        down,
                                        up,
                                        group.ports),
                            "more ports, or fewer members");
                    }
                }
                below = !level.has_switches() || level.up_members ? below * level.count
                                                                  : level.switches;
            }
        }
    }

    /// Links up of one port of the group below level index `l`.
    [[nodiscard]] double up_links(std::size_t l, double ports) const {
        if (l >= chain_.levels.size()) {
            return 0;
        }
        const Level& outer = chain_.levels[l];
        switch (outer.pattern) {
            case Pattern::kTree:
                return outer.switches;
            case Pattern::kRails:
                return outer.switches / ports;
            case Pattern::kMesh:
                return outer.count - 1.0;
            case Pattern::kRing:
                return 2;
            case Pattern::kDragonfly:
                return outer.cables_per_port;
        }
        return 0;
    }

    const std::vector<Group>& groups_;
    bool site_;
    Chain chain_;
    double nodes_ = 1;
    double links_ = 0;
    double ports_ = 1;
    bool good_ = false;
};

/// Groups that contain themselves: each cycle is reported once. Returns whether there are any.
bool report_cycles(const std::vector<Group>& groups) {
    const ChainMaker names(groups, false);
    bool any = false;
    for (std::size_t start = 0; start < groups.size(); ++start) {
        std::vector<std::size_t> seen{start};
        std::string text = groups[start].name;
        for (std::size_t g = start; seen.size() <= groups.size() + 1;) {
            const int next = groups[g].endpoints ? -1 : names.index_of(groups[g].inner);
            if (next < 0) {
                break;
            }
            g = slot(next);
            text += " > " + groups[g].name;
            if (g == start) {
                if (*std::ranges::min_element(seen) == start) {
                    of(groups[start].table, "members")
                        ->report("the group contains itself: " + text,
                                 "nest groups without a cycle");
                }
                any = true;
                break;
            }
            seen.push_back(g);
        }
    }
    return any;
}

bool check_names(const std::vector<Group>& groups) {
    bool good = true;
    const ChainMaker names(groups, false);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Group& group = groups[g];
        if (!group.name.empty() && slot(names.index_of(group.name)) != g) {
            of(group.table, "name")
                ->report("a second group \"" + group.name + "\"", "give it another name");
            good = false;
        }
        if (!group.endpoints && !group.inner.empty() && names.index_of(group.inner) < 0) {
            of(group.table, "members")
                ->report(
                    "unknown group " + core::shown(group.inner),
                    "name a [[group]] of this file, or write endpoints = \"" + group.inner + "\"");
            good = false;
        }
    }
    return good;
}

}  // namespace

Chains read_groups(const core::Cursor& root, const std::vector<std::string>& roots) {
    Chains chains;
    std::vector<Group> groups;
    for (const Cursor& table : read_tables(root, "group")) {
        groups.push_back(read_group(table));
    }
    if (!check_names(groups) || report_cycles(groups)) {
        return chains;
    }
    std::vector<std::string> wanted = roots;
    if (roots.empty()) {
        for (const Group& group : groups) {
            const bool inner = std::ranges::any_of(groups, [&](const Group& other) {
                return !other.endpoints && other.inner == group.name;
            });
            if (!inner && wanted.size() == 1) {
                group.table.report(
                    fmt::format("\"{}\" and \"{}\" are both outermost", wanted[0], group.name),
                    "one group holds all others; or join them as sites of a WAN");
                return chains;
            }
            if (!inner) {
                wanted.push_back(group.name);
            }
        }
    }
    const ChainMaker names(groups, false);
    for (const std::string& name : wanted) {
        const int index = names.index_of(name);
        if (index < 0 || chains.by_root.contains(name)) {
            continue;
        }
        if (auto chain = ChainMaker(groups, !roots.empty()).make(index)) {
            chains.by_root[name] = static_cast<int>(chains.list.size());
            chains.list.push_back(std::move(*chain));
        }
    }
    return chains;
}

}  // namespace longhaul::topology::detail
