// Reads what can be emulated: a WAN file, or a fabric file. Formats: docs/formats/wan.md,
// docs/formats/fabric.md.
#pragma once

#include <string_view>

#include "longhaul/core/document.hpp"
#include "longhaul/emulate/wan.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::emulate {

/// A WAN file, a fabric file, a topology file or a file of routes, told apart by `format` and by
/// their keys. Every problem is reported with its place. O(hosts^2).
[[nodiscard]] core::Result<Wan> read_network(std::string_view text, std::string_view name);

/// A parsed WAN file.
[[nodiscard]] core::Result<Wan> read_wan(const core::Document& document);

/// Every ordered pair of hosts has a resource of its own with alpha as delay and beta as rate, and
/// crosses the shared capacities of the fabric. Devices of one host share it; a device without a
/// host is a host. Beta is payload: the rate on the wire is higher by the headers. Between two
/// hosts counts the lowest alpha and the highest beta of their devices. `name` is for messages.
[[nodiscard]] core::Result<Wan> from_fabric(const fabric::Fabric& fabric, std::string_view name);

/// Every endpoint is a host, every link and direction that a path uses a resource, shared by all
/// paths that cross it. A pair takes one path, that of one flow under its policy. Rates are those
/// on the wire. `name` is for messages.
[[nodiscard]] core::Result<Wan> from_topology(const topology::Routes& routes,
                                              std::string_view name);

}  // namespace longhaul::emulate
