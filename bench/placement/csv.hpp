// A small strict reader of CSV: a line of names, then lines with as many fields; no quotes.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::bench {

struct Csv {
    std::vector<std::string_view> names;
    std::vector<std::vector<std::string_view>> rows;  ///< views into the text
    /// Column of the first of the names that occurs, or a diagnostic.
    [[nodiscard]] core::Result<std::size_t> column(std::initializer_list<std::string_view> names,
                                                   std::string_view file) const;
};

/// `text` must outlive the result. Quotes, empty lines and lines with too few or too many fields
/// are reported.
[[nodiscard]] core::Result<Csv> parse_csv(std::string_view text, std::string_view name);

/// A finite decimal number, the whole field.
[[nodiscard]] std::optional<double> number_in(std::string_view field);

}  // namespace longhaul::bench
