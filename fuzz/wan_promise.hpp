// What must hold for any WAN file, or fabric that is emulated: clear problems, or a network whose
// every path and number makes sense.
#pragma once

#include <algorithm>
#include <cmath>

#include "longhaul/emulate/read.hpp"
#include "longhaul/emulate/to_fabric.hpp"
#include "longhaul/fabric/read.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

inline bool sound(const emulate::Shape& shape) {
    return std::ranges::all_of(std::initializer_list<double>{shape.rate_mbps,
                                                             shape.delay_ms,
                                                             shape.jitter_ms,
                                                             shape.loss,
                                                             shape.queue_bytes,
                                                             shape.burst_bytes},
                               [](double x) { return std::isfinite(x) && x >= 0; });
}

inline bool sound(const emulate::Wan& wan) {
    const std::size_t n = wan.hosts.size();
    const auto known = [&](int resource) {
        return resource >= 0 && static_cast<std::size_t>(resource) < wan.resources.size();
    };
    return n >= 2 && n <= emulate::kMaxHosts && wan.paths.size() == n * n &&
           std::ranges::all_of(wan.resources,
                               [](const emulate::Resource& each) { return sound(each.shape); }) &&
           std::ranges::all_of(wan.paths, [&](const emulate::Path& path) {
               return std::ranges::all_of(path, known);
           });
}

/// Empty when all holds, else what does not. The first byte chooses TOML or JSON.
inline std::string broken_wan_promise(std::string_view text) {
    if (text.empty()) {
        return "";
    }
    const bool json = text.front() == '{';
    const auto wan = emulate::read_network(text, json ? "input.json" : "input.toml");
    if (!wan) {
        return clear_problems(wan.error()) ? "" : "problems that are not lines of text";
    }
    if (!sound(*wan)) {
        return "a path or a number makes no sense";
    }
    const auto made = emulate::to_fabric(*wan, "input");
    if (!made) {  // delays beyond what a fabric holds
        return clear_problems(made.error()) ? "" : "problems that are not lines of text";
    }
    const std::string written = core::write_json(fabric::to_value(made->fabric));
    return fabric::read_fabric(written, "written.json") ? "" : "the fabric does not read back";
}

}  // namespace longhaul::fuzz
