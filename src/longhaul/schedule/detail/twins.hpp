// Islands that can change places.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// Class of each island, 0, 1, ...: islands of one class have equal shares, and when two of them
/// change places in a round the table has that round, too.
using Twins = std::vector<std::uint8_t>;

/// The largest classes. O(islands^2 rounds log(rounds)).
[[nodiscard]] Twins find_twins(const RoundTable& table);

}  // namespace longhaul::schedule::detail
