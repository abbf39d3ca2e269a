// For tests: a small network of islands, and schedules of it with their times.
#pragma once

#include <string>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/document.hpp"
#include "longhaul/runtime/session.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::runtime::testing {

/// Islands a, b, c and d in a ring of links of 10 ms.
inline schedule::Islands ring_of_islands() {
    const auto document = core::parse_json(R"({
        "name": "ring", "payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20,
        "nodes": ["a", "b", "c", "d"],
        "links": [{"a": "a", "b": "b", "latency_ms": 10, "gbps": 100},
                  {"a": "b", "b": "c", "latency_ms": 10, "gbps": 100},
                  {"a": "c", "b": "d", "latency_ms": 10, "gbps": 100},
                  {"a": "d", "b": "a", "latency_ms": 10, "gbps": 100}],
        "schedules": {"pairs": [[["a", "b"], ["c", "d"]], [["a", "c"], ["b", "d"]]],
                      "all": [[["a", "b", "c", "d"]]]}})",
                                           "ring.json");
    LONGHAUL_ASSERT(document);
    auto islands = schedule::read_islands(*document);
    LONGHAUL_ASSERT(islands);
    return std::move(*islands);
}

inline schedule::TimedSchedule timed_of(const schedule::Islands& islands,
                                        const std::string& name,
                                        double memory_gb) {
    schedule::Capabilities capabilities = schedule::capabilities_of(islands);
    capabilities.memory_gb.assign(islands.size(), memory_gb);
    schedule::RoundTimes times(islands, capabilities);
    return schedule::timed_schedule(islands.schedule(name)->schedule, times, schedule::Pace::kOwn);
}

inline Session made(const schedule::Islands& islands,
                    const schedule::TimedSchedule& timed,
                    const SessionOptions& options) {
    auto session = make_session(islands, timed, options);
    LONGHAUL_ASSERT(session);
    return std::move(*session);
}

}  // namespace longhaul::runtime::testing
