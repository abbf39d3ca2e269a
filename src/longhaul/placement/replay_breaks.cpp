#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "longhaul/placement/replay_model.hpp"

// The part of the checker that counts how often a path of stages must break.

namespace longhaul::placement {
namespace {

constexpr double kNoCost = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostRemembered = 1'000'000;
constexpr int kMostCountedStage = 127;  // larger stages: two profiles at most are told apart

/// Whether `stages` rows out of `known` add up to `total`, each row used any number of times. Also
/// true when that is not told within the steps: no break is counted then.
class SumOfRows {
public:
    SumOfRows(std::span<const ReplayRow> known, std::size_t entries)
        : known_(known), entries_(entries) {}

    bool found(std::size_t first, ReplayRow total, int stages) {
        if (--steps_ < 0) {
            return true;
        }
        if (stages == 0 || first == known_.size()) {
            return stages == 0 && std::ranges::all_of(total, [](int x) { return x == 0; });
        }
        for (int used = 0; used <= stages; ++used) {
            if (found(first + 1, total, stages - used)) {
                return true;
            }
            for (std::size_t i = 0; i < entries_; ++i) {
                total[i] -= known_[first][i];
                if (total[i] < 0) {
                    return false;
                }
            }
        }
        return false;
    }

private:
    std::span<const ReplayRow> known_;
    std::size_t entries_;
    int steps_ = 1'000'000;
};

/// Whether `first` stages of one row x and `second` of another y of `dp` devices each add up to
/// `total`: which sums of x can be had, entry by entry.
bool two_rows(const ReplayRow& total, std::size_t entries, int first, int second, int dp) {
    std::vector<char> sums(static_cast<std::size_t>(dp) + 1, 0);
    sums[0] = 1;
    for (std::size_t i = 0; i < entries; ++i) {
        std::vector<char> next(sums.size(), 0);
        for (int x = 0; x <= dp && x * first <= total[i]; ++x) {
            if ((total[i] - x * first) % second != 0) {
                continue;
            }
            for (std::size_t s = static_cast<std::size_t>(x); s < next.size(); ++s) {
                next[s] = static_cast<char>(next[s] | sums[s - static_cast<std::size_t>(x)]);
            }
        }
        sums = std::move(next);
    }
    return sums.back() != 0;
}

}  // namespace

std::size_t ReplayModel::KeyHash::operator()(const Key& key) const {
    std::uint64_t hash = 0xCBF29CE484222325U + static_cast<std::uint64_t>(key.stages);
    for (const int x : key.total) {
        hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x100000001B3U;
    }
    return hash;
}

/// Every cost opens a level; neighbours of equal structure are one.
void ReplayModel::find_levels() {
    std::set<double> costs;
    for (const double cost : pipeline_.cells()) {
        if (cost < kNoCost) {
            costs.insert(cost);
        }
    }
    for (const double cost : costs) {
        ReplayLevel level;
        level.from = cost;
        join(level, std::nextafter(cost, kNoCost));
        if (!levels_.empty() && levels_.back().part == level.part &&
            levels_.back().alone == level.alone) {
            continue;
        }
        if (!levels_.empty()) {
            levels_.back().to = cost;
        }
        levels_.push_back(std::move(level));
    }
    if (!levels_.empty()) {
        levels_.pop_back();  // under the dearest cost all hang together, and no break costs more
    }
    for (ReplayLevel& level : levels_) {
        find_partners(level);
        count_fewest_breaks(level);
    }
}

void ReplayModel::count_fewest_breaks(ReplayLevel& level) {
    const ReplayRow all = root().rest;
    const ReplayRow total = profile(level, all);
    const int lone = (lone_devices(level, all) + shape_.dp - 1) / shape_.dp;
    const int blocks = std::max(fewest_profiles(total, level.parts, shape_.pp),
                                uncovered(level, {}, nullptr, {}, total, shape_.pp));
    level.fewest_breaks = std::max(blocks - 1, std::min(lone, shape_.pp - 1));
}

void ReplayModel::find_partners(ReplayLevel& level) const {
    level.chains.assign(level.parts, 1);
    for (std::size_t a = 0; a < classes(); ++a) {
        int others = 0;
        for (std::size_t b = 0; b < classes(); ++b) {
            others += a != b && pipeline_(a, b) < level.to ? sizes_[b] : 0;
        }
        // Partners of the same class take devices that the stage itself cannot hold.
        const bool inside = pipeline_(a, a) < level.to;
        level.reach.push_back(inside ? (others + sizes_[a]) / 2 : others);
        if (level.alone[a] != 0) {
            level.chains[level.part[a]] = sizes_[a];
        }
    }
}

/// Some class has more devices in the stage than partners elsewhere.
bool ReplayModel::stands_alone(const ReplayLevel& level, const ReplayRow& row) const {
    for (std::size_t a = 0; a < classes(); ++a) {
        if (row[a] > level.reach[a]) {
            return true;
        }
    }
    return false;
}

/// Connected parts by spreading one colour after the other.
void ReplayModel::join(ReplayLevel& level, double below) const {
    const std::size_t k = classes();
    level.part.assign(k, -1);
    level.alone.assign(k, 1);
    for (std::size_t start = 0; start < k; ++start) {
        if (level.part[start] >= 0) {
            continue;
        }
        std::vector<std::size_t> open{start};
        level.part[start] = level.parts;
        while (!open.empty()) {
            const std::size_t a = open.back();
            open.pop_back();
            for (std::size_t b = 0; b < k; ++b) {
                if (pipeline_(a, b) >= below) {
                    continue;
                }
                level.alone[a] = 0;
                if (level.part[b] < 0) {
                    level.part[b] = level.parts;
                    open.push_back(b);
                }
            }
        }
        ++level.parts;
    }
}

ReplayRow ReplayModel::profile(const ReplayLevel& level, const ReplayRow& row) const {
    ReplayRow sums{};
    for (std::size_t a = 0; a < classes(); ++a) {
        sums[level.part[a]] += row[a];
    }
    return sums;
}

int ReplayModel::lone_devices(const ReplayLevel& level, const ReplayRow& row) const {
    int devices = 0;
    for (std::size_t a = 0; a < classes(); ++a) {
        devices += level.alone[a] != 0 ? row[a] : 0;
    }
    return devices;
}

double ReplayModel::path_bound(const ReplayState& state, double enough) {
    return path(state, nullptr, 0, state.rest, enough);
}

double ReplayModel::path_bound(const ReplayState& state,
                               const ReplayRow& column,
                               int times,
                               double enough) {
    ReplayRow rest = state.rest;
    for (std::size_t a = 0; a < classes(); ++a) {
        rest[a] -= times * column[a];
    }
    return path(state, &column, times, rest, enough);
}

double ReplayModel::path_with(const ReplayState& state, const ReplayRow& column) const {
    double length = (shape_.pp - 1) * cheapest_;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const ReplayLevel& level = levels_[l];
        const ReplayGroups& groups = state.groups[l];
        const bool known =
            !stands_alone(level, column) &&
            std::ranges::find(groups.profiles, profile(level, column)) != groups.profiles.end();
        const int blocks =
            static_cast<int>(groups.profiles.size()) + groups.lone_stages + (known ? 0 : 1);
        length += std::max(level.fewest_breaks, blocks - 1) * (level.to - level.from);
    }
    return length;
}

double ReplayModel::path_with_another(const ReplayState& state) const {
    double length = (shape_.pp - 1) * cheapest_;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        const ReplayGroups& groups = state.groups[l];
        const int blocks = static_cast<int>(groups.profiles.size()) + groups.lone_stages;
        length += std::max(levels_[l].fewest_breaks, blocks) * (levels_[l].to - levels_[l].from);
    }
    return length;
}

/// Every edge costs the cheapest pair, and every break of a level what lies between its two costs.
double ReplayModel::path(const ReplayState& state,
                         const ReplayRow* column,
                         int times,
                         const ReplayRow& rest,
                         double enough) {
    double length = (shape_.pp - 1) * cheapest_;
    for (std::size_t l = levels_.size(); l-- > 0 && length < enough;) {
        length += breaks(l, state.groups[l], column, times, rest, state.left - times) *
                  (levels_[l].to - levels_[l].from);
    }
    return length;
}

/// Edges between stages that differ under the level, or that have no neighbours. Stages of one
/// profile can stand together in a block; a stage without neighbours is a block of its own; and
/// between two blocks there is a break.
int ReplayModel::breaks(std::size_t l,
                        const ReplayGroups& groups,
                        const ReplayRow* column,
                        int times,
                        const ReplayRow& rest,
                        int left) {
    const ReplayLevel& level = levels_[l];
    int lone = groups.lone_stages;
    auto blocks = static_cast<int>(groups.profiles.size());
    ReplayRow begun = groups.begun;
    ReplayRow added{};
    if (column != nullptr) {
        added = profile(level, *column);
        const bool alone = stands_alone(level, *column);
        const bool known =
            !alone && std::ranges::find(groups.profiles, added) != groups.profiles.end();
        lone += alone ? times : 0;
        blocks += alone || known ? 0 : 1;
        for (int part = 0; part < level.parts; ++part) {
            begun[part] += (alone ? times : known ? 0 : 1) * added[part];
        }
        column = alone || known ? nullptr : &added;
    }
    const ReplayRow total = profile(level, rest);
    const int lone_left = left > 0 ? (lone_devices(level, rest) + shape_.dp - 1) / shape_.dp : 0;
    int more = std::max(lone_left, uncovered(level, groups, column, begun, total, left));
    if (left > 0) {
        more = std::max(more, new_profiles(level, groups.profiles, column, total, rest, left));
    }
    int least = std::max(level.fewest_breaks, blocks + lone + more - 1);
    if (blocks == 0) {
        // All stages stand by themselves, or there is a block that is not counted yet.
        least = std::max(least, std::min(lone + lone_left, shape_.pp - 1));
    }
    return least;
}

/// Blocks that are still needed so that every part has its chains: a block begins dp of them, as
/// many in each part as its stages hold devices there.
int ReplayModel::uncovered(const ReplayLevel& level,
                           const ReplayGroups& groups,
                           const ReplayRow* column,
                           const ReplayRow& begun,
                           const ReplayRow& total,
                           int left) const {
    int missing = 0;
    int most = 0;
    for (int part = 0; part < level.parts; ++part) {
        const int chains = level.chains[part] - begun[part];
        if (chains <= 0) {
            continue;
        }
        missing += chains;
        int widest = left > 0 ? std::min(shape_.dp, total[part]) : 0;
        for (const ReplayRow& known : groups.profiles) {
            widest = std::max(widest, known[part]);
        }
        widest = std::max({widest, column != nullptr ? (*column)[part] : 0, 1});
        most = std::max(most, (chains + widest - 1) / widest);
    }
    return std::max(most, (missing + shape_.dp - 1) / shape_.dp);
}

/// Profiles of the rest that no chosen column has, at least. `column`: one more chosen profile.
int ReplayModel::new_profiles(const ReplayLevel& level,
                              const std::vector<ReplayRow>& known,
                              const ReplayRow* column,
                              const ReplayRow& total,
                              const ReplayRow& rest,
                              int left) {
    if (static_cast<std::size_t>(level.parts) == classes()) {
        return fewest_profiles(rest, classes(), left);  // a chosen column is not taken again
    }
    if (column == nullptr) {
        return SumOfRows(known, level.parts).found(0, total, left) ? 0 : 1;
    }
    std::vector<ReplayRow> all = known;
    all.push_back(*column);
    return SumOfRows(all, level.parts).found(0, total, left) ? 0 : 1;
}

/// 1, 2, or 3 for all above: different rows that `stages` rows with the sum `total` must have.
int ReplayModel::fewest_profiles(const ReplayRow& total, std::size_t entries, int stages) {
    const auto end = total.begin() + static_cast<std::ptrdiff_t>(entries);
    if (std::all_of(total.begin(), end, [&](int x) { return x % stages == 0; })) {
        return 1;
    }
    if (stages == 2 || shape_.dp > kMostCountedStage) {
        return 2;
    }
    Key key{{}, stages};
    std::copy(total.begin(), end, key.total.begin());
    if (const auto known = fewest_.find(key); known != fewest_.end()) {
        return known->second;
    }
    int fewest = 3;
    for (int first = 1; first < stages && fewest == 3; ++first) {
        fewest = two_rows(total, entries, first, stages - first, shape_.dp) ? 2 : 3;
    }
    if (fewest_.size() >= kMostRemembered) {
        fewest_.clear();
    }
    fewest_.emplace(key, fewest);
    return fewest;
}

}  // namespace longhaul::placement
