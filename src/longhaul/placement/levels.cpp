#include "longhaul/placement/levels.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>

namespace longhaul::placement {
namespace {

constexpr std::size_t kProfileCacheBits = 16;

bool same_structure(const Level& a, const Level& b) {
    return a.component == b.component && a.isolated == b.isolated;
}

/// Whether `left` stages of dp devices can hold `total` with one change of profile: a stages of x,
/// then left - a of y, in every component a x + (left - a) y = total. Sums reachable by x, by bits.
bool two_blocks_do(const Profile& total, int left, int dp, std::size_t n) {
    for (int a = 1; a <= left / 2; ++a) {  // the same blocks the other way round are the same
        const int b = left - a;
        std::bitset<kMaxStageDevices + 1> sums(1);
        for (std::size_t i = 0; i < n && sums.any(); ++i) {
            const int most = std::min(dp, total[i] / a);
            int x = 0;
            while (x <= most && x < b && (total[i] - x * a) % b != 0) {
                ++x;
            }
            std::bitset<kMaxStageDevices + 1> next;
            // Once one x does, so does every (b / gcd)-th after it; among b numbers, or none.
            for (const int step = b / std::gcd(a, b); x <= most && (x < b || next.any());
                 x += step) {
                next |= sums << static_cast<std::size_t>(x);
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

Level structure_under(const core::Grid<double>& pipeline,
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
        const Level level = structure_under(pipeline, sizes, cost);
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

ProfileCounter::ProfileCounter(int dp) : dp_(dp) {}

int ProfileCounter::fewest(std::size_t components, const Profile& total, int stages) {
    bool even = true;
    std::uint64_t key = static_cast<std::uint64_t>(stages) << 8U | components;
    for (std::size_t i = 0; i < components; ++i) {
        even = even && total[i] % stages == 0;
        key = (key ^ total[i]) * 0x9E3779B97F4A7C15U;
        key ^= key >> 29U;
    }
    if (even) {
        return 1;
    }
    if (dp_ > kMaxStageDevices) {
        return 2;  // more are not looked for
    }
    if (cache_.empty()) {
        cache_.resize(std::size_t{1} << kProfileCacheBits);
    }
    Entry& entry = cache_[key >> (64 - kProfileCacheBits)];
    if (entry.key != key || entry.answer == 0) {
        entry = {key, stages == 2 || two_blocks_do(total, stages, dp_, components) ? 2 : 3};
    }
    return entry.answer;
}

}  // namespace longhaul::placement
