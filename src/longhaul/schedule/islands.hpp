// Islands that train on their own between exchanges, and the network that joins them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/document.hpp"
#include "longhaul/schedule/round.hpp"
#include "longhaul/topology/multicast.hpp"
#include "longhaul/topology/topology.hpp"

namespace longhaul::schedule {

/// One site: what crosses its access link, and the memory of the aggregator in front of it.
struct Island {
    std::string name;
    std::string region;       ///< empty when not stated
    double egress_gbps = 0;   ///< > 0
    double ingress_gbps = 0;  ///< > 0
    double memory_gb = 0;     ///< >= 0; 0: contributions must arrive at the same moment
    double target = 1;        ///< its share of the model that all should agree on, relative, > 0
};

/// Nodes 0 .. islands - 1 are the islands, in order; the rest only forward.
struct Islands {
    std::string name;
    std::string provenance;
    std::string file;  ///< display name, for messages
    double payload_gb = 1;
    std::vector<Island> islands;
    std::vector<std::string> transit;  ///< names of the nodes that only forward
    topology::StreamNetwork network;   ///< directed links; `cost` follows the latency
    std::vector<double> jitter_ms;     ///< one a directed link: standard deviation, >= 0
    std::vector<NamedSchedule> schedules;

    [[nodiscard]] std::size_t size() const { return islands.size(); }
    [[nodiscard]] const std::string& node_name(std::size_t node) const;
    [[nodiscard]] std::optional<int> find(std::string_view island) const;
    [[nodiscard]] const NamedSchedule* schedule(std::string_view schedule_name) const;
};

/// Most islands of a file: cliques are sets of 64 bits.
inline constexpr int kMaxIslands = 64;

/// What a network file does not say; a topology file says none of it.
struct IslandDefaults {
    double payload_gb = 1;
    double access_gbps = 20;
    double memory_gb = 0;
};

/// Reads a network of islands (docs/formats/islands.md). Every problem is reported; islands that no
/// path joins are one.
[[nodiscard]] core::Result<Islands> read_islands(const core::Document& document);

/// The sites of a declared WAN as islands; sites whose links are down are cut off and refused.
[[nodiscard]] core::Result<Islands> islands_of(const topology::Topology& topology,
                                               const IslandDefaults& defaults);

/// Routing cost of a link: its latency in units of 0.1 us, at least 1.
[[nodiscard]] int latency_cost(double latency_ms);

/// Reads rounds of cliques of names; islands that a round leaves out train alone in it. Nothing
/// when something is wrong, which is reported.
[[nodiscard]] std::optional<Schedule> read_rounds(const core::Cursor& rounds,
                                                  const Islands& islands);

}  // namespace longhaul::schedule
