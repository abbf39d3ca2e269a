// Walks a Document and collects every problem on the way, each with its place.
//
//     Diagnostics problems;
//     const Cursor root(document, problems);
//     root.only_keys({"format", "layers", "hidden_size"});
//     const auto layers = root.require("layers", "the number of transformer layers");
//     if (layers) job.layers = layers->integer(1, 10000).value_or(1);
//     if (!problems.empty()) return tl::unexpected(problems);
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "longhaul/core/document.hpp"

namespace longhaul::core {

/// Problems beyond this number are not listed: a matrix may hold a million of them.
inline constexpr std::size_t kMaxProblems = 1000;

/// A node of a document with its path. Cheap to copy; the document and the list of problems must
/// outlive it. Readers return nullopt after reporting what is wrong.
class Cursor {
public:
    Cursor(const Document& document, Diagnostics& problems);

    [[nodiscard]] const Value& value() const { return *value_; }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Member of that name; absence is no problem.
    [[nodiscard]] std::optional<Cursor> find(std::string_view key) const;
    /// Member of that name; absence is reported, `meaning` says what it would hold.
    [[nodiscard]] std::optional<Cursor> require(std::string_view key,
                                                std::string_view meaning) const;
    /// Entries of an array (see is_array), 0 <= i < value().size().
    [[nodiscard]] Cursor item(std::size_t i) const;

    [[nodiscard]] bool is_object() const { return expect(Value::Kind::kObject); }
    [[nodiscard]] bool is_array() const { return expect(Value::Kind::kArray); }
    [[nodiscard]] std::optional<double> number() const;
    [[nodiscard]] std::optional<double> number_at_least(double minimum) const;
    [[nodiscard]] std::optional<double> number_in(double minimum, double maximum) const;
    [[nodiscard]] std::optional<double> positive_number() const;
    [[nodiscard]] std::optional<int> integer(int minimum, int maximum) const;
    [[nodiscard]] std::optional<bool> boolean() const;
    [[nodiscard]] std::optional<std::string> string() const;
    /// A string that is shown in tables and pictures: one whose characters may be shown as they
    /// stand (is_printable), so no ends of lines and no marks that turn text around.
    [[nodiscard]] std::optional<std::string> name() const;
    /// The same of the keys of an object that are names.
    [[nodiscard]] bool check_names_of_keys() const;

    /// Reports keys that are not in the list: for files that people write, where an unknown key is
    /// a slip of the pen. Suggests the nearest known key.
    void only_keys(std::initializer_list<std::string_view> known) const;

    /// Adds a problem at this place.
    void report(std::string what, std::string fix) const;

private:
    Cursor(const Cursor& parent, const Value* value, std::string path);
    [[nodiscard]] bool expect(Value::Kind kind) const;

    const Value* value_;
    std::string path_;
    const std::string* file_;
    Diagnostics* problems_;
    std::optional<double> element_;  // entry of a compact array of numbers
};

/// Checks "format": "longhaul.NAME/MAJOR" in the root: another name or a newer major is reported,
/// and so is its absence where `required`.
void check_format(const Cursor& root, std::string_view name, int major, bool required);

}  // namespace longhaul::core
