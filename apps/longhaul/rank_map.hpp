// Rank maps as people give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::app {

/// The rank of every device, -1 for one without: a JSON list, an object with the key "rank_map"
/// such as a plan, whole numbers between blanks or commas, or what stands in the brackets of
/// "rank_map=(...)". `name`: of the file, for problems.
[[nodiscard]] core::Result<std::vector<int>> parse_rank_map(std::string_view text,
                                                            const std::string& name);

}  // namespace longhaul::app
