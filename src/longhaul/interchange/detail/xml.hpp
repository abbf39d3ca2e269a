// XML as a plain tree. Entities that a document defines itself are not expanded, so that no small
// file becomes a large one; depth and size are limited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::interchange::detail {

inline constexpr int kMaxXmlDepth = 64;

struct XmlNode {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<XmlNode> children;
    int line = 0;

    /// Value of an attribute; "" when it is not there.
    [[nodiscard]] std::string_view attribute(std::string_view key) const;
    [[nodiscard]] bool has(std::string_view key) const;
};

/// The root element. O(size).
[[nodiscard]] core::Result<XmlNode> parse_xml(std::string_view text, const std::string& name);

}  // namespace longhaul::interchange::detail
