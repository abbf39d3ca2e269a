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

// Unicode 15, PropList.txt: Bidi_Control is U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+2069; U+2028 and U+2029 end lines. Their neighbours are letters, spaces and joiners.
TEST(Printable, RefusesExactlyWhatTurnsTextAndWhatControls) {
    const auto utf8 = [](unsigned point) {
        std::string text;
        if (point < 0x80) {
            text += static_cast<char>(point);
        } else if (point < 0x800) {
            text += static_cast<char>(0xC0U | point >> 6U);
            text += static_cast<char>(0x80U | (point & 0x3FU));
        } else {
            text += static_cast<char>(0xE0U | point >> 12U);
            text += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
            text += static_cast<char>(0x80U | (point & 0x3FU));
        }
        return text;
    };
    for (unsigned point = 1; point < 0xD800; ++point) {
        const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
        const bool turns = point == 0x61C || point == 0x200E || point == 0x200F ||
                           (point >= 0x2028 && point <= 0x202E) ||
                           (point >= 0x2066 && point <= 0x2069);
        EXPECT_EQ(is_printable("a" + utf8(point) + "b"), !control && !turns) << point;
    }
    EXPECT_TRUE(is_printable(""));
    EXPECT_FALSE(is_printable("a\xff"));
    EXPECT_EQ(printable_length("\xE2\x80\xAD", 0), 0U);
    EXPECT_EQ(printable_length("\xF0\x9F\x98\x80", 0), 4U);
    EXPECT_EQ(shown("a\xE2\x80\xAEgnp.exe"), "\"a\\xe2\\x80\\xaegnp.exe\"");
    EXPECT_EQ(printable_lines("a\n\xE2\x81\xA6\tb"), "a\n\\xe2\\x81\\xa6\tb");
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
