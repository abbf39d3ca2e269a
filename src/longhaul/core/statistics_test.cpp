#include "longhaul/core/statistics.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

// Type 7 by its definition: position q (n - 1), linear between neighbours. The sample 10 7 4 3 2 1
// is the one of numpy's documentation of quantile, where the median is 3.5.
TEST(Quantile, LinearInterpolation) {
    const std::vector<double> sample = {1, 2, 3, 4, 7, 10};
    EXPECT_DOUBLE_EQ(quantile(sample, 0), 1);
    EXPECT_DOUBLE_EQ(quantile(sample, 0.5), 3.5);
    EXPECT_DOUBLE_EQ(quantile(sample, 0.1), 1.5);    // position 0.5
    EXPECT_DOUBLE_EQ(quantile(sample, 0.9), 8.5);    // position 4.5
    EXPECT_DOUBLE_EQ(quantile(sample, 0.25), 2.25);  // position 1.25
    EXPECT_DOUBLE_EQ(quantile(sample, 1), 10);
}

TEST(Quantile, OneValueIsEveryQuantile) {
    const std::vector<double> sample = {5};
    for (const double q : {0.0, 0.3, 1.0}) {
        EXPECT_EQ(quantile(sample, q), 5);
    }
}

TEST(Quantile, RefusesWhatHasNoAnswer) {
    const std::vector<double> sample = {1, 2};
    EXPECT_THROW((void)quantile({}, 0.5), std::logic_error);
    EXPECT_THROW((void)quantile(sample, -0.1), std::logic_error);
    EXPECT_THROW((void)quantile(sample, 1.1), std::logic_error);
    EXPECT_THROW((void)summarise({}), std::logic_error);
}

TEST(Median, IsTheMiddleOrHalfWayBetweenTheTwo) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    EXPECT_THROW((void)median({}), std::logic_error);
}

TEST(Summarise, SortsFirst) {
    const Summary summary = summarise({10, 7, 4, 3, 2, 1});
    EXPECT_EQ(summary.min, 1);
    EXPECT_DOUBLE_EQ(summary.p10, 1.5);
    EXPECT_DOUBLE_EQ(summary.median, 3.5);
    EXPECT_DOUBLE_EQ(summary.p90, 8.5);
    EXPECT_EQ(summary.max, 10);
}

}  // namespace
}  // namespace longhaul::core
