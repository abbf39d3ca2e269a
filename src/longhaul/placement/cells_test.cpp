#include "longhaul/placement/cells.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

TEST(LeastTransport, CostsAsMuchAsTheAssignmentOfSingleUnits) {
    for (int i = 0; i < 300; ++i) {
        core::Random random(43, static_cast<std::uint64_t>(i));
        const std::size_t rows = 1 + random.index(6);
        const std::size_t columns = 1 + random.index(6);
        const std::size_t units = std::max(rows, columns) + random.index(20);
        std::vector<int> supply(rows, 1);
        std::vector<int> demand(columns, 1);
        for (std::size_t u = rows; u < units; ++u) {
            ++supply[random.index(rows)];
        }
        for (std::size_t u = columns; u < units; ++u) {
            ++demand[random.index(columns)];
        }
        core::Grid<LexCost> costs(rows, columns);
        for (LexCost& cost : costs.cells()) {
            cost = {{random.below(3), random.below(10), 0}};
        }
        std::vector<std::size_t> row_of;
        std::vector<std::size_t> column_of;
        for (std::size_t r = 0; r < rows; ++r) {
            row_of.insert(row_of.end(), static_cast<std::size_t>(supply[r]), r);
        }
        for (std::size_t c = 0; c < columns; ++c) {
            column_of.insert(column_of.end(), static_cast<std::size_t>(demand[c]), c);
        }
        core::Grid<LexCost> single(units, units);
        for (std::size_t a = 0; a < units; ++a) {
            for (std::size_t b = 0; b < units; ++b) {
                single(a, b) = costs(row_of[a], column_of[b]);
            }
        }
        LexCost expected;
        const std::vector<int> partner = least_assignment(single);
        for (std::size_t a = 0; a < units; ++a) {
            expected = expected + single(a, static_cast<std::size_t>(partner[a]));
        }
        const core::Grid<int> sent = least_transport(costs, supply, demand);
        LexCost found;
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                ASSERT_GE(sent(r, c), 0);
                supply[r] -= sent(r, c);
                demand[c] -= sent(r, c);
                for (int u = 0; u < sent(r, c); ++u) {
                    found = found + costs(r, c);
                }
            }
        }
        ASSERT_EQ(found.part, expected.part) << i;
        ASSERT_EQ(supply, std::vector<int>(rows, 0));
        ASSERT_EQ(demand, std::vector<int>(columns, 0));
    }
}

struct Sums {
    int apart = 0;
    std::int64_t nanoseconds = 0;
    double worst = 0;
    friend bool operator==(const Sums&, const Sums&) = default;
};

Sums sums_of(const PairMatrix& pipeline,
             const std::vector<int>& stage,
             const std::vector<int>& next,
             const std::vector<int>& host_of) {
    Sums sums;
    for (std::size_t r = 0; r < stage.size(); ++r) {
        const auto a = static_cast<std::size_t>(stage[r]);
        const auto b = static_cast<std::size_t>(next[r]);
        sums.apart += host_of[a] != host_of[b] ? 1 : 0;
        sums.nanoseconds += std::llround(pipeline(a, b) * 1e9);
        sums.worst = std::max(sums.worst, pipeline(a, b));
    }
    return sums;
}

/// The best order by an assignment of single devices.
std::vector<int> by_devices(const PairMatrix& pipeline,
                            const std::vector<int>& stage,
                            const std::vector<int>& next,
                            const std::vector<int>& host_of) {
    const double bottleneck = BottleneckSolver().solve(pipeline, stage, next);
    core::Grid<LexCost> price(stage.size(), next.size());
    for (std::size_t i = 0; i < stage.size(); ++i) {
        for (std::size_t j = 0; j < next.size(); ++j) {
            const auto a = static_cast<std::size_t>(stage[i]);
            const auto b = static_cast<std::size_t>(next[j]);
            const std::int64_t apart = host_of[a] != host_of[b] ? 1 : 0;
            price(i, j) = {{pipeline(a, b) > bottleneck ? 1'000'000 : apart,
                            std::llround(pipeline(a, b) * 1e9),
                            0}};
        }
    }
    std::vector<int> ordered;
    for (const int column : least_assignment(price)) {
        ordered.push_back(next[static_cast<std::size_t>(column)]);
    }
    return ordered;
}

TEST(ContinueByCells, IsAsGoodAsAnAssignmentOfSingleDevices) {
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(44, i);
        const std::size_t kinds = 1 + instance.random.index(6);
        const std::size_t n = 2 * (1 + instance.random.index(20));
        std::vector<int> kind_of(n);
        std::vector<int> host_of(n);
        for (std::size_t d = 0; d < n; ++d) {
            kind_of[d] = static_cast<int>(instance.random.index(kinds));
            host_of[d] = static_cast<int>(instance.random.index(i % 4 == 0 ? 1000 : 6));
        }
        const PairMatrix pipeline(kind_of,
                                  random_costs(kinds, instance.levels, false, instance.random));
        const std::vector<int> devices = testing::shuffled(n, instance.random);
        const auto middle = devices.begin() + static_cast<std::ptrdiff_t>(n / 2);
        const std::vector<int> stage(devices.begin(), middle);
        const std::vector<int> next(middle, devices.end());
        std::vector<int> found = continue_by_cells(pipeline, stage, next, host_of);
        ASSERT_EQ(sums_of(pipeline, stage, found, host_of),
                  sums_of(pipeline, stage, by_devices(pipeline, stage, next, host_of), host_of))
            << i;
        std::vector<int> same = next;
        std::ranges::sort(found);
        std::ranges::sort(same);
        ASSERT_EQ(found, same);
    }
}

/// 1,100 hosts of two devices, both stages with one of each: more than 2^20 pairs of cells.
TEST(ContinueByCells, KeepsHostsTogetherWhereCellsAreMany) {
    constexpr int kHosts = 1100;
    std::vector<int> host_of;
    core::Grid<double> table(kHosts, kHosts, 2.0);
    std::vector<int> stage;
    std::vector<int> next;
    for (int host = 0; host < kHosts; ++host) {
        table(static_cast<std::size_t>(host), static_cast<std::size_t>(host)) = 1;
        host_of.insert(host_of.end(), 2, host);
        stage.push_back(2 * host);
        next.push_back(2 * (kHosts - 1 - host) + 1);
    }
    const std::vector<int> found =
        continue_by_cells(PairMatrix(host_of, table), stage, next, host_of);
    for (std::size_t r = 0; r < stage.size(); ++r) {
        ASSERT_EQ(found[r], stage[r] + 1);
    }
    // When most hosts would leave the bottleneck, pairs on one host give way.
    table(0, 0) = 3;
    const std::vector<int> forced =
        continue_by_cells(PairMatrix(host_of, table), stage, next, host_of);
    EXPECT_EQ(sums_of(PairMatrix(host_of, table), stage, forced, host_of).worst, 2);
}

}  // namespace
}  // namespace longhaul::placement
