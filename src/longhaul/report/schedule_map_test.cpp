#include "longhaul/report/schedule_map.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/report/detail/test_pictures.hpp"
#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

using detail::attribute;
using detail::count_of;
using detail::elements;
using detail::number_of;

/// A chain of five islands; in the first round a triangle and a pair, then a pair and three alone.
ScheduleMap chain_of_five() {
    ScheduleMap map;
    map.title = "five & more";
    map.subtitle = "a chain";
    map.islands = {"AMS", "BER", "CPH", "DUB", "EDI"};
    map.links = {{0, 1, 10}, {1, 0, 10}, {1, 2, 10}, {2, 3, 10}, {3, 4, 10}};
    map.rounds = {{{{0, 1, 2}, {3, 4}}, 123.4}, {{{1, 3}, {0}}, 99}};
    return map;
}

/// Islands on a random net of `count` nodes, in rounds of cliques of three.
ScheduleMap random_map(std::size_t count, const std::string& prefix, std::uint64_t seed) {
    core::Random random(seed);
    ScheduleMap map;
    map.transit = 3;
    for (std::size_t i = 0; i < count; ++i) {
        map.islands.push_back(prefix + std::to_string(i));
    }
    for (std::size_t i = 1; i < count + map.transit; ++i) {
        map.links.push_back({i, random.index(i), 1 + 50 * random.uniform()});
        map.links.push_back({i, random.index(i), 1 + 50 * random.uniform()});
    }
    MapRound round;
    for (std::size_t i = 0; i + 2 < count; i += 3) {
        const int first = static_cast<int>(i);
        round.cliques.push_back({first, first + 1, first + 2});
    }
    round.time_ms = 250;
    map.rounds = {round, round};
    return map;
}

TEST(ScheduleMap, DrawsPanelsCliquesLinksAndTimes) {
    const std::string svg = draw(chain_of_five());
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_NE(svg.find("<title id=\"title\">five &amp; more</title>"), std::string::npos);
    EXPECT_NE(svg.find("Round 1, 123.4 ms: {AMS, BER, CPH} {DUB, EDI}."), std::string::npos);
    EXPECT_EQ(count_of(svg, ">Round 1</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">123.4 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">99 ms</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">2 cliques</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">1 clique</text>"), 1U);
    EXPECT_EQ(elements(svg, "circle").size(), 10U);      // five islands in two panels
    EXPECT_EQ(count_of(svg, "stroke=\"#9aa5b1\""), 8U);  // four links, each once, in two panels
    // Three alone in round 2: those that it leaves out, and one in a clique of its own.
    std::size_t alone = 0;
    for (const std::string& circle : elements(svg, "circle")) {
        alone += attribute(circle, "fill") == kNeutral ? 1 : 0;
    }
    EXPECT_EQ(alone, 3U);
    EXPECT_EQ(count_of(svg, ">AMS</text>"), 2U);
    EXPECT_EQ(draw(chain_of_five()), svg);
}

// Trees instead of hulls: a link of two cliques carries two lines, side by side on both sides of
// it.
TEST(ScheduleMap, DrawsTheLinksOfTrees) {
    ScheduleMap map = chain_of_five();
    map.rounds.resize(1);
    map.common_ms = 130;
    map.rounds[0].trees = {{{0, 1}, {1, 2}, {2, 1}}, {{3, 4}, {1, 2}}};
    const std::string svg = draw(map);
    EXPECT_EQ(count_of(svg, "<polygon"), 0U);
    const auto lines = [&](std::size_t group) {
        std::vector<std::string> found;
        for (const std::string& line : elements(svg, "line")) {
            if (attribute(line, "stroke") == group_ink_of(group)) {
                found.push_back(line);
            }
        }
        return found;
    };
    ASSERT_EQ(lines(0).size(), 2U);  // AMS-BER and BER-CPH, once each
    ASSERT_EQ(lines(1).size(), 2U);
    const auto circles = elements(svg, "circle");
    const auto middle = [&](const std::string& line) {
        return std::pair((number_of(line, "x1") + number_of(line, "x2")) / 2,
                         (number_of(line, "y1") + number_of(line, "y2")) / 2);
    };
    const auto [x0, y0] = middle(lines(0)[1]);
    const auto [x1, y1] = middle(lines(1)[0]);
    EXPECT_NEAR(std::hypot(x0 - x1, y0 - y1), 4.2, 0.03);
    EXPECT_NEAR(
        (x0 + x1) / 2, (number_of(circles[1], "cx") + number_of(circles[2], "cx")) / 2, 0.03);
    EXPECT_NE(svg.find("Every round takes 130 ms"), std::string::npos);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(detail::cut_off_texts(svg), std::vector<std::string>{});
}

TEST(ScheduleMap, ColoursMembersAlike) {
    const auto circles = elements(draw(chain_of_five()), "circle");
    ASSERT_EQ(circles.size(), 10U);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(attribute(circles[i], "fill"), group_fill_of(i < 3 ? 0 : 1));
    }
    EXPECT_EQ(attribute(circles[6], "fill"), group_fill_of(0));
    EXPECT_EQ(attribute(circles[8], "fill"), group_fill_of(0));
}

TEST(ScheduleMap, KeepsThePlacesThatAreGiven) {
    ScheduleMap map = chain_of_five();
    map.places = {{0, 0}, {100, 0}, {100, 50}, {0, 50}, {50, 25}};
    const auto circles = elements(draw(map), "circle");
    const double wide = number_of(circles[1], "cx") - number_of(circles[0], "cx");
    const double high = number_of(circles[3], "cy") - number_of(circles[0], "cy");
    EXPECT_GT(wide, 150);
    EXPECT_NEAR(wide, 2 * high, 0.05);  // one scale for both directions
    EXPECT_NEAR(number_of(circles[4], "cx") - number_of(circles[0], "cx"), wide / 2, 0.05);
    map.places[2].x = std::numeric_limits<double>::quiet_NaN();
    ScheduleMap without = chain_of_five();
    EXPECT_EQ(draw(map), draw(without));
}

TEST(ScheduleMap, FallsBackToACircle) {
    ScheduleMap map = chain_of_five();
    map.links.clear();
    const auto circles = elements(draw(map), "circle");
    ASSERT_EQ(circles.size(), 10U);
    EXPECT_LT(number_of(circles[0], "cy"), number_of(circles[2], "cy"));  // the first on top
    EXPECT_EQ(draw(map).find("nan"), std::string::npos);
}

TEST(ScheduleMap, NamesNeverOverlap) {
    for (const std::size_t count : {1, 2, 9, 40, 64}) {
        for (const std::string prefix : {"X", "an-island-with-a-name-far-too-long-"}) {
            const std::string svg = draw(random_map(count, prefix, count));
            EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
            EXPECT_EQ(detail::cut_off_texts(svg), std::vector<std::string>{});
            const double width = number_of(elements(svg, "svg").front(), "width") - 48;
            const std::size_t caption =
                wrapped("Islands of one colour average together; grey ones train alone.", width, 12)
                    .size();
            EXPECT_EQ(elements(svg, "text").size(), 1U + 1 + 2 * (3 + count) + caption);
            EXPECT_EQ(elements(svg, "circle").size(), 2 * (count + 3));
        }
    }
}

// Islands at one place are told apart: no two points overlap, nor a name and a point.
TEST(ScheduleMap, MovesPointsApart) {
    ScheduleMap map = random_map(40, "site-", 4);
    map.transit = 0;
    std::erase_if(map.links, [](const MapLink& link) { return link.a >= 40 || link.b >= 40; });
    map.places.assign(40, {1, 1});
    map.places[39] = {5, 5};
    const std::string svg = draw(map);
    const auto circles = elements(svg, "circle");
    for (std::size_t i = 0; i < 40; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_GT(std::hypot(number_of(circles[i], "cx") - number_of(circles[j], "cx"),
                                 number_of(circles[i], "cy") - number_of(circles[j], "cy")),
                      12);
        }
    }
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
}

TEST(ScheduleMap, StandsHostileNamesAndNoRounds) {
    ScheduleMap map;
    map.title = "<b>";
    map.islands = detail::hostile_names();
    map.rounds = {{{{0, 1, 2, 3, 4, 5, 6, 7}}, std::numeric_limits<double>::infinity()}};
    const std::string svg = draw(map);
    EXPECT_EQ(svg.find("<script>"), std::string::npos);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_EQ(count_of(svg, ">no time</text>"), 1U);
    EXPECT_EQ(count_of(svg, "number-1</title>"), 1U);  // the whole name, to who points at it
    map.rounds.clear();
    EXPECT_TRUE(draw(map).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace longhaul::report
