#include "longhaul/schedule/detail/remainders.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/product_floors.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

/// Sums of errors of what may follow some rounds, multiplied out.
class Following {
public:
    Following(const std::vector<ListedRound>& rounds, int n, const MixingOptions& options)
        : rounds_(rounds), mixing_(n, options), forgetting_(options.forgetting) {}

    /// The least sum of so many further rounds.
    double least(const std::vector<const Round*>& first, std::size_t more) {
        product_ = first;
        double least = INFINITY;
        extend(more, 1, 0, least);
        return least;
    }
    /// What three further rounds sum up to that go on and on, the best of all.
    double reached(const std::vector<const Round*>& first) {
        double least = INFINITY;
        for (const ListedRound& a : rounds_) {
            for (const ListedRound& b : rounds_) {
                for (const ListedRound& c : rounds_) {
                    product_ = first;
                    double sum = 0;
                    double worth = 1;
                    for (int k = 0; k < 20 && sum < least; ++k) {
                        for (const ListedRound* next : {&a, &b, &c}) {
                            product_.push_back(&next->round);
                            worth *= forgetting_;
                            sum += worth * mixing_.error_after(product_);
                        }
                    }
                    least = std::min(least, sum);
                }
            }
        }
        return least;
    }

private:
    void extend(std::size_t more, double worth, double sum, double& least) {
        if (more == 0) {
            least = std::min(least, sum);
            return;
        }
        for (const ListedRound& round : rounds_) {
            product_.push_back(&round.round);
            const double next = worth * forgetting_;
            extend(more - 1, next, sum + next * mixing_.error_after(product_), least);
            product_.pop_back();
        }
    }

    const std::vector<ListedRound>& rounds_;
    FastMixing mixing_;
    double forgetting_;
    std::vector<const Round*> product_;
};

/// All that bounds need of a table.
struct Prepared {
    Prepared(const std::vector<ListedRound>& rounds,
             int n,
             const MixingOptions& options,
             bool lists)
        : table(rounds, n, options),
          floors(table, SetErrors(n, options), options.forgetting),
          symmetries(table) {
        ProductFloors products(table, finest_sides(slot(n)));
        for (std::size_t length = 1; lists && length <= 3; ++length) {
            double enough = 1e9;
            ahead.push_back(products.later(length, 1'000'000, enough, {}).value());
        }
    }

    RoundTable table;
    ErrorFloors floors;
    std::vector<LaterProducts> ahead;
    Symmetries symmetries;
};

// Behind all products of none, one and two rounds: what sequences of three more rounds sum up to at
// least can be proved, and nothing above what some sequence reaches.
TEST(Remainders, AreWhatTheBestSequencesLeave) {
    constexpr double kRounding = 1e-3;
    for (const auto& [n, count, seed] :
         {std::tuple(4, 4, 8U), std::tuple(5, 6, 9U), std::tuple(6, 5, 10U)}) {
        for (const auto& [equal, lists, forgetting] : {std::tuple(true, false, 1.0),
                                                       std::tuple(true, true, 1.0),
                                                       std::tuple(false, true, 1.0),
                                                       std::tuple(true, true, 0.8)}) {
            MixingOptions options = equal ? MixingOptions{} : unequal(n);
            options.forgetting = forgetting;
            auto rounds = some_rounds(n, static_cast<std::size_t>(count), seed);
            const AllProducts all(rounds, n, options);
            Prepared of(rounds, n, options, lists);
            Following following(rounds, n, options);
            Remainders remainders(of.table, forgetting, of.ahead, of.symmetries);
            remainders.use_floors(of.floors);
            RoundsOnRows rows(of.table);
            std::vector<const Round*> product;
            const std::function<void(std::vector<float>)> look = [&](std::vector<float> numbers) {
                const auto id = remainders.find(numbers.data(), product.size());
                EXPECT_EQ(remainders.find(numbers.data(), product.size()), id);
                const double reached = following.reached(product);
                const double least = following.least(product, 3);
                EXPECT_LE(remainders.at_least(id), reached + kRounding);
                double work = 1e7;
                EXPECT_TRUE(remainders.raise(id, least - kRounding, work, {}));
                EXPECT_GE(remainders.at_least(id), least - 2 * kRounding);
                EXPECT_GT(work, 0);
                EXPECT_GE(remainders.reached(id), least - kRounding);
                work = 1e4;
                EXPECT_FALSE(remainders.raise(id, reached + kRounding, work, {}));
                work = 1e4;
                remainders.look_ahead(id, reached + 1, work);
                EXPECT_LE(remainders.at_least(id), reached + kRounding);
                for (std::size_t r = 0; r < rounds.size() && product.size() < 2; ++r) {
                    rows.take(numbers.data());
                    std::vector<float> next(rows.width());
                    rows.apply(r, next.data());
                    product.push_back(&rounds[r].round);
                    look(next);
                    product.pop_back();
                }
            };
            look(rows.unit());
        }
    }
}

TEST(Remainders, AreNotProvedWithoutWork) {
    auto rounds = some_rounds(6, 5, 10);
    const AllProducts all(rounds, 6, {});
    Prepared of(rounds, 6, {}, true);
    Remainders remainders(of.table, 1, of.ahead, of.symmetries);
    remainders.use_floors(of.floors);
    const double to = 0.98 * all.least_sum;
    double little = 3;
    EXPECT_FALSE(remainders.raise(remainders.none(), to, little, {}));
    EXPECT_LE(little, 0);
    EXPECT_LE(remainders.at_least(remainders.none()), all.least_sum);
    double stopped = 1e7;
    EXPECT_FALSE(remainders.raise(remainders.none(), to, stopped, [] { return true; }));
    double much = 1e7;
    EXPECT_TRUE(remainders.raise(remainders.none(), to, much, {}));
    EXPECT_GE(remainders.at_least(remainders.none()), to - 2 * kGrainsInError);
}

// Cycles, a path with two leaves, two triangles: products that are equal but for the names of
// islands are one.
TEST(Remainders, OfSymmetricProductsAreTheSame) {
    using Pairs = std::vector<std::pair<int, int>>;
    for (const auto& [n, pairs] : {std::pair(5, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}),
                                   std::pair(6, Pairs{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {0, 5}}),
                                   std::pair(6, Pairs{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {0, 3}})}) {
        auto rounds = rounds_of_pairs(pairs, n);
        Prepared of(rounds, n, {}, false);
        ASSERT_GT(of.symmetries.size(), 1U);
        Remainders remainders(of.table, 1, of.ahead, of.symmetries);
        remainders.use_floors(of.floors);
        RoundsOnRows rows(of.table);
        const auto behind = [&](const std::vector<std::size_t>& sequence) {
            std::vector<float> product = rows.unit();
            for (const std::size_t round : sequence) {
                rows.take(product.data());
                rows.apply(round, product.data());
            }
            return product;
        };
        std::size_t different = 0;
        for (std::size_t a = 0; a < rounds.size(); ++a) {
            for (std::size_t b = 0; b < rounds.size(); ++b) {
                const auto id = remainders.find(behind({a, b}).data(), 2);
                different = std::max<std::size_t>(different, id);
                for (std::size_t g = 0; g < of.symmetries.size(); ++g) {
                    const auto index = static_cast<Symmetries::Index>(g);
                    const std::vector<float> same =
                        behind({of.symmetries.round(index, a), of.symmetries.round(index, b)});
                    EXPECT_EQ(remainders.find(same.data(), 2), id);
                }
            }
        }
        EXPECT_GT(different, 2U);
        EXPECT_LT(different, rounds.size() * rounds.size() / 2);
    }
}

}  // namespace
}  // namespace longhaul::schedule::detail
