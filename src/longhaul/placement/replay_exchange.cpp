#include "longhaul/placement/replay_exchange.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "longhaul/placement/replay_owners.hpp"

namespace longhaul::placement {
namespace {

constexpr double kReplayFar = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostRing = 12;
constexpr std::size_t kMostTree = 10;

int floor_log2(int number) {
    int log = 0;
    while (number > 1) {
        number /= 2;
        ++log;
    }
    return log;
}

}  // namespace

ReplayExchange::ReplayExchange(const Problem& problem)
    : problem_(problem),
      kind_(problem.exchange ? problem.terms.exchange : Exchange::kSharded),
      gb_(problem.workload.c_dp.value()),
      messages_(problem.workload.dp_messages),
      size_(problem.shape.dp) {}

double ReplayExchange::hop(int a, int b, double gb) const {
    return messages_ * problem_.links.latency_s(a, b) + gb * problem_.links.slowness(a, b);
}

/// Worst member's sum of transfers to all others.
double ReplayExchange::worst_sum(const std::vector<int>& group, double gb) const {
    double worst = 0;
    for (const int a : group) {
        double sum = 0;
        for (const int b : group) {
            sum += a == b ? 0 : hop(a, b, gb);
        }
        worst = std::max(worst, sum);
    }
    return worst;
}

/// Every member of a ring has two hops: the worst of the second cheapest ones.
double ReplayExchange::second_hops(const std::vector<int>& group, double gb) const {
    double least = 0;
    for (const int a : group) {
        std::vector<double> hops;
        for (const int b : group) {
            if (a != b) {
                hops.push_back(hop(a, b, gb));
            }
        }
        std::ranges::nth_element(hops, hops.begin() + 1);
        least = std::max(least, hops[1]);
    }
    return least;
}

/// Least slowest hop over all rings: sets of visited members, and whether a path from member 0
/// through them can end at each member.
double ReplayExchange::ring(const std::vector<int>& group) const {
    const std::size_t n = group.size();
    const double gb = gb_ / static_cast<double>(n);
    if (n == 2) {
        return hop(group[0], group[1], gb);
    }
    if (n > kMostRing) {
        return second_hops(group, gb);
    }
    std::vector<std::vector<double>> best(std::size_t{1} << n, std::vector<double>(n, kReplayFar));
    best[1][0] = 0;
    double least = kReplayFar;
    for (std::size_t set = 1; set < best.size(); ++set) {
        for (std::size_t last = 0; last < n; ++last) {
            const double slowest = best[set][last];
            if (slowest == kReplayFar) {
                continue;
            }
            if (set + 1 == best.size()) {
                least = std::min(least, std::max(slowest, hop(group[last], group[0], gb)));
            }
            for (std::size_t next = 1; next < n; ++next) {
                if ((set >> next & 1U) == 0) {
                    double& there = best[set | std::size_t{1} << next][next];
                    there = std::min(there, std::max(slowest, hop(group[last], group[next], gb)));
                }
            }
        }
    }
    return least;
}

double ReplayExchange::cheapest_hop(const std::vector<int>& group) const {
    double cheapest = kReplayFar;
    for (std::size_t a = 0; a < group.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            cheapest = std::min(cheapest, hop(group[a], group[b], gb_));
        }
    }
    return cheapest;
}

/// One way. f(set, root) of the header of reduction_tree.hpp, all sets of members.
double ReplayExchange::tree(const std::vector<int>& group) const {
    const std::size_t n = group.size();
    if (n > kMostTree) {
        return floor_log2(static_cast<int>(n)) * cheapest_hop(group);
    }
    const auto bits = [](std::size_t set) {
        std::size_t count = 0;
        for (; set != 0; set &= set - 1) {
            ++count;
        }
        return count;
    };
    // A half of a set of m members has m / 2 of them, rounded up or down.
    std::map<std::pair<std::size_t, std::size_t>, double> known;
    const auto best = [&](const auto& self, std::size_t set, std::size_t root) -> double {
        const std::size_t m = bits(set);
        if (m == 1) {
            return 0;
        }
        const auto at = known.find({set, root});
        if (at != known.end()) {
            return at->second;
        }
        double least = kReplayFar;
        for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
            const std::size_t size = bits(part);
            if ((part >> root & 1U) == 0 || (size != m / 2 && size != m - m / 2)) {
                continue;
            }
            const double mine = self(self, part, root);
            for (std::size_t other = 0; other < n; ++other) {
                if (((set ^ part) >> other & 1U) != 0) {
                    least = std::min(least,
                                     std::max(mine, self(self, set ^ part, other)) +
                                         hop(group[root], group[other], gb_));
                }
            }
        }
        known.emplace(std::pair{set, root}, least);
        return least;
    };
    double least = kReplayFar;
    for (std::size_t root = 0; root < n; ++root) {
        least = std::min(least, best(best, (std::size_t{1} << n) - 1, root));
    }
    return least;
}

/// Inside the regions both ways, then across, with the best owners.
double ReplayExchange::regions(const std::vector<int>& group) const {
    std::map<int, std::vector<int>> members;
    for (const int device : group) {
        members[problem_.exchange->region()[static_cast<std::size_t>(device)]].push_back(device);
    }
    std::vector<std::vector<int>> regions;
    std::size_t owners = group.size();
    for (auto& [region, devices] : members) {
        owners = std::min(owners, devices.size());
        regions.push_back(std::move(devices));
    }
    const double share = gb_ / static_cast<double>(owners);
    const double part = share / static_cast<double>(regions.size());
    return replay_owners(
        std::move(regions),
        owners,
        [&](int a, int b) { return hop(a, b, share); },
        [&](int a, int b) { return hop(a, b, part); });
}

double ReplayExchange::seconds(std::vector<int> group) const {
    if (group.size() <= 1) {
        return 0;
    }
    if (problem_.exchange) {
        const std::vector<int>& kind = problem_.exchange->class_of_point();
        std::ranges::sort(group, [&](int a, int b) {
            const int ka = kind[static_cast<std::size_t>(a)];
            const int kb = kind[static_cast<std::size_t>(b)];
            return ka != kb ? ka < kb : a < b;
        });
    }
    const auto size = static_cast<double>(group.size());
    switch (kind_) {
        case Exchange::kSharded:
            return 2 * worst_sum(group, gb_ / size);
        case Exchange::kRing:
            return 2 * (size - 1) * ring(group);
        case Exchange::kCentral: {
            double least = kReplayFar;
            for (const int root : group) {
                double sum = 0;
                for (const int peer : group) {
                    sum += peer == root ? 0 : hop(root, peer, gb_);
                }
                least = std::min(least, sum);
            }
            return 2 * least;
        }
        case Exchange::kTree:
            return 2 * tree(group);
        case Exchange::kHierarchical:
            return regions(group);
    }
    return 0;
}

/// Sum of the cheapest transfers to `count` of the peers.
double ReplayExchange::nearest_sum(int device,
                                   const std::vector<int>& peers,
                                   int count,
                                   double gb) const {
    std::vector<double> hops;
    for (const int peer : peers) {
        if (peer != device) {
            hops.push_back(hop(device, peer, gb));
        }
    }
    std::ranges::sort(hops);
    double sum = 0;
    for (int i = 0; i < count && i < static_cast<int>(hops.size()); ++i) {
        sum += hops[static_cast<std::size_t>(i)];
    }
    return sum;
}

/// The device is the root, or a peer is, which then reaches it and size - 2 others.
double ReplayExchange::least_of_root(int device, const std::vector<int>& peers) const {
    double least = nearest_sum(device, peers, size_ - 1, gb_);
    for (const int root : peers) {
        std::vector<int> others;
        for (const int peer : peers) {
            if (peer != root) {
                others.push_back(peer);
            }
        }
        least = std::min(least, hop(root, device, gb_) + nearest_sum(root, others, size_ - 2, gb_));
    }
    return 2 * least;
}

/// Over the numbers of regions r and owners k: the device meets k - 1 owners of its region, and an
/// owner of its region crosses to r - 1 others. In one region all size - 1 peers are there.
double ReplayExchange::least_of_regions(int device, const std::vector<int>& peers) const {
    const std::vector<int>& region = problem_.exchange->region();
    const int home = region[static_cast<std::size_t>(device)];
    std::vector<int> near{device};
    std::vector<int> away;
    std::set<int> others;
    for (const int peer : peers) {
        const int there = region[static_cast<std::size_t>(peer)];
        (there == home ? near : away).push_back(peer);
        if (there != home) {
            others.insert(there);
        }
    }
    double least = kReplayFar;
    if (static_cast<int>(near.size()) >= size_) {
        least = 2 * nearest_sum(device, near, size_ - 1, gb_ / size_);
    }
    for (int r = 2; r <= std::min(size_, static_cast<int>(others.size()) + 1); ++r) {
        for (int k = 1; k <= std::min(size_ / r, static_cast<int>(near.size())); ++k) {
            double crossing = kReplayFar;
            for (const int member : near) {
                crossing = std::min(crossing, nearest_sum(member, away, 1, gb_ / (k * r)));
            }
            least = std::min(
                least, 2 * nearest_sum(device, near, k - 1, gb_ / k) + 2 * (r - 1) * crossing);
        }
    }
    return least;
}

double ReplayExchange::least_with(int device) const {
    if (size_ <= 1) {
        return 0;
    }
    std::vector<int> peers;
    for (int peer = 0; peer < static_cast<int>(problem_.devices()); ++peer) {
        if (peer != device) {
            peers.push_back(peer);
        }
    }
    switch (kind_) {
        case Exchange::kSharded: {  // from the costs: a part of the bound may be taken out of them
            std::vector<double> costs;
            for (const int peer : peers) {
                costs.push_back(problem_.costs.exchange(device, peer));
            }
            std::ranges::sort(costs);
            double sum = 0;
            for (int i = 0; i + 1 < size_; ++i) {
                sum += costs[static_cast<std::size_t>(i)];
            }
            return sum;
        }
        case Exchange::kRing: {  // two neighbours: the slower hop is the second cheapest at least
            const double gb = gb_ / size_;
            const double one = nearest_sum(device, peers, 1, gb);
            return 2 * (size_ - 1) * (size_ == 2 ? one : nearest_sum(device, peers, 2, gb) - one);
        }
        case Exchange::kCentral:
            return least_of_root(device, peers);
        case Exchange::kTree: {  // a merge of its own, and floor(log2 size) in all
            double cheapest = kReplayFar;
            for (int a = 0; a < static_cast<int>(problem_.devices()); ++a) {
                for (int b = 0; b < a; ++b) {
                    cheapest = std::min(cheapest, hop(a, b, gb_));
                }
            }
            return 2 * (nearest_sum(device, peers, 1, gb_) + (floor_log2(size_) - 1) * cheapest);
        }
        case Exchange::kHierarchical:
            return least_of_regions(device, peers);
    }
    return 0;
}

double ReplayExchange::least() const {
    std::vector<double> bounds;
    std::map<std::pair<int, int>, double> known;  // devices of one kind of links and region
    for (int device = 0; device < static_cast<int>(problem_.devices()); ++device) {
        const auto at = static_cast<std::size_t>(device);
        const std::pair<int, int> kind{problem_.costs.exchange.kind_of_device()[at],
                                       problem_.exchange ? problem_.exchange->region()[at] : 0};
        const auto found = known.find(kind);
        const double bound = found != known.end() ? found->second : least_with(device);
        known.emplace(kind, bound);
        bounds.push_back(bound);
    }
    std::ranges::sort(bounds);
    return bounds[problem_.shape.devices() - 1];
}

}  // namespace longhaul::placement
