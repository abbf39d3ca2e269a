// Which devices of a plan each host of a hosts file holds: by name where the plan names hosts.
#pragma once

#include <span>

#include "longhaul/launch/hosts.hpp"
#include "longhaul/placement/device_places.hpp"

namespace longhaul::launch {

/// Sets the fabric devices of every host by the places of the plan's devices, one a device: the
/// host that is called like its fabric_host, or else like its name, or else has its address; letter
/// case does not count. A host of the plan may be missing when no device of it has a rank
/// (`rank_map[device]` = -1; an empty map: all have one). Devices of a host go
/// in order of local rank, then of the fabric. A host whose file lists no gpus gets the local
/// ranks as ids where they are all known and different.
///
/// Leaves the hosts as they are when the file numbers its devices itself, when there are no places,
/// and when the names are those that a host-group table invents ("instance-0"). Fails with one
/// problem (place "host", no file) for each host that has no partner or another number of devices.
/// O(devices log devices).
[[nodiscard]] core::Result<Hosts> match_hosts(Hosts hosts,
                                              std::span<const placement::DevicePlace> places,
                                              std::span<const int> rank_map = {});

}  // namespace longhaul::launch
