// Capacity that several pairs of devices load at once, such as an uplink of a site.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/core/cursor.hpp"

namespace longhaul::fabric {

/// One resource. A name of a place is a label or a host, and stands for all devices that have it.
/// Rates are decimal Gbit/s, > 0. `there` leads from the first place of `between` to the second, or
/// out of the places of `of`. Full duplex: each direction has its rate, both at the same time; a
/// direction may be without limit. Half duplex: what both directions send adds up to one rate, and
/// the two numbers are equal.
struct SharedCapacity {
    static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

    SharedCapacity() = default;
    /// Full duplex, one rate for both directions.
    SharedCapacity(std::string called,
                   double gbps,
                   std::vector<std::string> between_places,
                   std::vector<std::string> of_places)
        : name(std::move(called)),
          there_gbps(gbps),
          back_gbps(gbps),
          between(std::move(between_places)),
          of(std::move(of_places)) {}

    std::string name;
    double there_gbps = 0;
    double back_gbps = 0;
    bool duplex = true;
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
/// or leave nobody on one side, names that are used twice, capacities out of range or without limit
/// in both directions.
[[nodiscard]] core::Diagnostics check_shared(const std::vector<SharedCapacity>& shared,
                                             const std::vector<std::string>& labels,
                                             const std::vector<std::string>& hosts,
                                             const std::string& file);

}  // namespace longhaul::fabric
