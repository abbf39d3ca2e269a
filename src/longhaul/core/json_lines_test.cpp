#include "longhaul/core/json_lines.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/cursor.hpp"

namespace longhaul::core {
namespace {

struct Read {
    std::vector<double> numbers;
    Result<bool> whole = false;
};

Read read(std::string_view text) {
    Read read;
    read.whole = each_json_line(text, "f", [&](const Document& line, Diagnostics&) {
        read.numbers.push_back(line.root.find("a")->number);
    });
    return read;
}

TEST(EachJsonLine, HandsOverEveryObjectInOrder) {
    const Read lines = read("{\"a\": 1}\n\n  \r\n{\"a\":2}\n{\"a\": 3}");
    EXPECT_EQ(lines.numbers, (std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(lines.whole.value());
    EXPECT_TRUE(read("").whole.value());
}

TEST(EachJsonLine, LeavesOutALastLineThatWasCutOff) {
    const Read lines = read("{\"a\": 1}\n{\"a\": 2, \"b\": \"x");
    EXPECT_EQ(lines.numbers, (std::vector<double>{1}));
    EXPECT_FALSE(lines.whole.value());
}

TEST(EachJsonLine, ReportsEveryBadLineWithItsNumber) {
    const Read lines = read("[1]\n{\"a\": 1}\n{\"a\": \n5\n\xff\n");
    ASSERT_FALSE(lines.whole);
    const Diagnostics& problems = lines.whole.error();
    ASSERT_EQ(problems.size(), 4U);
    EXPECT_EQ(to_string(problems[0]).substr(0, 9), "f: line 1");
    EXPECT_EQ(to_string(problems[1]).substr(0, 9), "f: line 3");
    EXPECT_EQ(to_string(problems[2]),
              "f: line 4: the line holds a number; it must hold one object {...}");
    EXPECT_EQ(to_string(problems[3]).substr(0, 17), "f: line 5: byte 0");
}

TEST(EachJsonLine, ProblemsOfTheCallerAreTheResult) {
    const auto whole =
        each_json_line("{\"a\": 1}\n", "f", [](const Document& line, Diagnostics& all) {
            const Cursor root(line, all);
            (void)root.require("b", "a thing");
        });
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error().size(), 1U);
}

TEST(WriteJsonLine, IsOneLineThatReadsBackEqual) {
    const std::string text = "{\"a\": [1, 2], \"b\": {\"c\": [{\"d\": null}, []], \"e\": {}}}\n";
    EXPECT_EQ(write_json_line(parse_json(text, "f")->root), text);
}

}  // namespace
}  // namespace longhaul::core
