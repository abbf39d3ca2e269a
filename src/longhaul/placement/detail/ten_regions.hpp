// Ten regions with uneven numbers of devices, as pair costs; for tests and benchmarks.
#pragma once

#include <array>
#include <numeric>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement::testing {

// Links between regions of the world-wide measurement of DT-FM (scheduler/config.py at
// DS3Lab/DT-FM@cda948f), row by row below the diagonal. Order: Oregon, Virginia, Ohio, Tokyo,
// Seoul, London, Frankfurt, Ireland, Singapore, Sydney.
// clang-format off
inline constexpr std::array<double, 45> kTenRegionsDelayMs{
    67,  // Virginia
    49, 11,  // Ohio
    96, 143, 130,  // Tokyo
    124, 172, 159, 34,  // Seoul
    136, 76, 86, 210, 238,  // London
    143, 90, 99, 223, 235, 14,  // Frankfurt
    124, 67, 77, 199, 228, 12, 24,  // Ireland
    163, 230, 197, 73, 74, 169, 155, 179,  // Singapore
    139, 197, 185, 100, 148, 262, 265, 254, 92  // Sydney
};
inline constexpr std::array<double, 45> kTenRegionsGbps{
    0.79,  // Virginia
    1.1, 1.12,  // Ohio
    0.523, 0.524, 0.694,  // Tokyo
    0.46, 0.5, 0.529, 1.1,  // Seoul
    0.42, 1.16, 1.05, 0.366, 0.342,  // London
    0.404, 1.02, 0.799, 0.36, 0.358, 1.14,  // Frankfurt
    0.482, 1.05, 1.14, 0.465, 0.335, 1.09, 1.08,  // Ireland
    0.341, 0.364, 0.452, 1.01, 1.14, 0.5, 0.535, 0.492,  // Singapore
    0.36, 0.383, 0.484, 0.761, 0.58, 0.326, 0.328, 0.344, 0.816  // Sydney
};
// clang-format on

/// Regions of 7, 7, 7, 7 and six times 6 devices at 8 x 8, one message each; 5 ms and 2 Gbit/s
/// inside a region, as in the paper.
inline Problem ten_regions(double c_pp_gb, double c_dp_gb) {
    core::Grid<double> pipeline(10, 10);
    core::Grid<double> exchange(10, 10);
    const auto set = [&](std::size_t a, std::size_t b, double delay_ms, double gbps) {
        // Twice a transfer of delay + 8 GB / rate: both directions, or both rounds.
        pipeline(a, b) = pipeline(b, a) = 2 * (delay_ms / 1000 + 8 * c_pp_gb / gbps);
        exchange(a, b) = exchange(b, a) = 2 * (delay_ms / 1000 + 8 * c_dp_gb / 8 / gbps);
    };
    std::size_t pair = 0;
    std::vector<int> region_of;
    for (std::size_t a = 0; a < 10; ++a) {
        region_of.insert(region_of.end(), a < 4 ? 7 : 6, static_cast<int>(a));
        set(a, a, 5, 2);
        for (std::size_t b = 0; b < a; ++b, ++pair) {
            set(a, b, kTenRegionsDelayMs[pair], kTenRegionsGbps[pair]);
        }
    }
    return {{8, 8}, {PairMatrix(region_of, pipeline), PairMatrix(region_of, exchange)}};
}

}  // namespace longhaul::placement::testing
