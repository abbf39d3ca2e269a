#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

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

/// Least over the possible numbers of regions and owners. With one region it is `sharded` among
/// peers of the region. With R, an owner of the member's region crosses R - 1 times, and the member
/// itself meets at least k - 1 owners.
double ExchangeTerm::hierarchical_bound(int point, std::span<const int> peers, int size) const {
    const auto region = [this](int p) { return region_[static_cast<std::size_t>(p)]; };
    std::vector<int> here;
    std::vector<int> away;
    std::vector<int> regions;
    for (const int peer : peers) {
        (region(peer) == region(point) ? here : away).push_back(peer);
    }
    for (const int peer : away) {
        regions.push_back(region(peer));
    }
    std::ranges::sort(regions);
    const auto others = static_cast<int>(std::ranges::unique(regions).begin() - regions.begin());
    double least = std::numeric_limits<double>::infinity();
    if (static_cast<int>(here.size()) >= size - 1) {
        least = 2 * cheapest_sum(point, here, size - 1, payload_gb_ / size);
    }
    std::vector<int> near = here;
    near.push_back(point);
    for (int r = 2; r <= std::min(size, others + 1); ++r) {
        for (int k = 1; k <= std::min(size / r, static_cast<int>(near.size())); ++k) {
            double crossing = std::numeric_limits<double>::infinity();
            for (const int member : near) {
                crossing = std::min(crossing, cheapest_sum(member, away, 1, payload_gb_ / (k * r)));
            }
            const double meeting = cheapest_sum(point, here, k - 1, payload_gb_ / k);
            least = std::min(least, 2 * meeting + 2 * (r - 1) * crossing);
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
            return hierarchical_bound(point, peers, size);
    }
    return 0;
}

double ExchangeTerm::part_bound(std::span<const int> part, int size) const {
    return kind_ == Exchange::kSharded ? sharded(part, payload_gb_ / size) : 0;
}

}  // namespace longhaul::placement
