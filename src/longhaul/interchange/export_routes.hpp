// Declared networks and their compiled routes in the formats of other tools.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/interchange/export.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::interchange {

struct RouteFormat {
    std::string_view name;   ///< as typed: "simgrid"
    std::string_view files;  ///< what is written
    std::string_view loss;   ///< what the format cannot say; "" when it says all
    core::Result<Exported> (*write)(const topology::Routes& routes,
                                    const std::string& name) = nullptr;
};

/// All formats, in the order of the documentation (docs/commands/route.md).
[[nodiscard]] std::span<const RouteFormat> route_formats();

/// The format of that name; nullptr when there is none.
[[nodiscard]] const RouteFormat* find_route_format(std::string_view name);

}  // namespace longhaul::interchange
