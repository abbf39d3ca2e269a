#include "longhaul/schedule/detail/exchange_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

double pair_latency(const core::Grid<double>& latency, int i, int j) {
    return std::max(latency(slot(i), slot(j)), latency(slot(j), slot(i)));
}

/// Edges of the shortest spanning tree, shortest first.
Edges spanning_tree(const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    Edges all;
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            all.emplace_back(i, j);
        }
    }
    std::ranges::stable_sort(
        all, {}, [&](const auto& edge) { return pair_latency(latency, edge.first, edge.second); });
    std::vector<int> part(slot(n));
    std::iota(part.begin(), part.end(), 0);
    Edges tree;
    for (const auto& [i, j] : all) {
        const int from = part[slot(i)];
        const int to = part[slot(j)];
        if (from != to) {
            std::ranges::replace(part, from, to);
            tree.emplace_back(i, j);
        }
    }
    return tree;
}

}  // namespace

void keep_the_rest(MixingMatrix& weights) {
    for (std::size_t i = 0; i < weights.rows(); ++i) {
        double others = 0;
        for (std::size_t j = 0; j < weights.columns(); ++j) {
            others += i == j ? 0 : weights(i, j);
        }
        weights(i, i) = 1 - others;
    }
}

core::Grid<char> senders_of(const MixingMatrix& weights) {
    core::Grid<char> sends(weights.rows(), weights.columns(), 0);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
        for (std::size_t j = 0; j < weights.columns(); ++j) {
            sends(j, i) = i != j && weights(i, j) != 0 ? 1 : 0;
        }
    }
    return sends;
}

MixingMatrix metropolis(const Edges& edges, int islands) {
    std::vector<int> degree(slot(islands), 0);
    for (const auto& [i, j] : edges) {
        ++degree[slot(i)];
        ++degree[slot(j)];
    }
    MixingMatrix weights(slot(islands), slot(islands), 0);
    for (const auto& [i, j] : edges) {
        const double weight = 1.0 / (1 + std::max(degree[slot(i)], degree[slot(j)]));
        weights(slot(i), slot(j)) = weight;
        weights(slot(j), slot(i)) = weight;
    }
    keep_the_rest(weights);
    return weights;
}

MixingMatrix laplacian_step(const Edges& edges, int islands, double alpha) {
    MixingMatrix weights(slot(islands), slot(islands), 0);
    for (const auto& [i, j] : edges) {
        weights(slot(i), slot(j)) = alpha;
        weights(slot(j), slot(i)) = alpha;
    }
    keep_the_rest(weights);
    return weights;
}

namespace {

/// The lower island first, in ascending order, each once.
Edges in_order(Edges edges) {
    for (auto& [i, j] : edges) {
        if (i > j) {
            std::swap(i, j);
        }
    }
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    return edges;
}

/// Pairs that no island between them joins as fast.
Edges direct_pairs(const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    Edges edges;
    const auto direct = [&](int i, int j) {
        for (int via = 0; via < n; ++via) {
            if (via != i && via != j &&
                latency(slot(i), slot(via)) + latency(slot(via), slot(j)) <=
                    latency(slot(i), slot(j)) + 1e-9) {
                return false;
            }
        }
        return true;
    };
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            if (direct(i, j)) {
                edges.emplace_back(i, j);
            }
        }
    }
    return edges;
}

/// A spanning tree, and the two nearest of each island.
Edges near_pairs(const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    Edges edges = spanning_tree(latency);
    for (int i = 0; i < n; ++i) {
        std::vector<int> others;
        for (int j = 0; j < n; ++j) {
            if (j != i) {
                others.push_back(j);
            }
        }
        std::ranges::stable_sort(others, {}, [&](int j) { return pair_latency(latency, i, j); });
        for (std::size_t x = 0; x < std::min<std::size_t>(2, others.size()); ++x) {
            edges.emplace_back(i, others[x]);
        }
    }
    return in_order(std::move(edges));
}

/// Always on to the nearest island that is left.
std::vector<int> tour_from(int first, const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    std::vector<int> tour = {first};
    std::vector<char> seen(slot(n), 0);
    seen[slot(first)] = 1;
    while (static_cast<int>(tour.size()) < n) {
        int nearest = -1;
        for (int i = 0; i < n; ++i) {
            if (seen[slot(i)] == 0 &&
                (nearest < 0 || pair_latency(latency, tour.back(), i) <
                                    pair_latency(latency, tour.back(), nearest))) {
                nearest = i;
            }
        }
        seen[slot(nearest)] = 1;
        tour.push_back(nearest);
    }
    return tour;
}

/// Turns stretches round as long as that makes the tour shorter.
void shorten(std::vector<int>& tour, const core::Grid<double>& latency) {
    const std::size_t n = tour.size();
    const auto hop = [&](std::size_t a, std::size_t b) {
        return pair_latency(latency, tour[a % n], tour[b % n]);
    };
    for (bool better = true; better;) {
        better = false;
        for (std::size_t a = 0; a + 2 < n; ++a) {
            for (std::size_t b = a + 2; b < n && !(a == 0 && b + 1 == n); ++b) {
                if (hop(a, b) + hop(a + 1, b + 1) < hop(a, a + 1) + hop(b, b + 1) - 1e-9) {
                    std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(a + 1),
                                 tour.begin() + static_cast<std::ptrdiff_t>(b + 1));
                    better = true;
                }
            }
        }
    }
}

}  // namespace

Edges underlay(const RoundTimes& times) {
    const core::Grid<double>& latency = times.latency_ms();
    const std::size_t n = latency.rows();
    Edges edges;
    for (const topology::Link& link : times.islands().network.links) {
        if (link.from < link.to && link.to < n && !link.down) {
            edges.emplace_back(static_cast<int>(link.from), static_cast<int>(link.to));
        }
    }
    edges = in_order(std::move(edges));
    if (times.islands().transit.empty() && edges.size() <= 3 * n) {
        return edges;
    }
    edges = direct_pairs(latency);
    return edges.size() <= 3 * n ? edges : near_pairs(latency);
}

std::vector<int> short_tour(const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    std::vector<int> best;
    double least = kNever;
    for (int first = 0; first < n; ++first) {
        std::vector<int> tour = tour_from(first, latency);
        shorten(tour, latency);
        double length = 0;
        for (std::size_t a = 0; a < tour.size(); ++a) {
            length += pair_latency(latency, tour[a], tour[(a + 1) % tour.size()]);
        }
        if (length < least - 1e-9) {
            least = length;
            best = std::move(tour);
        }
    }
    return best;
}

std::vector<Clique> groups_of(const RoundTimes& times) {
    const std::vector<Island>& islands = times.islands().islands;
    std::map<std::string, Clique> regions;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        regions[islands[i].region.empty() ? "" : islands[i].region] |= Clique{1} << i;
    }
    std::vector<Clique> groups;
    if (regions.size() > 1 && !regions.contains("")) {
        for (const auto& [name, members] : regions) {
            groups.push_back(members);
        }
        return groups;
    }
    Edges tree = spanning_tree(times.latency_ms());
    const std::size_t wanted =
        static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(islands.size()))));
    tree.resize(tree.size() + 1 - std::min(tree.size() + 1, std::max<std::size_t>(1, wanted)));
    for (std::size_t i = 0; i < islands.size(); ++i) {
        groups.push_back(Clique{1} << i);
    }
    for (const auto& [i, j] : tree) {
        const auto a = std::ranges::find_if(
            groups, [&, at = i](Clique clique) { return (clique >> at & 1U) != 0; });
        const auto b = std::ranges::find_if(
            groups, [&, at = j](Clique clique) { return (clique >> at & 1U) != 0; });
        *a |= *b;
        groups.erase(b);
    }
    return groups;
}

double unicast_ms(const RoundTimes& times, const Edges& transfers) {
    const Islands& islands = times.islands();
    const double payload = 8000 * times.capabilities().payload_gb;
    std::vector<double> out(islands.size(), 0);
    std::vector<double> in(islands.size(), 0);
    std::vector<double> core(islands.network.links.size(), 0);
    for (const auto& [from, to] : transfers) {
        out[slot(from)] += payload / islands.islands[slot(from)].egress_gbps;
        in[slot(to)] += payload / islands.islands[slot(to)].ingress_gbps;
        for (const std::uint32_t link : times.path(from, to)) {
            core[link] += payload / islands.network.links[link].gbps;
        }
    }
    double longest = 0;
    for (const auto* loads : {&out, &in, &core}) {
        longest = std::max(longest, *std::ranges::max_element(*loads));
    }
    return longest;
}

namespace {

/// A payload around a ring in 2 (n - 1) steps.
double ring_ms(const RoundTimes& times, const std::vector<int>& tour) {
    Edges hops;
    double hop = 0;
    for (std::size_t at = 0; at < tour.size(); ++at) {
        hops.emplace_back(tour[at], tour[(at + 1) % tour.size()]);
        hop = std::max(hop, times.latency_ms()(slot(hops.back().first), slot(hops.back().second)));
    }
    const auto n = static_cast<double>(tour.size());
    return 2 * (n - 1) / n * unicast_ms(times, hops) + 2 * (n - 1) * hop;
}

}  // namespace

double fast_ring_ms(const RoundTimes& times) {
    std::vector<int> tour = short_tour(times.latency_ms());
    double least = ring_ms(times, tour);
    for (bool better = true; better;) {
        better = false;
        for (std::size_t a = 0; a < tour.size(); ++a) {
            for (std::size_t b = a + 1; b < tour.size(); ++b) {
                for (const bool reverse : {false, true}) {
                    std::vector<int> other = tour;
                    if (reverse) {
                        std::reverse(other.begin() + static_cast<std::ptrdiff_t>(a),
                                     other.begin() + static_cast<std::ptrdiff_t>(b + 1));
                    } else {
                        std::swap(other[a], other[b]);
                    }
                    if (const double now = ring_ms(times, other); now < least * (1 - 1e-9)) {
                        least = now;
                        tour = std::move(other);
                        better = true;
                    }
                }
            }
        }
    }
    return least;
}

}  // namespace longhaul::schedule::detail
