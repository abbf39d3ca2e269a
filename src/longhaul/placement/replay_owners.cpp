#include "longhaul/placement/replay_owners.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kMostOwnerSteps = 60'000;

/// Regions one after another; the first has as few members as any, so its members own in the order
/// that they have. The others put their owners at its places in every way.
class OwnerReplay {
public:
    OwnerReplay(std::vector<std::vector<int>> regions,
                std::size_t owners,
                const ReplayHop& share,
                const ReplayHop& part)
        : regions_(std::move(regions)), owners_(owners), share_(share), part_(part) {
        std::ranges::stable_sort(regions_, {}, &std::vector<int>::size);
        sums_.assign(regions_.size(), std::vector<double>(owners, 0));
        std::vector<int> everyone;
        for (const std::vector<int>& region : regions_) {
            everyone.insert(everyone.end(), region.begin(), region.end());
        }
        for (const std::vector<int>& region : regions_) {
            for (const int device : region) {
                const auto twin = std::ranges::find_if(
                    region, [&](int other) { return alike(device, other, everyone); });
                twin_.emplace(device, *twin);
            }
        }
    }

    double run() {
        region(0, 0, 0);
        return steps_ > kMostOwnerSteps ? at_least() : least_;
    }

private:
    /// Whether two members of a region may change places: of these one at each place is tried.
    [[nodiscard]] bool alike(int a, int b, const std::vector<int>& everyone) const {
        return std::ranges::all_of(everyone, [&](int other) {
            return other == a || other == b ||
                   (share_(a, other) == share_(b, other) && part_(a, other) == part_(b, other));
        });
    }

    [[nodiscard]] double inside(const std::vector<int>& members) const {
        double worst = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < members.size(); ++j) {
                const bool meet = i != j && (i < owners_ || j < owners_);
                sum += meet ? share_(members[i], members[j]) : 0;
            }
            worst = std::max(worst, sum);
        }
        return worst;
    }

    void region(std::size_t r, double within, double between) {
        if (r == regions_.size()) {
            least_ = std::min(least_, 2 * within + 2 * between);
            return;
        }
        if (r == 0) {
            region(1, inside(regions_[0]), 0);
            return;
        }
        place(r, 0, within, between);
    }

    /// An owner for this place of region r, and for those after it.
    void place(std::size_t r, std::size_t at, double within, double between) {
        if (at == owners_) {
            const double worst = std::max(within, inside(regions_[r]));
            if (2 * worst + 2 * between < least_) {
                region(r + 1, worst, between);
            }
            return;
        }
        std::vector<int>& members = regions_[r];
        for (std::size_t i = at; i < members.size() && steps_ <= kMostOwnerSteps; ++i) {
            const bool tried =
                std::any_of(members.begin() + static_cast<std::ptrdiff_t>(at),
                            members.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](int other) { return twin_.at(other) == twin_.at(members[i]); });
            if (tried) {
                continue;
            }
            ++steps_;
            std::swap(members[at], members[i]);
            const std::vector<std::vector<double>> before = sums_;
            const double worst = std::max(between, meet(r, at));
            if (2 * within + 2 * worst < least_) {
                place(r, at + 1, within, worst);
            }
            sums_ = before;
            std::swap(members[at], members[i]);
        }
    }

    /// The owner of region r at a place meets those of the regions before; returns the worst sum.
    double meet(std::size_t r, std::size_t at) {
        double worst = 0;
        sums_[r][at] = 0;
        for (std::size_t other = 0; other < r; ++other) {
            const double seconds = part_(regions_[r][at], regions_[other][at]);
            sums_[r][at] += seconds;
            sums_[other][at] += seconds;
            worst = std::max(worst, sums_[other][at]);
        }
        return std::max(worst, sums_[r][at]);
    }

    /// Every member meets its nearest owners; owners the nearest of each other region.
    [[nodiscard]] double at_least() const {
        double within = 0;
        double between = 0;
        for (const std::vector<int>& members : regions_) {
            std::vector<double> sums;
            for (const int member : members) {
                within = std::max(within, nearest(member, members, owners_, share_));
                double sum = 0;
                for (const std::vector<int>& others : regions_) {
                    sum += &others == &members ? 0 : nearest(member, others, 1, part_);
                }
                sums.push_back(sum);
            }
            std::ranges::sort(sums);
            between = std::max(between, sums[owners_ - 1]);
        }
        return 2 * within + 2 * between;
    }

    /// Sum of the cheapest to some of the others.
    static double nearest(int member,
                          const std::vector<int>& others,
                          std::size_t count,
                          const ReplayHop& hop) {
        std::vector<double> seconds;
        for (const int other : others) {
            if (other != member) {
                seconds.push_back(hop(member, other));
            }
        }
        std::ranges::sort(seconds);
        const auto some = static_cast<std::ptrdiff_t>(std::min(count, seconds.size()));
        return std::accumulate(seconds.begin(), seconds.begin() + some, 0.0);
    }

    std::vector<std::vector<int>> regions_;
    std::size_t owners_;
    const ReplayHop& share_;
    const ReplayHop& part_;
    std::map<int, int> twin_;                // first member of the region that is alike
    std::vector<std::vector<double>> sums_;  // of the owner of each region at each place
    std::uint64_t steps_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

double replay_owners(std::vector<std::vector<int>> regions,
                     std::size_t owners,
                     const ReplayHop& share,
                     const ReplayHop& part) {
    return OwnerReplay(std::move(regions), owners, share, part).run();
}

}  // namespace longhaul::placement
