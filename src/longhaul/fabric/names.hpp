// Names of devices that outlive a change of the fabric: how a new fabric is matched with an old
// plan.
#pragma once

#include <string>
#include <vector>

#include "longhaul/fabric/fabric.hpp"

namespace longhaul::fabric {

/// One name a device, all different: "host/local_rank" where both are known; otherwise the host, or
/// else the label, and which of its devices in order of index it is: "Oregon#3". Names with a rank
/// are kept when other devices leave or join; counted ones shift behind a device that left. Of
/// equal names the later ones get "+1", "+2". O(n log n).
[[nodiscard]] std::vector<std::string> device_names(const Fabric& fabric);

/// That of one device. O(n).
[[nodiscard]] std::string device_name_of(const Fabric& fabric, std::size_t device);

}  // namespace longhaul::fabric
