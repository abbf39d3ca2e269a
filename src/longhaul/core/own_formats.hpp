// longhaul's own file formats, so that a reader can say what a file of another one is.
#pragma once

#include <initializer_list>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::core {

/// Fails when `text` says, in its first `format` key, that it is a longhaul format which is none of
/// `wanted` ("longhaul.fabric", without the version): one problem that says what the file is, what
/// writes and reads it, and what makes the first one of `wanted`. Passes text that names no format,
/// or one that longhaul does not know: the reader has better words for those. Only the beginning
/// of the text is looked at. O(1).
[[nodiscard]] Result<void> refuse_other_format(std::string_view text,
                                               std::string_view name,
                                               std::initializer_list<std::string_view> wanted);

}  // namespace longhaul::core
