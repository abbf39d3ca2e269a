// Groups of a topology file: from nested tables to chains of levels.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longhaul/topology/detail/groups.hpp"
#include "longhaul/topology/detail/readers.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology::detail {
namespace {

using core::Cursor;

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
    if (const auto place = table.find("cost")) {
        cable.cost = place->integer(1, kMostCost).value_or(cost);
    }
    if (const auto place = table.find("cables")) {
        cable.gbps *= place->integer(1, 100'000).value_or(1);
    }
    return cable;
}

std::string read_switch_name(const Cursor& table, const std::string& fallback) {
    const auto place = table.find("switch_name");
    return place ? read_name(*place, true) : fallback;
}

constexpr std::uint32_t kMostPorts = 10'000;

/// Levels of a k-ary fat tree (Al-Fares, Loukissas, Vahdat: SIGCOMM 2008).
std::vector<Level> fat_tree(const Cursor& table, const Group& group) {
    const std::uint32_t k = read_count(table, "k", "the ports of each switch, an even number", 2);
    if (k % 2 != 0) {
        table.find("k")->report(fmt::format("found {}", k), "it must be even");
    }
    if (k > kMostPorts) {
        table.find("k")->report(fmt::format("found {}", k), fmt::format("at most {}", kMostPorts));
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
    const auto place = table.find("up");
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
            table.find("switch_name")
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
    const auto members = table.find("members");
    const auto endpoints = table.find("endpoints");
    if (members.has_value() == endpoints.has_value()) {
        table.report(members ? "has both members and endpoints" : "has no members",
                     "give members = \"GROUP\", or endpoints = \"NAME\" for the innermost group");
    } else {
        group.inner = read_name(members ? *members : *endpoints, true);
        group.endpoints = endpoints.has_value();
    }
    read_levels(table, group);
    if (const auto place = table.find("ports")) {
        group.ports = place->integer(1, kMostCount).value_or(0);
    }
    if (const auto place = table.find("cables")) {
        group.cables = place->value().number;
    }
    return group;
}

/// Groups that contain themselves: each cycle is reported once. Returns whether there are any.
bool report_cycles(const std::vector<Group>& groups) {
    bool any = false;
    for (std::size_t start = 0; start < groups.size(); ++start) {
        std::vector<std::size_t> seen{start};
        std::string text = groups[start].name;
        for (std::size_t g = start; seen.size() <= groups.size() + 1;) {
            const bool nests = !groups[g].endpoints && !groups[g].inner.empty();
            const int next = nests ? index_of(groups, groups[g].inner) : -1;
            if (next < 0) {
                break;
            }
            g = slot(next);
            text += " > " + groups[g].name;
            if (g == start) {
                if (*std::ranges::min_element(seen) == start) {
                    groups[start].table.find("members")->report(
                        "the group contains itself: " + text, "nest groups without a cycle");
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
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Group& group = groups[g];
        if (!group.name.empty() && slot(index_of(groups, group.name)) != g) {
            group.table.find("name")->report("a second group \"" + group.name + "\"",
                                             "give it another name");
            good = false;
        }
        if (!group.endpoints && !group.inner.empty() && index_of(groups, group.inner) < 0) {
            group.table.find("members")->report(
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
    for (const std::string& name : wanted) {
        const int index = index_of(groups, name);
        if (index < 0 || chains.by_root.contains(name)) {
            continue;
        }
        if (auto chain = make_chain(groups, index, !roots.empty())) {
            chains.by_root[name] = static_cast<int>(chains.list.size());
            chains.list.push_back(std::move(*chain));
        }
    }
    return chains;
}

}  // namespace longhaul::topology::detail
