#include "longhaul/placement/exchange.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/reduction_tree.hpp"
#include "longhaul/placement/ring.hpp"

namespace longhaul::placement {
namespace {

std::vector<int> picked(const std::vector<int>& values, const std::vector<int>& points) {
    std::vector<int> part;
    part.reserve(points.size());
    for (const int point : points) {
        part.push_back(values[point]);
    }
    return part;
}

}  // namespace

PointLinks::PointLinks(const fabric::Links& links)
    : kind_of_(links.latency_s.kind_of_device()),
      latency_s_(links.latency_s.table()),
      slowness_(links.slowness.table()) {
    LONGHAUL_ASSERT(kind_of_ == links.slowness.kind_of_device());
}

PointLinks::PointLinks(core::Grid<double> latency_s, core::Grid<double> slowness)
    : kind_of_(latency_s.rows()), latency_s_(std::move(latency_s)), slowness_(std::move(slowness)) {
    std::iota(kind_of_.begin(), kind_of_.end(), 0);
}

PointLinks PointLinks::of(const std::vector<int>& points) const {
    PointLinks part = *this;
    part.kind_of_ = picked(kind_of_, points);
    return part;
}

ExchangeTerm ExchangeTerm::of(const std::vector<int>& points) const {
    return {kind_,
            links_.of(points),
            picked(region_, points),
            payload_gb_,
            messages_,
            picked(class_, points)};
}

ExchangeTerm::ExchangeTerm(Exchange kind,
                           PointLinks links,
                           std::vector<int> region,
                           double payload_gb,
                           int messages,
                           std::vector<int> class_of_point)
    : kind_(kind),
      links_(std::move(links)),
      region_(std::move(region)),
      payload_gb_(payload_gb),
      messages_(messages),
      class_(std::move(class_of_point)) {
    if (class_.empty()) {
        class_.resize(region_.size());
        std::iota(class_.begin(), class_.end(), 0);
    }
}

std::vector<int> ExchangeTerm::sorted(std::span<const int> group) const {
    std::vector<int> members(group.begin(), group.end());
    std::ranges::sort(members, {}, [this](int point) {
        return std::pair(class_[static_cast<std::size_t>(point)], point);
    });
    return members;
}

core::Grid<double> ExchangeTerm::hops(std::span<const int> group, double gb) const {
    core::Grid<double> hops(group.size(), group.size(), 0.0);
    for (std::size_t i = 0; i < group.size(); ++i) {
        for (std::size_t j = 0; j < group.size(); ++j) {
            hops(i, j) = i == j ? 0 : transfer(group[i], group[j], gb);
        }
    }
    return hops;
}

double ExchangeTerm::sum_to(std::span<const int> group, std::size_t root, double gb) const {
    double sum = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        sum += i == root ? 0 : transfer(group[root], group[i], gb);
    }
    return sum;
}

double ExchangeTerm::sharded(std::span<const int> group, double gb) const {
    double worst = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        worst = std::max(worst, sum_to(group, i, gb));
    }
    return 2 * worst;
}

std::size_t ExchangeTerm::central_root(std::span<const int> group) const {
    std::size_t best = 0;
    double least = sum_to(group, 0, payload_gb_);
    for (std::size_t i = 1; i < group.size(); ++i) {
        const double sum = sum_to(group, i, payload_gb_);
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return best;
}

Owners ExchangeTerm::owners(std::span<const int> group) const {
    std::map<int, std::vector<int>> by_region;
    for (std::size_t i = 0; i < group.size(); ++i) {
        by_region[region_[static_cast<std::size_t>(group[i])]].push_back(static_cast<int>(i));
    }
    std::vector<std::vector<int>> regions;
    std::size_t count = group.size();
    for (auto& [region, positions] : by_region) {
        count = std::min(count, positions.size());
        regions.push_back(std::move(positions));
    }
    const double share = payload_gb_ / static_cast<double>(count);
    const double part = payload_gb_ / static_cast<double>(count * regions.size());
    core::Grid<double> hops(group.size(), group.size(), 0.0);
    for (std::size_t i = 0; i < group.size(); ++i) {
        for (std::size_t j = 0; j < group.size(); ++j) {
            const bool inside = region_[static_cast<std::size_t>(group[i])] ==
                                region_[static_cast<std::size_t>(group[j])];
            hops(i, j) = i == j ? 0 : transfer(group[i], group[j], inside ? share : part);
        }
    }
    return best_owners(std::move(regions), hops);
}

double ExchangeTerm::seconds(std::span<const int> members) const {
    if (members.size() <= 1) {
        return 0;
    }
    const std::vector<int> group = sorted(members);
    const auto size = static_cast<double>(group.size());
    switch (kind_) {
        case Exchange::kSharded:
            return sharded(group, payload_gb_ / size);
        case Exchange::kRing:
            return 2 * (size - 1) * best_ring(hops(group, payload_gb_ / size)).slowest;
        case Exchange::kCentral:
            return 2 * sum_to(group, central_root(group), payload_gb_);
        case Exchange::kTree:
            return 2 * best_reduction_tree(hops(group, payload_gb_)).seconds;
        case Exchange::kHierarchical:
            return owners(group).seconds;
    }
    return 0;
}

ExchangePlan ExchangeTerm::plan(std::span<const int> members) const {
    ExchangePlan plan;
    plan.group = sorted(members);
    plan.seconds = seconds(members);
    if (members.size() > 1) {
        add_flows(plan);
    }
    return plan;
}

void ExchangeTerm::add_flows(ExchangePlan& plan) const {
    const std::size_t n = plan.group.size();
    const double shard = payload_gb_ / static_cast<double>(n);
    const auto both_ways = [&](int a, int b, double gb) {
        plan.flows.push_back({a, b, gb});
        plan.flows.push_back({b, a, gb});
    };
    if (kind_ == Exchange::kRing) {
        const core::Grid<double> ring_hops = hops(plan.group, shard);
        Ring ring = best_ring(ring_hops);
        shorten(ring, ring_hops);
        plan.exact = ring.exact();
        plan.order = ring.order;
        for (std::size_t i = 0; i < n; ++i) {
            plan.flows.push_back(
                {ring.order[i], ring.order[(i + 1) % n], 2 * static_cast<double>(n - 1) * shard});
        }
    } else if (kind_ == Exchange::kTree) {
        const ReductionTree tree = best_reduction_tree(hops(plan.group, payload_gb_));
        plan.exact = tree.exact();
        plan.order = {tree.root};
        for (const Merge& merge : tree.merges) {
            both_ways(merge.from, merge.to, payload_gb_);
        }
    } else if (kind_ == Exchange::kHierarchical) {
        add_hierarchical_flows(plan);
    } else {
        add_pair_flows(plan);
    }
}

void ExchangeTerm::add_pair_flows(ExchangePlan& plan) const {
    const std::size_t n = plan.group.size();
    const bool all_pairs = kind_ == Exchange::kSharded;
    const std::size_t root = all_pairs ? 0 : central_root(plan.group);
    if (!all_pairs) {
        plan.order = {static_cast<int>(root)};
    }
    const double gb = all_pairs ? 2 * payload_gb_ / static_cast<double>(n) : payload_gb_;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            if (all_pairs || i == root || j == root) {
                plan.flows.push_back({static_cast<int>(i), static_cast<int>(j), gb});
                plan.flows.push_back({static_cast<int>(j), static_cast<int>(i), gb});
            }
        }
    }
}

void ExchangeTerm::add_hierarchical_flows(ExchangePlan& plan) const {
    Owners chosen = owners(plan.group);
    std::ranges::sort(chosen.regions, {}, [](const std::vector<int>& members) {
        return std::ranges::min(members);
    });
    plan.exact = chosen.exact;
    const double share = payload_gb_ / static_cast<double>(chosen.count);
    for (std::size_t j = 0; j < chosen.count; ++j) {
        for (const std::vector<int>& members : chosen.regions) {
            plan.order.push_back(members[j]);
        }
    }
    for (const std::vector<int>& members : chosen.regions) {
        for (std::size_t j = 0; j < chosen.count; ++j) {
            for (const int member : members) {
                if (member != members[j]) {
                    plan.flows.push_back({member, members[j], share});
                    plan.flows.push_back({members[j], member, share});
                }
            }
            for (const std::vector<int>& others : chosen.regions) {
                if (others.front() != members.front()) {
                    plan.flows.push_back({members[j],
                                          others[j],
                                          2 * share / static_cast<double>(chosen.regions.size())});
                }
            }
        }
    }
}

}  // namespace longhaul::placement
