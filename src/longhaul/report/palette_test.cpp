#include "longhaul/report/palette.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace longhaul::report {
namespace {

/// Relative luminance of "#rrggbb" as WCAG 2.1 defines it.
double luminance(std::string_view colour) {
    const auto part = [&](std::size_t at) {
        const double value = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

double contrast(std::string_view a, std::string_view b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

TEST(Palette, ColoursDiffer) {
    for (std::size_t i = 0; i < kColours; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(fill_of(i), fill_of(j));
            EXPECT_NE(ink_of(i), ink_of(j));
        }
    }
}

TEST(Palette, InksStandOnWhiteAndTextOnFills) {
    EXPECT_NEAR(contrast("#ffffff", "#000000"), 21, 1e-9);
    for (std::size_t i = 0; i < kColours; ++i) {
        EXPECT_GE(contrast(ink_of(i), "#ffffff"), 3) << ink_of(i);
        EXPECT_GE(contrast(kText, fill_of(i)), 4.5) << fill_of(i);
    }
    EXPECT_GE(contrast(kText, "#ffffff"), 14);
    EXPECT_GE(contrast(kQuietText, "#ffffff"), 6);
    EXPECT_GE(contrast(kGreyInk, "#ffffff"), 3);
}

TEST(Palette, GroupsHaveNoGrey) {
    for (std::size_t i = 0; i < 3 * kGroupColours; ++i) {
        EXPECT_NE(group_fill_of(i), "#a9a9a9");
        EXPECT_EQ(group_fill_of(i), group_fill_of(i + kGroupColours));
        for (std::size_t j = i + 1; j < i + kGroupColours; ++j) {
            EXPECT_NE(group_fill_of(i), group_fill_of(j));
        }
    }
    EXPECT_EQ(dash_of(kGroupColours - 1, kGroupColours), "");
    EXPECT_NE(dash_of(kGroupColours, kGroupColours), "");
}

}  // namespace
}  // namespace longhaul::report
