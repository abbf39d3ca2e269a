// YAML as the tree of values that the other readers use.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/document.hpp"

namespace longhaul::interchange::detail {

/// One document whose root is a mapping. Plain scalars that are numbers become numbers; everything
/// else is text. Aliases are followed up to a limit of size. O(size).
[[nodiscard]] core::Result<core::Document> parse_yaml(std::string_view text,
                                                      const std::string& name);

}  // namespace longhaul::interchange::detail
