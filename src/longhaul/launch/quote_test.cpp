#include "longhaul/launch/quote.hpp"

#include <array>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace longhaul::launch {
namespace {

/// What /bin/sh prints for a script.
std::string output_of_shell(const std::string& script) {
    // Cases run side by side, each in a process of its own.
    const std::string path =
        ::testing::TempDir() + "quote_test." + std::to_string(::getpid()) + ".sh";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(script.data(), 1, script.size(), file);
    std::fclose(file);
    std::FILE* pipe = ::popen(("/bin/sh '" + path + "'").c_str(), "r");
    std::string output;
    std::array<char, 4096> block{};
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
        output.append(block.data(), got);
    }
    EXPECT_EQ(::pclose(pipe), 0);
    std::remove(path.c_str());
    return output;
}

// The oracle is the shell itself: a quoted word must come back byte for byte.
TEST(ShellQuoted, SurvivesTheShell) {
    const std::vector<std::string> hostile = {
        "",         "plain",     "two words",    "'",         "''",
        "a'b'c",    "\"",        "$(echo no)",   "`echo no`", "$HOME",
        "${PATH}",  "a;echo no", "a && echo no", "a | cat",   "a > b",
        "*",        "~",         "~root",        "#no",       "!no",
        "\\",       "\\'",       "-n",           "a\nb",      "a\tb",
        "\x01\x7f", "=x",        "{a,b}",        "[a]",       "gr\xc3\xbc\xc3\x9f"};
    for (const std::string& text : hostile) {
        EXPECT_EQ(output_of_shell("printf '%s|' " + shell_quoted(text)), text + "|") << text;
        EXPECT_EQ(output_of_shell("printf '%s|' " + single_quoted(text)), text + "|") << text;
    }
    std::string all = "printf '%s|'";
    std::string expected;
    for (const std::string& text : hostile) {
        expected += text + "|";
    }
    EXPECT_EQ(output_of_shell(all + " " + shell_words(hostile)), expected);
}

TEST(ShellQuoted, SurvivesTwoShells) {
    const std::string text = "it's $(echo no) \"x\"";
    EXPECT_EQ(output_of_shell("sh -c " + shell_quoted("printf %s " + shell_quoted(text))), text);
}

TEST(ShellQuoted, EveryByteButNul) {
    std::string text;
    for (int c = 1; c < 256; ++c) {
        text += static_cast<char>(c);
    }
    EXPECT_EQ(output_of_shell("printf %s " + shell_quoted(text)), text);
}

// Expected words: what "for w in ...; do" of dash gives, expansions aside.
TEST(SplitWords, FollowsTheShell) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(*split_words("python train.py --lr 3"), (Words{"python", "train.py", "--lr", "3"}));
    EXPECT_EQ(*split_words("  a\t b\n"), (Words{"a", "b"}));
    EXPECT_EQ(*split_words("a 'b c' \"d e\" f\\ g"), (Words{"a", "b c", "d e", "f g"}));
    EXPECT_EQ(*split_words("'' \"\""), (Words{"", ""}));
    EXPECT_EQ(*split_words("a'b'\"c\"d"), (Words{"abcd"}));
    EXPECT_EQ(*split_words("\"a\\\"b\" \"c\\d\" 'e\\'"), (Words{"a\"b", "c\\d", "e\\"}));
    EXPECT_EQ(*split_words("$HOME *"), (Words{"$HOME", "*"}));
    EXPECT_EQ(*split_words(""), Words{});
}

TEST(SplitWords, UndoesQuoting) {
    const std::vector<std::string> words = {"a b", "it's", "\"", "", "$x", "\\"};
    EXPECT_EQ(*split_words(shell_words(words)), words);
}

TEST(SplitWords, RefusesWhatIsNotClosed) {
    for (const char* line : {"a 'b", "a \"b", "a \\"}) {
        EXPECT_FALSE(split_words(line)) << line;
    }
}

TEST(HasControl, FindsWhatLinesCannotHold) {
    for (const char* text :
         {"a\nb", "\t", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf"}) {
        EXPECT_TRUE(has_control(text)) << core::shown(text);
    }
    for (const char* text : {"", "a b", "\xc3\xbc", "\xe2\x80\xa6", "\xef\xbc\xa1"}) {
        EXPECT_FALSE(has_control(text)) << text;
    }
}

TEST(Filled, ReplacesOnlyKeysAndOnlyOnce) {
    const std::array<Fill, 2> values{{{"A", "@B@"}, {"B", "b"}}};
    EXPECT_EQ(filled("@A@ $@ \"$@\" @B@ a@A", values), "@B@ $@ \"$@\" b a@A");
}

}  // namespace
}  // namespace longhaul::launch
