#include "longhaul/report/axis.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace longhaul::report {
namespace {

TEST(Axis, CellsMeetHalfway) {
    // Values 1, 10, 100 on a logarithmic scale: cells of one decade each, from half a decade below.
    const std::vector<double> edges = cell_edges({"", {1, 10, 100}, true});
    ASSERT_EQ(edges.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(edges[i], static_cast<double>(i) / 3, 1e-12);
    }
    EXPECT_EQ(cell_edges({"", {3}, true}), (std::vector<double>{0, 1}));
}

TEST(Axis, LogarithmicTicksStandAtOneTwoFive) {
    std::string labels;
    for (const Tick& tick : ticks({"", {1, 10, 100}, true})) {
        labels += tick.label.empty() ? "" : tick.label + " ";
        EXPECT_GE(tick.position, -1e-9);
        EXPECT_LE(tick.position, 1 + 1e-9);
        if (tick.label == "10") {
            EXPECT_NEAR(tick.position, 0.5, 1e-12);
        }
    }
    EXPECT_EQ(labels, "0.5 1 2 5 10 20 50 100 200 ");
}

TEST(Axis, LinearTicksAreRound) {
    std::string labels;
    for (const Tick& tick : ticks({"", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false})) {
        labels += tick.label + " ";
    }
    EXPECT_EQ(labels, "0 2 4 6 8 10 ");
}

}  // namespace
}  // namespace longhaul::report
