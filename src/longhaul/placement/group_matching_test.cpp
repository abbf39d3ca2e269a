#include "longhaul/placement/group_matching.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

TEST(GroupMatcher, WarmEqualsColdWhileDevicesComeAndGo) {
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(66, i);
        // Three groups of n, of which two are matched; more than 64 columns take two words.
        const std::size_t n = i % 25 == 0 ? 70 : 1 + instance.random.index(12);
        const PairMatrix costs(
            random_costs(3 * n, instance.levels, instance.equal_rows, instance.random));
        std::vector<int> devices = testing::shuffled(3 * n, instance.random);
        const std::span<int> rows = std::span<int>(devices).first(n);
        const std::span<int> columns = std::span<int>(devices).subspan(n, n);
        GroupMatcher matcher(costs);
        BottleneckSolver cold;
        Pairs pairs;
        for (int change = 0; change < 40; ++change) {
            const double value = cold.solve(costs, rows, columns);
            const double tight = value * instance.random.uniform();
            if (tight < value) {
                ASSERT_GT(matcher.solve(rows, columns, tight, pairs), tight);
            }
            const double limit = change % 2 == 0 ? kNoLimit : value;
            ASSERT_EQ(matcher.solve(rows, columns, limit, pairs), value) << i;
            double attained = 0;
            std::vector<int> partners = pairs;
            for (std::size_t r = 0; r < n; ++r) {
                attained = std::max(attained, costs(rows[r], columns[pairs[r]]));
            }
            ASSERT_EQ(attained, value);
            std::ranges::sort(partners);
            ASSERT_EQ(partners, testing::counted(n));
            std::swap(devices[instance.random.index(2 * n)],
                      devices[2 * n + instance.random.index(n)]);
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
