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

namespace {

/// Whether text whose name says nothing begins like TOML: with a key, a comment or a table. JSON
/// of longhaul begins with a brace, other JSON with a bracket before a value.
bool begins_like_toml(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos || text[first] == '#') {
        return first != std::string_view::npos;
    }
    const std::size_t word = text.find_first_not_of(text[first] == '[' ? " \t[" : "", first);
    return word != std::string_view::npos && kLetters.find(text[word]) != std::string_view::npos;
}

}  // namespace

Result<Document> parse_document(std::string_view text, std::string_view name) {
    const std::string_view last = name.substr(name.find_last_of('/') + 1);  // npos + 1 is 0
    const bool toml =
        last.find('.') == std::string_view::npos ? begins_like_toml(text) : name.ends_with(".toml");
    return toml ? parse_toml(text, name) : parse_json(text, name);
}

}  // namespace longhaul::core
