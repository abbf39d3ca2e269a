#include "longhaul/schedule/detail/product_floors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"
#include "longhaul/schedule/detail/start_bounds.hpp"

namespace longhaul::schedule::detail {
namespace {

constexpr std::size_t kLongest = 5;

/// Some partitions of the islands, the one in which all are alone left out.
std::vector<ListedRound> some_rounds(int n, std::size_t count, std::uint64_t seed) {
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

MixingOptions unequal(int n) {
    MixingOptions options;
    for (int i = 0; i < n; ++i) {
        options.target.push_back(1 + 0.3 * i);
    }
    return options;
}

TEST(Distinct, FindsWhatIsThere) {
    Distinct distinct(2);
    std::vector<float> list;
    for (int k = 0; k < 3000; ++k) {
        list.insert(list.end(), {static_cast<float>(k) / 4096, 0.25F});
        EXPECT_EQ(distinct.keep_last(list), k);
    }
    for (int k = 0; k < 3000; ++k) {
        list.insert(list.end(), {static_cast<float>(k) / 4096 + kGrain / 8, 0.25F});
        EXPECT_EQ(distinct.keep_last(list), k);
        EXPECT_EQ(list.size(), 6000U);
    }
    list.insert(list.end(), {0.5F, 0.75F});
    EXPECT_EQ(distinct.keep_last(list), 3000U);
    distinct.forget_last(list);
    EXPECT_EQ(list.size(), 6000U);
    list.insert(list.end(), {0.5F, 0.75F});
    EXPECT_EQ(distinct.keep_last(list), 3000U);
}

// Products of all sequences of rounds, multiplied out, are the twin.
TEST(ProductFloors, AreWhatTheBestProductsReach) {
    for (const auto& [n, count, seed] :
         {std::tuple(4, 5, 1U), std::tuple(5, 6, 2U), std::tuple(6, 6, 3U), std::tuple(7, 5, 4U)}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(n);
            auto rounds = some_rounds(n, static_cast<std::size_t>(count), seed);
            const AllProducts all(rounds, n, options);
            const RoundTable table(rounds, n, options);
            ProductFloors products(table);
            for (std::size_t h = 2; h <= kLongest; ++h) {
                double work = 1e9;
                const double least = products.least(h, work, {});
                EXPECT_NEAR(least, std::max(0.0, all.least[h] - kGrainsInError), 1e-5)
                    << n << " islands, " << h << " rounds";
                EXPECT_LE(least, all.least[h]);
                EXPECT_LT(work, 1e9);
            }
            double little = 10;
            EXPECT_EQ(ProductFloors(table).least(4, little, {}), 0);
            double enough = 1e9;
            EXPECT_EQ(ProductFloors(table).least(4, enough, [] { return true; }), 0);
        }
    }
}

TEST(ErrorFloors, AreBelowAllProducts) {
    for (const std::uint64_t seed : {5U, 6U, 7U}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(5);
            auto rounds = some_rounds(5, 6, seed);
            const AllProducts all(rounds, 5, options);
            const RoundTable table(rounds, 5, options);
            const SetErrors errors(5, options);
            ErrorFloors floors(table, errors, 1);
            EXPECT_NEAR(floors.of(1), all.least[1], 1e-9);
            EXPECT_NEAR(floors.of(2), all.least[2], 1e-9);
            const double before = floors.after(2);
            floors.look_at_rows(table, 1e5);
            EXPECT_GE(floors.after(2), before);
            for (std::size_t h = 1; h <= kLongest; ++h) {
                EXPECT_LE(floors.of(h), all.least[h] + 1e-9) << h;
            }
            // What is known of more rounds than these holds for these.
            const RoundTable fewer(std::span<const ListedRound>(rounds).first(4), 5, options);
            const ErrorFloors of_fewer(fewer, errors, 1, &floors);
            EXPECT_GE(of_fewer.of(2), all.least[2] - 1e-9);
            floors.raise(3, all.least[3]);
            EXPECT_NEAR(floors.of(3), all.least[3], 1e-9);
        }
    }
}

TEST(StartBounds, AreBelowAllSequences) {
    for (const auto& [n, count, seed] :
         {std::tuple(4, 4, 8U), std::tuple(5, 6, 9U), std::tuple(6, 5, 10U)}) {
        for (const bool equal : {true, false}) {
            const MixingOptions options = equal ? MixingOptions{} : unequal(n);
            auto rounds = some_rounds(n, static_cast<std::size_t>(count), seed);
            const AllProducts all(rounds, n, options);
            const RoundTable table(rounds, n, options);
            // Floors of the first rounds only, so that what comes later counts nothing.
            std::vector<double> floors(kLongest + 1, 0);
            floors[1] = all.least[1];
            floors[2] = all.least[2];
            StartBounds starts(table, floors, 1);
            EXPECT_NEAR(starts.least(), all.least[1] + all.least[2], 2e-4);
            double before = starts.least();
            for (const double cap : {0.9 * all.least_sum, 2 * all.least_sum}) {
                double work = 1e7;
                starts.look(cap, work, {});
                EXPECT_GT(work, 0);
                EXPECT_GE(starts.least(), std::min(cap, all.least_of_four) - 2e-4);
                EXPECT_LE(starts.least(), all.least_sum + 1e-6);
                EXPECT_GE(starts.least(), before - 1e-6);
                before = starts.least();
            }
            // The sum over each way, as far as products are known, never passes the bound.
            FastMixing mixing(n, options);
            std::vector<const Round*> product;
            const std::function<void(StartBounds::Node, double)> follow =
                [&](StartBounds::Node node, double sum) {
                    if (product.size() == kLongest) {
                        EXPECT_LE(starts.least(), sum + 1e-6);
                        return;
                    }
                    for (std::size_t r = 0; r < rounds.size(); ++r) {
                        product.push_back(&rounds[r].round);
                        const double longer = sum + mixing.error_after(product);
                        StartBounds::Node next = StartBounds::kUnknown;
                        if (node != StartBounds::kUnknown && starts.looked_behind(node)) {
                            next = starts.after(node, r);
                            EXPECT_LE(starts.left(node),
                                      longer - sum +
                                          (next == StartBounds::kUnknown ? starts.cap()
                                                                         : starts.left(next)) +
                                          2e-4);
                        }
                        follow(next, longer);
                        product.pop_back();
                    }
                };
            follow(StartBounds::kRoot, 0);
            // Little work: still below.
            StartBounds few(table, floors, 1);
            double work = 3;
            few.look(all.least_sum, work, {});
            EXPECT_LE(work, 0);
            EXPECT_LE(few.least(), all.least_sum + 1e-6);
        }
    }
}

}  // namespace
}  // namespace longhaul::schedule::detail
