#include "longhaul/core/document.hpp"

#include <fmt/format.h>

namespace longhaul::core {
namespace detail {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

/// Refuses what is no text, and drops a byte-order mark from the rest.
Result<Document> reject_unreadable(std::string_view& text, std::string_view name) {
    const std::size_t bad = first_invalid_utf8(text);
    if (bad != std::string_view::npos) {
        return fail(
            {std::string(name),
             fmt::format("byte {}", bad),
             fmt::format("not UTF-8 text (byte 0x{:02x})", static_cast<unsigned char>(text[bad])),
             "save the file as UTF-8 text"});
    }
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        // The JSON library would take it for the end of the text and pass over what follows.
        return fail({std::string(name),
                     fmt::format("byte {}", nul),
                     "not text (a zero byte)",
                     "save the file as UTF-8 text"});
    }
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return fail({std::string(name), "", "the file is empty", "it must hold one object"});
    }
    return Document{std::string(name), Value()};
}

}  // namespace detail

Result<Document> parse_document(std::string_view text, std::string_view name) {
    return name.ends_with(".toml") ? parse_toml(text, name) : parse_json(text, name);
}

}  // namespace longhaul::core
