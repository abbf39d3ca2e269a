#include "longhaul/schedule/detail/round_sequences.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/test_products.hpp"

namespace longhaul::schedule::detail {
namespace {

constexpr int kIslands = 6;
constexpr double kNone = std::numeric_limits<double>::infinity();

/// Three islands hang on a hub each, the hubs meet each other: six islands, pairs only.
const std::vector<std::pair<int, int>> kHubs = {{0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {3, 5}};

std::vector<ListedRound> timed_rounds(const std::vector<std::pair<int, int>>& pairs, int islands) {
    auto rounds = rounds_of_pairs(pairs, islands);
    for (ListedRound& round : rounds) {
        round.time_ms = 10;
    }
    return rounds;
}

Schedule schedule_of(const std::vector<ListedRound>& rounds, std::span<const std::size_t> period) {
    Schedule schedule;
    for (const std::size_t round : period) {
        schedule.rounds.push_back(rounds[round].round);
    }
    return schedule;
}

double score_of(const std::vector<ListedRound>& rounds,
                const Schedule& schedule,
                int islands,
                double rho) {
    MixingOptions mixing;
    mixing.forgetting = rho;
    FastMixing fast(islands, mixing);
    const auto period = static_cast<double>(schedule.rounds.size());
    return rounds.front().time_ms * (0.5 + fast.area(schedule, kNone) / period);
}

// All periods of up to three rounds are the twin.
TEST(RoundSequences, FindTheBestShortPeriods) {
    const auto rounds = timed_rounds(kHubs, kIslands);
    for (const double rho : {1.0, 0.8}) {
        MixingOptions mixing;
        mixing.forgetting = rho;
        double least = kNone;
        for (const ListedRound& a : rounds) {
            for (const ListedRound& b : rounds) {
                for (const ListedRound& c : rounds) {
                    least =
                        std::min({least,
                                  score_of(rounds, {{a.round, b.round, c.round}}, kIslands, rho),
                                  score_of(rounds, {{a.round, b.round}}, kIslands, rho)});
                }
            }
        }
        std::set<std::size_t> lengths;
        RoundSequences sequences(rounds, kIslands, mixing, 3);
        const auto score = [&](std::span<const std::size_t> period) {
            EXPECT_LE(period.size(), 3U);
            lengths.insert(period.size());
            return score_of(rounds, schedule_of(rounds, period), kIslands, rho);
        };
        EXPECT_NEAR(sequences.look(kNone, 1, {score, {}}), least, 1e-9);
        EXPECT_GT(lengths.size(), 1U);
    }
}

// Longer ones are better where three of five islands, of which two never meet, have one more each
// that meets nobody else; and no period is tried twice.
TEST(RoundSequences, FindLongerPeriods) {
    auto pairs = std::vector<std::pair<int, int>>{{0, 3}, {1, 4}, {2, 5}};
    for (int a = 3; a < 8; ++a) {
        for (int b = 3; b < a; ++b) {
            if (a != 6 || b != 5) {
                pairs.emplace_back(b, a);
            }
        }
    }
    const auto rounds = timed_rounds(pairs, 8);
    std::set<std::vector<std::size_t>> tried;
    const auto score = [&](std::span<const std::size_t> period) {
        EXPECT_TRUE(tried.insert({period.begin(), period.end()}).second);
        return score_of(rounds, schedule_of(rounds, period), 8, 1);
    };
    const double of_three = RoundSequences(rounds, 8, {}, 3).look(kNone, 0.3, {score, {}});
    tried.clear();
    const double of_many = RoundSequences(rounds, 8, {}, 12).look(kNone, 0.3, {score, {}});
    EXPECT_LT(of_many, 0.99 * of_three);
}

TEST(RoundSequences, EndWhenAsked) {
    const auto rounds = timed_rounds(kHubs, kIslands);
    int asked = 0;
    const auto score = [](std::span<const std::size_t>) { return kNone; };
    const double none =
        RoundSequences(rounds, kIslands, {}, 12).look(50, 1, {score, [&] { return ++asked > 3; }});
    EXPECT_EQ(none, 50);
    EXPECT_LE(asked, 6);
    // Nothing that takes so long can be better.
    EXPECT_EQ(RoundSequences(rounds, kIslands, {}, 12).look(15, 1, {score, {}}), 15);
}

}  // namespace
}  // namespace longhaul::schedule::detail
