#include "longhaul/emulate/read.hpp"

#include <algorithm>
#include <array>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/topology/artifact.hpp"

namespace longhaul::emulate {
namespace {

constexpr std::array kFabricKeys{"labels", "regions", "groups", "instances"};

/// The value of "format", empty without one.
std::string format_of(const core::Document& document) {
    const core::Value* format = document.root.find("format");
    return format != nullptr ? format->string : "";
}

bool looks_like_fabric(const core::Document& document) {
    const std::string format = format_of(document);
    const bool named = format.starts_with("longhaul.fabric/") ||
                       format.starts_with("longhaul.regions/") ||
                       format.starts_with("longhaul.instances/");
    return named || (format.empty() && std::ranges::any_of(kFabricKeys, [&](const char* key) {
                         return document.root.find(key) != nullptr;
                     }));
}

}  // namespace

core::Result<Wan> read_network(std::string_view text, std::string_view name) {
    if (const auto own = core::refuse_other_format(text,
                                                   name,
                                                   {"longhaul.wan",
                                                    "longhaul.fabric",
                                                    "longhaul.regions",
                                                    "longhaul.instances",
                                                    "longhaul.topology",
                                                    "longhaul.routes"});
        !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_document(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    if (format_of(*document).starts_with("longhaul.topology/") ||
        format_of(*document).starts_with("longhaul.routes/")) {
        const auto routes = topology::read_routes(text, name);
        return routes ? from_topology(*routes, name) : tl::unexpected(routes.error());
    }
    if (!looks_like_fabric(*document)) {
        return read_wan(*document);
    }
    const core::Result<fabric::Fabric> fabric = fabric::read_fabric(text, name);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    return from_fabric(*fabric, name);
}

}  // namespace longhaul::emulate
