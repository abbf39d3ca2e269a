#include "longhaul/rank_map.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/document.hpp"

namespace longhaul::app {
namespace {

using Ranks = std::vector<int>;

/// A JSON list, or an object with the key "rank_map", such as a plan.
core::Result<Ranks> json_ranks(std::string_view text, const std::string& name, bool list) {
    constexpr int kMaxRank = 20'000;
    const std::string wrapped =
        list ? "{\"rank_map\":" + std::string(text) + "}" : std::string(text);
    const core::Result<core::Document> document = core::parse_json(wrapped, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    Ranks ranks;
    const auto array = root.require("rank_map", "the rank of every device");
    for (std::size_t i = 0; array && array->is_array() && i < array->value().size(); ++i) {
        ranks.push_back(array->item(i).integer(-1, kMaxRank).value_or(0));
    }
    return problems.empty() ? core::Result<Ranks>(std::move(ranks))
                            : tl::unexpected(std::move(problems));
}

/// What stands in the brackets of "rank_map=(...)", alone or at the end of all that `place` prints;
/// else the whole text.
std::string bare_ranks(std::string text) {
    const auto line = text.rfind("rank_map=(");
    const auto open = text.find('(', line == std::string::npos ? 0 : line);
    if (open != std::string::npos) {
        text.erase(0, open + 1);
        text.erase(std::min(text.find(')'), text.size()));
    }
    return text;
}

/// Whether nothing but blanks stands between two commas.
bool has_empty_rank(std::string_view text) {
    bool after_comma = false;
    for (const char c : text) {
        if (c == ',' && after_comma) {
            return true;
        }
        const bool blank = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
        after_comma = c == ',' || (after_comma && blank);
    }
    return false;
}

/// Whole numbers between blanks or commas.
core::Result<Ranks> plain_ranks(std::string_view text, const std::string& name) {
    constexpr std::size_t kMaxDigits = 6;
    std::string bare = bare_ranks(std::string(text));
    if (has_empty_rank(bare)) {
        return core::fail({name,
                           "",
                           "has an empty entry between two commas",
                           "give one rank a device; -1 is a device without one"});
    }
    std::ranges::replace(bare, ',', ' ');
    std::istringstream words(bare);
    Ranks ranks;
    for (std::string word; words >> word;) {
        const bool left_out = word == "-1";
        if (!left_out && (word.size() > kMaxDigits ||
                          word.find_first_not_of("0123456789") != std::string::npos)) {
            return core::fail({name,
                               fmt::format("entry {}", ranks.size()),
                               "found " + core::shown(word),
                               "ranks are whole numbers from 0; -1 is a device without one"});
        }
        ranks.push_back(std::stoi(word));
    }
    if (ranks.empty()) {
        return core::fail({name, "", "holds no ranks", "give one rank a device, such as 0 1 2 3"});
    }
    return ranks;
}

}  // namespace

core::Result<std::vector<int>> parse_rank_map(std::string_view text, const std::string& name) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const char begin = first == std::string_view::npos ? ' ' : text[first];
    return begin == '[' || begin == '{' ? json_ranks(text, name, begin == '[')
                                        : plain_ranks(text, name);
}

}  // namespace longhaul::app
