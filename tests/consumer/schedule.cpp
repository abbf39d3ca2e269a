// Three islands in a row, all exchanging: the latencies are a star around the middle one, so they
// align without memory at 400 ms of sending and twice the longest arm.
#include <cmath>
#include <iostream>

#include "longhaul/schedule/score.hpp"

int main() {
    const auto document = longhaul::core::parse_json(
        R"({"payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20, "nodes": ["A", "B", "C"],
            "links": [{"a": "A", "b": "B", "latency_ms": 5, "gbps": 100},
                      {"a": "B", "b": "C", "latency_ms": 7, "gbps": 100}]})",
        "three.json");
    const auto islands =
        document ? longhaul::schedule::read_islands(*document) : tl::unexpected(document.error());
    bool good = islands.has_value();
    if (good) {
        const auto can = longhaul::schedule::capabilities_of(*islands);
        longhaul::schedule::RoundTimes times(*islands, can);
        const auto score =
            longhaul::schedule::score_schedule({{longhaul::schedule::make_round({0b111}, 3)}},
                                               times,
                                               longhaul::schedule::Pace::kUniform);
        good = std::abs(score.score_ms - 1.5 * 414) < 1e-9;
    }
    std::cout << "schedule " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
