#include "longhaul/core/diagnostic.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace longhaul::core {
namespace {

/// Length of the well-formed UTF-8 sequence that starts at `at`, 0 when there is none
/// (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
    const unsigned lead = byte(at);
    if (lead < 0x80) {
        return 1;
    }
    const unsigned second = byte(at + 1);
    if (lead >= 0xC2 && lead <= 0xDF) {
        return tail(at + 1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return second >= low && second <= high && tail(at + 2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return second >= low && second <= high && tail(at + 2) && tail(at + 3) ? 4 : 0;
    }
    return 0;
}

/// Control characters, C1 (U+0080 to U+009F) included: a terminal would obey them.
bool is_control(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    return byte < 0x20 || byte == 0x7F ||
           (byte == 0xC2 && at + 1 < text.size() &&
            static_cast<unsigned char>(text[at + 1]) < 0xA0);
}

/// Appends the character at `at`, escaped when it is not fit for a terminal; returns its length.
std::size_t append_printable(std::string& out, std::string_view text, std::size_t at) {
    const std::size_t length = utf8_length(text, at);
    if (length != 0 && !is_control(text, at)) {
        out += text.substr(at, length);
        return length;
    }
    const std::size_t bytes = std::max<std::size_t>(length, 1);
    for (std::size_t i = 0; i < bytes; ++i) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at + i]));
    }
    return bytes;
}

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        at += append_printable(out, text, at);
    }
    return out;
}

}  // namespace

tl::unexpected<Diagnostics> fail(Diagnostic problem) {
    return tl::unexpected<Diagnostics>(Diagnostics{std::move(problem)});
}

std::string to_string(const Diagnostic& problem) {
    std::string text;
    for (const std::string& part : {problem.file, problem.where, problem.what}) {
        if (!part.empty()) {
            text += text.empty() ? part : ": " + part;
        }
    }
    return printable(problem.fix.empty() ? text : text + "; " + problem.fix);
}

std::string shown(std::string_view text, std::size_t limit) {
    std::string out = "\"";
    std::size_t at = 0;
    while (at < text.size() && at < limit) {
        if (text[at] == '"' || text[at] == '\\') {
            out += '\\';
        }
        at += append_printable(out, text, at);
    }
    return out + (at < text.size() ? "\" ..." : "\"");
}

std::size_t first_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return std::string_view::npos;
}

}  // namespace longhaul::core
