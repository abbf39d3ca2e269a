// Holds compiled routes against what they promise, by searches that know nothing of the rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {

struct CheckOptions {
    std::uint64_t pairs = 0;  ///< ordered pairs of endpoints to look at; 0: all
    int flows = 4;            ///< hashes a pair
    std::uint64_t seed = 7;
    int threads = 1;  ///< never changes the result
};

struct CheckReport {
    std::uint64_t pairs = 0;        ///< looked at
    std::uint64_t sets = 0;         ///< next-hop sets compared with the search
    std::uint64_t paths = 0;        ///< followed
    std::uint64_t unreachable = 0;  ///< pairs that the search cannot connect either
    std::vector<std::string> lost;  ///< the first of them, by name
    std::uint64_t wrong = 0;
    std::vector<std::string> problems;  ///< the first of them
};

/// Every next-hop set equals that of a search over all links that are up; every pair that the
/// search connects has a path under its policy; every path is a chain of links that are up, visits
/// no node twice (between relays), has the least cost where its policy asks for shortest paths, and
/// obeys its policy. With all pairs, the sets of all switches are compared too. O(destinations
/// (nodes + links) + pairs hops).
[[nodiscard]] CheckReport check(const Routes& routes, const CheckOptions& options);

/// What is wrong with one path of a pair; "" when nothing is. `least`: the least cost of the pair.
[[nodiscard]] std::string problem_of(
    const Routes& routes, NodeId from, NodeId to, const Route& route, std::int64_t least);

}  // namespace longhaul::topology
