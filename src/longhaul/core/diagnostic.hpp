// What went wrong, where, and what would be right: the only way a library reports bad input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace longhaul::core {

/// One problem of one input.
struct Diagnostic {
    std::string file;   ///< display name of the input; empty when the input is not a file
    std::string where;  ///< place inside it, such as "line 3, column 7: alpha_ms[2][5]"
    std::string what;   ///< what was found
    std::string fix;    ///< what would be right
};

using Diagnostics = std::vector<Diagnostic>;

/// A value, or every problem that kept it from being made.
template <class T>
using Result = tl::expected<T, Diagnostics>;

/// Failure with one problem.
[[nodiscard]] tl::unexpected<Diagnostics> fail(Diagnostic problem);

/// "file: where: what; fix", parts that are empty left out. Always one line: control bytes and bad
/// UTF-8 are escaped.
[[nodiscard]] std::string to_string(const Diagnostic& problem);

/// Text from outside made fit for a message: quoted, control bytes and bad UTF-8 escaped, at most
/// `limit` bytes of it shown.
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 40);
/// Several lines for a terminal: what printable_length refuses, but ends of lines and tabs, as
/// \xNN.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Bytes of the character at `at`, 0 when it must not be shown as it stands: control characters
/// (C0, DEL, C1), which a terminal would obey; marks and overrides of the direction of text
/// (Unicode property Bidi_Control) and separators of lines, which make text read as what it is not;
/// bytes that are no UTF-8. Everything that shows text from outside asks this.
[[nodiscard]] std::size_t printable_length(std::string_view text, std::size_t at);
/// Whether all of it may be shown as it stands.
[[nodiscard]] bool is_printable(std::string_view text);

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
/// Returns the offset of the first bad byte, or npos when all of it is good.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

}  // namespace longhaul::core
