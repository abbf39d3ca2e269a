#include "longhaul/schedule/detail/symmetries.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

using Pairs = std::vector<std::pair<int, int>>;
using Cliques = std::vector<Clique>;

Cliques renamed(const Round& round, const std::vector<std::uint8_t>& names) {
    Cliques cliques;
    for (const Clique clique : round.cliques) {
        Clique other = 0;
        for (const int member : members_of(clique)) {
            other |= Clique{1} << names[slot(member)];
        }
        cliques.push_back(other);
    }
    std::ranges::sort(cliques);
    return cliques;
}

/// All permutations that keep the rounds and the shares, tried one by one.
std::set<std::vector<std::uint8_t>> by_trial(const RoundTable& table) {
    std::vector<std::uint8_t> names(table.n);
    std::iota(names.begin(), names.end(), std::uint8_t{0});
    std::set<Cliques> rounds;
    for (const ListedRound& listed : table.rounds) {
        rounds.insert(renamed(listed.round, names));
    }
    std::set<std::vector<std::uint8_t>> found;
    do {
        bool keeps = true;
        for (std::size_t i = 0; i < table.n; ++i) {
            keeps = keeps && table.share[i] == table.share[names[i]];
        }
        keeps = keeps && std::ranges::all_of(table.rounds, [&](const ListedRound& listed) {
                    return rounds.contains(renamed(listed.round, names));
                });
        if (keeps) {
            found.insert(names);
        }
    } while (std::ranges::next_permutation(names).found);
    return found;
}

void expect_group(const RoundTable& table, const Symmetries& symmetries) {
    const auto names_of = [&](std::size_t g) {
        const auto images = symmetries.images(static_cast<Symmetries::Index>(g));
        return std::vector<std::uint8_t>(images.begin(), images.end());
    };
    std::vector<std::uint8_t> same(table.n);
    std::iota(same.begin(), same.end(), std::uint8_t{0});
    EXPECT_EQ(names_of(0), same);
    for (std::size_t g = 0; g < symmetries.size(); ++g) {
        for (std::size_t r = 0; r < table.size(); ++r) {
            const std::uint32_t to = symmetries.round(static_cast<Symmetries::Index>(g), r);
            EXPECT_EQ(renamed(table.rounds[to].round, same),
                      renamed(table.rounds[r].round, names_of(g)));
        }
        for (std::size_t h = 0; h < symmetries.size(); ++h) {
            std::vector<std::uint8_t> both;
            for (const std::uint8_t to : names_of(g)) {
                both.push_back(names_of(h)[to]);
            }
            EXPECT_EQ(names_of(symmetries.then(static_cast<Symmetries::Index>(g),
                                               static_cast<Symmetries::Index>(h))),
                      both);
        }
    }
}

TEST(Symmetries, AreAllPermutationsThatKeepTheRounds) {
    for (const auto& [n, pairs, count] :
         {std::tuple(5, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, 10U),
          std::tuple(6, Pairs{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {0, 5}}, 2U),
          std::tuple(4, Pairs{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {1, 3}}, 24U),
          std::tuple(6, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 5}, {3, 5}}, 1U)}) {
        const RoundTable table(rounds_of_pairs(pairs, n), n, {});
        const Symmetries symmetries(table);
        const auto all = by_trial(table);
        EXPECT_EQ(symmetries.size(), count);
        EXPECT_EQ(symmetries.size(), all.size());
        expect_group(table, symmetries);
    }
}

TEST(Symmetries, KeepSharesAndRoundsThatPairsDoNotTell) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
        for (const bool equal : {true, false}) {
            MixingOptions options;
            if (!equal) {
                options.target = {1, 2, 1, 2, 1};
            }
            const RoundTable table(some_rounds(5, 3, seed), 5, options);
            const Symmetries symmetries(table);
            EXPECT_EQ(symmetries.size(), by_trial(table).size());
            expect_group(table, symmetries);
        }
    }
}

// All matchings of seven islands: 5,040 permutations, of which those that leave some alone are
// kept.
TEST(Symmetries, LeaveIslandsAloneWhereThereAreTooMany) {
    Pairs pairs;
    for (int a = 0; a < 7; ++a) {
        for (int b = a + 1; b < 7; ++b) {
            pairs.emplace_back(a, b);
        }
    }
    const RoundTable table(rounds_of_pairs(pairs, 7), 7, {});
    const Symmetries symmetries(table);
    EXPECT_EQ(symmetries.size(), 24U);
    expect_group(table, symmetries);
}

}  // namespace
}  // namespace longhaul::schedule::detail
