// Readers of outside text. JSON comes from machines, TOML from people; both become a Value tree
// with places. What the libraries underneath would let pass is refused here: duplicate keys (but in
// files of other programs), NaN and infinity, text that is not UTF-8, and nesting deeper than
// kMaxDepth.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"

namespace longhaul::core {

inline constexpr int kMaxDepth = 64;

/// A parsed file: the name that messages use for it, and its root (always an object).
struct Document {
    std::string name;
    Value root;
};

/// JSON (RFC 8259). O(size).
[[nodiscard]] Result<Document> parse_json(std::string_view text, std::string_view name);

/// The same of a file that another program wrote. Some write a key twice; the last one counts, as
/// with nearly all readers of JSON. O(size log size).
[[nodiscard]] Result<Document> parse_foreign_json(std::string_view text, std::string_view name);

/// JSON in one line of a file, which is line `line`.
[[nodiscard]] Result<Document> parse_json_line(std::string_view text,
                                               std::string_view name,
                                               int line);

/// TOML 1.0. Dates and times are refused: no longhaul file has them.
[[nodiscard]] Result<Document> parse_toml(std::string_view text, std::string_view name);

/// TOML: a name in ".toml", or one without a dot and text that begins with no JSON. Else JSON.
[[nodiscard]] Result<Document> parse_document(std::string_view text, std::string_view name);

}  // namespace longhaul::core
