#include "longhaul/report/labels.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/report/detail/test_pictures.hpp"

namespace longhaul::report {
namespace {

TEST(Labels, WrapsAtSpaces) {
    const std::string text = "one two  three a-long-word-of-its-own four";
    const auto lines = wrapped(text, text_extent("one two", 12) + 1, 12);
    EXPECT_EQ(lines,
              (std::vector<std::string>{"one two", "three", "a-long-word-of-its-own", "four"}));
    EXPECT_EQ(wrapped(text, 1e6, 12),
              (std::vector<std::string>{"one two three a-long-word-of-its-own four"}));
    EXPECT_TRUE(wrapped("", 100, 12).empty());
}

TEST(Labels, ShortensWithAnEllipsisThatFits) {
    EXPECT_EQ(shortened("HKG", 100, 10), "HKG");
    const std::string name = "datacentre-north-17";
    for (double width = 20; width < 130; width += 3) {
        const std::string text = shortened(name, width, 10);
        EXPECT_LE(text_extent(text, 10), width);
        EXPECT_TRUE(text == name || text.ends_with("\xE2\x80\xA6"));
    }
    EXPECT_EQ(shortened(name, 0, 10), "\xE2\x80\xA6");
    EXPECT_EQ(shortened("", 0, 10), "");
}

TEST(Labels, NeverCutsACharacter) {
    const std::string tokyo = "\xE6\x9D\xB1\xE4\xBA\xAC\xE6\x9D\xB1\xE4\xBA\xAC";
    for (double width = 1; width < 50; ++width) {
        EXPECT_EQ(core::first_invalid_utf8(shortened(tokyo, width, 10)), std::string::npos);
    }
}

TEST(Labels, KeepsDifferentNamesApart) {
    std::vector<std::string> names;
    for (int i = 0; i < 64; ++i) {
        names.push_back("an-island-with-a-long-name-" + std::to_string(i));  // differ at the end
        names.push_back("an-island-" + std::to_string(i) + "-of-the-same-far-away-region");
    }
    const auto labels = shortened_names(names, 92, 11.5);
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), names.size());
    for (const std::string& label : labels) {
        EXPECT_LE(text_extent(label, 11.5), 92);
    }
    // Equal names stay equal: they are one name.
    const std::vector<std::string> equal(2, "an-island-with-a-long-name-indeed");
    const auto twice = shortened_names(equal, 92, 11.5);
    EXPECT_EQ(twice[0], twice[1]);
}

TEST(Labels, SaysTimesWithFourDigits) {
    EXPECT_EQ(milliseconds(564.921), "564.9 ms");
    EXPECT_EQ(milliseconds(12710.4), "12710 ms");
    EXPECT_EQ(milliseconds(0), "0 ms");
    EXPECT_EQ(milliseconds(std::numeric_limits<double>::infinity()), "no time");
}

TEST(Labels, NoLabelTouchesAnotherOrAPoint) {
    core::Random random(5);
    int placed_all = 0;
    for (int round = 0; round < 100; ++round) {
        std::vector<Point> points;
        std::vector<std::string> texts;
        for (int i = 0; i < 25; ++i) {
            points.push_back({40 + 420 * random.uniform(), 20 + 260 * random.uniform()});
            texts.emplace_back(1 + random.index(9), 'W');
        }
        const Box room{0, 0, 500, 300};
        const auto labels = place_labels(points, texts, 11, 5, room);
        if (!labels) {
            continue;
        }
        ++placed_all;
        for (std::size_t i = 0; i < labels->size(); ++i) {
            const Box& box = (*labels)[i].box;
            EXPECT_TRUE(box.left >= 0 && box.right <= 500 && box.top >= 0 && box.bottom <= 300);
            for (std::size_t j = 0; j < labels->size(); ++j) {
                EXPECT_FALSE(i != j && overlap(box, (*labels)[j].box));
                const Box disc{points[j].x - 5, points[j].y - 5, points[j].x + 5, points[j].y + 5};
                EXPECT_FALSE(overlap(box, disc));
            }
        }
    }
    EXPECT_GT(placed_all, 20);
}

TEST(Labels, SayWhenOneDoesNotFit) {
    const std::vector<Point> points{{10, 10}};
    const std::vector<std::string> texts{"wider than its room"};
    EXPECT_FALSE(place_labels(points, texts, 11, 5, {0, 0, 40, 40}));
    EXPECT_TRUE(place_labels(points, texts, 11, 5, {0, 0, 400, 40}));
}

}  // namespace
}  // namespace longhaul::report
