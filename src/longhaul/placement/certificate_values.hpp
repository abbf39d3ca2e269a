// Values of certificate files: shared by the file and its proof.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/placement/proof_log.hpp"

namespace longhaul::placement {

inline constexpr double kMostSeconds = 1e100;  ///< sums stay finite

/// Whole numbers as a list.
inline core::Value numbers_value(const std::vector<int>& numbers) {
    return std::vector<double>(numbers.begin(), numbers.end());
}

/// Seconds that must be there; 0 after a report.
inline double seconds_at(const core::Cursor& parent,
                         std::string_view key,
                         std::string_view meaning) {
    const auto child = parent.require(key, meaning);
    return child ? child->number_in(0, kMostSeconds).value_or(0) : 0;
}

/// An array of whole numbers; empty after a report.
inline std::vector<int> whole_numbers(const std::optional<core::Cursor>& list,
                                      int least,
                                      int most) {
    std::vector<int> numbers;
    if (!list || !list->is_array()) {
        return numbers;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const auto number = list->item(i).integer(least, most);
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
    }
    return numbers;
}

/// The entries of `numbers` of a proof by different stages.
[[nodiscard]] core::Value different_value(const DifferentLog& log);

/// Reads them, for `pp` stages and this many classes. Problems go to the cursor.
void read_different(const core::Cursor& object, int pp, int classes, DifferentLog& log);

}  // namespace longhaul::placement
