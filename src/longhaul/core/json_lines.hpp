// Files of JSON lines: one object a line, appended by a program that may die at any moment.
#pragma once

#include <functional>
#include <string_view>

#include "longhaul/core/document.hpp"

namespace longhaul::core {

/// Calls `line` with every object of the text, in order, and with the list to which it adds the
/// problems that it finds; blank lines are passed over. A last line without its newline that does
/// not parse was cut off by the end of its writer: it is left out, and the result is false. Fails
/// on any other line that is not an object, and on what `line` reported. O(size), one line in
/// memory at a time.
[[nodiscard]] Result<bool> each_json_line(
    std::string_view text,
    std::string_view name,
    const std::function<void(const Document&, Diagnostics&)>& line);

}  // namespace longhaul::core
