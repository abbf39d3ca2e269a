#include "longhaul/core/diagnostic.hpp"

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

TEST(Diagnostic, JoinsThePartsThatArePresent) {
    EXPECT_EQ(to_string({"f.json", "line 3", "found 1", "use 2"}),
              "f.json: line 3: found 1; use 2");
    EXPECT_EQ(to_string({"", "line 3", "found 1", ""}), "line 3: found 1");
    EXPECT_EQ(to_string({"f.json", "", "found 1", "use 2"}), "f.json: found 1; use 2");
    EXPECT_EQ(to_string({}), "");
}

TEST(Diagnostic, StaysOnOneLineWhateverTheNamesHold) {
    EXPECT_EQ(to_string({"a\nb", "x\r", "\x1b[31m", "\xff"}), "a\\x0ab: x\\x0d: \\x1b[31m; \\xff");
}

TEST(Diagnostic, FailHoldsTheProblem) {
    const Result<int> result = fail({"f", "w", "what", "fix"});
    ASSERT_FALSE(result);
    ASSERT_EQ(result.error().size(), 1U);
    EXPECT_EQ(result.error()[0].what, "what");
}

TEST(Shown, QuotesAndEscapes) {
    EXPECT_EQ(shown(""), "\"\"");
    EXPECT_EQ(shown("plain"), "\"plain\"");
    EXPECT_EQ(shown("a\"b\\c"), "\"a\\\"b\\\\c\"");
    EXPECT_EQ(shown(std::string_view("\0\t\x1f\x7f", 4)), "\"\\x00\\x09\\x1f\\x7f\"");
    EXPECT_EQ(shown("Zürich"), "\"Zürich\"");
    // U+009B starts a terminal sequence as ESC [ does.
    EXPECT_EQ(shown("\xC2\x9B"
                    "31m"),
              "\"\\xc2\\x9b31m\"");
    EXPECT_EQ(shown("\xC3\x28"), "\"\\xc3(\"");
}

TEST(Shown, CutsBetweenCharacters) {
    EXPECT_EQ(shown("abcdef", 3), "\"abc\" ...");
    EXPECT_EQ(shown("abc", 3), "\"abc\"");
    // The second umlaut starts at byte 2, below the limit of 3: it is shown whole.
    EXPECT_EQ(shown("üüü", 3), "\"üü\" ...");
    EXPECT_EQ(shown(std::string(1'000'000, 'x')).size(), 40U + 6U);
}

struct Utf8Case {
    std::string text;
    std::size_t bad;
};

constexpr std::size_t kGood = std::string_view::npos;

// Boundaries of table 3-7 (well-formed UTF-8 byte sequences) of the Unicode standard.
TEST(Utf8, AcceptsExactlyTheWellFormedSequences) {
    const std::vector<Utf8Case> cases = {
        {"", kGood},
        {"ascii", kGood},
        {"\x7F", kGood},
        {"\xC2\x80", kGood},
        {"\xDF\xBF", kGood},
        {"\xE0\xA0\x80", kGood},
        {"\xED\x9F\xBF", kGood},
        {"\xEE\x80\x80", kGood},
        {"\xEF\xBF\xBF", kGood},
        {"\xF0\x90\x80\x80", kGood},
        {"\xF4\x8F\xBF\xBF", kGood},
        {"ab\x80", 2},            // a tail without a lead
        {"\xC1\xBF", 0},          // overlong
        {"\xE0\x9F\xBF", 0},      // overlong
        {"\xF0\x8F\xBF\xBF", 0},  // overlong
        {"\xED\xA0\x80", 0},      // surrogate
        {"\xF4\x90\x80\x80", 0},  // above U+10FFFF
        {"\xF5\x80\x80\x80", 0},
        {"a\xC2", 1},  // cut
        {"a\xE2\x82", 1},
        {"a\xF0\x9F\x98", 1},
        {"\xC2\x41", 0},
        {"\xE2\x82\x41", 0},
        {"\xF0\x9F\x98\x41", 0},
        {"\xFF", 0},
    };
    for (const Utf8Case& c : cases) {
        EXPECT_EQ(first_invalid_utf8(c.text), c.bad) << shown(c.text);
    }
}

}  // namespace
}  // namespace longhaul::core
