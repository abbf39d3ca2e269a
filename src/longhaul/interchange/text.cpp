#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/text.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

struct Prefix {
    std::string_view name;
    double factor;
};

constexpr std::array<Prefix, 11> kPrefixes = {{{"", 1},
                                               {"k", 1e3},
                                               {"K", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"Ki", 1024.0},
                                               {"Mi", 1048576.0},
                                               {"Gi", 1073741824.0},
                                               {"Ti", 1099511627776.0}}};

constexpr std::array<Prefix, 10> kTimes = {{{"ps", 1e-12},
                                            {"ns", 1e-9},
                                            {"us", 1e-6},
                                            {"usec", 1e-6},
                                            {"ms", 1e-3},
                                            {"s", 1},
                                            {"m", 60},
                                            {"h", 3600},
                                            {"d", 86400},
                                            {"w", 604800}}};

template <std::size_t N>
std::optional<double> factor_of(const std::array<Prefix, N>& table, std::string_view name) {
    const auto* const found = std::ranges::find(table, name, &Prefix::name);
    return found == table.end() ? std::nullopt : std::optional(found->factor);
}

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back({++number, line});
    }
    return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t first = line.find_first_not_of(kBlanks);
        if (first == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(first);
        const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return result;
}

std::optional<Measure> measure_of(std::string_view word) {
    if (word.starts_with('+')) {
        word.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return Measure{value, trimmed(word.substr(static_cast<std::size_t>(end - word.data())))};
}

std::optional<double> number_of(std::string_view word) {
    const auto measure = measure_of(word);
    return measure && measure->unit.empty() ? std::optional(measure->value) : std::nullopt;
}

std::optional<double> gbps_of_rate_unit(std::string_view unit) {
    if (!unit.ends_with("ps")) {
        return std::nullopt;
    }
    unit.remove_suffix(2);
    if (!unit.ends_with('b') && !unit.ends_with('B')) {
        return std::nullopt;
    }
    const double bits = unit.ends_with('B') ? 8 : 1;
    const auto factor = factor_of(kPrefixes, unit.substr(0, unit.size() - 1));
    return factor ? std::optional(*factor * bits / 1e9) : std::nullopt;
}

std::optional<double> seconds_of_unit(std::string_view unit) {
    return factor_of(kTimes, unit);
}

void Report::at(int line, std::string what, std::string fix) const {
    if (problems_->size() < core::kMaxProblems) {
        problems_->push_back(
            {*file_, fmt::format("line {}", line), std::move(what), std::move(fix)});
    }
}

void Report::whole(std::string what, std::string fix) const {
    if (problems_->size() < core::kMaxProblems) {
        problems_->push_back({*file_, "", std::move(what), std::move(fix)});
    }
}

}  // namespace longhaul::interchange::detail
