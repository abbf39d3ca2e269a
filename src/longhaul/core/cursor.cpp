#include "longhaul/core/cursor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace longhaul::core {
namespace {

/// Levenshtein distance, O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// The name that an unknown key is a slip of the pen for; empty when none is near. Long keys cost
/// nothing, since a slip changes the length by at most kSlip.
std::string_view nearest_name(std::initializer_list<std::string_view> known, std::string_view key) {
    constexpr std::size_t kSlip = 2;
    std::string_view nearest;
    std::size_t least = kSlip + 1;
    for (const std::string_view name : known) {
        if (name.size() > key.size() + kSlip || key.size() > name.size() + kSlip) {
            continue;
        }
        if (const std::size_t distance = edit_distance(name, key); distance < least) {
            nearest = name;
            least = distance;
        }
    }
    return nearest;
}

/// A key as a part of a path: as it is when it is plain, quoted otherwise.
std::string path_part(std::string_view key) {
    constexpr std::size_t kLongest = 40;
    const bool plain =
        !key.empty() && key.size() <= kLongest && std::ranges::all_of(key, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_' || c == '-';
        });
    return plain ? std::string(key) : shown(key, kLongest);
}

std::string list_of(std::initializer_list<std::string_view> names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Cursor::Cursor(const Document& document, Diagnostics& problems)
    : value_(&document.root), file_(&document.name), problems_(&problems) {}

Cursor::Cursor(const Cursor& parent, const Value* value, std::string path)
    : value_(value), path_(std::move(path)), file_(parent.file_), problems_(parent.problems_) {}

std::optional<Cursor> Cursor::find(std::string_view key) const {
    const Value* child = value_->find(key);
    if (child == nullptr) {
        return std::nullopt;
    }
    return Cursor(
        *this, child, path_.empty() ? path_part(key) : fmt::format("{}.{}", path_, path_part(key)));
}

std::optional<Cursor> Cursor::require(std::string_view key, std::string_view meaning) const {
    std::optional<Cursor> child = find(key);
    if (!child) {
        report(fmt::format("the key \"{}\" is missing", key), fmt::format("it holds {}", meaning));
    }
    return child;
}

Cursor Cursor::item(std::size_t i) const {
    std::string path = fmt::format("{}[{}]", path_, i);
    if (i < value_->numbers.size()) {
        Cursor entry(*this, value_, std::move(path));
        entry.element_ = value_->numbers[i];
        return entry;
    }
    return {*this, &value_->items[i], std::move(path)};
}

bool Cursor::expect(Value::Kind kind) const {
    const Value::Kind found = element_ ? Value::Kind::kNumber : value_->kind;
    if (found == kind) {
        return true;
    }
    std::string text(name_of(found));
    if (found == Value::Kind::kString) {
        text += " " + shown(value_->string);
    }
    report("found " + text, fmt::format("it must be {}", name_of(kind)));
    return false;
}

std::optional<double> Cursor::number() const {
    if (!expect(Value::Kind::kNumber)) {
        return std::nullopt;
    }
    return element_ ? *element_ : value_->number;
}

std::optional<double> Cursor::number_at_least(double minimum) const {
    const std::optional<double> found = number();
    if (found && *found < minimum) {
        report(fmt::format("found {}", *found), fmt::format("it must be at least {}", minimum));
        return std::nullopt;
    }
    return found;
}

std::optional<double> Cursor::number_in(double minimum, double maximum) const {
    const std::optional<double> found = number();
    if (found && (*found < minimum || *found > maximum)) {
        report(fmt::format("found {}", *found),
               fmt::format("it must be from {} to {}", minimum, maximum));
        return std::nullopt;
    }
    return found;
}

std::optional<double> Cursor::positive_number() const {
    const std::optional<double> found = number();
    if (found && *found <= 0) {
        report(fmt::format("found {}", *found), "it must be greater than 0");
        return std::nullopt;
    }
    return found;
}

std::optional<int> Cursor::integer(int minimum, int maximum) const {
    const std::optional<double> found = number();
    if (!found) {
        return std::nullopt;
    }
    if (std::floor(*found) != *found || *found < minimum || *found > maximum) {
        report(fmt::format("found {}", *found),
               fmt::format("it must be a whole number from {} to {}", minimum, maximum));
        return std::nullopt;
    }
    return static_cast<int>(*found);
}

std::optional<bool> Cursor::boolean() const {
    return expect(Value::Kind::kBoolean) ? std::optional(value_->boolean) : std::nullopt;
}

std::optional<std::string> Cursor::string() const {
    return expect(Value::Kind::kString) ? std::optional(value_->string) : std::nullopt;
}

namespace {

constexpr const char* kNameFix =
    "a name without control characters, ends of lines and marks that turn text around";

}  // namespace

std::optional<std::string> Cursor::name() const {
    auto text = string();
    if (text && !is_printable(*text)) {
        report(shown(*text) + " cannot be shown as it stands", kNameFix);
        return std::nullopt;
    }
    return text;
}

bool Cursor::check_names_of_keys() const {
    bool good = true;
    for (const Member& member : value_->members) {
        if (!is_printable(member.key)) {
            find(member.key)->report(shown(member.key) + " cannot be shown as it stands", kNameFix);
            good = false;
        }
    }
    return good;
}

void Cursor::only_keys(std::initializer_list<std::string_view> known) const {
    for (const Member& member : value_->members) {
        if (std::ranges::find(known, member.key) != known.end()) {
            continue;
        }
        const std::string_view nearest = nearest_name(known, member.key);
        find(member.key)
            ->report("unknown key " + shown(member.key),
                     nearest.empty() ? "known keys: " + list_of(known)
                                     : fmt::format("did you mean \"{}\"?", nearest));
    }
}

void Cursor::report(std::string what, std::string fix) const {
    if (problems_->size() >= kMaxProblems) {
        return;
    }
    std::string where;
    if (value_->line > 0) {
        where = fmt::format("line {}, column {}", value_->line, value_->column);
    }
    if (!path_.empty()) {
        where += (where.empty() ? "" : ": ") + path_;
    }
    problems_->push_back({*file_, std::move(where), std::move(what), std::move(fix)});
}

void check_format(const Cursor& root, std::string_view name, int major, bool required) {
    const std::string wanted = fmt::format("{}/{}", name, major);
    const std::optional<Cursor> format =
        required ? root.require("format", fmt::format("\"{}\"", wanted)) : root.find("format");
    const std::optional<std::string> found = format ? format->string() : std::nullopt;
    if (!found || *found == wanted) {
        return;
    }
    const auto slash = found->rfind('/');
    const std::string digits = slash == std::string::npos ? "" : found->substr(slash + 1);
    const bool number = !digits.empty() && digits.size() < 9 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (found->substr(0, slash) == name && number && std::stoi(digits) > major) {
        format->report("found " + shown(*found),
                       fmt::format("this longhaul reads up to {}; use a newer one", wanted));
    } else {
        format->report("found " + shown(*found), fmt::format("it must be \"{}\"", wanted));
    }
}

}  // namespace longhaul::core
