// A fabric without some of its devices, for what is left when hosts go.
#pragma once

#include <string>
#include <vector>

#include "longhaul/fabric/fabric.hpp"

namespace longhaul::fabric {

/// Devices whose host, label or name (device_names, as plans print it) is one of `places` (keep =
/// true), or is none of them. Letter case counts. Fails with one problem a place that no device
/// has; and when no device would be left. O(n (log n + places)).
[[nodiscard]] core::Result<std::vector<int>> devices_at(const Fabric& fabric,
                                                        const std::vector<std::string>& places,
                                                        bool keep);

/// The fabric of these devices (ascending, not empty): links as they were. Of shared resources,
/// places without a device are left out, and so are resources that no pair loads any more. Keys of
/// newer versions at the top are left out, since they may be about devices. `note` ends the
/// provenance. O(n + kinds^2 + resources n).
[[nodiscard]] Fabric subset(const Fabric& fabric,
                            const std::vector<int>& devices,
                            const std::string& note);

}  // namespace longhaul::fabric
