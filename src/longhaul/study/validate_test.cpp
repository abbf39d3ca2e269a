#include "longhaul/study/validate.hpp"

#include <gtest/gtest.h>

namespace longhaul::study {
namespace {

std::vector<ComparedStep> four() {
    return {{"a", 1.0, 1.09, 1.0, 1.0, 1.0},
            {"b", 2.5, 2.0, 2.1, 2.1, 2.1},
            {"c", 2.0, 3.0, 3.5, 3.5, 3.5},
            {"d", 4, 4, 4, 4, 4}};
}

// Of the 6 pairs the model has one the wrong way round: tau (5 - 1) / 6; the simulation none.
TEST(Validate, RanksBothPredictions) {
    const Validation validation = validate(four(), {});
    EXPECT_NEAR(*validation.model.tau, 4.0 / 6, 1e-12);
    EXPECT_DOUBLE_EQ(*validation.simulated.tau, 1);
    EXPECT_EQ(validation.near, 3);  // c is 14 % off; a is 9 % off
    EXPECT_EQ(validation.best, 0U);
    EXPECT_EQ(validation.fastest, 0U);
    EXPECT_TRUE(validation.reasons.empty());
}

TEST(Validate, RejectsAWrongWinner) {
    std::vector<ComparedStep> steps = four();
    steps[3].measured = 0.95;  // the plan that is predicted worst is fastest, by 5 %
    steps[3].measured_upper = 0.95;
    const Validation validation = validate(steps, {});
    ASSERT_EQ(validation.reasons.size(), 2U);
    EXPECT_EQ(validation.reasons[0], "a is predicted best, and takes 5.3 % longer than d");
    EXPECT_EQ(validation.reasons[1], "Kendall's tau is 0.000, below 0.8");
    EXPECT_FALSE(to_value(steps, validation).find("accepted")->boolean);
}

TEST(Validate, ALossWithinTheSpreadIsNoReason) {
    std::vector<ComparedStep> steps = four();
    steps[3].measured = 0.95;
    steps[3].measured_upper = 1.02;  // above the 1.0 of the plan that is predicted best
    const Validation validation = validate(steps, {});
    EXPECT_TRUE(validation.lost_in_spread);
    ASSERT_EQ(validation.reasons.size(), 1U);
    EXPECT_TRUE(validation.reasons[0].starts_with("Kendall"));
}

TEST(Validate, FewPlansGetAChanceInsteadOfAnInterval) {
    const Validation validation = validate(four(), {});
    EXPECT_FALSE(validation.simulated.tau_interval);
    // One order of 24 is the right one; tau 4/6 and more is reached by 1 + 3.
    EXPECT_NEAR(*validation.simulated.chance, 1.0 / 24, 1e-12);
    EXPECT_NEAR(*validation.model.chance, 4.0 / 24, 1e-12);
    std::vector<ComparedStep> nine;
    for (int i = 1; i <= 9; ++i) {
        const double s = i;
        nine.push_back({std::to_string(i), s, s, s, s, s});
    }
    EXPECT_TRUE(validate(nine, {}).simulated.tau_interval);
    EXPECT_FALSE(validate(nine, {}).simulated.chance);
}

// Binomial tables: of 5 values the whole range holds the median with 93.75 %, of 6 with 96.9 %, and
// of 9 the second to the eighth with 96.1 % (the third to the seventh with 82 % only).
TEST(MedianInterval, IsThatOfOrderStatistics) {
    const auto ends = [](std::vector<double> seconds) {
        const CorrelationInterval interval = median_interval(std::move(seconds));
        return std::pair(interval.lower, interval.upper);
    };
    EXPECT_EQ(ends({3}), std::pair(3.0, 3.0));
    EXPECT_EQ(ends({5, 1, 2, 4, 3}), std::pair(1.0, 5.0));
    EXPECT_EQ(ends({6, 5, 1, 2, 4, 3}), std::pair(1.0, 6.0));
    EXPECT_EQ(ends({9, 8, 7, 6, 5, 4, 3, 2, 1}), std::pair(2.0, 8.0));
}

TEST(Validate, AllowsALossThatIsNotSeen) {
    std::vector<ComparedStep> steps = four();
    steps[1].measured = 0.98;
    const Validation validation = validate(steps, {});
    EXPECT_TRUE(validation.reasons.size() == 1 && validation.reasons[0].starts_with("Kendall"));
}

TEST(Validate, RejectsEqualPredictions) {
    std::vector<ComparedStep> steps = four();
    for (ComparedStep& step : steps) {
        step.simulated = 2;
    }
    steps[0].measured = 2;
    steps[1].measured = 2;
    const Validation validation = validate(steps, {});
    EXPECT_EQ(validation.reasons.back(), "all simulated steps are equal");
    steps = four();
    for (ComparedStep& step : steps) {
        step.measured = 2;
    }
    EXPECT_EQ(validate(steps, {}).reasons.back(), "all measured steps are equal");
}

TEST(MeasuredSteps, AreRead) {
    const auto steps = read_measured_steps(
        R"({"format": "longhaul.measured-steps/1", "steps": [
            {"name": "best", "plan": "best.json", "seconds": [3.1, 3.2]},
            {"plan": "other.json", "seconds": [4]}]})",
        "steps.json");
    ASSERT_TRUE(steps.has_value());
    ASSERT_EQ(steps->size(), 2U);
    EXPECT_EQ((*steps)[0].name, "best");
    EXPECT_EQ((*steps)[0].seconds, (std::vector<double>{3.1, 3.2}));
    EXPECT_EQ((*steps)[1].name, "other.json");
}

TEST(MeasuredSteps, APlanIsRefusedInOneLine) {
    const auto steps =
        read_measured_steps(R"({"format": "longhaul.plan/1", "rank_map": [0]})", "p");
    ASSERT_FALSE(steps.has_value());
    EXPECT_EQ(steps.error().size(), 1U);
    const auto one = read_measured_steps(
        R"({"format": "longhaul.measured-steps/1", "steps": [{"plan": "a", "seconds": [1]}]})",
        "s");
    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error()[0].what, "holds 1 plan");
}

TEST(MeasuredSteps, ReportAllProblems) {
    const auto steps = read_measured_steps(
        R"({"format": "longhaul.measured-steps/1", "steps": [
            {"plan": "a.json", "seconds": [0, -1]},
            {"plan": "a.json", "seconds": []},
            {"seconds": 3}]})",
        "steps.json");
    ASSERT_FALSE(steps.has_value());
    EXPECT_EQ(steps.error().size(), 6U);
}

}  // namespace
}  // namespace longhaul::study
