// Products of rounds multiplied out, for tests of bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"

namespace longhaul::schedule::detail {

inline constexpr std::size_t kLongest = 5;

/// Some partitions of the islands, the one in which all are alone left out.
inline std::vector<ListedRound> some_rounds(int n, std::size_t count, std::uint64_t seed) {
    core::Random random(seed, 31);
    std::vector<ListedRound> rounds;
    while (rounds.size() < count) {
        std::vector<Clique> cliques(slot(n), 0);
        for (int i = 0; i < n; ++i) {
            cliques[random.index(slot(n))] |= Clique{1} << i;
        }
        std::erase(cliques, Clique{0});
        const Round round = make_round(cliques, n);
        int widest = 1;
        for (const Clique clique : round.cliques) {
            widest = std::max(widest, clique_size(clique));
        }
        const bool known = std::ranges::any_of(
            rounds, [&](const ListedRound& other) { return other.round == round; });
        if (widest > 1 && !known) {
            rounds.push_back({round, 1, 0, widest});
        }
    }
    return rounds;
}

/// Errors of all products of up to kLongest rounds, multiplied out.
class AllProducts {
public:
    AllProducts(std::vector<ListedRound>& rounds, int n, const MixingOptions& options)
        : rounds_(rounds), mixing_(n, options) {
        for (ListedRound& round : rounds_) {
            round.error = mixing_.error_after({&round.round});
        }
        std::vector<const Round*> product;
        extend(product, 0);
    }

    std::array<double, kLongest + 1> least = {1, 9, 9, 9, 9, 9};  ///< by length
    /// Least of e(1) + e(2) + ... + e(kLongest), each times its power of the forgetting.
    double least_sum = INFINITY;
    double least_of_four = INFINITY;  ///< the same of the first four

private:
    void extend(std::vector<const Round*>& product, double sum) {
        if (product.size() == kLongest) {
            least_sum = std::min(least_sum, sum);
            return;
        }
        if (product.size() == 4) {
            least_of_four = std::min(least_of_four, sum);
        }
        for (const ListedRound& round : rounds_) {
            product.push_back(&round.round);
            const double error = mixing_.error_after(product);
            least[product.size()] = std::min(least[product.size()], error);
            extend(product, sum + error);
            product.pop_back();
        }
    }

    std::vector<ListedRound>& rounds_;
    FastMixing mixing_;
};

/// Every choice of pairs, at least one, that share no island; the others are alone.
inline std::vector<ListedRound> rounds_of_pairs(const std::vector<std::pair<int, int>>& pairs,
                                                int n) {
    std::vector<ListedRound> rounds;
    std::vector<std::pair<int, int>> chosen;
    const std::function<void(std::size_t)> extend = [&](std::size_t next) {
        if (next == pairs.size()) {
            if (chosen.empty()) {
                return;
            }
            std::vector<Clique> cliques;
            Clique paired = 0;
            for (const auto& [a, b] : chosen) {
                cliques.push_back(Clique{1} << a | Clique{1} << b);
                paired |= cliques.back();
            }
            for (int i = 0; i < n; ++i) {
                if ((paired >> i & 1U) == 0) {
                    cliques.push_back(Clique{1} << i);
                }
            }
            const Round round = make_round(cliques, n);
            rounds.push_back({round, 1, SetErrors(n, {}).one(round), 2});
            return;
        }
        extend(next + 1);
        const auto& [a, b] = pairs[next];
        if (std::ranges::none_of(chosen, [&](const auto& pair) {
                return pair.first == a || pair.first == b || pair.second == a || pair.second == b;
            })) {
            chosen.push_back(pairs[next]);
            extend(next + 1);
            chosen.pop_back();
        }
    };
    extend(0);
    return rounds;
}

inline MixingOptions unequal(int n) {
    MixingOptions options;
    for (int i = 0; i < n; ++i) {
        options.target.push_back(1 + 0.3 * i);
    }
    return options;
}

}  // namespace longhaul::schedule::detail
