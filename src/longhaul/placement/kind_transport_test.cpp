#include "longhaul/placement/kind_transport.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

/// Counts of `devices` devices over `classes` classes.
std::vector<int> drawn_row(std::size_t classes, int devices, core::Random& random) {
    std::vector<int> row(classes, 0);
    const std::size_t present = 1 + random.index(classes);
    for (int i = 0; i < devices; ++i) {
        ++row[random.index(present)];
    }
    return row;
}

TEST(BottleneckTransport, EqualsTheMatchingOfSingleDevices) {
    BottleneckTransport transport;
    BottleneckSolver matching;
    for (int i = 0; i < 400; ++i) {
        testing::Instance instance(41, i);
        // Some with more classes than bits in a word.
        const std::size_t classes = i % 20 == 0 ? 80 : 1 + instance.random.index(12);
        const int devices = 1 + static_cast<int>(instance.random.below(i % 20 == 0 ? 150 : 40));
        const core::Grid<double> costs =
            random_costs(classes, instance.levels, false, instance.random);
        const std::vector<int> a = drawn_row(classes, devices, instance.random);
        const std::vector<int> b = drawn_row(classes, devices, instance.random);
        core::Grid<double> pairs(devices, devices);
        std::size_t r = 0;
        for (std::size_t k = 0; k < classes; ++k) {
            for (int unit = 0; unit < a[k]; ++unit, ++r) {
                std::size_t c = 0;
                for (std::size_t l = 0; l < classes; ++l) {
                    for (int other = 0; other < b[l]; ++other, ++c) {
                        pairs(r, c) = costs(k, l);
                    }
                }
            }
        }
        const double value = transport.solve(costs, a, b);
        ASSERT_EQ(value, matching.solve(pairs)) << i;
        // The bundles carry every device and stay within the threshold.
        std::vector<int> sent(classes, 0);
        std::vector<int> received(classes, 0);
        for (std::size_t x = 0; x < transport.left().size(); ++x) {
            for (std::size_t y = 0; y < transport.right().size(); ++y) {
                const int units = transport.units()[x * transport.right().size() + y];
                ASSERT_GE(units, 0);
                if (units > 0) {
                    ASSERT_LE(costs(transport.left()[x], transport.right()[y]), value);
                }
                sent[transport.left()[x]] += units;
                received[transport.right()[y]] += units;
            }
        }
        ASSERT_EQ(sent, a);
        ASSERT_EQ(received, b);
    }
}

TEST(EdgeMatrix, IsTheSameByKindsOfDevices) {
    for (int i = 0; i < 12; ++i) {
        testing::Instance instance(42, i);
        const std::size_t kinds = 2 + instance.random.index(30);
        const core::Grid<double> table =
            random_costs(kinds, instance.levels, false, instance.random);
        std::vector<int> kind_of(300);
        for (int& kind : kind_of) {
            kind = static_cast<int>(instance.random.index(kinds));
        }
        const PairMatrix by_kind(kind_of, table);
        const auto devices = testing::shuffled(300, instance.random);
        const Stages stages = Placement({10, 30}, devices).stages();
        ASSERT_EQ(edge_matrix(by_kind, stages), edge_matrix(PairMatrix(by_kind.full()), stages));
    }
}

}  // namespace
}  // namespace longhaul::placement
