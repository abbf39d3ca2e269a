#include "longhaul/placement/count_bounds.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longhaul::placement {

CountBounds::CountBounds(const ClassCosts& costs, Shape shape, const std::vector<int>& sizes)
    : exchange_(costs.exchange),
      least_of_class_(costs.least_of_class),
      shape_(shape),
      k_(sizes.size()),
      levels_(structure_levels(costs.pipeline, sizes)),
      counter_(shape.dp),
      groups_(levels_.size()) {
    cheapest_edge_ = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < k_; ++a) {
        all_[a] = static_cast<std::uint16_t>(sizes[a]);
        std::vector<int> near(k_);
        std::iota(near.begin(), near.end(), 0);
        std::ranges::stable_sort(near, {}, [&](int b) { return exchange_(a, b); });
        nearest_.push_back(std::move(near));
        for (std::size_t b = 0; b < k_; ++b) {
            if (a != b || sizes[a] > 1) {
                cheapest_edge_ = std::min(cheapest_edge_, costs.pipeline(a, b));
            }
        }
    }
    if (shape.devices() == 1) {
        cheapest_edge_ = 0;  // there is no pair, and 0 edges of infinite cost are no number
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        root_breaks_.push_back(root_breaks(l));
    }
}

std::vector<Rest> CountBounds::rests_of(const Profile& counts) const {
    std::vector<Rest> rests;
    for (const Level& level : levels_) {
        rests.push_back({profile_of(level, counts, k_), isolated_devices(level, counts, k_)});
    }
    return rests;
}

double CountBounds::exchange_bound(const Profile& rest) const {
    double worst = 0;
    for (std::size_t a = 0; a < k_; ++a) {
        if (rest[a] == 0) {
            continue;
        }
        if (!least_of_class_.empty()) {
            worst = std::max(worst, least_of_class_[a]);
            continue;
        }
        int needed = shape_.dp - 1;
        double seconds = 0;
        for (std::size_t i = 0; i < k_ && needed > 0; ++i) {
            const int b = nearest_[a][i];
            const int available = rest[b] - (static_cast<std::size_t>(b) == a ? 1 : 0);
            const int taken = std::min(needed, available);
            seconds += taken * exchange_(a, b);
            needed -= taken;
        }
        worst = std::max(worst, seconds);
    }
    return worst;
}

/// Whether `stages` stages with profiles among the first i + 1 of `groups` can hold `rest` exactly.
bool CountBounds::made_of(
    const Groups& groups, std::size_t i, const Profile& rest, int stages, std::size_t n) {
    const ColumnProfile& profile = *groups.profiles[i];
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
        if (made_of(groups, i - 1, left, stages - used, n)) {
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

/// Stages that isolated devices need at least.
int CountBounds::isolated_stages(const Rest& rest) const {
    return (rest.isolated + shape_.dp - 1) / shape_.dp;
}

/// Breaks of one level in any placement.
int CountBounds::root_breaks(std::size_t l) {
    const Rest all{profile_of(levels_[l], all_, k_), isolated_devices(levels_[l], all_, k_)};
    const int profiles = counter_.fewest(levels_[l].components, all.profile, shape_.pp);
    return std::max(profiles - 1, std::min(isolated_stages(all), shape_.pp - 1));
}

/// Profiles that the remaining stages add to those of the chosen ones, at least.
int CountBounds::new_profiles(std::size_t l, const Rest& rest, int left) {
    if (levels_[l].components == k_) {
        // A profile is a column here, and no chosen column can be taken again (see visit).
        return counter_.fewest(k_, rest.profile, left);
    }
    const Groups& groups = groups_[l];
    return !groups.profiles.empty() && made_of(groups,
                                               groups.profiles.size() - 1,
                                               rest.profile,
                                               left,
                                               levels_[l].components)
               ? 0
               : 1;
}

double CountBounds::path_bound(std::span<const Rest> rests, int left) {
    double bound = (shape_.pp - 1) * cheapest_edge_;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const auto groups = static_cast<int>(groups_[l].profiles.size());
        const int alone = left > 0 ? isolated_stages(rests[l]) : 0;
        const int added = left > 0 ? std::max(alone, new_profiles(l, rests[l], left)) : 0;
        int breaks = std::max(groups + groups_[l].isolated + added - 1, root_breaks_[l]);
        if (groups == 0) {
            // Either all stages are isolated, or there is a group that is not counted yet.
            breaks = std::max(breaks, std::min(groups_[l].isolated + alone, shape_.pp - 1));
        }
        if (breaks == 0) {
            break;
        }
        bound += breaks * (levels_[l].next - levels_[l].threshold);
    }
    return bound;
}

void CountBounds::choose(const Columns& columns, int column, int times) {
    chosen_.emplace_back(column, times);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        if (columns.isolated(column, l)) {
            groups_[l].isolated += times;
            continue;
        }
        const ColumnProfile& profile = columns.profile(column, l);
        if (std::ranges::none_of(groups_[l].profiles,
                                 [&](const ColumnProfile* known) { return *known == profile; })) {
            groups_[l].profiles.push_back(&profile);
        }
    }
}

void CountBounds::unchoose(const Columns& columns) {
    const auto [column, times] = chosen_.back();
    chosen_.pop_back();
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        if (columns.isolated(column, l)) {
            groups_[l].isolated -= times;
        } else if (groups_[l].profiles.back() == &columns.profile(column, l)) {
            groups_[l].profiles.pop_back();
        }
    }
}

}  // namespace longhaul::placement
