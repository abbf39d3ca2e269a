// Networks and lists of transfers on which flow simulators are compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/flowsim/network.hpp"

namespace longhaul::bench {

struct Transfer {
    int from = 0;
    int to = 0;
    std::int64_t start_ns = 0;
    std::uint64_t bytes = 0;
};

/// `routes` has one path for each pair of hosts that a transfer names, whichever transfer it is.
struct FlowCase {
    std::string name;
    int hosts = 0;
    std::vector<flowsim::Link> links;
    std::map<std::pair<int, int>, flowsim::Path> routes;
    std::vector<Transfer> transfers;

    [[nodiscard]] const flowsim::Path& route(const Transfer& one) const {
        return routes.at({one.from, one.to});
    }
    /// Sum of the latencies of its links.
    [[nodiscard]] flowsim::Time latency(const Transfer& one) const;
};

/// k-ary fat tree (k even): k^3/4 hosts, links of 100 Gbit/s and 1 us, one path a pair drawn from
/// the equally short ones. `permutations` random permutations 100 us apart, 0.2 to 2.2 MB a flow.
[[nodiscard]] FlowCase fat_tree_case(int k, int permutations, std::uint64_t seed);

/// The same transfers between hosts on one switch.
[[nodiscard]] FlowCase star_case(int hosts, int permutations, std::uint64_t seed);

/// Nine sites on a ring of 100 Gbit/s with 5 to 40 ms a link, access links of 20 Gbit/s; transfers
/// of 1 MB to 1 GB between any two, the shorter way round, started within `spread_ms` (0: at once).
[[nodiscard]] FlowCase wan_case(int transfers, int spread_ms, std::uint64_t seed);

/// A case by its name, such as "fat-tree-1024", "star-128", "wan-1000"; asserts that it is known.
[[nodiscard]] FlowCase case_of(const std::string& name);

}  // namespace longhaul::bench
