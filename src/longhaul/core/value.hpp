// A tree of values with the place in the text that each came from: what JSON and TOML files are
// read into, and what JSON files are written from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longhaul::core {

struct Member;

/// One node. Plain data: `kind` says which of the fields counts. An array that holds nothing but
/// numbers keeps them in `numbers` (8 bytes each, `items` empty), so that a matrix of a thousand
/// devices stays small; other arrays use `items`.
struct Value {
    enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

    Value() = default;
    Value(bool value);                   // NOLINT(google-explicit-constructor)
    Value(double value);                 // NOLINT(google-explicit-constructor)
    Value(int value);                    // NOLINT(google-explicit-constructor)
    Value(std::string value);            // NOLINT(google-explicit-constructor)
    Value(std::string_view value);       // NOLINT(google-explicit-constructor)
    Value(const char* value);            // NOLINT(google-explicit-constructor)
    Value(std::vector<double> numbers);  // NOLINT(google-explicit-constructor)
    [[nodiscard]] static Value object();
    [[nodiscard]] static Value array();

    /// Member of that name, or nullptr; also nullptr when this is not an object. O(members).
    [[nodiscard]] const Value* find(std::string_view key) const;
    /// Sets a member (replaces it in place or appends it); returns *this so that calls chain.
    Value& set(std::string_view key, Value value);
    /// Appends to an array, in the compact form as long as all entries are numbers.
    void append(Value value);
    /// Entries of an array, 0 for other kinds.
    [[nodiscard]] std::size_t size() const;

    Kind kind = Kind::kNull;
    int line = 0;    ///< 1-based; 0 when the value came from no text
    int column = 0;  ///< 1-based, in characters (code points)
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<double> numbers;
    std::vector<Value> items;
    std::vector<Member> members;
};

struct Member {
    std::string key;
    Value value;
};

/// Whether two trees hold the same values in the same order, wherever they came from.
[[nodiscard]] bool same_content(const Value& a, const Value& b);

/// "a number", "an array", ...: how a message names the kind.
[[nodiscard]] std::string_view name_of(Value::Kind kind);

/// JSON text: objects and nested arrays over lines, arrays of scalars on one line, numbers in the
/// shortest form that reads back equal. Every number must be finite (asserted): JSON has no NaN.
[[nodiscard]] std::string write_json(const Value& value);

/// The same on one line, with its newline: a record of a file of JSON lines.
[[nodiscard]] std::string write_json_line(const Value& value);

/// "key": in JSON string syntax, quotes included; what core::printable_length refuses as \uNNNN, so
/// that a terminal and a reader see every character there is.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace longhaul::core
