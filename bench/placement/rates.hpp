// Evaluations a second on 64 devices, one core: in the count view and over single devices.
#pragma once

#include <string>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::bench {

struct Rates {
    double counts_per_s = 0;   ///< annealing over counts on Table 2: eight classes of eight
    double devices_per_s = 0;  ///< annealing over devices on Table 2 with noise: 64 that differ
    double solved_per_s = 0;   ///< whole placements, matchings and order of stages solved afresh
};

/// An evaluation is one scored candidate. Seconds are CPU seconds of this process. About `budget`
/// evaluations of the first two kinds, and a 64th of it of the last.
[[nodiscard]] core::Result<Rates> measure_rates(const std::string& source_folder,
                                                std::uint64_t budget,
                                                std::uint64_t seed);

}  // namespace longhaul::bench
