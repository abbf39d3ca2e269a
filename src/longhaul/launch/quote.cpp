#include "longhaul/launch/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::launch {
namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
}

/// Splits by the rules of a shell; `open` is the quote that is open, or 0.
struct WordSplitter {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char open = 0;

    void add(char c) {
        word += c;
        inside = true;
    }
    void end_word() {
        if (inside) {
            words.push_back(std::move(word));
        }
        word.clear();
        inside = false;
    }
    void plain(char c) {
        if (c == ' ' || c == '\t' || c == '\n') {
            end_word();
        } else if (c == '\'' || c == '"') {
            open = c;
            inside = true;
        } else {
            add(c);
        }
    }
};

}  // namespace

std::string shell_quoted(std::string_view text) {
    // "~" is left out of the plain characters, and a leading "=" expands in zsh.
    const bool plain = !text.empty() && text.front() != '=' && std::ranges::all_of(text, is_plain);
    return plain ? std::string(text) : single_quoted(text);
}

std::string single_quoted(std::string_view text) {
    LONGHAUL_ASSERT(text.find('\0') == std::string_view::npos);
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

std::string shell_words(std::span<const std::string> words) {
    std::string line;
    for (const std::string& word : words) {
        line += (line.empty() ? "" : " ") + shell_quoted(word);
    }
    return line;
}

core::Result<std::vector<std::string>> split_words(std::string_view line) {
    WordSplitter splitter;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const char next = i + 1 < line.size() ? line[i + 1] : '\0';
        const bool escapes =
            splitter.open == 0 || (splitter.open == '"' && next != '\0' &&
                                   std::string_view("\"\\$`").find(next) != std::string_view::npos);
        if (c == '\\' && splitter.open != '\'' && escapes) {
            if (next == '\0') {
                return core::fail({"", "", "the command ends in a backslash", "remove it"});
            }
            splitter.add(next);
            ++i;
        } else if (splitter.open == 0) {
            splitter.plain(c);
        } else if (c == splitter.open) {
            splitter.open = 0;
        } else {
            splitter.add(c);
        }
    }
    if (splitter.open != 0) {
        return core::fail({"",
                           "",
                           fmt::format("a quote ({}) is not closed in the command", splitter.open),
                           "close it"});
    }
    splitter.end_word();
    return splitter.words;
}

bool has_control(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = [&](std::size_t k) {
            return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
        };
        const bool c1 = c == 0xc2 && next(1) >= 0x80 && next(1) <= 0x9f;  // with U+0085
        const bool separator = c == 0xe2 && next(1) == 0x80 && (next(2) == 0xa8 || next(2) == 0xa9);
        const bool no_character = c == 0xef && next(1) == 0xbf && next(2) >= 0xbe;
        const bool mark = c == 0xef && next(1) == 0xbb && next(2) == 0xbf;
        if (c < 0x20 || c == 0x7f || c1 || separator || no_character || mark) {
            return true;
        }
    }
    return false;
}

std::string filled(std::string_view script, std::span<const Fill> values) {
    std::string text;
    std::size_t replaced = 0;
    while (!script.empty()) {
        const std::size_t at = script.find('@');
        text += script.substr(0, at);
        if (at == std::string_view::npos) {
            break;
        }
        script.remove_prefix(at);
        const auto fill = std::ranges::find_if(values, [&](const Fill& value) {
            return script.substr(1).starts_with(value.key) &&
                   script.substr(1 + value.key.size()).starts_with('@');
        });
        if (fill == values.end()) {
            text += '@';
            script.remove_prefix(1);
        } else {
            text += fill->value;
            script.remove_prefix(fill->key.size() + 2);
            ++replaced;
        }
    }
    LONGHAUL_ASSERT(replaced >= values.size());
    return text;
}

}  // namespace longhaul::launch
