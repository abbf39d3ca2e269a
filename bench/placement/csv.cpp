#include "csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace longhaul::bench {
namespace {

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = line.find(',');
        fields.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) {
            return fields;
        }
        line.remove_prefix(comma + 1);
    }
}

}  // namespace

core::Result<std::size_t> Csv::column(std::initializer_list<std::string_view> wanted,
                                      std::string_view file) const {
    for (const std::string_view name : wanted) {
        const auto found = std::ranges::find(names, name);
        if (found != names.end()) {
            return static_cast<std::size_t>(found - names.begin());
        }
    }
    return core::fail({std::string(file),
                       "line 1",
                       fmt::format("has no column {}", *wanted.begin()),
                       "name the columns in the first line"});
}

core::Result<Csv> parse_csv(std::string_view text, std::string_view name) {
    Csv csv;
    core::Diagnostics problems;
    for (int line = 1; !text.empty(); ++line) {
        const std::size_t end = text.find('\n');
        std::string_view row = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (row.ends_with('\r')) {
            row.remove_suffix(1);
        }
        std::vector<std::string_view> fields = split(row);
        if (row.empty() || row.find('"') != std::string_view::npos ||
            (line > 1 && fields.size() != csv.names.size())) {
            problems.push_back({std::string(name),
                                fmt::format("line {}", line),
                                fmt::format("found {}", core::shown(row)),
                                "a line has as many fields as the first one, without quotes"});
        } else if (line == 1) {
            csv.names = std::move(fields);
        } else {
            csv.rows.push_back(std::move(fields));
        }
    }
    if (csv.names.empty()) {
        problems.push_back({std::string(name), "", "is empty", "the first line names columns"});
    }
    return problems.empty() ? core::Result<Csv>(std::move(csv)) : tl::unexpected(problems);
}

std::optional<double> number_in(std::string_view field) {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool whole = error == std::errc() && end == field.data() + field.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace longhaul::bench
