#include "longhaul/interchange/detail/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "longhaul/interchange/detail/text.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::size_t kMostYamlNodes = 1'000'000;  // aliases could make a small file huge

using core::Value;

Value yaml_scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    const auto number = node.Tag() == "!" ? std::nullopt : number_of(text);  // "!": it was quoted
    return number ? Value(*number) : Value(text);
}

/// nullopt when the tree is too deep or too large.
std::optional<Value> yaml_value(const YAML::Node& node,  // NOLINT(misc-no-recursion): bounded
                                int depth,
                                std::size_t& nodes) {
    if (depth > core::kMaxDepth || ++nodes > kMostYamlNodes) {
        return std::nullopt;
    }
    Value value;
    if (node.IsScalar()) {
        value = yaml_scalar(node);
    } else if (node.IsSequence()) {
        value = Value::array();
        for (const YAML::Node& item : node) {
            auto entry = yaml_value(item, depth + 1, nodes);
            if (!entry) {
                return std::nullopt;
            }
            value.append(std::move(*entry));
        }
    } else if (node.IsMap()) {
        value = Value::object();
        for (const auto& member : node) {
            auto entry = yaml_value(member.second, depth + 1, nodes);
            if (!entry || !member.first.IsScalar()) {
                return std::nullopt;
            }
            value.set(member.first.Scalar(), std::move(*entry));
        }
    }
    value.line = node.Mark().line + 1;
    value.column = node.Mark().column + 1;
    return value;
}

}  // namespace

core::Result<core::Document> parse_yaml(std::string_view text, const std::string& name) {
    try {
        const YAML::Node root = YAML::Load(std::string(text));
        std::size_t nodes = 0;
        auto value = yaml_value(root, 0, nodes);
        if (!value) {
            return core::fail(
                {name,
                 "",
                 "is nested too deep, too large, or has a key that is no text",
                 fmt::format(
                     "at most {} levels and {} values are read", core::kMaxDepth, kMostYamlNodes)});
        }
        if (value->kind != Value::Kind::kObject) {
            return core::fail({name, "line 1", "is no mapping", "give 'key: value' lines"});
        }
        return core::Document{name, std::move(*value)};
    } catch (const YAML::Exception& error) {
        return core::fail({name,
                           fmt::format("line {}", error.mark.line + 1),
                           "is no well-formed YAML: " + error.msg,
                           "give the file as the program reads it"});
    }
}

}  // namespace longhaul::interchange::detail
