// MATCHA: matchings of the links, how often each runs, and the weight of a step.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/exchange_graphs.hpp"

namespace longhaul::schedule::detail {

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

}  // namespace longhaul::schedule::detail
