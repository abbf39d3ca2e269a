// Chains of nested groups: what can be built, and how large it is.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/topology/detail/groups.hpp"
#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/shape.hpp"

namespace longhaul::topology::detail {
namespace {

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
            g = group.endpoints ? -1 : index_of(groups_, group.inner);
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

private:
    void refuse(const Group& group, std::string_view key, std::string what, std::string fix) {
        group.table.find(key).value_or(group.table).report(std::move(what), std::move(fix));
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

}  // namespace

int index_of(const std::vector<Group>& groups, const std::string& name) {
    const auto found = std::ranges::find(groups, name, &Group::name);
    return found == groups.end() ? -1 : static_cast<int>(found - groups.begin());
}

std::optional<Chain> make_chain(const std::vector<Group>& groups, int root, bool site) {
    return ChainMaker(groups, site).make(root);
}

}  // namespace longhaul::topology::detail
