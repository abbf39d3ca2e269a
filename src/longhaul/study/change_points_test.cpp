#include "longhaul/study/change_points.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace longhaul::study {
namespace {

TEST(ChangePoints, OfAStepFunctionAreItsSteps) {
    const std::vector<double> steps{0.0123, 0.5, 0.50001, 7.5, 99.9};
    const auto answer = [&](double x) {
        int passed = 0;
        for (const double step : steps) {
            passed += x >= step ? 1 : 0;
        }
        return passed;
    };
    const std::vector<ChangePoint> changes = change_points(answer);
    ASSERT_EQ(changes.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_NEAR(changes[i].at, steps[i], 2e-9 * steps[i]);
        EXPECT_GE(changes[i].at, steps[i]);
        EXPECT_EQ(changes[i].before, static_cast<int>(i));
        EXPECT_EQ(changes[i].after, static_cast<int>(i) + 1);
    }
}

TEST(ChangePoints, AnswersThatComeBackAreSeenWhenTheScanSeesThem) {
    // 1 on [0.1, 1): wider than an interval of the scan.
    const auto answer = [](double x) { return x >= 0.1 && x < 1 ? 1 : 0; };
    const std::vector<ChangePoint> changes = change_points(answer);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_NEAR(changes[0].at, 0.1, 1e-9);
    EXPECT_NEAR(changes[1].at, 1, 1e-8);
    EXPECT_EQ(changes[1].after, 0);
}

TEST(ChangePoints, OfAConstantAreNone) {
    int asked = 0;
    const auto answer = [&](double) {
        ++asked;
        return 3;
    };
    EXPECT_TRUE(change_points(answer, {.low = 1, .high = 2, .points = 5}).empty());
    EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace longhaul::study
