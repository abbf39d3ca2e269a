// What an exact measurement of an emulated WAN would find: the truth to compare measurements with.
#pragma once

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/emulate/wan.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::emulate {

/// Rate of a pair whose path has no limit, Gbit/s: more than the emulator carries.
inline constexpr double kUnlimitedGbps = 100;

/// The fabric, and how many resources that several pairs cross it cannot state.
struct WanFabric {
    fabric::Fabric fabric;
    std::size_t left_out = 0;
};

/// One device a host, labelled by region (by host where there is none). alpha is half a round trip,
/// as measurements without common clocks have it; beta is the payload of full segments at the
/// lowest rate of the path, each pair alone. Resources that several pairs cross become shared
/// capacity. Fails with one host. O(hosts^2 path log hosts).
[[nodiscard]] core::Result<WanFabric> to_fabric(const Wan& wan, const std::string& name);

}  // namespace longhaul::emulate
