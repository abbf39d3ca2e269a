// Capacity that several pairs of devices load at once, such as an uplink of a site.
#pragma once

#include <string>
#include <vector>

#include "longhaul/core/cursor.hpp"

namespace longhaul::fabric {

/// One resource. It carries `gbps` in each direction at the same time. A name of a place is a label
/// or a host, and stands for all devices that have it.
struct SharedCapacity {
    std::string name;
    double gbps = 0;                              ///< decimal Gbit/s, > 0
    std::vector<std::string> between;             ///< two places: pairs with an end in each, or
    std::vector<std::string> of;                  ///< places: pairs with exactly one end inside
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

/// Reads the list under `shared`, empty without it. Problems go to the cursor.
[[nodiscard]] std::vector<SharedCapacity> read_shared(const core::Cursor& root);

/// The list as a tree.
[[nodiscard]] core::Value to_value(const std::vector<SharedCapacity>& shared);

/// Which side of a resource each device is on: a pair loads it when one is on side 1 and the other
/// on side 2. `between`: its first place is side 1, its second side 2; `of`: inside is side 1, all
/// others side 2. A device on neither side is 0. `hosts` may be empty. O(devices places).
[[nodiscard]] std::vector<int> sides_of(const SharedCapacity& resource,
                                        const std::vector<std::string>& labels,
                                        const std::vector<std::string>& hosts);

/// Problems of the list for devices with these labels and hosts: unknown places, sides that overlap
/// or leave nobody on one side, names that are used twice, capacities out of range.
[[nodiscard]] core::Diagnostics check_shared(const std::vector<SharedCapacity>& shared,
                                             const std::vector<std::string>& labels,
                                             const std::vector<std::string>& hosts,
                                             const std::string& file);

}  // namespace longhaul::fabric
