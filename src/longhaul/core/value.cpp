#include "longhaul/core/value.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/diagnostic.hpp"

namespace longhaul::core {

Value::Value(bool value) : kind(Kind::kBoolean), boolean(value) {}
Value::Value(double value) : kind(Kind::kNumber), number(value) {}
Value::Value(int value) : kind(Kind::kNumber), number(value) {}
Value::Value(std::string value) : kind(Kind::kString), string(std::move(value)) {}
Value::Value(std::string_view value) : Value(std::string(value)) {}
Value::Value(const char* value) : Value(std::string(value)) {}
Value::Value(std::vector<double> values) : kind(Kind::kArray), numbers(std::move(values)) {}

Value Value::object() {
    Value value;
    value.kind = Kind::kObject;
    return value;
}

Value Value::array() {
    Value value;
    value.kind = Kind::kArray;
    return value;
}

const Value* Value::find(std::string_view key) const {
    const auto at = std::ranges::find(members, key, &Member::key);
    return at == members.end() ? nullptr : &at->value;
}

Value& Value::set(std::string_view key, Value value) {
    LONGHAUL_ASSERT(kind == Kind::kObject);
    const auto at = std::ranges::find(members, key, &Member::key);
    if (at == members.end()) {
        members.push_back({std::string(key), std::move(value)});
    } else {
        at->value = std::move(value);
    }
    return *this;
}

void Value::append(Value value) {
    LONGHAUL_ASSERT(kind == Kind::kArray);
    if (value.kind == Kind::kNumber && items.empty()) {
        numbers.push_back(value.number);
        return;
    }
    for (const double earlier : numbers) {
        items.emplace_back(earlier);
        items.back().line = line;
        items.back().column = column;
    }
    numbers.clear();
    items.push_back(std::move(value));
}

std::size_t Value::size() const {
    return numbers.size() + items.size();
}

bool same_content(const Value& a, const Value& b) {
    const auto same_member = [](const Member& x, const Member& y) {
        return x.key == y.key && same_content(x.value, y.value);
    };
    return a.kind == b.kind && a.boolean == b.boolean && a.number == b.number &&
           a.string == b.string && a.numbers == b.numbers &&
           std::ranges::equal(a.items, b.items, same_content) &&
           std::ranges::equal(a.members, b.members, same_member);
}

std::string_view name_of(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::kNull:
            return "null";
        case Value::Kind::kBoolean:
            return "a boolean";
        case Value::Kind::kNumber:
            return "a number";
        case Value::Kind::kString:
            return "a string";
        case Value::Kind::kArray:
            return "an array";
        case Value::Kind::kObject:
            return "an object";
    }
    return "";
}

std::string json_quoted(std::string_view text) {
    const std::string quoted =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (is_printable(quoted)) {
        return quoted;
    }
    // C0 is escaped by now: what is left is DEL, C1 and marks of direction, of one to three bytes.
    std::string out;
    for (std::size_t at = 0; at < quoted.size();) {
        if (const std::size_t good = printable_length(quoted, at); good != 0) {
            out += quoted.substr(at, good);
            at += good;
            continue;
        }
        const auto byte = [&](std::size_t i) {
            return static_cast<unsigned>(static_cast<unsigned char>(quoted[at + i]));
        };
        const std::size_t bytes = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : 3;
        const unsigned point =
            bytes == 1   ? byte(0)
            : bytes == 2 ? (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU)
                         : (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
        out += fmt::format("\\u{:04x}", point);
        at += bytes;
    }
    return out;
}

namespace {

class JsonWriter {
public:
    explicit JsonWriter(bool one_line) : one_line_(one_line) {}

    std::string text() && { return std::move(out_) + "\n"; }

    void write(const Value& value, int depth) {
        switch (value.kind) {
            case Value::Kind::kNull:
                out_ += "null";
                break;
            case Value::Kind::kBoolean:
                out_ += value.boolean ? "true" : "false";
                break;
            case Value::Kind::kNumber:
                write_number(value.number);
                break;
            case Value::Kind::kString:
                out_ += json_quoted(value.string);
                break;
            case Value::Kind::kArray:
                write_array(value, depth);
                break;
            case Value::Kind::kObject:
                write_object(value, depth);
                break;
        }
    }

private:
    void write_number(double number) {
        LONGHAUL_ASSERT(std::isfinite(number));
        fmt::format_to(std::back_inserter(out_), "{}", number);
    }

    void new_line(int depth) {
        if (one_line_) {
            return;
        }
        out_ += "\n" + std::string(static_cast<std::size_t>(depth) * 2, ' ');
    }

    void write_array(const Value& value, int depth) {
        const bool flat = std::ranges::none_of(value.items, [](const Value& item) {
            return item.kind == Value::Kind::kArray || item.kind == Value::Kind::kObject;
        });
        out_ += '[';
        for (std::size_t i = 0; i < value.numbers.size(); ++i) {
            out_ += i == 0 ? "" : ", ";
            write_number(value.numbers[i]);
        }
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            out_ += i == 0 ? "" : flat || one_line_ ? ", " : ",";
            if (!flat) {
                new_line(depth + 1);
            }
            write(value.items[i], depth + 1);
        }
        if (!flat) {
            new_line(depth);
        }
        out_ += ']';
    }

    void write_object(const Value& value, int depth) {
        out_ += '{';
        for (std::size_t i = 0; i < value.members.size(); ++i) {
            out_ += i == 0 ? "" : one_line_ ? ", " : ",";
            new_line(depth + 1);
            out_ += json_quoted(value.members[i].key) + ": ";
            write(value.members[i].value, depth + 1);
        }
        if (!value.members.empty()) {
            new_line(depth);
        }
        out_ += '}';
    }

    bool one_line_;
    std::string out_;
};

}  // namespace

std::string write_json(const Value& value) {
    JsonWriter writer(false);
    writer.write(value, 0);
    return std::move(writer).text();
}

std::string write_json_line(const Value& value) {
    JsonWriter writer(true);
    writer.write(value, 0);
    return std::move(writer).text();
}

}  // namespace longhaul::core
