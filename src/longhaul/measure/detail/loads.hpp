// Loads of resources by sets of transfers.
#pragma once

#include <span>
#include <vector>

#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure::detail {

/// Largest start-up of the transfers, and load of the busiest pair.
struct PairLoad {
    double alpha_s = 0;
    double seconds = 0;
};
[[nodiscard]] PairLoad pair_load(const SharedInput& pairs, std::span<const Transfer> transfers);

/// Load of the busiest subject of a resource whose value is 1. O(transfers x subjects).
[[nodiscard]] double unit_load(const SharedInput& pairs,
                               const SharedResource& resource,
                               std::span<const Transfer> transfers);

/// Transfers that load the busiest subject of a resource.
[[nodiscard]] std::size_t loading(const SharedInput& pairs,
                                  const SharedResource& resource,
                                  std::span<const Transfer> transfers);

/// "receiver occupancy", "group rate of uplink": how trials and messages name a resource.
[[nodiscard]] std::string name_of(const SharedResource& resource, const SharedInput& input);

}  // namespace longhaul::measure::detail
