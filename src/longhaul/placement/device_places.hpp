// Where the devices of a plan are: the names, hosts and local ranks that its file keeps of the
// fabric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::placement {

/// The host of one device as the fabric names it. Empty text = not known.
struct DevicePlace {
    std::string host;
    std::string address;
    std::optional<int> local_rank;  ///< number of the device on its host

    bool operator==(const DevicePlace&) const = default;
};

/// One place a device; empty when the fabric knows no host. O(n).
[[nodiscard]] std::vector<DevicePlace> places_of(const fabric::Fabric& fabric);

/// The key "device_hosts" of a plan: one object a device.
[[nodiscard]] core::Value to_value(const std::vector<DevicePlace>& places);

/// Reads that key; `names` stand in for it in older plans: "host/3" is local rank 3 of host. Must
/// have as many entries as "rank_map". Empty when neither says where any device is.
[[nodiscard]] std::vector<DevicePlace> read_places(const core::Cursor& root,
                                                   const std::vector<std::string>& names);

/// Reads the key "devices": names, one an entry of the rank map and all different.
[[nodiscard]] std::vector<std::string> read_device_names(const core::Cursor& root);

}  // namespace longhaul::placement
