#include "longhaul/placement/member_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostThresholds = 96;
constexpr std::size_t kMostLevels = 40;

/// Kinds of devices in a class, with how many devices of each.
std::vector<std::vector<std::pair<int, int>>> kinds_in(const PairMatrix& costs,
                                                       const Classes& classes) {
    std::vector<std::vector<std::pair<int, int>>> kinds;
    for (const std::vector<int>& members : classes.members) {
        std::vector<int> all;
        for (const int device : members) {
            all.push_back(costs.kind_of_device()[device]);
        }
        std::ranges::sort(all);
        std::vector<std::pair<int, int>>& counted = kinds.emplace_back();
        for (const int kind : all) {
            if (counted.empty() || counted.back().first != kind) {
                counted.emplace_back(kind, 0);
            }
            ++counted.back().second;
        }
    }
    return kinds;
}

core::Grid<double> least_between(const PairMatrix& costs, const Classes& classes) {
    const auto kinds = kinds_in(costs, classes);
    core::Grid<double> least(classes.size(), classes.size(), 0.0);
    for (std::size_t a = 0; a < classes.size(); ++a) {
        for (std::size_t b = a; b < classes.size(); ++b) {
            double cost = std::numeric_limits<double>::infinity();
            for (const auto& [one, devices] : kinds[a]) {
                const double* row = costs.table().row(one).data();
                for (const auto& [other, unused] : kinds[b]) {
                    const bool pair = a != b || one != other || devices > 1;
                    cost = pair ? std::min(cost, row[other]) : cost;
                }
            }
            least(a, b) = least(b, a) = a == b && classes.members[a].size() == 1 ? 0 : cost;
        }
    }
    return least;
}

/// Takes away the thresholds that lie nearest behind another one.
void thin_out(std::vector<double>& sorted, std::size_t most) {
    while (sorted.size() > most) {
        std::size_t nearest = 1;
        for (std::size_t i = 2; i < sorted.size(); ++i) {
            if (sorted[i] - sorted[i - 1] < sorted[nearest] - sorted[nearest - 1]) {
                nearest = i;
            }
        }
        sorted.erase(sorted.begin() + static_cast<std::ptrdiff_t>(nearest));
    }
}

bool same_limits(const PathLevel& a, const PathLevel& b) {
    return a.structure.component == b.structure.component &&
           a.structure.isolated == b.structure.isolated && a.reach == b.reach && a.cover == b.cover;
}

}  // namespace

ClassCosts least_costs(const Costs& costs, const Classes& classes) {
    return {least_between(costs.pipeline, classes), least_between(costs.exchange, classes)};
}

MemberTable::MemberTable(const Costs& costs, const Classes& classes, Shape shape)
    : classes_(classes),
      shape_(shape),
      k_(classes.size()),
      least_(least_costs(costs, classes)),
      prices_(k_, k_) {
    for (const std::vector<int>& members : classes.members) {
        sizes_.push_back(static_cast<int>(members.size()));
    }
    sum_nearest(costs);
    price_pairs(costs);
    find_levels(costs);
}

/// Sums of the u cheapest exchanges of every device with every class, and of its dp - 1 cheapest.
void MemberTable::sum_nearest(const Costs& costs) {
    std::size_t width = 0;
    for (const int size : sizes_) {
        offset_.push_back(width);
        width += static_cast<std::size_t>(std::min(size, shape_.dp)) + 1;
    }
    nearest_ = core::Grid<double>(classes_.of_device.size(), width, 0.0);
    std::vector<double> near;
    std::vector<double> all;
    for (std::size_t device = 0; device < classes_.of_device.size(); ++device) {
        all.clear();
        for (std::size_t b = 0; b < k_; ++b) {
            near.clear();
            for (const int other : classes_.members[b]) {
                if (other != static_cast<int>(device)) {
                    near.push_back(costs.exchange(device, other));
                }
            }
            std::ranges::sort(near);
            double* sums = &nearest_(device, offset_[b]);
            const int most = std::min(sizes_[b], shape_.dp);
            for (int u = 1; u <= most; ++u) {
                sums[u] = sums[u - 1] + (u <= static_cast<int>(near.size()) ? near[u - 1] : 0);
            }
            all.insert(all.end(), near.begin(), near.end());
        }
        std::ranges::nth_element(all, all.begin() + (shape_.dp - 1));
        root_exchange_ = std::max(root_exchange_,
                                  std::accumulate(all.begin(), all.begin() + (shape_.dp - 1), 0.0));
    }
}

void MemberTable::price_pairs(const Costs& costs) {
    const auto most = static_cast<std::size_t>(shape_.dp);
    for (std::size_t a = 0; a < k_; ++a) {
        prices_(a, a) = inner_pair_prices(costs.pipeline, classes_.members[a], most);
        for (std::size_t b = a + 1; b < k_; ++b) {
            prices_(a, b) = prices_(b, a) =
                pair_prices(costs.pipeline, classes_.members[a], classes_.members[b], most);
        }
    }
    for (const std::vector<double>& prices : prices_.cells()) {
        all_prices_.insert(all_prices_.end(), prices.begin(), prices.end());
    }
    std::ranges::sort(all_prices_);
    all_prices_.erase(std::unique(all_prices_.begin(), all_prices_.end()), all_prices_.end());
}

/// Thresholds at which something may change: component structures, and pairs inside classes.
std::vector<double> MemberTable::thresholds(const Costs& costs) const {
    std::vector<double> inner;
    for (std::size_t a = 0; a < k_; ++a) {
        const std::vector<int>& members = classes_.members[a];
        if (members.size() > kMostThresholds) {
            inner.insert(inner.end(), prices_(a, a).begin(), prices_(a, a).end());
            continue;
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                inner.push_back(costs.pipeline(members[i], members[j]));
            }
        }
    }
    std::ranges::sort(inner);
    inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
    if (inner.size() > 16 * kMostThresholds) {
        std::vector<double> some;
        for (std::size_t i = 0; i < 16 * kMostThresholds; ++i) {
            some.push_back(inner[i * inner.size() / (16 * kMostThresholds)]);
        }
        inner = std::move(some);
    }
    if (!inner.empty()) {
        thin_out(inner, kMostThresholds);
    }
    for (const Level& level : structure_levels(least_.pipeline, sizes_)) {
        inner.push_back(level.threshold);
        inner.push_back(level.next);
    }
    std::ranges::sort(inner);
    inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
    return inner;
}

int MemberTable::open_pairs(std::size_t a, std::size_t b, double price) const {
    const std::vector<double>& prices = prices_(a, b);
    return static_cast<int>(std::ranges::upper_bound(prices, price) - prices.begin());
}

/// Limits of edges that cost less than `next`.
PathLevel MemberTable::level_below(const Costs& costs, double from, double next) const {
    const double below = std::nextafter(next, 0);
    Level structure = structure_under(least_.pipeline, sizes_, below);
    structure.threshold = from;
    structure.next = next;
    PathLevel level = class_level(structure, least_.pipeline, sizes_);
    for (std::size_t a = 0; a < k_; ++a) {
        int pairs = 0;
        for (std::size_t b = 0; b < k_; ++b) {
            pairs += open_pairs(a, b, below);
        }
        level.reach[a] = static_cast<std::uint16_t>(std::min<int>(level.reach[a], pairs));
    }
    for (std::size_t c = 0; c < level.structure.components; ++c) {
        std::vector<int> devices;
        for (std::size_t a = 0; a < k_; ++a) {
            if (level.structure.component[a] == c) {
                devices.insert(
                    devices.end(), classes_.members[a].begin(), classes_.members[a].end());
            }
        }
        level.cover[c] = static_cast<std::uint16_t>(
            fewest_paths(devices.size(), [&](std::size_t i, std::size_t j) {
                return costs.pipeline(devices[i], devices[j]) < next;
            }));
    }
    return level;
}

void MemberTable::find_levels(const Costs& costs) {
    const std::vector<double> at = thresholds(costs);
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        PathLevel level = level_below(costs, at[i], at[i + 1]);
        if (!levels_.empty() && same_limits(levels_.back(), level)) {
            levels_.back().structure.next = level.structure.next;
        } else {
            levels_.push_back(level);
        }
    }
    const auto idle = [&](const PathLevel& level) {
        return level.structure.components == 1 && level.cover[0] <= 1 &&
               std::ranges::all_of(std::views::iota(std::size_t{0}, k_), [&](std::size_t a) {
                   return level.reach[a] >= std::min(sizes_[a], shape_.dp);
               });
    };
    while (!levels_.empty() && idle(levels_.back())) {
        levels_.pop_back();
    }
    while (levels_.size() > kMostLevels) {
        // The narrowest level takes the limits of the next one.
        std::size_t narrowest = 0;
        for (std::size_t l = 1; l + 1 < levels_.size(); ++l) {
            if (levels_[l].width() < levels_[narrowest].width()) {
                narrowest = l;
            }
        }
        levels_[narrowest + 1].structure.threshold = levels_[narrowest].structure.threshold;
        levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(narrowest));
    }
}

std::uint64_t MemberTable::exchange_work() const {
    return 1 + classes_.of_device.size() * k_ / 16;
}

/// The exchange of a device of class `own` in a stage of these counts, with its cheapest peers.
double MemberTable::seconds(int device, std::size_t own, const StageCounts& counts) const {
    const double* sums = nearest_.row(device).data();
    double total = 0;
    for (std::size_t b = 0; b < k_; ++b) {
        total += sums[offset_[b] + counts[b] - (b == own ? 1 : 0)];
    }
    return total;
}

/// `times` stages hold times * counts[a] different devices of every class.
double MemberTable::exchange(const StageCounts& counts, int times) const {
    double worst = 0;
    std::vector<double> members;
    for (std::size_t a = 0; a < k_; ++a) {
        const auto needed = static_cast<std::ptrdiff_t>(times) * counts[a];
        if (needed == 0) {
            continue;
        }
        members.clear();
        for (const int device : classes_.members[a]) {
            members.push_back(seconds(device, a, counts));
        }
        std::ranges::nth_element(members, members.begin() + (needed - 1));
        worst = std::max(worst, members[needed - 1]);
    }
    return worst;
}

double MemberTable::exchange_of(std::span<const StageUse> stages) {
    double worst = 0;
    for (std::size_t a = 0; a < k_; ++a) {
        worst = std::max(worst, deal(a, stages));
    }
    return worst;
}

/// All devices of a class dealt to the stages so that the worst of them pays least.
double MemberTable::deal(std::size_t a, std::span<const StageUse> stages) const {
    const std::vector<int>& members = classes_.members[a];
    core::Grid<double> pays(members.size(), stages.size(), 0.0);
    std::vector<double> values;
    std::vector<int> places;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        places.push_back(stages[s].times * stages[s].counts[a]);
        for (std::size_t i = 0; i < members.size() && places[s] > 0; ++i) {
            pays(i, s) = seconds(members[i], a, stages[s].counts);
            values.push_back(pays(i, s));
        }
    }
    std::ranges::sort(values);
    std::vector<std::vector<int>> held;
    std::vector<char> seen;
    const std::function<bool(int, double)> place = [&](int device, double most) {
        for (std::size_t s = 0; s < places.size(); ++s) {
            if (places[s] == 0 || seen[s] != 0 || pays(device, s) > most) {
                continue;
            }
            seen[s] = 1;
            if (static_cast<int>(held[s].size()) < places[s]) {
                held[s].push_back(device);
                return true;
            }
            for (int& other : held[s]) {
                if (place(other, most)) {
                    other = device;
                    return true;
                }
            }
        }
        return false;
    };
    const auto fits = [&](double most) {
        held.assign(places.size(), {});
        for (std::size_t i = 0; i < members.size(); ++i) {
            seen.assign(places.size(), 0);
            if (!place(static_cast<int>(i), most)) {
                return false;
            }
        }
        return true;
    };
    return *std::ranges::partition_point(values, [&](double value) { return !fits(value); });
}

/// Whether a transport pairs both stages when classes a and b have no more disjoint pairs than the
/// price leaves open.
bool MemberTable::paired(const StageCounts& a, const StageCounts& b, double price) const {
    std::array<int, kMaxPackedClasses> supply{};
    std::array<int, kMaxPackedClasses> demand{};
    std::array<std::array<int, kMaxPackedClasses>, kMaxPackedClasses> room{};
    std::array<std::array<int, kMaxPackedClasses>, kMaxPackedClasses> flow{};
    for (std::size_t i = 0; i < k_; ++i) {
        supply[i] = a[i];
        demand[i] = b[i];
        for (std::size_t j = 0; j < k_ && a[i] > 0; ++j) {
            room[i][j] = b[j] > 0 ? open_pairs(i, j, price) : 0;
        }
    }
    std::array<char, kMaxPackedClasses> seen{};
    const std::function<bool(std::size_t)> send = [&](std::size_t i) {
        for (std::size_t j = 0; j < k_; ++j) {
            if (seen[j] != 0 || flow[i][j] >= room[i][j]) {
                continue;
            }
            seen[j] = 1;
            if (demand[j] > 0) {
                --demand[j];
                ++flow[i][j];
                return true;
            }
            for (std::size_t other = 0; other < k_; ++other) {
                if (other != i && flow[other][j] > 0 && send(other)) {
                    --flow[other][j];
                    ++flow[i][j];
                    return true;
                }
            }
        }
        return false;
    };
    for (std::size_t i = 0; i < k_; ++i) {
        for (; supply[i] > 0; --supply[i]) {
            seen.fill(0);
            if (!send(i)) {
                return false;
            }
        }
    }
    return true;
}

double MemberTable::edge(const StageCounts& a, const StageCounts& b) {
    const std::pair<StageCounts, StageCounts> key = std::minmax(a, b);
    const auto known = edges_.find(key);
    if (known != edges_.end()) {
        return known->second;
    }
    const auto price =
        std::ranges::partition_point(all_prices_, [&](double open) { return !paired(a, b, open); });
    // Pairs that cannot be had at any price do not fit into the classes: no placement has them.
    const double value =
        price == all_prices_.end() ? std::numeric_limits<double>::infinity() : *price;
    edges_.emplace(key, value);
    return value;
}

}  // namespace longhaul::placement
