#include "longhaul/schedule/slots.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::schedule {
namespace {

constexpr std::size_t kSlots = 65536;

/// Outputs a weight when `streams` senders send the same ids in order, evenly spread over a window
/// of alpha times the slots: what an aggregator sees when the last arrives that much after the
/// first.
double outputs_a_weight(int streams, double alpha, SlotIndex index, std::uint64_t ids) {
    SlotTable table(kSlots, index, 0, 5);
    const double window = alpha * static_cast<double>(kSlots);
    const std::uint64_t all = (std::uint64_t{1} << streams) - 1;
    std::vector<std::uint64_t> behind;
    for (int s = 0; s < streams; ++s) {
        behind.push_back(static_cast<std::uint64_t>(window * s / (streams - 1)));
    }
    std::vector<Partial> out;
    std::uint64_t outputs = 0;
    for (std::uint64_t tick = 0; tick < ids + behind.back(); ++tick) {
        for (std::size_t s = 0; s < behind.size(); ++s) {
            if (tick >= behind[s] && tick - behind[s] < ids) {
                table.arrive(
                    {tick - behind[s], std::uint64_t{1} << s, all, 1, static_cast<double>(tick)},
                    out);
            }
        }
        outputs += out.size();
        out.clear();
    }
    table.flush(1e12, out);
    return static_cast<double>(outputs + out.size()) / static_cast<double>(ids);
}

// Section 3 of the background page: conflicts under a random hash, by event simulation with as many
// slots. How its streams are spread over the window is not said; evenly spread ones give the digits
// there, but 3.90 in the last case.
TEST(SlotTable, ConflictsOfARandomHashAreAsKnown) {
    struct Known {
        int streams;
        double alpha, outputs, within;
    };
    for (const Known& known : {Known{2, 0.01, 1.02, 0.006},
                               Known{2, 0.05, 1.09, 0.01},
                               Known{2, 0.25, 1.39, 0.015},
                               Known{8, 0.01, 1.08, 0.01},
                               Known{8, 0.05, 1.39, 0.02},
                               Known{8, 0.1, 1.75, 0.03},
                               Known{8, 0.5, 4.0, 0.1}}) {
        EXPECT_NEAR(outputs_a_weight(known.streams, known.alpha, SlotIndex::kHash, 3 * kSlots),
                    known.outputs,
                    known.within)
            << known.streams << " streams, " << known.alpha;
    }
}

// "id mod S gives exactly 1.000 until alpha reaches 1" (same section).
TEST(SlotTable, ARingSplitsNothingUntilTheWindowFillsIt) {
    for (const int streams : {2, 8}) {
        for (const double alpha : {0.01, 0.5, 0.9, 0.9999}) {
            EXPECT_EQ(outputs_a_weight(streams, alpha, SlotIndex::kRing, 2 * kSlots), 1.0) << alpha;
        }
        EXPECT_GT(outputs_a_weight(streams, 1.01, SlotIndex::kRing, 2 * kSlots), 1.5);
    }
}

TEST(SlotTable, SumsLeaveWhenCompleteOrLateOrInTheWay) {
    SlotTable table(4, SlotIndex::kRing, 10);
    std::vector<Partial> out;
    EXPECT_TRUE(table.arrive({1, 1, 7, 100, 0}, out));
    EXPECT_TRUE(table.arrive({1, 2, 7, 20, 1}, out));
    EXPECT_FALSE(table.arrive({1, 2, 7, 20, 2}, out));
    EXPECT_TRUE(out.empty());
    EXPECT_TRUE(table.arrive({1, 4, 7, 3, 3}, out));
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].sum, 123);
    EXPECT_EQ(out[0].contributors, 7U);
    EXPECT_EQ(out[0].why, Eviction::kComplete);
    EXPECT_EQ(out[0].time_ms, 3);
    out.clear();

    table.arrive({2, 1, 7, 1, 4}, out);
    table.arrive({6, 1, 7, 5, 6}, out);  // the same slot
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].id, 2U);
    EXPECT_EQ(out[0].why, Eviction::kConflict);
    out.clear();

    // The timer of id 2, due at 14, must not throw out id 6, due at 16.
    table.expire(15.5, out);
    EXPECT_TRUE(out.empty());
    table.expire(16, out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].id, 6U);
    EXPECT_EQ(out[0].time_ms, 16);
    EXPECT_EQ(out[0].why, Eviction::kTimeout);
    EXPECT_EQ(table.occupied(), 0U);
    EXPECT_EQ(table.peak(), 1U);
}

/// The same by a map that is searched in full: slow and plain.
class PlainTable {
public:
    PlainTable(std::size_t slots, double timeout) : slots_(slots), timeout_(timeout) {}

    bool arrive(const Contribution& c, std::vector<Partial>& out) {
        expire(c.time_ms, out);
        for (auto it = sums_.begin(); it != sums_.end();) {
            const bool in_the_way = it->first != c.id && it->first % slots_ == c.id % slots_;
            if (in_the_way) {
                out.push_back(
                    {it->first, it->second.mask, it->second.sum, c.time_ms, Eviction::kConflict});
            }
            it = in_the_way ? sums_.erase(it) : std::next(it);
        }
        auto [it, fresh] = sums_.try_emplace(c.id);
        if (fresh) {
            it->second.since = c.time_ms;
        }
        if ((it->second.mask & c.contributor) != 0) {
            return false;
        }
        it->second.mask |= c.contributor;
        it->second.sum += c.value;
        if (it->second.mask == c.expected) {
            out.push_back({c.id, it->second.mask, it->second.sum, c.time_ms, Eviction::kComplete});
            sums_.erase(it);
        }
        return true;
    }

    void expire(double time, std::vector<Partial>& out) {
        std::vector<Partial> due;
        for (auto it = sums_.begin(); it != sums_.end();) {
            const double at = it->second.since + timeout_;
            if (at <= time) {
                due.push_back({it->first, it->second.mask, it->second.sum, at, Eviction::kTimeout});
            }
            it = at <= time ? sums_.erase(it) : std::next(it);
        }
        std::ranges::sort(due, {}, &Partial::time_ms);
        out.insert(out.end(), due.begin(), due.end());
    }

private:
    struct Sum {
        std::uint64_t mask = 0;
        std::int64_t sum = 0;
        double since = 0;
    };
    std::size_t slots_;
    double timeout_;
    std::map<std::uint64_t, Sum> sums_;
};

TEST(SlotTable, EqualsAPlainTableOnRandomArrivals) {
    core::Random random(21);
    for (int run = 0; run < 300; ++run) {
        const std::size_t slots = 1 + random.index(6);
        const double timeout = 1 + 20 * random.uniform();
        SlotTable table(slots, SlotIndex::kRing, timeout);
        PlainTable plain(slots, timeout);
        double time = 0;
        std::vector<Partial> out;
        std::vector<Partial> expected;
        for (int i = 0; i < 200; ++i) {
            time += 3 * random.uniform();
            const Contribution next{static_cast<std::uint64_t>(i / 6) + random.below(6),
                                    std::uint64_t{1} << random.below(4),
                                    15,
                                    static_cast<std::int64_t>(random.next()) - 2000000000,
                                    time};
            ASSERT_EQ(table.arrive(next, out), plain.arrive(next, expected));
        }
        ASSERT_EQ(out.size(), expected.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i].id, expected[i].id);
            ASSERT_EQ(out[i].contributors, expected[i].contributors);
            ASSERT_EQ(out[i].sum, expected[i].sum);
            ASSERT_EQ(out[i].time_ms, expected[i].time_ms);
            ASSERT_EQ(out[i].why, expected[i].why);
        }
    }
}

TEST(SlotTable, NothingThatArrivedIsForgotten) {
    core::Random random(22);
    for (const SlotIndex index : {SlotIndex::kRing, SlotIndex::kHash}) {
        SlotTable table(16, index, 7, 3);
        std::vector<Partial> out;
        std::vector<Partial> lost;
        std::int64_t sum = 0;
        std::uint64_t counted = 0;
        for (int i = 0; i < 5000; ++i) {
            const auto value = static_cast<std::int64_t>(random.below(1000));
            if (table.arrive(
                    {random.below(64), std::uint64_t{1} << random.below(3), 7, value, 0.1 * i},
                    out)) {
                sum += value;
                ++counted;
            }
            if (i == 2500) {
                table.wipe(lost);
                EXPECT_EQ(table.occupied(), 0U);
            }
        }
        table.flush(1e6, out);
        out.insert(out.end(), lost.begin(), lost.end());
        for (const Partial& partial : out) {
            sum -= partial.sum;
            counted -= static_cast<std::uint64_t>(std::popcount(partial.contributors));
        }
        EXPECT_EQ(sum, 0);
        EXPECT_EQ(counted, 0U);
        EXPECT_LE(table.peak(), 16U);
        EXPECT_FALSE(lost.empty());
    }
}

}  // namespace
}  // namespace longhaul::schedule
