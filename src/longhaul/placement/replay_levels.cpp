// The part of the checker that takes levels of classes whose members differ.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "longhaul/placement/replay_model.hpp"

namespace longhaul::placement {

/// Whatever the levels are, an edge costs the cheapest pair and what lies inside the levels that it
/// breaks, as long as they rise from there.
std::string ReplayModel::set_members(const ReplayMembers& members, std::span<const double> levels) {
    members_ = &members;
    levels_.clear();
    double reached = cheapest_;
    for (std::size_t i = 0; i + 1 < levels.size(); i += 2) {
        ReplayLevel level;
        level.from = levels[i];
        level.to = levels[i + 1];
        if (level.from < reached || level.to < level.from) {
            return fmt::format(
                "level {} does not begin at {:.9f} s or above and end there or "
                "above",
                i / 2 + 1,
                reached);
        }
        reached = level.to;
        join(level, level.to);
        find_partners(level);
        std::vector<std::vector<std::size_t>> classes_of(static_cast<std::size_t>(level.parts));
        for (std::size_t a = 0; a < classes(); ++a) {
            level.reach[a] = std::min(level.reach[a], members.partners(a, level.to));
            classes_of[static_cast<std::size_t>(level.part[a])].push_back(a);
        }
        for (std::size_t part = 0; part < classes_of.size(); ++part) {
            level.chains[part] =
                std::max(level.chains[part], members.chains(classes_of[part], level.to));
        }
        count_fewest_breaks(level);
        levels_.push_back(std::move(level));
    }
    return {};
}

double ReplayModel::path_with_tree(const ReplayState& state, std::vector<double> tree) {
    std::ranges::sort(tree);
    if (!tree.empty() && tree.back() == std::numeric_limits<double>::infinity()) {
        return tree.back();
    }
    std::vector<double> borders = tree;
    borders.push_back(cheapest_);
    for (const ReplayLevel& level : levels_) {
        borders.push_back(level.from);
        borders.push_back(level.to);
    }
    std::ranges::sort(borders);
    std::vector<int> least;  // breaks of each level
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        least.push_back(breaks(l, state.groups[l], nullptr, 0, {}, 0));
    }
    double length = borders.front() * (shape_.pp - 1);
    for (std::size_t i = 1; i < borders.size(); ++i) {
        const double from = borders[i - 1];
        // Between two borders as many edges are dearer as at the lower one.
        auto dearer = static_cast<int>(tree.end() - std::ranges::upper_bound(tree, from));
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            dearer = levels_[l].from <= from && from < levels_[l].to ? std::max(dearer, least[l])
                                                                     : dearer;
        }
        length += dearer * (borders[i] - from);
    }
    return length;
}

}  // namespace longhaul::placement
