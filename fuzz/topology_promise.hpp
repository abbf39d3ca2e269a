// What must hold for any topology or routes file: clear problems, or routes that a search confirms
// and that are written and read back.
#pragma once

#include "longhaul/topology/artifact.hpp"
#include "longhaul/topology/check.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

/// Empty when all holds, else what does not.
inline std::string broken_topology_promise(std::string_view text) {
    const bool json = !text.empty() && text.front() == '{';
    const auto routes = topology::read_routes(text, json ? "input.json" : "input.toml");
    if (!routes) {
        return clear_problems(routes.error()) ? "" : "problems that are not lines of text";
    }
    constexpr std::uint32_t kMostNodes = 400;  // searched in milliseconds
    if (routes->topology().nodes() > kMostNodes || routes->topology().endpoints() < 2) {
        return "";
    }
    const topology::CheckReport report = topology::check(*routes, {50, 2, 7, 1});
    if (report.wrong > 0) {
        return "a search finds other routes: " + report.problems.front();
    }
    const std::string written = core::write_json(topology::to_value(*routes));
    const auto back = topology::read_routes(written, "written.json");
    if (!back) {
        return "the routes do not read back: " + core::to_string(back.error().front());
    }
    return topology::tables_hash(*back) == topology::tables_hash(*routes)
               ? ""
               : "the routes read back other";
}

}  // namespace longhaul::fuzz
