#include "longhaul/report/mixing_matrix.hpp"

#include <gtest/gtest.h>

#include "longhaul/report/detail/test_pictures.hpp"

namespace longhaul::report {
namespace {

using detail::count_of;
using detail::elements;

/// Four islands: pairs, then other pairs: all agree after two rounds.
MixingPicture four_islands() {
    MixingPicture picture;
    picture.title = "four <islands>";
    picture.islands = {"AMS", "BER", "CPH", "DUB"};
    core::Grid<double> pairs(4, 4, 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
        pairs(i, i) = pairs(i, i ^ 1U) = 0.5;
    }
    picture.panels = {{pairs, "error 0.667"}, {core::Grid<double>(4, 4, 0.25), ""}};
    return picture;
}

MixingPicture identity(std::size_t n) {
    MixingPicture picture;
    core::Grid<double> weights(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        weights(i, i) = 1;
        picture.islands.push_back("an-island-with-a-long-name-" + std::to_string(i));
    }
    picture.panels = {{weights, ""}};
    return picture;
}

TEST(MixingMatrix, DrawsCellsWeightsAndKey) {
    const std::string svg = draw(four_islands());
    EXPECT_NE(svg.find("four &lt;islands&gt;"), std::string::npos);
    EXPECT_EQ(count_of(svg, ">After 1 round</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">After 2 rounds</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">.50</text>"), 8U);  // zeros stay blank
    EXPECT_EQ(count_of(svg, ">.25</text>"), 16U);
    EXPECT_EQ(count_of(svg, ">error 0.667</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">1/4</text>"), 1U);
    EXPECT_EQ(count_of(svg, ">0.5</text>"), 1U);  // the end of the key
    EXPECT_EQ(count_of(svg, ">AMS</text>"), 4U);  // a row and a column in two panels
    EXPECT_NE(svg.find("After 1 round: 8 of 16 pairs"), std::string::npos);
    // The dark and the lighter colour of the two weights: cells only.
    EXPECT_EQ(count_of(svg, weight_colour(0.5, 0.5)), 8U);
    EXPECT_EQ(count_of(svg, weight_colour(0.25, 0.5)), 16U);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(draw(four_islands()), svg);
}

// Two small panels are narrower than the title that `schedule optimise` gives its picture.
TEST(MixingMatrix, IsWideEnoughForItsTitle) {
    MixingPicture picture = four_islands();
    picture.title = "How far the best schedule found has spread updates";
    const std::string svg = draw(picture);
    EXPECT_EQ(count_of(svg, ">" + picture.title + "</text>"), 1U);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    picture.title.append(500, 'x');  // what no page holds is still shortened
    EXPECT_NE(draw(picture).find("\xE2\x80\xA6"), std::string::npos);
}

// Rows receive: island 0 takes all from island 1, so the cell lies to the right of the diagonal.
TEST(MixingMatrix, RowsReceive) {
    MixingPicture picture = identity(2);
    picture.islands = {"A", "B"};
    picture.panels[0].weights = core::Grid<double>(2, 2, 0.0);
    picture.panels[0].weights(0, 1) = 1;
    const std::string svg = draw(picture);
    const auto texts = elements(svg, "text");
    double row_a = 0;
    double column_b = 0;
    double x = 0;
    double y = 0;
    for (const std::string& text : texts) {
        const bool turned = !detail::attribute(text, "transform").empty();
        row_a = detail::shown(text) == "A" && !turned ? detail::number_of(text, "y") : row_a;
        column_b = detail::shown(text) == "B" && turned ? detail::number_of(text, "x") : column_b;
        if (detail::shown(text) == "1" && detail::attribute(text, "fill") == "#ffffff") {
            x = detail::number_of(text, "x");
            y = detail::number_of(text, "y");
        }
    }
    EXPECT_NEAR(y, row_a, 5);
    EXPECT_NEAR(x, column_b, 5);
}

TEST(MixingMatrix, ColoursDarkenWithWeight) {
    EXPECT_EQ(weight_colour(0, 1), "#ffffff");
    EXPECT_EQ(weight_colour(1, 1), "#08306b");
    EXPECT_EQ(weight_colour(0.0625, 1), "#c6dbef");  // a quarter of the scale: its second colour
    EXPECT_EQ(weight_colour(1, 0), "#ffffff");
    const auto lightness = [](double weight) {
        const std::string colour = weight_colour(weight, 1);
        return 2 * std::stoi(colour.substr(1, 2), nullptr, 16) +
               7 * std::stoi(colour.substr(3, 2), nullptr, 16) +
               std::stoi(colour.substr(5, 2), nullptr, 16);
    };
    for (int i = 0; i < 50; ++i) {
        EXPECT_GT(lightness(i / 50.0), lightness((i + 1) / 50.0));
    }
}

TEST(MixingMatrix, StandsOneIslandAndMany) {
    EXPECT_EQ(count_of(draw(identity(1)), ">1</text>"), 2U);  // the cell and the key
    const std::string svg = draw(identity(64));
    EXPECT_EQ(count_of(svg, weight_colour(1, 1)), 64U);
    EXPECT_EQ(elements(svg, "text").size(), 1U + 1 + 1 + 128 + 1 + 4);
    EXPECT_EQ(detail::overlapping_texts(svg), std::vector<std::string>{});
    EXPECT_EQ(detail::cut_off_texts(svg), std::vector<std::string>{});
}

// Equal neighbours become one rectangle: 64 rows and little else.
TEST(MixingMatrix, JoinsEqualCellsOfManyIslands) {
    MixingPicture picture = identity(64);
    picture.panels[0].weights = core::Grid<double>(64, 64, 1.0 / 64);
    EXPECT_EQ(count_of(draw(picture), weight_colour(1, 1)), 64U);
    EXPECT_LT(draw(picture).size(), 60'000U);
}

TEST(MixingMatrix, StandsHostileNamesAndNoPanels) {
    MixingPicture picture = identity(8);
    picture.islands = detail::hostile_names();
    EXPECT_EQ(draw(picture).find("<script>"), std::string::npos);
    picture.panels.clear();
    EXPECT_TRUE(draw(picture).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace longhaul::report
