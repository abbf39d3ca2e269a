#include "longhaul/placement/table_bounds.hpp"

#include <algorithm>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostProfiles = 8;  // beyond, a rest is taken for a sum of known profiles

Profile wide(const StageCounts& counts) {
    Profile profile{};
    std::ranges::copy(counts, profile.begin());
    return profile;
}

/// Whether `stages` stages with the first i + 1 of these profiles can hold `rest` exactly.
bool made_of(const std::vector<Profile>& profiles,
             std::size_t i,
             const Profile& rest,
             int stages,
             std::size_t n) {
    const Profile& profile = profiles[i];
    if (i == 0) {
        for (std::size_t c = 0; c < n; ++c) {
            if (rest[c] != stages * profile[c]) {
                return false;
            }
        }
        return true;
    }
    Profile left = rest;
    for (int used = 0;; ++used) {
        if (made_of(profiles, i - 1, left, stages - used, n)) {
            return true;
        }
        if (used == stages) {
            return false;
        }
        for (std::size_t c = 0; c < n; ++c) {
            if (left[c] < profile[c]) {
                return false;
            }
            left[c] = static_cast<std::uint16_t>(left[c] - profile[c]);
        }
    }
}

int divided_up(int devices, int stage) {
    return (devices + stage - 1) / stage;
}

}  // namespace

TableBounds::TableBounds(const TableModel& model, Shape shape, const std::vector<int>& sizes)
    : levels_(model.levels()), shape_(shape), k_(sizes.size()), counter_(shape.dp) {
    std::ranges::copy(sizes, all_.begin());
    double cheapest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < k_; ++a) {
        for (std::size_t b = a; b < k_; ++b) {
            if (a != b || sizes[a] > 1) {
                cheapest = std::min(cheapest, model.least().pipeline(a, b));
            }
        }
    }
    cheapest_ = shape.pp > 1 ? cheapest : 0;
    base_ = (shape.pp - 1) * cheapest_;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        if (l == 0 || levels_[l].structure.component != levels_[l - 1].structure.component) {
            structures_.push_back({l, {}, {}});
        }
        structure_of_.push_back(structures_.size() - 1);
        needs_cover_.push_back(
            std::ranges::any_of(levels_[l].cover, [](std::uint16_t paths) { return paths > 1; })
                ? 1
                : 0);
    }
    breaks_.assign(levels_.size(), 0);
    segments_.assign(levels_.size(), 0);
    live_groups_.assign(levels_.size(), 0);
    begun_.assign(levels_.size(), Profile{});
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        root_breaks_.push_back(root_breaks(l));
    }
}

/// Stages that the isolated devices of the rest need at least.
int TableBounds::isolated_stages(std::size_t l, const Profile& rest) const {
    const Level& level = levels_[l].structure;
    return level.isolated == 0 ? 0 : divided_up(isolated_devices(level, rest, k_), shape_.dp);
}

/// Breaks of one level in any placement.
int TableBounds::root_breaks(std::size_t l) {
    const Level& level = levels_[l].structure;
    const int profiles = counter_.fewest(level.components, profile_of(level, all_, k_), shape_.pp);
    const int segments = std::max(profiles, uncovered(l, all_, shape_.pp));
    return std::max(segments - 1, std::min(isolated_stages(l, all_), shape_.pp - 1));
}

/// Profiles that the remaining stages add to those of the chosen ones, at least.
int TableBounds::new_profiles(const Structure& structure, const Profile& rest, int left) {
    const Level& level = levels_[structure.first_level].structure;
    if (level.components == k_) {
        return counter_.fewest(k_, rest, left);  // no chosen stage can be taken again
    }
    if (structure.profiles.empty()) {
        return 1;
    }
    if (structure.profiles.size() > kMostProfiles) {
        return 0;
    }
    return made_of(structure.profiles,
                   structure.profiles.size() - 1,
                   profile_of(level, rest, k_),
                   left,
                   level.components)
               ? 0
               : 1;
}

/// Segments that are still needed so that all components are covered by paths: each begins one path
/// with every device that it holds, dp in all.
int TableBounds::uncovered(std::size_t l, const Profile& rest, int left) const {
    const PathLevel& level = levels_[l];
    const Structure& structure = structures_[structure_of_[l]];
    Profile remaining = profile_of(level.structure, rest, k_);
    int missing = 0;
    int most = 0;
    for (std::size_t c = 0; c < level.structure.components; ++c) {
        const int paths = level.cover[c] - begun_[l][c];
        if (paths <= 0) {
            continue;
        }
        missing += paths;
        int widest = left > 0 ? std::min<int>(shape_.dp, remaining[c]) : 0;
        for (const Profile& profile : structure.profiles) {
            widest = std::max<int>(widest, profile[c]);
        }
        most = std::max(most, divided_up(paths, std::max(widest, 1)));
    }
    return std::max(most, divided_up(missing, shape_.dp));
}

double TableBounds::path(const Profile& rest, int left, double enough) {
    if (enough < std::numeric_limits<double>::infinity()) {
        const double least = length(rest, left, Profiles::kFewest);
        if (least >= enough || length(rest, left, Profiles::kMost) < enough) {
            return least;
        }
    }
    return length(rest, left, Profiles::kCounted);
}

double TableBounds::length(const Profile& rest, int left, Profiles count) {
    double bound = base_;
    int profiles = 0;
    breaks_.assign(levels_.size(), 0);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        int added = 0;
        int alone = 0;
        if (left > 0) {
            const Structure& structure = structures_[structure_of_[l]];
            if (count == Profiles::kCounted) {
                profiles =
                    structure.first_level == l ? new_profiles(structure, rest, left) : profiles;
            } else {
                const bool finest = levels_[l].structure.components == k_;
                profiles = count == Profiles::kFewest ? (finest ? 1 : 0) : (finest ? 3 : 1);
            }
            alone = isolated_stages(l, rest);
            added = std::max(profiles, alone);
        }
        if (needs_cover_[l] != 0) {
            added = std::max(added, uncovered(l, rest, left));
        }
        int breaks = std::max(segments_[l] + added - 1, root_breaks_[l]);
        if (live_groups_[l] == 0) {
            // Either all stages are alone, or there is a segment that is not counted yet.
            breaks = std::max(breaks, std::min(segments_[l] + alone, shape_.pp - 1));
        }
        if (breaks == 0) {
            break;
        }
        breaks_[l] = breaks;
        bound += breaks * levels_[l].width();
    }
    return bound;
}

double TableBounds::path_with(std::span<const double> tree) {
    double bound = path(Profile{}, 0);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        // Tree edges above breaks_[l] many: what they add inside this level.
        const auto counted = static_cast<std::size_t>(breaks_[l]);
        for (std::size_t i = 0; i + counted < tree.size(); ++i) {
            bound += std::max(
                0.0, std::min(tree[i], levels_[l].structure.next) - levels_[l].structure.threshold);
        }
    }
    const double last = levels_.empty() ? cheapest_ : levels_.back().structure.next;
    for (const double edge : tree) {
        bound += std::max(0.0, edge - last);
    }
    return bound;
}

int TableBounds::largest_join(double budget) const {
    double bound = base_;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        bound += std::max(segments_[l] - 1, root_breaks_[l]) * levels_[l].width();
    }
    if (bound >= budget) {
        return -1;
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        bound += segments_[l] > root_breaks_[l] ? levels_[l].width() : 0;
        if (bound >= budget) {
            return static_cast<int>(l);
        }
    }
    return static_cast<int>(levels_.size());
}

void TableBounds::choose(const StageList& stages, int i, int times) {
    Chosen choice;
    choice.stage = i;
    choice.times = times;
    choice.join = static_cast<int>(levels_.size());
    choice.alive = stages.alive(i);
    choice.counts = stages.counts(i);
    for (const Chosen& other : chosen_) {
        choice.join = std::min(choice.join, stages.join(i, other.stage));
    }
    choice.join = std::max(choice.join, choice.alive);
    for (Structure& structure : structures_) {
        const Level& level = levels_[structure.first_level].structure;
        const Profile profile = profile_of(level, wide(choice.counts), k_);
        const bool known =
            std::ranges::find(structure.profiles, profile) != structure.profiles.end();
        structure.added.push_back(known ? 0 : 1);
        if (!known) {
            structure.profiles.push_back(profile);
        }
    }
    mark(choice, 1);
    chosen_.push_back(choice);
}

void TableBounds::unchoose() {
    mark(chosen_.back(), -1);
    chosen_.pop_back();
    for (Structure& structure : structures_) {
        if (structure.added.back() != 0) {
            structure.profiles.pop_back();
        }
        structure.added.pop_back();
    }
}

/// Counts or uncounts the segments of a choice.
void TableBounds::mark(const Chosen& choice, int sign) {
    for (int l = 0; l < choice.join; ++l) {
        const bool alone = l < choice.alive;
        const int begins = alone ? choice.times : 1;
        segments_[l] += sign * begins;
        live_groups_[l] += alone ? 0 : sign;
        if (needs_cover_[l] == 0) {
            continue;
        }
        for (std::size_t a = 0; a < k_; ++a) {
            std::uint16_t& begun = begun_[l][levels_[l].structure.component[a]];
            begun = static_cast<std::uint16_t>(begun + sign * begins * choice.counts[a]);
        }
    }
}

}  // namespace longhaul::placement
