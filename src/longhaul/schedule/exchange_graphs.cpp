#include "longhaul/schedule/detail/exchange_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

MixingMatrix identity_weights(std::size_t n) {
    MixingMatrix weights(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        weights(i, i) = 1;
    }
    return weights;
}

/// Makes every row sum to 1 by what an island keeps of its own.
void keep_the_rest(MixingMatrix& weights) {
    for (std::size_t i = 0; i < weights.rows(); ++i) {
        double others = 0;
        for (std::size_t j = 0; j < weights.columns(); ++j) {
            others += i == j ? 0 : weights(i, j);
        }
        weights(i, i) = 1 - others;
    }
}

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

/// Averages inside consecutive groups of `size` islands of a list.
void average(const std::vector<int>& group, MixingMatrix& weights) {
    for (const int i : group) {
        for (const int j : group) {
            weights(slot(i), slot(j)) = 1.0 / static_cast<double>(group.size());
        }
    }
}

/// Factors of n, each at most `most`, largest first; empty when there are none (n > 1).
std::vector<int> small_factors(int n, int most) {
    std::vector<int> factors;
    while (n > 1) {
        int factor = std::min(most, n);
        while (factor > 1 && n % factor != 0) {
            --factor;
        }
        if (factor == 1) {
            return {};
        }
        factors.push_back(factor);
        n /= factor;
    }
    return factors;
}

/// One step of a list of nodes for every factor: digits of the position that differ in one place.
std::vector<std::vector<std::vector<int>>> hypercube(const std::vector<int>& nodes,
                                                     const std::vector<int>& factors) {
    std::vector<std::vector<std::vector<int>>> steps;
    std::size_t stride = 1;
    for (const int factor : factors) {
        std::map<std::size_t, std::vector<int>> groups;
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            const std::size_t digit = at / stride % slot(factor);
            groups[at - digit * stride].push_back(nodes[at]);
        }
        auto& step = steps.emplace_back();
        for (auto& [key, group] : groups) {
            step.push_back(std::move(group));
        }
        stride *= slot(factor);
    }
    return steps;
}

/// Steps for a list of nodes; nodes that a step leaves out keep what they have.
std::vector<MixingMatrix> base_steps(const std::vector<int>& nodes, int degree, std::size_t n) {
    const int count = static_cast<int>(nodes.size());
    std::vector<MixingMatrix> steps;
    if (count <= 1) {
        return steps;
    }
    const std::vector<int> factors = small_factors(count, degree + 1);
    if (!factors.empty()) {
        for (const auto& groups : hypercube(nodes, factors)) {
            MixingMatrix step = identity_weights(n);
            for (const auto& group : groups) {
                average(group, step);
            }
            steps.push_back(std::move(step));
        }
        return steps;
    }
    // n = a (k + 1)^p + rest, rest < (k + 1)^p.
    int power = 1;
    while (power * (degree + 1) <= count) {
        power *= degree + 1;
    }
    const int parts = count / power;
    const std::vector<int> large(nodes.begin(), nodes.begin() + parts * power);
    const std::vector<int> small(nodes.begin() + parts * power, nodes.end());
    steps = base_steps(large, degree, n);
    const std::vector<MixingMatrix> beside = base_steps(small, degree, n);
    for (std::size_t s = 0; s < beside.size(); ++s) {
        if (s == steps.size()) {
            steps.push_back(identity_weights(n));
        }
        for (const int i : small) {
            for (const int j : small) {
                steps[s](slot(i), slot(j)) = beside[s](slot(i), slot(j));
            }
        }
    }
    MixingMatrix exchange = identity_weights(n);
    const double weight = static_cast<double>(power) / count;
    for (std::size_t x = 0; x < small.size(); ++x) {
        for (int part = 0; part < parts; ++part) {
            const int partner = large[slot(part * power) + x];
            exchange(slot(small[x]), slot(partner)) = weight;
            exchange(slot(partner), slot(small[x])) = weight;
        }
    }
    keep_the_rest(exchange);
    steps.push_back(std::move(exchange));
    std::vector<MixingMatrix> spread;
    for (int part = 0; part < parts; ++part) {
        const std::vector<int> own(large.begin() + part * power,
                                   large.begin() + (part + 1) * power);
        const auto inner = base_steps(own, degree, n);
        for (std::size_t s = 0; s < inner.size(); ++s) {
            if (s == spread.size()) {
                spread.push_back(identity_weights(n));
            }
            for (const int i : own) {
                for (const int j : own) {
                    spread[s](slot(i), slot(j)) = inner[s](slot(i), slot(j));
                }
            }
        }
    }
    steps.insert(steps.end(), spread.begin(), spread.end());
    return steps;
}

}  // namespace

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

Edges underlay(const RoundTimes& times) {
    const core::Grid<double>& latency = times.latency_ms();
    const int n = static_cast<int>(latency.rows());
    Edges edges;
    for (const topology::Link& link : times.islands().network.links) {
        if (link.from < link.to && link.to < slot(n) && !link.down) {
            edges.emplace_back(static_cast<int>(link.from), static_cast<int>(link.to));
        }
    }
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    if (times.islands().transit.empty() && edges.size() <= 3 * slot(n)) {
        return edges;
    }
    edges.clear();
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            bool direct = true;
            for (int via = 0; via < n && direct; ++via) {
                direct = via == i || via == j ||
                         latency(slot(i), slot(via)) + latency(slot(via), slot(j)) >
                             latency(slot(i), slot(j)) + 1e-9;
            }
            if (direct) {
                edges.emplace_back(i, j);
            }
        }
    }
    if (edges.size() <= 3 * slot(n)) {
        return edges;
    }
    edges = spanning_tree(latency);
    for (int i = 0; i < n; ++i) {
        std::vector<int> others;
        for (int j = 0; j < n; ++j) {
            if (j != i) {
                others.push_back(j);
            }
        }
        std::ranges::stable_sort(others, {}, [&](int j) { return pair_latency(latency, i, j); });
        for (std::size_t x = 0; x < std::min<std::size_t>(2, others.size()); ++x) {
            edges.emplace_back(std::min(i, others[x]), std::max(i, others[x]));
        }
    }
    for (auto& [i, j] : edges) {
        if (i > j) {
            std::swap(i, j);
        }
    }
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    return edges;
}

std::vector<Edges> matchings(const Edges& edges, int islands) {
    std::vector<Edges> found;
    std::vector<std::vector<char>> used;
    for (const auto& [i, j] : edges) {
        std::size_t m = 0;
        while (m < found.size() && (used[m][slot(i)] != 0 || used[m][slot(j)] != 0)) {
            ++m;
        }
        if (m == found.size()) {
            found.emplace_back();
            used.emplace_back(slot(islands), 0);
        }
        found[m].emplace_back(i, j);
        used[m][slot(i)] = used[m][slot(j)] = 1;
    }
    return found;
}

std::vector<double> matching_odds(const std::vector<Edges>& parts, int islands, double budget) {
    const std::size_t n = slot(islands);
    std::vector<double> odds(parts.size(), budget);
    for (int round = 0; round < 60; ++round) {
        // The second eigenvector of the expected Laplacian: power steps on c I - L.
        double shift = 0;
        for (std::size_t m = 0; m < parts.size(); ++m) {
            shift += 2 * odds[m];
        }
        std::vector<double> vector(n);
        for (std::size_t i = 0; i < n; ++i) {
            vector[i] = std::sin(static_cast<double>(i) * 1.7 + 0.3);
        }
        for (int step = 0; step < 200; ++step) {
            std::vector<double> next = vector;
            for (double& value : next) {
                value *= shift;
            }
            for (std::size_t m = 0; m < parts.size(); ++m) {
                for (const auto& [i, j] : parts[m]) {
                    const double flow = odds[m] * (vector[slot(i)] - vector[slot(j)]);
                    next[slot(i)] -= flow;
                    next[slot(j)] += flow;
                }
            }
            const double mean =
                std::accumulate(next.begin(), next.end(), 0.0) / static_cast<double>(n);
            double norm = 0;
            for (double& value : next) {
                value -= mean;
                norm += value * value;
            }
            norm = norm > 0 ? std::sqrt(norm) : 1;
            for (double& value : next) {
                value /= norm;
            }
            vector = std::move(next);
        }
        // Its gradient in the odds, then back to the budget within [0, 1].
        const double length = 0.5 / (round + 1);
        for (std::size_t m = 0; m < parts.size(); ++m) {
            double gain = 0;
            for (const auto& [i, j] : parts[m]) {
                const double flow = vector[slot(i)] - vector[slot(j)];
                gain += flow * flow;
            }
            odds[m] += length * gain;
        }
        const double wanted = budget * static_cast<double>(parts.size());
        double low = -2;
        double high = 2;
        for (int step = 0; step < 60; ++step) {
            const double middle = (low + high) / 2;
            double sum = 0;
            for (const double value : odds) {
                sum += std::clamp(value + middle, 0.0, 1.0);
            }
            (sum < wanted ? low : high) = middle;
        }
        for (double& value : odds) {
            value = std::clamp(value + high, 0.0, 1.0);
        }
    }
    return odds;
}

double matching_alpha(const std::vector<Edges>& parts,
                      const std::vector<double>& odds,
                      int islands) {
    const std::size_t n = slot(islands);
    // E[L] and E[L L]: matchings are independent, and L of a matching is twice itself squared.
    core::Grid<double> mean(n, n, 0);
    core::Grid<double> spread(n, n, 0);
    std::vector<int> degree(n, 0);
    for (std::size_t m = 0; m < parts.size(); ++m) {
        for (const auto& [i, j] : parts[m]) {
            ++degree[slot(i)];
            ++degree[slot(j)];
            for (auto* grid : {&mean, &spread}) {
                const double weight = grid == &mean ? odds[m] : 2 * odds[m] * (1 - odds[m]);
                (*grid)(slot(i), slot(i)) += weight;
                (*grid)(slot(j), slot(j)) += weight;
                (*grid)(slot(i), slot(j)) -= weight;
                (*grid)(slot(j), slot(i)) -= weight;
            }
        }
    }
    const auto times = [&](const core::Grid<double>& grid, const std::vector<double>& vector) {
        std::vector<double> product(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                product[i] += grid(i, j) * vector[j];
            }
        }
        return product;
    };
    // Power steps on E[W W] - J = I - 2 a E[L] + a^2 (E[L]^2 + spread), J left out by centring.
    const auto factor = [&](double alpha) {
        std::vector<double> vector(n);
        for (std::size_t i = 0; i < n; ++i) {
            vector[i] = std::sin(static_cast<double>(i) * 1.7 + 0.3);
        }
        double norm = 0;
        for (int step = 0; step < 150; ++step) {
            const std::vector<double> once = times(mean, vector);
            const std::vector<double> twice = times(mean, once);
            const std::vector<double> more = times(spread, vector);
            double centre = 0;
            for (std::size_t i = 0; i < n; ++i) {
                vector[i] += -2 * alpha * once[i] + alpha * alpha * (twice[i] + more[i]);
                centre += vector[i] / static_cast<double>(n);
            }
            norm = 0;
            for (double& value : vector) {
                value -= centre;
                norm += value * value;
            }
            norm = std::sqrt(norm);
            for (double& value : vector) {
                value /= norm > 0 ? norm : 1;
            }
        }
        return norm;
    };
    const double most = 1.0 / std::max(1, *std::ranges::max_element(degree));
    double best = std::min(0.01, most);
    double least = kNever;
    for (double alpha = 0.01; alpha <= most + 1e-12; alpha += 0.01) {
        if (const double now = factor(alpha); now < least) {
            least = now;
            best = alpha;
        }
    }
    return best;
}

std::vector<int> short_tour(const core::Grid<double>& latency) {
    const int n = static_cast<int>(latency.rows());
    std::vector<int> best;
    double least = kNever;
    for (int first = 0; first < n; ++first) {
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
        const auto hop = [&](std::size_t a, std::size_t b) {
            return pair_latency(latency, tour[a % slot(n)], tour[b % slot(n)]);
        };
        for (bool better = true; better;) {
            better = false;
            for (std::size_t a = 0; a + 2 < slot(n); ++a) {
                for (std::size_t b = a + 2; b < slot(n) && !(a == 0 && b + 1 == slot(n)); ++b) {
                    if (hop(a, b) + hop(a + 1, b + 1) < hop(a, a + 1) + hop(b, b + 1) - 1e-9) {
                        std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(a + 1),
                                     tour.begin() + static_cast<std::ptrdiff_t>(b + 1));
                        better = true;
                    }
                }
            }
        }
        double length = 0;
        for (std::size_t a = 0; a < slot(n); ++a) {
            length += hop(a, a + 1);
        }
        if (length < least - 1e-9) {
            least = length;
            best = tour;
        }
    }
    return best;
}

std::vector<MixingMatrix> base_graph(int islands, int degree) {
    std::vector<int> nodes(slot(islands));
    std::iota(nodes.begin(), nodes.end(), 0);
    return base_steps(nodes, degree, slot(islands));
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

}  // namespace longhaul::schedule::detail
