#include "longhaul/report/phase_map.hpp"

#include <gtest/gtest.h>

#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// 2 x 3 cells: structure 0 below, above it 0 0 1.
PhaseMap small_map() {
    PhaseMap map;
    map.title = "Who wins & where";
    map.x = {"x", {1, 10, 100}, true};
    map.y = {"y", {1, 10}, true};
    map.structures = {"one <region> a stage", "pipelines inside regions"};
    map.structure = {2, 3, 0};
    map.structure(1, 2) = 1;
    return map;
}

TEST(PhaseMap, DrawsRunsBordersLettersAndLegend) {
    const std::string svg = draw(small_map());
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_NE(svg.find("Who wins &amp; where"), std::string::npos);
    EXPECT_NE(svg.find("one &lt;region&gt; a stage"), std::string::npos);
    // Structure 0: a run in each row and its swatch; structure 1: one cell and its swatch.
    EXPECT_EQ(occurrences(svg, std::string(fill_of(0))), 3U);
    EXPECT_EQ(occurrences(svg, std::string(fill_of(1))), 2U);
    // Borders: left of and below the one cell.
    EXPECT_EQ(occurrences(svg, "stroke-width=\"1.4\""), 2U);
    EXPECT_EQ(occurrences(svg, ">A</text>"), 2U);
    EXPECT_EQ(occurrences(svg, ">B</text>"), 2U);
    EXPECT_NE(svg.find("83.3 % of the map"), std::string::npos);  // 5 of 6 cells
    EXPECT_NE(svg.find("16.7 % of the map"), std::string::npos);
    EXPECT_EQ(svg.find("not proved"), std::string::npos);
}

TEST(PhaseMap, MarksCellsWithoutProof) {
    PhaseMap map = small_map();
    map.proved = {2, 3, 1};
    EXPECT_EQ(occurrences(draw(map), "<circle"), 0U);
    map.proved(0, 1) = 0;
    const std::string svg = draw(map);
    EXPECT_EQ(occurrences(svg, "<circle"), 2U);  // the cell and the legend
    EXPECT_NE(svg.find("not proved optimal"), std::string::npos);
}

TEST(PhaseMap, PutsNoDotUnderALetter) {
    PhaseMap map;
    map.x = {"x", {1, 2, 3}, false};
    map.y = {"y", {1, 2, 3}, false};
    map.structures = {"one"};
    map.structure = {3, 3, 0};
    map.proved = {3, 3, 0};
    const std::string svg = draw(map);
    // Eight of nine cells and the legend: the letter is in the middle one, at (84 + 260, 78 + 260).
    EXPECT_EQ(occurrences(svg, "<circle"), 9U);
    EXPECT_EQ(svg.find("cx=\"344\" cy=\"338\""), std::string::npos);
    map.proved(1, 1) = 1;
    EXPECT_EQ(occurrences(draw(map), "<circle"), 9U);
    map.proved(0, 0) = 1;
    EXPECT_EQ(occurrences(draw(map), "<circle"), 8U);
}

TEST(PhaseMap, SaysWhatStructuresHoldAndWhatIsSent) {
    PhaseMap map = small_map();
    const std::string plain = draw(map);
    map.second_subtitle = "c_pp in 32 messages";
    map.details = {"Tokyo 4 + Seoul 4 (x2) | Ohio 8", ""};
    const std::string svg = draw(map);
    EXPECT_NE(svg.find(">c_pp in 32 messages</text>"), std::string::npos);
    EXPECT_NE(svg.find("Tokyo 4 + Seoul 4 (x2) | Ohio 8"), std::string::npos);
    // One subtitle more: 18 pixels higher. The legend is smaller than the map.
    EXPECT_NE(plain.find("height=\"676\""), std::string::npos);
    EXPECT_NE(svg.find("height=\"694\""), std::string::npos);
    map.details[0] =
        "a rather long list of regions and their devices, which does not fit into "
        "three lines of the legend, so that it is cut short behind the third one, and "
        "shown whole to those who point at it";
    EXPECT_NE(draw(map).find("\u2026"), std::string::npos);
}

TEST(PhaseMap, StandsOneCellAndManyStructures) {
    PhaseMap map;
    map.x = {"x", {1}, true};
    map.y = {"y", {1, 2, 3}, false};
    map.structure = {3, 1, 0};
    for (int i = 0; i < 40; ++i) {
        map.structures.push_back("structure with a rather long name, number " + std::to_string(i));
    }
    map.structure(2, 0) = 39;
    const std::string svg = draw(map);
    EXPECT_NE(svg.find(">40</text>"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::report
