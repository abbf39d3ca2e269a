// What must hold for any flows file: clear problems, or flows that end in order and times that are
// written and read back.
#pragma once

#include <algorithm>

#include "longhaul/flowsim/flows_file.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

inline bool in_order(const flowsim::FlowTimes& times) {
    return flowsim::Time{} <= times.started && times.started <= times.sent &&
           times.sent <= times.delivered;
}

/// Empty when all holds, else what does not.
inline std::string broken_flows_promise(std::string_view text) {
    const bool json = !text.empty() && text.front() == '{';
    const auto file = flowsim::read_flows(text, json ? "input.json" : "input.toml");
    if (!file) {
        return clear_problems(file.error()) ? "" : "problems that are not lines of text";
    }
    const flowsim::BatchResult result = flowsim::run_batch(file->links, file->flows, file->cold);
    if (!std::ranges::all_of(result.flows, in_order)) {
        return "a flow is delivered before it is sent, or sent before it starts";
    }
    if (result.unfinished > 0) {
        return "";
    }
    const std::string written = core::write_json(flowsim::to_value(*file, result));
    return core::parse_json(written, "written") ? "" : "the times do not read back";
}

}  // namespace longhaul::fuzz
