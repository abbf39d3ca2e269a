#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "longhaul/core/document.hpp"

namespace longhaul::core {
namespace detail {
Result<Document> reject_unreadable(std::string_view& text, std::string_view name);
}  // namespace detail

namespace {

std::string place_of(const toml::source_position& at) {
    return fmt::format("line {}, column {}", at.line, at.column);
}

/// Value of a TOML node; problems of its parts are appended.
Value convert(const toml::node& node, const std::string& name, Diagnostics& problems) {
    const toml::source_position at = node.source().begin;
    const auto report = [&](std::string what, std::string fix) {
        problems.push_back({name, place_of(at), std::move(what), std::move(fix)});
        return Value();
    };
    Value value;
    if (const auto* table = node.as_table()) {
        value = Value::object();
        for (const auto& [key, child] : *table) {
            value.members.push_back({std::string(key.str()), convert(child, name, problems)});
        }
    } else if (const auto* array = node.as_array()) {
        value = Value::array();
        value.line = static_cast<int>(at.line);
        value.column = static_cast<int>(at.column);
        for (const toml::node& child : *array) {
            value.append(convert(child, name, problems));
        }
    } else if (const auto* text = node.as_string()) {
        value = Value(text->get());
    } else if (const auto* flag = node.as_boolean()) {
        value = Value(flag->get());
    } else if (const auto* integer = node.as_integer()) {
        value = Value(static_cast<double>(integer->get()));
    } else if (const auto* real = node.as_floating_point()) {
        if (!std::isfinite(real->get())) {
            return report("the number is not finite", "use a finite number");
        }
        value = Value(real->get());
    } else {
        return report("a date or time", "no longhaul file has dates; write it as a string");
    }
    value.line = static_cast<int>(at.line);
    value.column = static_cast<int>(at.column);
    return value;
}

/// End of the comment or string that starts at `at`; one beyond `at` when neither starts there.
std::size_t skip_opaque(std::string_view text, std::size_t at) {
    const char quote = text[at];
    if (quote == '#') {
        return std::min(text.find('\n', at), text.size());
    }
    if (quote != '"' && quote != '\'') {
        return at + 1;
    }
    const std::string fence(3, quote);
    const bool many_lines = text.substr(at, 3) == fence;
    for (std::size_t i = at + (many_lines ? 3 : 1); i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (many_lines && text.substr(i, 3) == fence) {
            // The string itself may end with one or two quotes.
            const std::size_t end = text.find_first_not_of(quote, i);
            return std::min(end, std::min(i + 5, text.size()));
        } else if (!many_lines && text[i] == quote) {
            return i + 1;
        } else if (!many_lines && text[i] == '\n') {
            return i;
        }
    }
    return text.size();
}

/// Whether brackets or dotted keys go deeper than kMaxDepth: keeps the recursion of the parser
/// underneath, and of the tree that it builds, from exhausting the stack.
bool nests_too_deep(std::string_view text) {
    int brackets = 0;
    int dots = 0;
    for (std::size_t at = 0; at < text.size(); at = skip_opaque(text, at)) {
        const char c = text[at];
        if (c == '.') {
            ++dots;
        } else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) {
            dots = 0;
            brackets += c == '[' || c == '{' ? 1 : 0;
            brackets -= (c == ']' || c == '}') && brackets > 0 ? 1 : 0;
        }
        if (brackets > kMaxDepth || dots >= kMaxDepth) {
            return true;
        }
    }
    return false;
}

tl::unexpected<Diagnostics> too_deep(std::string_view name) {
    return fail({std::string(name),
                 "",
                 fmt::format("nested deeper than {} levels", kMaxDepth),
                 "no longhaul file nests that deep"});
}

int depth_of(const Value& value) {
    int deepest = 0;
    for (const Member& member : value.members) {
        deepest = std::max(deepest, depth_of(member.value));
    }
    for (const Value& item : value.items) {
        deepest = std::max(deepest, depth_of(item));
    }
    const bool scalar = value.kind != Value::Kind::kObject && value.kind != Value::Kind::kArray;
    return scalar ? 0 : deepest + 1;
}

}  // namespace

Result<Document> parse_toml(std::string_view text, std::string_view name) {
    Result<Document> document = detail::reject_unreadable(text, name);
    if (!document) {
        return document;
    }
    if (nests_too_deep(text)) {
        return too_deep(name);
    }
    try {
        const toml::table table = toml::parse(text, name);
        Diagnostics problems;
        document->root = convert(table, document->name, problems);
        if (!problems.empty()) {
            return tl::unexpected(std::move(problems));
        }
        if (depth_of(document->root) > kMaxDepth) {
            return too_deep(name);
        }
    } catch (const toml::parse_error& error) {
        return fail({std::string(name),
                     place_of(error.source().begin),
                     fmt::format("not valid TOML: {}", error.description()),
                     "correct it at this place"});
    }
    return document;
}

}  // namespace longhaul::core
