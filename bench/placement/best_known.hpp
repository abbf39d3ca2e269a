// The best scores that anybody has found for the rows: bench/placement/best_known.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "longhaul/core/document.hpp"

namespace longhaul::bench {

struct BestKnown {
    double score = 0;
    bool proved = false;  ///< nothing lower exists
    int runs = 0;         ///< long runs that looked for it; 0 where the proof made them needless
};

using BestKnownTable = std::map<std::string, BestKnown>;  ///< by Instance::id

[[nodiscard]] core::Result<BestKnownTable> read_best_known(std::string_view text,
                                                           std::string_view name);
[[nodiscard]] std::string best_known_text(const BestKnownTable& table);

}  // namespace longhaul::bench
