#include "longhaul/core/diagnostic.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace longhaul::core {
namespace {

/// One row of Unicode 15, table 3-7: which second bytes may follow a lead byte, and how many bytes
/// there are in all; third and fourth bytes are 0x80 to 0xBF.
struct Utf8Row {
    unsigned lead_low, lead_high, second_low, second_high;
    std::size_t length;
};
constexpr std::array<Utf8Row, 9> kUtf8Rows{{{0x00, 0x7F, 0x00, 0x00, 1},
                                            {0xC2, 0xDF, 0x80, 0xBF, 2},
                                            {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                            {0xE1, 0xEC, 0x80, 0xBF, 3},
                                            {0xED, 0xED, 0x80, 0x9F, 3},
                                            {0xEE, 0xEF, 0x80, 0xBF, 3},
                                            {0xF0, 0xF0, 0x90, 0xBF, 4},
                                            {0xF1, 0xF3, 0x80, 0xBF, 4},
                                            {0xF4, 0xF4, 0x80, 0x8F, 4}}};

/// Length of the well-formed UTF-8 sequence that starts at `at`, 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte_within = [&](std::size_t i, unsigned low, unsigned high) {
        const auto byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0xFFU;
        return byte >= low && byte <= high;
    };
    const auto row = std::ranges::find_if(kUtf8Rows, [&](const Utf8Row& candidate) {
        return byte_within(at, candidate.lead_low, candidate.lead_high);
    });
    if (row == kUtf8Rows.end()) {
        return 0;
    }
    bool good = row->length == 1 || byte_within(at + 1, row->second_low, row->second_high);
    for (std::size_t i = 2; i < row->length; ++i) {
        good = good && byte_within(at + i, 0x80, 0xBF);
    }
    return good ? row->length : 0;
}

/// Control characters, C1 (U+0080 to U+009F) included: a terminal would obey them.
bool is_control(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    return byte < 0x20 || byte == 0x7F ||
           (byte == 0xC2 && at + 1 < text.size() &&
            static_cast<unsigned char>(text[at + 1]) < 0xA0);
}

/// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069; the sequence is well formed.
bool turns_text(std::string_view sequence) {
    if (sequence == "\xD8\x9C") {
        return true;
    }
    if (sequence.size() != 3 || sequence[0] != '\xE2') {
        return false;
    }
    const auto second = static_cast<unsigned char>(sequence[1]);
    const auto third = static_cast<unsigned char>(sequence[2]);
    return (second == 0x80 &&
            (third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE))) ||
           (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

/// Appends the character at `at`, escaped when it is not fit for a terminal; returns its length.
std::size_t append_printable(std::string& out, std::string_view text, std::size_t at) {
    if (const std::size_t good = printable_length(text, at); good != 0) {
        out += text.substr(at, good);
        return good;
    }
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text, at), 1);
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

std::size_t printable_length(std::string_view text, std::size_t at) {
    const std::size_t length = utf8_length(text, at);
    return length == 0 || is_control(text, at) || turns_text(text.substr(at, length)) ? 0 : length;
}

bool is_printable(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = printable_length(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\n' || text[at] == '\t') {
            out += text[at++];
        } else {
            at += append_printable(out, text, at);
        }
    }
    return out;
}

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
