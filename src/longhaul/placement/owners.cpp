#include "longhaul/placement/owners.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace longhaul::placement {
namespace {

using MembersOfRegions = std::vector<std::vector<int>>;

constexpr int kRoundsOfRanks = 3;
constexpr double kBoundMet = 1 + 1e-12;  // sums in another order

/// Words of `length` out of letters that may be used so often.
double count_words(const std::vector<int>& letters, std::size_t length) {
    // Exponential generating functions: a letter used j times divides by j!.
    std::vector<double> sums(length + 1, 0);
    sums[0] = 1;
    for (const int most : letters) {
        std::vector<double> next(length + 1, 0);
        for (std::size_t used = 0; used <= length; ++used) {
            double share = sums[used];
            for (std::size_t j = 0; j <= static_cast<std::size_t>(most) && used + j <= length;) {
                next[used + j] += share;
                share /= static_cast<double>(++j);
            }
        }
        sums = std::move(next);
    }
    return sums[length] * std::tgamma(static_cast<double>(length) + 1);
}

class OwnerSearch {
public:
    OwnerSearch(MembersOfRegions regions, const core::Grid<double>& hops)
        : hops_(hops), now_(std::move(regions)), kind_(hops.rows(), 0), whole_(hops.rows(), 0) {
        count_ = std::ranges::min(now_, {}, &std::vector<int>::size).size();
        for (const std::vector<int>& members : now_) {
            for (const int member : members) {
                for (const int other : members) {
                    whole_[at(member)] += other == member ? 0 : hop(member, other);
                }
            }
        }
    }

    Owners run() && {
        if (now_.size() == 1 || number_kinds()) {
            keep();
            return std::move(best_);
        }
        sort_by_hops();
        keep();
        while (improve()) {
            keep();
        }
        choose_anchor();
        best_.exact = best_.seconds <= floor() * kBoundMet;
        if (!best_.exact && arrangements_ <= kMostOwnerArrangements) {
            enumerate();
            best_.exact = true;
        }
        return std::move(best_);
    }

private:
    static std::size_t at(int position) { return static_cast<std::size_t>(position); }
    [[nodiscard]] double hop(int a, int b) const { return hops_(at(a), at(b)); }

    /// Members of a region that no hop tells apart get one number; true: all of every region do.
    bool number_kinds() {
        bool alike = true;
        for (const std::vector<int>& members : now_) {
            std::vector<int> first;  // of each kind
            for (const int member : members) {
                const auto twin = std::ranges::find_if(
                    first, [&](int other) { return are_twins(member, other); });
                kind_[at(member)] = static_cast<int>(twin - first.begin());
                if (twin == first.end()) {
                    first.push_back(member);
                }
            }
            alike = alike && first.size() == 1;
        }
        return alike;
    }

    [[nodiscard]] bool are_twins(int a, int b) const {
        for (int other = 0; other < static_cast<int>(hops_.rows()); ++other) {
            if (other != a && other != b && hop(a, other) != hop(b, other)) {
                return false;
            }
        }
        return true;
    }

    /// Members and regions in an order that comes from hops as far as these tell them apart.
    void sort_by_hops() {
        std::vector<int> region(hops_.rows(), 0);
        for (std::size_t r = 0; r < now_.size(); ++r) {
            for (const int member : now_[r]) {
                region[at(member)] = static_cast<int>(r);
            }
        }
        std::vector<int> rank(hops_.rows(), 0);
        for (int round = 0; round < kRoundsOfRanks; ++round) {
            using Seen = std::vector<std::tuple<bool, double, int>>;
            std::vector<std::pair<int, Seen>> keys(hops_.rows());
            for (std::size_t i = 0; i < hops_.rows(); ++i) {
                keys[i].first = rank[i];
                for (std::size_t j = 0; j < hops_.rows(); ++j) {
                    if (j != i) {
                        keys[i].second.emplace_back(region[i] != region[j], hops_(i, j), rank[j]);
                    }
                }
                std::ranges::sort(keys[i].second);
            }
            std::vector<std::pair<int, Seen>> sorted = keys;
            std::ranges::sort(sorted);
            sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
            for (std::size_t i = 0; i < keys.size(); ++i) {
                rank[i] =
                    static_cast<int>(std::ranges::lower_bound(sorted, keys[i]) - sorted.begin());
            }
        }
        const auto rank_of = [&](int member) { return rank[at(member)]; };
        for (std::vector<int>& members : now_) {
            std::ranges::stable_sort(members, {}, rank_of);
        }
        std::ranges::stable_sort(now_, [&](const auto& a, const auto& b) {
            return std::ranges::lexicographical_compare(a, b, {}, rank_of, rank_of);
        });
    }

    /// Worst member of a region while its shards go to the owners.
    [[nodiscard]] double inside(const std::vector<int>& members) const {
        double worst = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            double sum = i < count_ ? whole_[at(members[i])] : 0;
            for (std::size_t j = 0; i >= count_ && j < count_; ++j) {
                sum += hop(members[i], members[j]);
            }
            worst = std::max(worst, sum);
        }
        return worst;
    }

    [[nodiscard]] double inside() const {
        double worst = 0;
        for (const std::vector<int>& members : now_) {
            worst = std::max(worst, inside(members));
        }
        return worst;
    }

    /// Worst of the owners that meet at a place.
    [[nodiscard]] double across(std::size_t place) const {
        double worst = 0;
        for (const std::vector<int>& members : now_) {
            double sum = 0;
            for (const std::vector<int>& others : now_) {
                sum += &others == &members ? 0 : hop(members[place], others[place]);
            }
            worst = std::max(worst, sum);
        }
        return worst;
    }

    [[nodiscard]] double seconds() const {
        double worst = 0;
        for (std::size_t place = 0; place < count_; ++place) {
            worst = std::max(worst, across(place));
        }
        return 2 * inside() + 2 * worst;
    }

    void keep() {
        const double found = seconds();
        if (best_.regions.empty() || found < best_.seconds) {
            best_ = {now_, count_, found, true};
        }
    }

    /// One exchange that helps the place where owners take longest, or else the slowest region.
    bool improve() {
        std::size_t worst = 0;
        for (std::size_t place = 1; place < count_; ++place) {
            worst = across(place) > across(worst) ? place : worst;
        }
        return exchange_at(worst) || exchange_inside();
    }

    /// What two places take, the slower first; a member that is no owner has no place.
    [[nodiscard]] std::pair<double, double> slower_first(std::size_t a, std::size_t b) const {
        const double one = across(a);
        const double other = b < count_ ? across(b) : 0;
        return {std::max(one, other), std::min(one, other)};
    }

    bool exchange_at(std::size_t worst) {
        const double most_inside = inside();
        std::pair<double, double> least{across(worst), across(worst)};
        std::pair<std::size_t, std::size_t> best{now_.size(), 0};
        for (std::size_t r = 0; r < now_.size(); ++r) {
            std::vector<int>& members = now_[r];
            for (std::size_t i = 0; i < members.size(); ++i) {
                if (kind_[at(members[i])] == kind_[at(members[worst])]) {
                    continue;
                }
                const std::pair<double, double> before = slower_first(worst, i);
                std::swap(members[i], members[worst]);
                const std::pair<double, double> after = slower_first(worst, i);
                if (after < before && after < least &&
                    (i < count_ || inside(members) <= most_inside)) {
                    least = after;
                    best = {r, i};
                }
                std::swap(members[i], members[worst]);
            }
        }
        if (best.first < now_.size()) {
            std::swap(now_[best.first][best.second], now_[best.first][worst]);
        }
        return best.first < now_.size();
    }

    bool exchange_inside() {
        const double before = inside();
        const double total = seconds();
        for (std::vector<int>& members : now_) {
            if (members.size() == count_ || inside(members) < before) {
                continue;
            }
            for (std::size_t i = 0; i < count_; ++i) {
                for (std::size_t j = count_; j < members.size(); ++j) {
                    std::swap(members[i], members[j]);
                    if (inside(members) < before && seconds() < total) {
                        return true;
                    }
                    std::swap(members[i], members[j]);
                }
            }
        }
        return false;
    }

    /// No arrangement takes less. A member meets its `count_` nearest in its region at least; an
    /// owner at best the nearest member of every other region.
    [[nodiscard]] double floor() const {
        double within = 0;
        double between = 0;
        for (const std::vector<int>& members : now_) {
            std::vector<double> met;
            for (const int member : members) {
                within = std::max(within, nearest(member, members, count_));
                double sum = 0;
                for (const std::vector<int>& others : now_) {
                    sum += &others == &members ? 0 : nearest(member, others, 1);
                }
                met.push_back(sum);
            }
            std::ranges::sort(met);
            between = std::max(between, met[count_ - 1]);
        }
        return 2 * within + 2 * between;
    }

    /// Sum of the cheapest hops to some of the others.
    [[nodiscard]] double nearest(int member, const std::vector<int>& others, std::size_t n) const {
        std::vector<double> costs;
        for (const int other : others) {
            if (other != member) {
                costs.push_back(hop(member, other));
            }
        }
        std::ranges::sort(costs);
        const auto some = static_cast<std::ptrdiff_t>(std::min(n, costs.size()));
        return std::accumulate(costs.begin(), costs.begin() + some, 0.0);
    }

    /// Places have no order: one region whose members are all owners keeps its own, the one with
    /// the most.
    void choose_anchor() {
        std::vector<double> ways;
        for (std::size_t r = 0; r < now_.size(); ++r) {
            std::vector<int> members;  // of each kind
            for (const int member : now_[r]) {
                members.resize(std::max(members.size(), at(kind_[at(member)]) + 1));
                ++members[at(kind_[at(member)])];
            }
            ways.push_back(count_words(members, count_));
            if (now_[r].size() == count_ &&
                (now_[anchor_].size() > count_ || ways[r] > ways[anchor_])) {
                anchor_ = r;
            }
        }
        ways[anchor_] = 1;
        arrangements_ = std::accumulate(ways.begin(), ways.end(), 1.0, std::multiplies<>());
        std::swap(now_[0], now_[anchor_]);
        for (const std::vector<int>& members : now_) {
            within_ = members.size() == count_ ? std::max(within_, inside(members)) : within_;
        }
    }

    void enumerate() { fill(0, 0, within_, 0); }

    /// Place after place, region after region; what is arranged takes `within` and `between`.
    void fill(std::size_t place, std::size_t r, double within, double between) {
        if (place == count_) {
            keep();
            return;
        }
        if (r == now_.size()) {
            fill(place + 1, 0, within, between);
            return;
        }
        std::vector<int>& members = now_[r];
        std::vector<int> tried;  // kinds
        for (std::size_t i = place; i < members.size(); ++i) {
            const int kind = kind_[at(members[i])];
            if (std::ranges::find(tried, kind) != tried.end()) {
                continue;
            }
            tried.push_back(kind);
            std::swap(members[place], members[i]);
            const double owner = members.size() > count_ ? whole_[at(members[place])] : 0;
            const double inner = std::max(within, owner);
            const double outer = std::max(between, across_so_far(place, r));
            if (2 * inner + 2 * outer < best_.seconds) {
                fill(place, r + 1, inner, outer);
            }
            std::swap(members[place], members[i]);
            if (r == 0) {
                break;
            }
        }
    }

    /// Worst of the owners at a place that the first regions have.
    [[nodiscard]] double across_so_far(std::size_t place, std::size_t last) const {
        double worst = 0;
        for (std::size_t r = 0; r <= last; ++r) {
            double sum = 0;
            for (std::size_t other = 0; other <= last; ++other) {
                sum += other == r ? 0 : hop(now_[r][place], now_[other][place]);
            }
            worst = std::max(worst, sum);
        }
        return worst;
    }

    const core::Grid<double>& hops_;
    MembersOfRegions now_;
    std::vector<int> kind_;      // of each member, within its region
    std::vector<double> whole_;  // sum of each member to its region
    std::size_t count_ = 0;
    std::size_t anchor_ = 0;
    double arrangements_ = 1;
    double within_ = 0;  // of regions whose members are all owners
    Owners best_;
};

}  // namespace

Owners best_owners(std::vector<std::vector<int>> regions, const core::Grid<double>& hops) {
    return OwnerSearch(std::move(regions), hops).run();
}

}  // namespace longhaul::placement
