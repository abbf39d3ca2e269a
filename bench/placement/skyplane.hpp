// Measured links between cloud regions (the Skyplane grid), and fabrics over random subsets of
// them. The files are the user's; none of them is part of longhaul.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "instance.hpp"

namespace longhaul::bench {

/// Row = sender, column = receiver; the diagonal is 0.
struct MeasuredRegions {
    std::vector<std::string> names;  ///< ascending
    core::Grid<double> delay_ms;     ///< half the mean round trip
    core::Grid<double> rate_gbps;    ///< received, of all streams between two machines
    int dropped = 0;                 ///< regions that had pairs without a measurement
};

/// Reads the throughput and latency tables; pairs that are premium at both ends count. While a pair
/// is missing (no row, no number, a failed run, or none of the other direction), the region with
/// the most missing pairs is dropped, the last in the alphabet of equals.
[[nodiscard]] core::Result<MeasuredRegions> read_regions(std::string_view throughput,
                                                         std::string_view latency);

/// `devices` over `regions` regions drawn with the seed. Even: dealt in turn, so that regions have
/// equal numbers where they divide. Uneven: each device beyond the first of every region lies in a
/// random one. A device is a machine with the region's measured rates for itself; inside a region
/// 0.5 ms and 10 Gbit/s are assumed, which the tables do not have.
[[nodiscard]] core::Result<fabric::Fabric> draw_fabric(
    const MeasuredRegions& measured, int regions, int devices, bool uneven, std::uint64_t seed);

/// A size of the bench, 8 to 512 devices.
struct SubsetCase {
    int regions = 0;
    bool uneven = false;
    placement::Shape shape;
};
[[nodiscard]] std::vector<SubsetCase> subset_cases();

}  // namespace longhaul::bench
