#include "longhaul/placement/levels.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>

namespace longhaul::placement {
namespace {

constexpr std::size_t kBreakCacheBits = 16;

Level structure_at(const core::Grid<double>& pipeline,
                   std::span<const int> sizes,
                   double threshold) {
    const std::size_t k = sizes.size();
    Level level;
    level.threshold = threshold;
    std::array<std::uint8_t, kMaxPackedClasses> root{};
    std::iota(root.begin(), root.end(), std::uint8_t{0});
    for (std::size_t a = 0; a < k; ++a) {
        bool joined = sizes[a] > 1 && pipeline(a, a) <= threshold;
        for (std::size_t b = 0; b < k; ++b) {
            if (a != b && pipeline(a, b) <= threshold) {
                joined = true;
                const std::uint8_t from = std::max(root[a], root[b]);
                const std::uint8_t to = std::min(root[a], root[b]);
                std::replace(root.begin(), root.end(), from, to);
            }
        }
        level.isolated |= static_cast<std::uint16_t>((joined ? 0U : 1U) << a);
    }
    std::array<std::uint8_t, kMaxPackedClasses> number{};
    for (std::size_t a = 0; a < k; ++a) {
        if (root[a] == a) {
            number[a] = static_cast<std::uint8_t>(level.components++);
        }
        level.component[a] = number[root[a]];
    }
    return level;
}

bool same_structure(const Level& a, const Level& b) {
    return a.component == b.component && a.isolated == b.isolated;
}

/// Whether the rest is `left` equal stages after `same` more stages like `last`.
bool blocks_do(const Profile& last, const Profile& rest, int same, int left, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const int other = rest[i] - same * last[i];
        if (other < 0 || other % left != 0) {
            return false;
        }
    }
    return true;
}

/// Whether `left` stages of dp devices can hold `total` with one change of profile: a stages of x,
/// then left - a of y, in every component a x + (left - a) y = total. Sums reachable by x, by bits.
bool two_blocks_do(const Profile& total, int left, int dp, std::size_t n) {
    for (int a = 1; a < left; ++a) {
        std::bitset<kMaxStageDevices + 1> sums(1);
        for (std::size_t i = 0; i < n && sums.any(); ++i) {
            std::bitset<kMaxStageDevices + 1> next;
            for (int x = 0; x * a <= total[i] && x <= dp; ++x) {
                if ((total[i] - x * a) % (left - a) == 0) {
                    next |= sums << static_cast<std::size_t>(x);
                }
            }
            sums = next;
        }
        if (sums[static_cast<std::size_t>(dp)]) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<Level> structure_levels(const core::Grid<double>& pipeline,
                                    std::span<const int> sizes) {
    std::vector<double> costs;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        for (std::size_t b = a; b < sizes.size(); ++b) {
            if (a != b || sizes[a] > 1) {
                costs.push_back(pipeline(a, b));
            }
        }
    }
    std::ranges::sort(costs);
    costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
    std::vector<Level> levels;
    for (const double cost : costs) {
        Level level = structure_at(pipeline, sizes, cost);
        if (!levels.empty() && same_structure(levels.back(), level)) {
            continue;
        }
        if (!levels.empty()) {
            levels.back().next = cost;
        }
        levels.push_back(level);
    }
    if (!levels.empty() && levels.back().components == 1 && levels.back().isolated == 0) {
        levels.pop_back();
    }
    return levels;
}

Profile profile_of(const Level& level, const Profile& classes, std::size_t k) {
    Profile profile{};
    for (std::size_t a = 0; a < k; ++a) {
        profile[level.component[a]] =
            static_cast<std::uint16_t>(profile[level.component[a]] + classes[a]);
    }
    return profile;
}

int isolated_devices(const Level& level, const Profile& classes, std::size_t k) {
    int devices = 0;
    for (std::size_t a = 0; a < k; ++a) {
        devices += (level.isolated >> a & 1U) != 0 ? classes[a] : 0;
    }
    return devices;
}

BreakCounter::BreakCounter(int dp) : dp_(dp), cache_(std::size_t{1} << kBreakCacheBits) {}

bool BreakCounter::two_blocks(const Profile& total, int left, std::size_t components) {
    std::uint64_t key = static_cast<std::uint64_t>(left) << 8U | components;
    for (std::size_t i = 0; i < components; ++i) {
        key = (key ^ total[i]) * 0x9E3779B97F4A7C15U;
        key ^= key >> 29U;
    }
    Entry& entry = cache_[key >> (64 - kBreakCacheBits)];
    if (entry.key != key || entry.answer < 0) {
        entry = {key, two_blocks_do(total, left, dp_, components) ? 1 : 0};
    }
    return entry.answer == 1;
}

int BreakCounter::by_profile(std::size_t components,
                             const LevelView* last,
                             const LevelView& rest,
                             int left) {
    Profile total = rest.profile;
    if (last == nullptr) {
        return blocks_do(total, total, 0, left, components) ? 0
               : two_blocks(total, left, components)        ? 1
                                                            : 2;
    }
    const Profile& before = last->profile;
    bool equal = true;
    for (std::size_t i = 0; i < components; ++i) {
        equal &= total[i] == left * before[i];
    }
    if (equal) {
        return 0;
    }
    for (int same = 0; same < left; ++same) {
        if (blocks_do(before, total, same, left - same, components)) {
            return 1;
        }
    }
    for (int same = 0; same < left - 1; ++same) {
        if (two_blocks(total, left - same, components)) {
            return 2;
        }
        for (std::size_t i = 0; i < components; ++i) {
            if (total[i] < before[i]) {
                return 3;
            }
            total[i] = static_cast<std::uint16_t>(total[i] - before[i]);
        }
    }
    return 3;
}

int BreakCounter::fewest(std::size_t components,
                         const LevelView* last,
                         const LevelView& rest,
                         int left) {
    if (left == 0 || (last == nullptr && left == 1)) {
        return 0;
    }
    const int edges = last == nullptr ? left - 1 : left;
    int breaks = std::min(edges, by_profile(components, last, rest, left));
    const bool after_alone = last != nullptr && last->isolated > 0;
    if (rest.isolated > 0 || after_alone) {
        // Stages with isolated devices break every edge they touch; least when they come last.
        const int stages = (rest.isolated + dp_ - 1) / dp_;
        breaks = std::max(breaks, std::min(edges, stages + (after_alone ? 1 : 0)));
    }
    return breaks;
}

}  // namespace longhaul::placement
