#include "longhaul/core/cursor.hpp"

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

/// A document, its cursor, and what the cursor reported.
struct Reading {
    explicit Reading(std::string_view text) : document(parse_json(text, "f.json").value()) {}
    [[nodiscard]] Cursor root() { return {document, problems}; }
    [[nodiscard]] std::string only_problem() const {
        return problems.size() == 1 ? to_string(problems[0])
                                    : std::to_string(problems.size()) + " problems";
    }
    Document document;
    Diagnostics problems;
};

TEST(Cursor, ReadsWhatIsThere) {
    Reading r(
        R"({"n": 2.5, "i": -3, "b": true, "s": "x", "a": [1, 2], "m": [1, "y"], "o": {"k": 7}})");
    const Cursor root = r.root();
    EXPECT_EQ(root.find("n")->number(), 2.5);
    EXPECT_EQ(root.find("n")->positive_number(), 2.5);
    EXPECT_EQ(root.find("n")->number_at_least(2.5), 2.5);
    EXPECT_EQ(root.find("n")->number_in(2.5, 2.5), 2.5);
    EXPECT_EQ(root.find("i")->integer(-3, -3), -3);
    EXPECT_EQ(root.find("b")->boolean(), true);
    EXPECT_EQ(root.find("s")->string(), "x");
    EXPECT_EQ(root.find("a")->item(1).integer(0, 9), 2);
    EXPECT_EQ(root.find("m")->item(0).number(), 1);
    EXPECT_EQ(root.find("m")->item(1).string(), "y");
    EXPECT_EQ(root.find("o")->find("k")->integer(0, 9), 7);
    EXPECT_EQ(root.require("o", "an o")->require("k", "a k")->path(), "o.k");
    EXPECT_FALSE(root.find("absent"));
    EXPECT_TRUE(r.problems.empty());
}

TEST(Cursor, ReportsPathPlaceAndFix) {
    Reading r("{\"o\": {\"rows\": [[1, 2],\n  [3, \"x\"]]}}");
    const Cursor rows = *r.root().find("o")->find("rows");
    EXPECT_FALSE(rows.item(1).item(1).number());
    EXPECT_EQ(r.only_problem(),
              "f.json: line 2, column 7: o.rows[1][1]: found a string \"x\"; it must be a number");
    r.problems.clear();
    // Entries of an array of numbers share the place of the array.
    EXPECT_FALSE(rows.item(0).item(1).string());
    EXPECT_EQ(r.only_problem(),
              "f.json: line 1, column 17: o.rows[0][1]: found a number; it must be a string");
}

TEST(Cursor, ReportsMissingKeys) {
    Reading r("{}");
    EXPECT_FALSE(r.root().require("layers", "the number of layers"));
    EXPECT_EQ(r.only_problem(),
              "f.json: line 1, column 1: the key \"layers\" is missing; it holds the number of "
              "layers");
}

TEST(Cursor, ReportsEveryWrongKind) {
    Reading r(R"({"x": null, "n": 1, "a": [1]})");
    const Cursor root = r.root();
    EXPECT_FALSE(root.find("x")->number());
    EXPECT_FALSE(root.find("x")->string());
    EXPECT_FALSE(root.find("n")->boolean());
    EXPECT_FALSE(root.find("n")->is_array());
    EXPECT_FALSE(root.find("a")->is_object());
    EXPECT_FALSE(root.find("a")->item(0).is_array());  // the entry, not its array
    EXPECT_FALSE(root.find("a")->item(0).boolean());
    EXPECT_EQ(r.problems.size(), 7U);
}

TEST(Cursor, ChecksRanges) {
    Reading r(R"({"n": -1, "z": 0, "h": 2.5, "big": 1e300})");
    const Cursor root = r.root();
    EXPECT_FALSE(root.find("n")->number_at_least(0));
    EXPECT_EQ(r.only_problem(), "f.json: line 1, column 7: n: found -1; it must be at least 0");
    r.problems.clear();
    EXPECT_FALSE(root.find("h")->number_in(0, 2));
    EXPECT_EQ(r.only_problem(), "f.json: line 1, column 24: h: found 2.5; it must be from 0 to 2");
    r.problems.clear();
    EXPECT_FALSE(root.find("h")->number_in(3, 4));
    r.problems.clear();
    EXPECT_FALSE(root.find("z")->positive_number());
    EXPECT_EQ(r.only_problem(), "f.json: line 1, column 16: z: found 0; it must be greater than 0");
    r.problems.clear();
    EXPECT_FALSE(root.find("h")->integer(1, 5));
    EXPECT_EQ(r.only_problem(),
              "f.json: line 1, column 24: h: found 2.5; it must be a whole number from 1 to 5");
    r.problems.clear();
    EXPECT_FALSE(root.find("big")->integer(1, 5));
    EXPECT_FALSE(root.find("z")->integer(1, 5));
    EXPECT_FALSE(root.find("n")->integer(0, 5));
    EXPECT_EQ(r.problems.size(), 3U);
    EXPECT_EQ(root.find("z")->integer(0, 0), 0);
}

TEST(Cursor, NamesHoldNothingThatCannotBeShown) {
    Reading good(R"({"n": "Z\u00fcrich 1"})");
    EXPECT_EQ(good.root().find("n")->name(), "Z\xC3\xBCrich 1");
    EXPECT_TRUE(good.problems.empty());
    for (const char* text : {R"("a\nb")", R"("a\u202eb")", R"("\u001b[2J")", R"("a\u0085")"}) {
        Reading r(std::string("{\"n\": ") + text + "}");
        EXPECT_EQ(r.root().find("n")->name(), std::nullopt);
        EXPECT_NE(r.only_problem().find("cannot be shown as it stands"), std::string::npos);
        EXPECT_TRUE(is_printable(r.only_problem()));
    }
    Reading keys(R"({"a": 1, "\u2066b": 2})");
    EXPECT_FALSE(keys.root().check_names_of_keys());
    EXPECT_NE(keys.only_problem().find("\\xe2\\x81\\xa6b"), std::string::npos);
}

TEST(Cursor, UnknownKeysGetASuggestion) {
    Reading r(R"({"layers": 1, "hiden_size": 2})");
    r.root().only_keys({"layers", "hidden_size", "heads"});
    EXPECT_EQ(r.only_problem(),
              "f.json: line 1, column 29: hiden_size: unknown key \"hiden_size\"; did you mean "
              "\"hidden_size\"?");
    Reading far(R"({"colour": 1})");
    far.root().only_keys({"layers", "heads"});
    EXPECT_EQ(far.only_problem(),
              "f.json: line 1, column 12: colour: unknown key \"colour\"; known keys: layers, "
              "heads");
}

TEST(Cursor, HostileKeysStayShortAndOnOneLine) {
    Reading r("{\"" + std::string(1'000'000, 'k') + "\": 1}");
    r.root().only_keys({"layers"});
    EXPECT_LT(r.only_problem().size(), 250U);
    Reading lines("{\"a\\nb\": {\"\": 1}}");
    EXPECT_EQ(lines.root().find("a\nb")->find("")->path(), "\"a\\x0ab\".\"\"");
}

TEST(Cursor, ListsAThousandProblemsAtMost) {
    Reading r("{}");
    for (int i = 0; i < 5000; ++i) {
        r.root().report("found x", "use y");
    }
    EXPECT_EQ(r.problems.size(), kMaxProblems);
}

std::string format_problem(const std::string& text, bool required) {
    Reading r(text);
    check_format(r.root(), "longhaul.plan", 1, required);
    return r.problems.empty() ? "" : r.only_problem();
}

TEST(CheckFormat, AcceptsTheNameAndRefusesOthers) {
    EXPECT_EQ(format_problem(R"({"format": "longhaul.plan/1"})", true), "");
    EXPECT_EQ(format_problem("{}", false), "");
    EXPECT_EQ(format_problem("{}", true),
              "f.json: line 1, column 1: the key \"format\" is missing; it holds "
              "\"longhaul.plan/1\"");
    EXPECT_EQ(
        format_problem(R"({"format": "longhaul.plan/2"})", false),
        "f.json: line 1, column 12: format: found \"longhaul.plan/2\"; this longhaul reads up "
        "to longhaul.plan/1; use a newer one");
    const std::string wrong = "it must be \"longhaul.plan/1\"";
    for (const char* other : {"longhaul.fabric/1",
                              "longhaul.plan",
                              "longhaul.plan/",
                              "longhaul.plan/x",
                              "longhaul.plan/0",
                              "",
                              "longhaul.plan/99999999999999999999"}) {
        EXPECT_NE(format_problem(R"({"format": ")" + std::string(other) + "\"}", true).find(wrong),
                  std::string::npos)
            << other;
    }
    EXPECT_NE(format_problem(R"({"format": 1})", true).find("it must be a string"),
              std::string::npos);
}

}  // namespace
}  // namespace longhaul::core
