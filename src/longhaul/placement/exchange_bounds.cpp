#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "longhaul/placement/exchange.hpp"

namespace longhaul::placement {

/// The `count` cheapest transfers between a point and its peers, ascending.
std::vector<double> ExchangeTerm::cheapest(int point,
                                           std::span<const int> peers,
                                           int count,
                                           double gb) const {
    std::vector<double> costs;
    for (const int peer : peers) {
        costs.push_back(transfer(point, peer, gb));
    }
    std::ranges::sort(costs);
    costs.resize(std::min(static_cast<std::size_t>(count), costs.size()));
    return costs;
}

double ExchangeTerm::cheapest_sum(int point,
                                  std::span<const int> peers,
                                  int count,
                                  double gb) const {
    const std::vector<double> costs = cheapest(point, peers, count, gb);
    return std::accumulate(costs.begin(), costs.end(), 0.0);
}

/// Cheapest transfer of the whole payload between two members.
double ExchangeTerm::cheapest_pair(std::span<const int> members) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t j = i + 1; j < members.size(); ++j) {
            least = std::min(least, transfer(members[i], members[j], payload_gb_));
        }
    }
    return least;
}

/// The member is the root itself, or a peer is and reaches it and size - 2 others.
double ExchangeTerm::central_bound(int point, std::span<const int> peers, int size) const {
    double least = cheapest_sum(point, peers, size - 1, payload_gb_);
    std::vector<int> others(peers.begin(), peers.end());
    for (std::size_t root = 0; root < others.size(); ++root) {
        const int peer = others[root];
        std::swap(others[root], others.back());
        const double rest =
            cheapest_sum(peer, std::span(others).first(others.size() - 1), size - 2, payload_gb_);
        std::swap(others[root], others.back());
        least = std::min(least, transfer(peer, point, payload_gb_) + rest);
    }
    return 2 * least;
}

/// What of the hierarchical bound is the same for all points of a region.
struct ExchangeTerm::RegionBound {
    /// Least transfer of any payload among some links: those that no other beats in both parts.
    class LeastTransfer {
    public:
        void add(double latency, double slowness) { links_.emplace_back(latency, slowness); }

        void finish() {
            std::ranges::sort(links_);
            std::vector<std::pair<double, double>> kept;
            for (const auto& link : links_) {
                if (kept.empty() || link.second < kept.back().second) {
                    kept.push_back(link);
                }
            }
            links_ = std::move(kept);
        }

        [[nodiscard]] double seconds(double gb) const {
            double least = std::numeric_limits<double>::infinity();
            for (const auto& [latency, slowness] : links_) {
                least = std::min(least, latency + gb * slowness);
            }
            return least;
        }

    private:
        std::vector<std::pair<double, double>> links_;  // seconds, seconds a GB
    };

    std::vector<int> here;  // points of the region
    int others = 0;         // other regions
    LeastTransfer crossing;
};

ExchangeTerm::RegionBound ExchangeTerm::region_bound(int point, std::span<const int> peers) const {
    const auto region = [this](int p) { return region_[static_cast<std::size_t>(p)]; };
    RegionBound bound;
    std::vector<int> away;
    std::vector<int> regions;
    for (const int peer : peers) {
        (region(peer) == region(point) ? bound.here : away).push_back(peer);
    }
    bound.here.push_back(point);
    for (const int peer : away) {
        regions.push_back(region(peer));
    }
    std::ranges::sort(regions);
    bound.others = static_cast<int>(std::ranges::unique(regions).begin() - regions.begin());
    for (const int member : one_of_each_class(bound.here)) {
        for (const int peer : one_of_each_class(away)) {
            const double latency = transfer(member, peer, 0);
            bound.crossing.add(latency, transfer(member, peer, 1) - latency);
        }
    }
    bound.crossing.finish();
    return bound;
}

/// Least over the possible numbers of regions and owners. With one region it is `sharded` among
/// peers of the region. With R, an owner of the member's region crosses R - 1 times, and the member
/// itself meets at least k - 1 owners.
double ExchangeTerm::hierarchical_bound(int point, const RegionBound& region, int size) const {
    std::vector<int> peers = region.here;
    std::erase(peers, point);
    double least = std::numeric_limits<double>::infinity();
    if (static_cast<int>(peers.size()) >= size - 1) {
        least = 2 * cheapest_sum(point, peers, size - 1, payload_gb_ / size);
    }
    std::vector<double> meeting;  // k - 1 owners
    for (int r = 2; r <= std::min(size, region.others + 1); ++r) {
        const int most = std::min(size / r, static_cast<int>(region.here.size()));
        for (int k = 1; k <= most; ++k) {
            if (static_cast<int>(meeting.size()) < k) {
                meeting.push_back(cheapest_sum(point, peers, k - 1, payload_gb_ / k));
            }
            least = std::min(least,
                             2 * meeting[static_cast<std::size_t>(k) - 1] +
                                 2 * (r - 1) * region.crossing.seconds(payload_gb_ / (k * r)));
        }
    }
    return least;
}

double ExchangeTerm::member_bound(int point, std::span<const int> peers, int size) const {
    if (size <= 1) {
        return 0;
    }
    const double shard = payload_gb_ / size;
    switch (kind_) {
        case Exchange::kSharded:
            return 2 * cheapest_sum(point, peers, size - 1, shard);
        case Exchange::kRing:  // two neighbours: the slower hop is at least the second cheapest
            return 2 * (size - 1) * cheapest(point, peers, size == 2 ? 1 : 2, shard).back();
        case Exchange::kCentral:
            return central_bound(point, peers, size);
        case Exchange::kTree: {  // a merge of its own, and at least floor(log2 size) in all
            std::vector<int> members(peers.begin(), peers.end());
            members.push_back(point);
            const int merges = std::bit_width(static_cast<unsigned>(size)) - 1;
            return 2 * (cheapest_sum(point, peers, 1, payload_gb_) +
                        (merges - 1) * cheapest_pair(members));
        }
        case Exchange::kHierarchical:
            return hierarchical_bound(point, region_bound(point, peers), size);
    }
    return 0;
}

/// The same as central_bound. Of each root the cheapest transfers are summed once; one of them to
/// `point` is put in the place of the dearest.
std::vector<double> ExchangeTerm::central_bounds(std::span<const int> points, int size) const {
    struct Root {
        int point = 0;
        double most = 0;   // its cheapest size - 1 transfers, to anyone
        double fewer = 0;  // its cheapest size - 2
        double last = 0;   // the dearest of these
    };
    std::vector<Root> roots;
    const std::vector<int> everyone = all_points();
    for (const int point : points) {
        std::vector<int> peers = everyone;
        std::erase(peers, point);
        const std::vector<double> costs = cheapest(point, peers, size - 1, payload_gb_);
        const double most = std::accumulate(costs.begin(), costs.end(), 0.0);
        roots.push_back({point,
                         most,
                         most - costs.back(),
                         size > 2 ? costs[static_cast<std::size_t>(size) - 3] : -1});
    }
    std::vector<int> members(*std::ranges::max_element(class_) + 1, 0);
    for (const int number : class_) {
        ++members[number];
    }
    std::vector<double> bounds;
    for (const Root& own : roots) {
        double least = own.most;
        for (const Root& root : roots) {
            const bool same = class_[root.point] == class_[own.point];
            if (same && members[class_[own.point]] < 2) {
                continue;
            }
            // Of one class, root and point stand for two of its points.
            const double seconds =
                same ? inside_class(own.point) : transfer(root.point, own.point, payload_gb_);
            least = std::min(least, seconds <= root.last ? root.most : root.fewer + seconds);
        }
        bounds.push_back(2 * least);
    }
    return bounds;
}

/// A merge of its own, and at least floor(log2 size) in all.
std::vector<double> ExchangeTerm::tree_bounds(std::span<const int> points, int size) const {
    std::vector<double> own;
    const std::vector<int> everyone = all_points();
    for (const int point : points) {
        std::vector<int> peers = everyone;
        std::erase(peers, point);
        own.push_back(cheapest_sum(point, peers, 1, payload_gb_));
    }
    const double cheapest_of_all = std::ranges::min(own);
    const int merges = std::bit_width(static_cast<unsigned>(size)) - 1;
    for (double& seconds : own) {
        seconds = 2 * (seconds + (merges - 1) * cheapest_of_all);
    }
    return own;
}

std::vector<int> ExchangeTerm::all_points() const {
    std::vector<int> points(region_.size());
    std::iota(points.begin(), points.end(), 0);
    return points;
}

std::vector<int> ExchangeTerm::one_of_each_class(std::span<const int> points) const {
    std::set<int> known;
    std::vector<int> first;
    std::ranges::copy_if(points, std::back_inserter(first), [&](int point) {
        return known.insert(class_[point]).second;
    });
    return first;
}

/// Transfer of the payload between a point and another of its class.
double ExchangeTerm::inside_class(int point) const {
    for (int other = 0; other < static_cast<int>(class_.size()); ++other) {
        if (other != point && class_[other] == class_[point]) {
            return transfer(point, other, payload_gb_);
        }
    }
    return 0;
}

std::vector<double> ExchangeTerm::member_bounds(int size) const {
    if (size <= 1) {
        return std::vector<double>(points(), 0.0);
    }
    const std::vector<int> first = one_of_each_class(all_points());
    std::map<int, std::size_t> entry_of_class;
    for (std::size_t i = 0; i < first.size(); ++i) {
        entry_of_class.emplace(class_[first[i]], i);
    }
    std::vector<double> of_class;
    if (kind_ == Exchange::kCentral) {
        of_class = central_bounds(first, size);
    } else if (kind_ == Exchange::kTree) {
        of_class = tree_bounds(first, size);
    } else {
        std::map<int, RegionBound> regions;
        for (const int point : first) {
            std::vector<int> peers = all_points();
            std::erase(peers, point);
            if (kind_ != Exchange::kHierarchical) {
                of_class.push_back(member_bound(point, peers, size));
                continue;
            }
            const int region = region_[static_cast<std::size_t>(point)];
            auto known = regions.find(region);
            if (known == regions.end()) {
                known = regions.emplace(region, region_bound(point, peers)).first;
            }
            of_class.push_back(hierarchical_bound(point, known->second, size));
        }
    }
    std::vector<double> bounds;
    for (const int number : class_) {
        bounds.push_back(of_class[entry_of_class.at(number)]);
    }
    return bounds;
}

double ExchangeTerm::part_bound(std::span<const int> part, int size) const {
    return kind_ == Exchange::kSharded ? sharded(part, payload_gb_ / size) : 0;
}

}  // namespace longhaul::placement
