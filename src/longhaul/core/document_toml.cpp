#include <cmath>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "longhaul/core/document.hpp"

namespace longhaul::core {
namespace detail {
Result<Document> reject_unreadable(std::string_view text, std::string_view name);
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

/// Depth of bracket nesting in the text, strings ignored roughly: an upper bound that keeps the
/// recursive parser underneath from exhausting the stack.
bool nests_too_deep(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : 0;
        depth -= (c == ']' || c == '}') && depth > 0 ? 1 : 0;
        deepest = std::max(deepest, depth);
    }
    return deepest > kMaxDepth;
}

}  // namespace

Result<Document> parse_toml(std::string_view text, std::string_view name) {
    Result<Document> document = detail::reject_unreadable(text, name);
    if (!document) {
        return document;
    }
    if (nests_too_deep(text)) {
        return fail({std::string(name),
                     "",
                     fmt::format("nested deeper than {} levels", kMaxDepth),
                     "no longhaul file nests that deep"});
    }
    try {
        const toml::table table = toml::parse(text, name);
        Diagnostics problems;
        document->root = convert(table, document->name, problems);
        if (!problems.empty()) {
            return tl::unexpected(std::move(problems));
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
