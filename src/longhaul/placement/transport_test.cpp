#include "longhaul/placement/transport.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Two rows of the same sum over K classes, and the devices that they stand for: the twin is the
/// bottleneck matching of single devices.
struct TwoRows {
    explicit TwoRows(std::uint64_t test, int i, std::size_t most_classes, std::size_t most_devices)
        : instance(test, i) {
        const std::size_t classes = 1 + instance.random.index(most_classes);
        prices = random_costs(classes, instance.levels, false, instance.random);
        for (std::size_t k = 0; k < classes; ++k) {
            prices(k, k) = instance.random.uniform();  // also between devices of one class
        }
        a.assign(classes, 0);
        b.assign(classes, 0);
        const std::size_t devices = 1 + instance.random.index(most_devices);
        for (std::size_t d = 0; d < devices; ++d) {
            ++a[instance.random.index(classes)];
            ++b[instance.random.index(classes)];
        }
    }
    [[nodiscard]] double twin() const {
        const std::vector<int> rows = expanded(a);
        const std::vector<int> columns = expanded(b);
        core::Grid<double> costs(rows.size(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < rows.size(); ++j) {
                costs(i, j) = prices(rows[i], columns[j]);
            }
        }
        return bottleneck_matching(costs).value;
    }
    static std::vector<int> expanded(const std::vector<int>& row) {
        std::vector<int> devices;
        for (std::size_t k = 0; k < row.size(); ++k) {
            devices.insert(devices.end(), row[k], static_cast<int>(k));
        }
        return devices;
    }
    testing::Instance instance;
    core::Grid<double> prices;
    std::vector<int> a, b;
};

TEST(Transport, EqualsTheMatchingOfDevices) {
    for (int i = 0; i < 1500; ++i) {
        const TwoRows rows(61, i, i % 50 == 0 ? 64 : 9, i % 7 == 0 ? 60 : 12);
        Transport transport(rows.prices);
        const Transport::Result found = transport.solve(rows.a, rows.b, kNoLimit);
        ASSERT_TRUE(found.exact);
        ASSERT_EQ(found.value, rows.twin()) << i;
        // A solver that has seen other rows gives the same, either way round.
        ASSERT_EQ(transport.solve(rows.b, rows.a, kNoLimit).value, found.value) << i;
    }
}

TEST(Transport, EndsAtTheLimit) {
    std::size_t early = 0;
    for (int i = 0; i < 600; ++i) {
        TwoRows rows(62, i, 9, 12);
        Transport transport(rows.prices);
        const double value = rows.twin();
        ASSERT_EQ(transport.solve(rows.a, rows.b, value).value, value);
        const double limit = value * rows.instance.random.uniform();
        const Transport::Result found = transport.solve(rows.a, rows.b, limit);
        if (limit < value) {
            ++early;
            ASSERT_FALSE(found.exact);
            ASSERT_GT(found.value, limit);
            ASSERT_LE(found.value, value);  // a lower bound
        }
    }
    EXPECT_GT(early, 500U);
}

}  // namespace
}  // namespace longhaul::placement
