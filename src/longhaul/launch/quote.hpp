// Text made safe for the shell, and the other way round: every value that an emitted script holds
// goes through here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::launch {

/// One word of a POSIX shell that stands for exactly `text`: in single quotes, except where every
/// character is plain. Text must not hold NUL. O(size).
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// The same, always in single quotes: for labels of `case`, where a bare "esac" would be a keyword.
[[nodiscard]] std::string single_quoted(std::string_view text);

/// Words in shell quotes, joined by spaces.
[[nodiscard]] std::string shell_words(std::span<const std::string> words);

/// Splits a command line as a POSIX shell splits it (quotes, backslashes), without expanding
/// anything: "$HOME" and "*" stay as they are. Fails on a quote that is not closed.
[[nodiscard]] core::Result<std::vector<std::string>> split_words(std::string_view line);

/// Whether text holds a control character (C0, DEL, C1), a line or paragraph separator, a byte
/// order mark or U+FFFE, U+FFFF: what a file of lines, or YAML, cannot hold. Such text is refused.
[[nodiscard]] bool has_control(std::string_view text);

/// Replaces every "@KEY@" in a script by its value. Each key must occur (asserted).
struct Fill {
    std::string_view key;
    std::string value;
};
[[nodiscard]] std::string filled(std::string_view script, std::span<const Fill> values);

}  // namespace longhaul::launch
