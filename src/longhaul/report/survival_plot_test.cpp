#include "longhaul/report/survival_plot.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/report/detail/test_pictures.hpp"
#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

using detail::count_of;
using detail::elements;

/// Triangles of nine islands: e = 1, 3/4, 0 in both phases; A = 2.25.
SurvivalCurves triangles() {
    return {"triangles", {{1, 0.75}, {1, 0.75}}, {400, 600}, 0, 2.25, 1150};
}

double area_under(const Steps& steps) {
    double area = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        area += steps[i].y * (steps[i + 1].x - steps[i].x);
    }
    return area;
}

TEST(SurvivalPlot, StepsFollowTheRounds) {
    const Steps rounds = survival_steps(triangles(), 0, false);
    ASSERT_EQ(rounds.size(), 3U);
    EXPECT_EQ(rounds[1].x, 1.5);  // half a round waiting, a round travelling
    EXPECT_EQ(rounds[1].y, 0.75);
    EXPECT_EQ(rounds[2].x, 2.5);
    EXPECT_EQ(rounds[2].y, 0);
    // Made in the round of 400 ms, mixed in the one of 600, then in the one of 400 again.
    const Steps time = survival_steps(triangles(), 0, true);
    EXPECT_EQ(time[1].x, 200 + 600);
    EXPECT_EQ(time[2].x, 200 + 600 + 400);
}

TEST(SurvivalPlot, AreaIsAAndScore) {
    EXPECT_NEAR(area_under(mean_survival(triangles(), false)), 2.25, 1e-12);
    // sum_k T_k (T_k / 2 + sum_h e(h) T_(k+1+h)) / sum_k T_k by hand:
    // (400 (200 + 600 + 0.75 400) + 600 (300 + 400 + 0.75 600)) / 1000 = 440 + 690.
    EXPECT_NEAR(area_under(mean_survival(triangles(), true)), 1130, 1e-9);
}

// Phases of different curves: A = 1/2 + mean of sums = 0.5 + (1.9 + 1.5) / 2.
TEST(SurvivalPlot, MeanOfDifferentPhases) {
    const SurvivalCurves curves{"c", {{1, 0.5, 0.3, 0.1}, {1, 0.5}}, {}, 0, 2.2, 0};
    const Steps mean = mean_survival(curves, false);
    EXPECT_NEAR(area_under(mean), 2.2, 1e-12);
    for (std::size_t i = 1; i < mean.size(); ++i) {
        EXPECT_LT(mean[i - 1].x, mean[i].x);
        EXPECT_LE(mean[i].y, mean[i - 1].y);
    }
}

// Streamed: I / 2 + time of travel + I sum e(h): 200 + 93 + 400 0.75.
TEST(SurvivalPlot, TravelOfOverlappingRounds) {
    SurvivalCurves curves = triangles();
    curves.round_ms = {400, 400};
    curves.flight_ms = 93;
    EXPECT_NEAR(area_under(mean_survival(curves, true)), 593, 1e-9);
    EXPECT_NEAR(area_under(mean_survival(curves, false)), 2.25, 1e-12);
}

TEST(SurvivalPlot, DrawsPhasesMeansAndFigures) {
    SurvivalPlot plot{"mixing & time", "nine", false, {triangles(), {}}};
    plot.schedules[1] = {"all <to> all", {{1}}, {675}, 0, 1.5, 1013.7};
    const std::string svg = draw(plot);
    EXPECT_NE(svg.find("mixing &amp; time"), std::string::npos);
    EXPECT_EQ(elements(svg, "polyline").size(), 2U + 1 + 1);  // two phases, two means
    EXPECT_EQ(count_of(svg, ">A = 2.25, score 1150 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">A = 1.5, score 1014 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">all &lt;to&gt; all</text>"), 2U);  // beside its mean, and the legend
    EXPECT_EQ(count_of(svg, ">1 round</text>"), 1U);
    EXPECT_EQ(count_of(svg, "age of the update, rounds"), 1U);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(draw(plot), svg);
    plot.over_time = true;
    EXPECT_EQ(count_of(draw(plot), "age of the update, ms"), 1U);
}

// Nine schedules whose curves lie close: names lie at different heights, on nothing, in the plot;
// those of many phases draw their mean alone.
TEST(SurvivalPlot, NamesCurvesWithoutCollisions) {
    SurvivalPlot plot;
    plot.over_time = true;
    plot.caption =
        "What the words mean, in a sentence that is far too long for a single line of a "
        "picture of this width, so that it must go on in a second one.";
    for (int i = 0; i < 9; ++i) {
        SurvivalCurves curves = triangles();
        curves.name = "schedule number " + std::to_string(i);
        curves.round_ms = {400 + i * 8.0, 600};
        if (i > 0) {
            curves.curves.assign(64, {1, 0.75});
            curves.round_ms.assign(64, 500 + 3.0 * i);
            curves.phases = false;
        }
        plot.schedules.push_back(std::move(curves));
    }
    const std::string svg = draw(plot);
    EXPECT_EQ(elements(svg, "polyline").size(), 2U + 9);
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(count_of(svg, ">schedule number " + std::to_string(i) + "</text>"), 2U) << i;
    }
    EXPECT_EQ(elements(svg, "circle").size(), 9U);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(detail::cut_off_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(count_of(svg, "so that it must go on"), 1U);
}

TEST(SurvivalPlot, SaysWhatCannotBeDrawn) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    SurvivalPlot plot{"", "", true, {{}, triangles(), triangles(), triangles()}};
    plot.schedules[1].round_ms = {400, kNever};
    plot.schedules[1].score_ms = kNever;
    plot.schedules[2].area = kNever;
    plot.schedules[2].score_ms = kNever;
    const std::string svg = draw(plot);
    EXPECT_EQ(count_of(svg, ">no curve</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">A = 2.25, cannot be timed</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">does not mix</text>"), 1U);
    EXPECT_EQ(elements(svg, "polyline").size(), 2U * 3);
    EXPECT_EQ(count_of(svg, "nan"), 0U);
    EXPECT_EQ(count_of(svg, "inf"), 0U);
}

TEST(SurvivalPlot, StandsNothingManyAndLong) {
    EXPECT_TRUE(draw(SurvivalPlot{}).ends_with("</svg>\n"));
    SurvivalPlot plot;
    for (const std::string& name : detail::hostile_names()) {
        plot.schedules.push_back(triangles());
        plot.schedules.back().name = name;
    }
    for (int i = 0; i < 12; ++i) {
        plot.schedules.push_back(triangles());
    }
    std::vector<double> slow(100'000);
    for (std::size_t h = 0; h < slow.size(); ++h) {
        slow[h] = 1 - static_cast<double>(h) / static_cast<double>(slow.size());
    }
    plot.schedules.push_back({"slow", {slow}, {}, 0, 50'000.5, 0});
    const std::string svg = draw(plot);
    EXPECT_EQ(svg.find("<script>"), std::string::npos);
    EXPECT_LT(svg.size(), 200'000U);
    EXPECT_EQ(count_of(svg, "stroke-dasharray"), 2U * 12);  // beyond nine: line and legend
}

}  // namespace
}  // namespace longhaul::report
