#include "longhaul/report/gantt.hpp"

#include <gtest/gtest.h>

#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

Gantt two_rows() {
    Gantt gantt;
    gantt.title = "A step of <two>";
    gantt.rows = {"a/0", "b/0"};
    gantt.lanes = 2;
    gantt.kinds = {"forward", "sending"};
    gantt.end = 4;
    gantt.bars = {{0, 0, 0, 1, 0, "F0"}, {1, 0, 2, 3, 0, "F0"}, {0, 1, 1, 2, 1, ""}};
    return gantt;
}

TEST(Gantt, DrawsBarsRowsAndLegend) {
    const std::string svg = draw(two_rows());
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_NE(svg.find("A step of &lt;two&gt;"), std::string::npos);
    EXPECT_EQ(times_in(svg, std::string(fill_of(0))), 3U);  // two bars and the legend
    EXPECT_EQ(times_in(svg, std::string(fill_of(1))), 2U);
    EXPECT_EQ(times_in(svg, ">F0</text>"), 2U);
    EXPECT_EQ(times_in(svg, "critical path"), 0U);
}

TEST(Gantt, OutlinesThePath) {
    Gantt gantt = two_rows();
    gantt.path = {gantt.bars[0]};
    const std::string svg = draw(gantt);
    EXPECT_NE(svg.find("critical path"), std::string::npos);
}

TEST(Gantt, DrawsNothingOfNoLength) {
    Gantt gantt = two_rows();
    const std::string before = draw(gantt);
    gantt.bars.push_back({1, 0, 3.5, 3.5, 0, "F9"});
    EXPECT_EQ(draw(gantt), before);
}

TEST(Gantt, JoinsWhatNobodySees) {
    Gantt gantt = two_rows();
    gantt.bars.clear();
    for (int i = 0; i < 100'000; ++i) {
        gantt.bars.push_back({0, 0, i * 4e-5, (i + 1) * 4e-5, 0, ""});
    }
    EXPECT_LT(draw(gantt).size(), 20'000U);
}

}  // namespace
}  // namespace longhaul::report
