#include "longhaul/report/schedule_timeline.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "longhaul/report/detail/test_pictures.hpp"
#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

using detail::attribute;
using detail::count_of;
using detail::elements;
using detail::number_of;

/// A triangle with spread at AMS, then a pair while the third is alone.
ScheduleTimeline three_islands() {
    ScheduleTimeline timeline;
    timeline.title = "three <islands>";
    timeline.islands = {"AMS", "BER", "CPH"};
    timeline.rounds = {
        {500,
         {{0, 0, 0, 400, 20, 60, 460}, {1, 0, 10, 400, 30, 30, 430}, {2, 0, 40, 400, 50, 50, 450}}},
        {450, {{0, 0, 0, 400, 20, 20, 420}, {1, 0, 0, 400, 20, 20, 420}}}};
    return timeline;
}

std::vector<std::string> filled(const std::string& svg, std::string_view fill) {
    std::vector<std::string> found;
    for (const std::string& rectangle : elements(svg, "rect")) {
        if (attribute(rectangle, "fill") == fill) {
            found.push_back(rectangle);
        }
    }
    return found;
}

TEST(ScheduleTimeline, DrawsBarsSpreadAndBorders) {
    const std::string svg = draw(three_islands());
    EXPECT_NE(svg.find("three &lt;islands&gt;"), std::string::npos);
    EXPECT_NE(svg.find("3 islands, 2 rounds in 950 ms; arrivals differ by up to 40 ms."),
              std::string::npos);
    EXPECT_EQ(filled(svg, group_fill_of(0)).size(), 1U + 5);  // legend, senders
    EXPECT_EQ(filled(svg, group_ink_of(0)).size(), 1U + 1);   // legend, the spread at AMS
    EXPECT_EQ(filled(svg, kNeutral).size(), 1U + 1);          // legend, CPH alone
    EXPECT_EQ(count_of(svg, "stroke-dasharray=\"3 4\""), 3U);
    EXPECT_EQ(count_of(svg, ">round 1, 500 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">round 2, 450 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">to BER, CPH</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">to BER</text>"), 1U);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(draw(three_islands()), svg);
}

// One scale for all: 950 ms are 1000 pixels.
TEST(ScheduleTimeline, BarsLieWhereTheirTimesSay) {
    const std::string svg = draw(three_islands());
    const auto senders = filled(svg, group_fill_of(0));
    ASSERT_EQ(senders.size(), 6U);
    const double pixel = 1000.0 / 950;
    const double zero = number_of(senders[1], "x");
    EXPECT_NEAR(number_of(senders[1], "width"), 400 * pixel, 0.02);
    EXPECT_NEAR(number_of(senders[2], "x") - zero, 10 * pixel, 0.02);
    EXPECT_NEAR(number_of(senders[4], "x") - zero, 500 * pixel, 0.02);
    const std::string spread = filled(svg, group_ink_of(0))[1];
    EXPECT_NEAR(number_of(spread, "x") - zero, 20 * pixel, 0.02);
    EXPECT_NEAR(number_of(spread, "width"), 40 * pixel, 0.02);
    EXPECT_GT(number_of(spread, "y"), number_of(senders[1], "y") + 14);
}

// What does not work is shaded at its times: in the lane of its island, links in lanes of their
// own; spans without an end reach to the end of the axis, 950 ms, and others are cut off there.
TEST(ScheduleTimeline, ShadesWhatDoesNotWork) {
    ScheduleTimeline timeline = three_islands();
    timeline.spans = {{1, "", "down", 100, 300},
                      {-1, "AMS>BER", "down", 200, std::numeric_limits<double>::infinity()},
                      {-1, "AMS>BER", "down", 50, 60},
                      {2, "", "left", 960, 990}};
    const std::string svg = draw(timeline);
    const auto shaded = filled(svg, "#f6d5cf");
    ASSERT_EQ(shaded.size(), 1U + 3);  // legend, and those within the axis
    const double pixel = 1000.0 / 950;
    const auto senders = filled(svg, group_fill_of(0));
    const double zero = number_of(senders[1], "x");
    EXPECT_NEAR(number_of(shaded[1], "x") - zero, 100 * pixel, 0.02);
    EXPECT_NEAR(number_of(shaded[1], "width"), 200 * pixel, 0.02);
    EXPECT_NEAR(number_of(shaded[2], "x") - zero, 200 * pixel, 0.02);
    EXPECT_NEAR(number_of(shaded[2], "width"), 750 * pixel, 0.02);
    EXPECT_NEAR(number_of(shaded[3], "width"), 10 * pixel, 0.02);
    // BER is the second lane; the link is the fourth, and the picture grows by it.
    EXPECT_LE(number_of(shaded[1], "y"), number_of(senders[2], "y"));
    EXPECT_EQ(number_of(shaded[2], "y"), number_of(shaded[3], "y"));
    EXPECT_GT(number_of(shaded[2], "y"), number_of(senders[3], "y") + 14);
    EXPECT_EQ(count_of(svg, ">AMS&gt;BER</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">down</text>"), 2U);
    EXPECT_NE(svg.find("BER down from 100 ms to 300 ms."), std::string::npos);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
}

TEST(ScheduleTimeline, StreamedRoundsTakeTurns) {
    ScheduleTimeline timeline = three_islands();
    timeline.streamed = true;
    timeline.rounds[0].length_ms = timeline.rounds[1].length_ms = 410;
    timeline.rounds[0].exchanges[0].offset_ms = -15;
    const auto senders = filled(draw(timeline), group_fill_of(0));
    ASSERT_EQ(senders.size(), 6U);
    EXPECT_GT(number_of(senders[4], "y"), number_of(senders[1], "y") + 14);
    EXPECT_LT(number_of(senders[4], "y"), number_of(senders[2], "y"));
    EXPECT_LT(number_of(senders[1], "x"), number_of(senders[2], "x"));
    // A period of one round twice, to show how it meets itself.
    timeline.rounds.resize(1);
    EXPECT_EQ(filled(draw(timeline), group_fill_of(0)).size(), 1U + 6);
}

// No two bars of sending of an island overlap, however many rounds are under way.
TEST(ScheduleTimeline, SplitsLanesAsOftenAsNeeded) {
    ScheduleTimeline timeline;
    timeline.islands = {"A", "B"};
    timeline.streamed = true;
    for (int r = 0; r < 6; ++r) {
        timeline.rounds.push_back({150, {{0, 0, 0, 400, 5, 5, 405}, {1, 0, 0, 400, 5, 5, 405}}});
    }
    const auto senders = filled(draw(timeline), group_fill_of(0));
    ASSERT_EQ(senders.size(), 13U);
    for (std::size_t i = 1; i < senders.size(); ++i) {
        for (std::size_t j = 1; j < i; ++j) {
            const auto box = [&](std::size_t k) {
                const double x = number_of(senders[k], "x");
                const double y = number_of(senders[k], "y");
                return Box{
                    x, y, x + number_of(senders[k], "width"), y + number_of(senders[k], "height")};
            };
            EXPECT_FALSE(overlap(box(i), box(j)));
        }
    }
}

TEST(ScheduleTimeline, StandsOneIslandManyAndNone) {
    ScheduleTimeline timeline;
    timeline.islands = {"lonely"};
    timeline.rounds = {{0, {}}};
    EXPECT_EQ(draw(timeline).find("nan"), std::string::npos);
    timeline.rounds.clear();
    EXPECT_TRUE(draw(timeline).ends_with("</svg>\n"));
    for (int i = 1; i < 64; ++i) {
        timeline.islands.push_back("an-island-with-a-long-name-" + std::to_string(i));
    }
    for (int r = 0; r < 40; ++r) {
        timeline.rounds.push_back({r % 2 == 0 ? 1.0 : 500.0, {}});
        for (int i = 0; i < 64; ++i) {
            timeline.rounds.back().exchanges.push_back(
                {i, static_cast<std::size_t>(i / 4), 0, 300, 10, 50, 350});
        }
    }
    const std::string svg = draw(timeline);
    EXPECT_EQ(filled(svg, "#a9a9a9").size(), 0U);
    EXPECT_EQ(detail::cut_off_texts(svg), std::vector<std::string>{});
}

TEST(ScheduleTimeline, StandsHostileNamesAndTimes) {
    ScheduleTimeline timeline = three_islands();
    timeline.islands = detail::hostile_names();
    const std::string before = draw(timeline);
    EXPECT_EQ(before.find("<script>"), std::string::npos);
    timeline.rounds[1].exchanges[0].end_ms = std::numeric_limits<double>::infinity();
    timeline.rounds[1].exchanges[1].offset_ms = std::numeric_limits<double>::quiet_NaN();
    const std::string svg = draw(timeline);
    EXPECT_EQ(svg.find("=\"nan"), std::string::npos);
    EXPECT_EQ(svg.find("=\"inf"), std::string::npos);
    EXPECT_EQ(filled(svg, group_fill_of(0)).size(), filled(before, group_fill_of(0)).size() - 1);
}

}  // namespace
}  // namespace longhaul::report
