// Any tree that is written as JSON reads back equal, and no text whatever makes a reader fail in
// another way than with a problem.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "longhaul/core/document.hpp"

namespace longhaul::core {
namespace {

/// A code point that is no surrogate, short ones more often.
void append_character(std::string& text) {
    const auto point = *rc::gen::weightedOneOf<std::uint32_t>(
        {{8, rc::gen::inRange<std::uint32_t>(0, 0x80)},
         {2, rc::gen::inRange<std::uint32_t>(0x80, 0x800)},
         {2, rc::gen::inRange<std::uint32_t>(0x800, 0xD800)},
         {1, rc::gen::inRange<std::uint32_t>(0xE000, 0x10000)},
         {1, rc::gen::inRange<std::uint32_t>(0x10000, 0x110000)}});
    const auto tail = [&](unsigned shift) {
        return static_cast<char>(0x80U | ((point >> shift) & 0x3FU));
    };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += {static_cast<char>(0xC0U | (point >> 6U)), tail(0)};
    } else if (point < 0x10000) {
        text += {static_cast<char>(0xE0U | (point >> 12U)), tail(6), tail(0)};
    } else {
        text += {static_cast<char>(0xF0U | (point >> 18U)), tail(12), tail(6), tail(0)};
    }
}

std::string random_text() {
    std::string text;
    const int length = *rc::gen::inRange(0, 12);
    for (int i = 0; i < length; ++i) {
        append_character(text);
    }
    return text;
}

double random_number() {
    const double number = *rc::gen::arbitrary<double>();
    const auto whole = *rc::gen::arbitrary<int>();
    return std::isfinite(number) && *rc::gen::arbitrary<bool>() ? number : whole;
}

Value random_value(int depth) {
    Value value;
    const int size = *rc::gen::inRange(0, 4);
    switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
        case 0:
            return value;
        case 1:
            return Value(*rc::gen::arbitrary<bool>());
        case 2:
            return Value(random_number());
        case 3:
            return Value(random_text());
        case 4:
            value = Value::array();
            for (int i = 0; i < size; ++i) {
                value.append(random_value(depth - 1));
            }
            return value;
        default:
            value = Value::object();
            for (int i = 0; i < size; ++i) {
                value.set(random_text(), random_value(depth - 1));
            }
            return value;
    }
}

RC_GTEST_PROP(JsonProperty, WrittenTreesReadBackEqual, ()) {
    Value root = Value::object();
    root.set("x", random_value(4)).set(random_text(), random_value(2));
    const auto back = parse_json(write_json(root), "f");
    RC_ASSERT(back.has_value());
    RC_ASSERT(same_content(root, back->root));
}

/// A valid text with a few bytes replaced, removed or doubled.
std::string damaged(std::string text) {
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes && !text.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        switch (*rc::gen::inRange(0, 3)) {
            case 0:
                text[at] = *rc::gen::elementOf(std::string("[]{}\",:=.#'\\\n\t -e09\xC3\xFF"));
                break;
            case 1:
                text.erase(at, 1);
                break;
            default:
                text.insert(at, text.substr(at, 5));
        }
    }
    return text;
}

void check_outcome(const Result<Document>& result, std::string_view text) {
    if (result) {
        RC_ASSERT(result->root.kind == Value::Kind::kObject);
        return;
    }
    RC_ASSERT(!result.error().empty());
    for (const Diagnostic& problem : result.error()) {
        RC_ASSERT(!problem.what.empty());
        RC_ASSERT(to_string(problem).find('\n') == std::string::npos);
    }
    RC_ASSERT(!text.empty() || result.error().front().what == "the file is empty");
}

RC_GTEST_PROP(JsonProperty, DamagedTextGivesProblemsOnly, ()) {
    Value root = Value::object();
    root.set("x", random_value(3));
    const std::string text = damaged(write_json(root));
    check_outcome(parse_json(text, "f"), text);
}

RC_GTEST_PROP(TomlProperty, DamagedTextGivesProblemsOnly, ()) {
    const std::string text = damaged(
        "title = \"a\\n\"\n[a.b]\nx = [1, 2.5, 'y']\nz = {p = 1, \"q\" = true}\n[[c]]\nd = "
        "'''\n[[['''\n[[c]]\ne.f = 0x1f # [\n");
    check_outcome(parse_toml(text, "f"), text);
}

}  // namespace
}  // namespace longhaul::core
