#include "longhaul/core/value.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"

namespace longhaul::core {
namespace {

TEST(Value, ConstructorsChooseTheKind) {
    EXPECT_EQ(Value().kind, Value::Kind::kNull);
    EXPECT_EQ(Value(true).kind, Value::Kind::kBoolean);
    EXPECT_EQ(Value(1).kind, Value::Kind::kNumber);
    EXPECT_EQ(Value(1.5).number, 1.5);
    EXPECT_EQ(Value("x").kind, Value::Kind::kString);  // not a boolean
    EXPECT_EQ(Value(std::string_view("x")).string, "x");
    EXPECT_EQ(Value(std::vector<double>{1, 2}).size(), 2U);
    EXPECT_EQ(Value::object().kind, Value::Kind::kObject);
    EXPECT_EQ(Value::array().kind, Value::Kind::kArray);
}

TEST(Value, SetReplacesInPlaceAndKeepsTheOrder) {
    Value object = Value::object();
    object.set("a", 1).set("b", 2).set("a", 3);
    ASSERT_EQ(object.members.size(), 2U);
    EXPECT_EQ(object.members[0].key, "a");
    EXPECT_EQ(object.find("a")->number, 3);
    EXPECT_EQ(object.find("c"), nullptr);
    EXPECT_EQ(Value(1).find("a"), nullptr);
    EXPECT_THROW(Value(1).set("a", 1), std::logic_error);
}

TEST(Value, AppendKeepsNumbersCompactUntilAnotherKindComes) {
    Value array = Value::array();
    array.append(1);
    array.append(2);
    EXPECT_EQ(array.numbers, (std::vector<double>{1, 2}));
    array.append("x");
    array.append(3);
    EXPECT_TRUE(array.numbers.empty());
    ASSERT_EQ(array.size(), 4U);
    EXPECT_EQ(array.items[1].number, 2);
    EXPECT_EQ(array.items[2].string, "x");
    EXPECT_EQ(array.items[3].number, 3);
}

TEST(WriteJson, LaysOutObjectsOverLinesAndScalarsOnOne) {
    Value object = Value::object();
    Value rows = Value::array();
    rows.append(Value(std::vector<double>{1, 2.5}));
    rows.append(Value(std::vector<double>{}));
    Value mixed = Value::array();
    mixed.append(Value());
    mixed.append(true);
    mixed.append("s");
    object.set("rows", rows).set("mixed", mixed).set("empty", Value::object());
    EXPECT_EQ(write_json(object),
              "{\n"
              "  \"rows\": [\n"
              "    [1, 2.5],\n"
              "    []\n"
              "  ],\n"
              "  \"mixed\": [null, true, \"s\"],\n"
              "  \"empty\": {}\n"
              "}\n");
}

// Shortest decimal forms that read back equal: 0.1 and 1/3 are textbook cases, the others are the
// limits of IEEE 754 binary64.
TEST(WriteJson, NumbersAreTheShortestThatReadBackEqual) {
    const std::vector<std::pair<double, std::string>> cases = {
        {0, "0"},
        {1, "1"},
        {-1, "-1"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {1e22, "1e+22"},
        {123456789, "123456789"},
        {9007199254740993.0, "9007199254740992"},
        {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
        {std::numeric_limits<double>::min(), "2.2250738585072014e-308"},
        {std::numeric_limits<double>::denorm_min(), "5e-324"},
    };
    for (const auto& [number, text] : cases) {
        EXPECT_EQ(write_json(number), text + "\n");
        EXPECT_EQ(parse_json("{\"x\": " + text + "}", "f")->root.find("x")->number, number);
    }
}

TEST(WriteJson, RefusesNumbersThatJsonDoesNotHave) {
    EXPECT_THROW((void)write_json(std::nan("")), std::logic_error);
    EXPECT_THROW((void)write_json(std::numeric_limits<double>::infinity()), std::logic_error);
    EXPECT_THROW((void)write_json(Value(std::vector<double>{1, -INFINITY})), std::logic_error);
}

// RFC 8259, section 7: quotation mark, reverse solidus and U+0000 to U+001F must be escaped.
TEST(JsonQuoted, EscapesWhatTheStandardAsksFor) {
    EXPECT_EQ(json_quoted("a\"b\\c/"), R"("a\"b\\c/")");
    EXPECT_EQ(json_quoted(std::string_view("\0\b\t\n\f\r\x1f", 7)), R"("\u0000\b\t\n\f\r\u001f")");
    EXPECT_EQ(json_quoted("Zürich 東京 😀"), "\"Zürich 東京 😀\"");
    // What a terminal would obey and what turns text around: DEL, U+0085, U+202E.
    EXPECT_EQ(json_quoted("\x7F\xC2\x85x\xE2\x80\xAEy"), R"("\u007f\u0085x\u202ey")");
    EXPECT_EQ(json_quoted("a\xFF"), "\"a\xEF\xBF\xBD\"");  // U+FFFD: never bad UTF-8 in a file
}

}  // namespace
}  // namespace longhaul::core
