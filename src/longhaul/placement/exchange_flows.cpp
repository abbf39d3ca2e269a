#include <algorithm>
#include <numeric>
#include <utility>

#include "longhaul/placement/exchange.hpp"
#include "longhaul/placement/reduction_tree.hpp"
#include "longhaul/placement/ring.hpp"

namespace longhaul::placement {
namespace {

constexpr double kSameFlow = 1 - 1e-12;  // ties of sums in another order

}  // namespace

/// Of the members with the largest sum of transfers to all others.
void ExchangeTerm::critical_sums(std::span<const int> group,
                                 double gb,
                                 double times,
                                 std::vector<CriticalFlow>& flows) const {
    double worst = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        worst = std::max(worst, sum_to(group, i, gb));
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
        if (sum_to(group, i, gb) < worst * kSameFlow) {
            continue;
        }
        for (std::size_t j = 0; j < group.size(); ++j) {
            if (j != i) {
                flows.push_back({group[i], group[j], times * transfer(group[i], group[j], gb)});
            }
        }
    }
}

void ExchangeTerm::critical_ring(std::span<const int> group,
                                 std::vector<CriticalFlow>& flows) const {
    const auto n = static_cast<double>(group.size());
    const core::Grid<double> seconds = hops(group, payload_gb_ / n);
    Ring ring = best_ring(seconds);
    shorten(ring, seconds);
    for (std::size_t i = 0; i < group.size(); ++i) {
        const auto from = static_cast<std::size_t>(ring.order[i]);
        const auto to = static_cast<std::size_t>(ring.order[(i + 1) % group.size()]);
        if (seconds(from, to) >= ring.slowest * kSameFlow) {
            flows.push_back({group[from], group[to], 2 * (n - 1) * seconds(from, to)});
        }
    }
}

/// The merges that the root waits for, from the last one down.
void ExchangeTerm::critical_tree(std::span<const int> group,
                                 std::vector<CriticalFlow>& flows) const {
    const core::Grid<double> seconds = hops(group, payload_gb_);
    const ReductionTree tree = best_reduction_tree(seconds);
    std::vector<double> ready(group.size(), 0);
    std::vector<int> last(group.size(), -1);  // merge that a member became ready by
    std::vector<int> before(tree.merges.size(), -1);
    for (std::size_t m = 0; m < tree.merges.size(); ++m) {
        const auto from = static_cast<std::size_t>(tree.merges[m].from);
        const auto to = static_cast<std::size_t>(tree.merges[m].to);
        before[m] = ready[from] > ready[to] ? last[from] : last[to];
        ready[to] = std::max(ready[from], ready[to]) + seconds(from, to);
        last[to] = static_cast<int>(m);
    }
    for (int m = last[static_cast<std::size_t>(tree.root)]; m >= 0;
         m = before[static_cast<std::size_t>(m)]) {
        const Merge& merge = tree.merges[static_cast<std::size_t>(m)];
        const auto from = static_cast<std::size_t>(merge.from);
        const auto to = static_cast<std::size_t>(merge.to);
        flows.push_back({group[from], group[to], 2 * seconds(from, to)});
    }
}

void ExchangeTerm::critical_regions(std::span<const int> group,
                                    std::vector<CriticalFlow>& flows) const {
    Owners chosen = owners(group);
    std::vector<std::vector<int>>& regions = chosen.regions;
    const double share = payload_gb_ / static_cast<double>(chosen.count);
    double worst = 0;
    std::vector<std::pair<double, std::vector<CriticalFlow>>> inside;  // of every member
    for (std::vector<int>& members : regions) {
        std::ranges::transform(
            members, members.begin(), [&](int i) { return group[static_cast<std::size_t>(i)]; });
        for (std::size_t i = 0; i < members.size(); ++i) {
            auto& [sum, mine] = inside.emplace_back();
            for (std::size_t j = 0; j < (i < chosen.count ? members.size() : chosen.count); ++j) {
                if (i != j) {
                    const double seconds = transfer(members[i], members[j], share);
                    mine.push_back({members[i], members[j], 2 * seconds});
                    sum += seconds;
                }
            }
            worst = std::max(worst, sum);
        }
    }
    for (const auto& [sum, mine] : inside) {
        if (sum >= worst * kSameFlow) {
            flows.insert(flows.end(), mine.begin(), mine.end());
        }
    }
    const double part = share / static_cast<double>(regions.size());
    double across = 0;
    std::vector<std::vector<int>> same(chosen.count);
    for (std::size_t j = 0; j < chosen.count; ++j) {
        for (const std::vector<int>& members : regions) {
            same[j].push_back(members[j]);
        }
        across = std::max(across, sharded(same[j], part));
    }
    for (const std::vector<int>& owner : same) {
        if (owner.size() > 1 && sharded(owner, part) >= across * kSameFlow) {
            critical_sums(owner, part, 2, flows);
        }
    }
}

std::vector<CriticalFlow> ExchangeTerm::critical_flows(std::span<const int> members) const {
    std::vector<CriticalFlow> flows;
    if (members.size() <= 1) {
        return flows;
    }
    const std::vector<int> group = sorted(members);
    switch (kind_) {
        case Exchange::kSharded:
            critical_sums(group, payload_gb_ / static_cast<double>(group.size()), 2, flows);
            break;
        case Exchange::kRing:
            critical_ring(group, flows);
            break;
        case Exchange::kCentral: {
            const int root = group[central_root(group)];
            for (const int member : group) {
                if (member != root) {
                    flows.push_back({root, member, 2 * transfer(root, member, payload_gb_)});
                }
            }
            break;
        }
        case Exchange::kTree:
            critical_tree(group, flows);
            break;
        case Exchange::kHierarchical:
            critical_regions(group, flows);
            break;
    }
    std::ranges::stable_sort(flows, std::greater<>(), &CriticalFlow::seconds);
    return flows;
}

}  // namespace longhaul::placement
