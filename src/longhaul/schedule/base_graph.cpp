// Base-(k+1) graphs: exact consensus after a few steps, for any number of islands.
#include <algorithm>
#include <map>
#include <numeric>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/exchange_graphs.hpp"

namespace longhaul::schedule::detail {

namespace {

MixingMatrix identity_weights(std::size_t n) {
    MixingMatrix weights(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        weights(i, i) = 1;
    }
    return weights;
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

std::vector<MixingMatrix> base_graph(int islands, int degree) {
    std::vector<int> nodes(slot(islands));
    std::iota(nodes.begin(), nodes.end(), 0);
    return base_steps(nodes, degree, slot(islands));
}

}  // namespace longhaul::schedule::detail
