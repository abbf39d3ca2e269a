// What a person declares about a network: chains of nested groups, sites of a WAN, exceptions and
// policies. Plain data; read.hpp makes it from text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::topology {

/// What one cable is. It carries `gbps` in each direction at the same time.
struct Cable {
    double gbps = 0;        ///< decimal Gbit/s, > 0
    double latency_ms = 0;  ///< one way, >= 0
    int cost = 1;           ///< routing weight, >= 1: routes have the least sum

    friend bool operator==(const Cable&, const Cable&) = default;
};

/// How the members of a group are wired.
enum class Pattern {
    kTree,      ///< every port of every member to every switch of the group
    kRails,     ///< port j of every member to the switches of stripe j
    kMesh,      ///< port j of every member to port j of every other member
    kRing,      ///< port j of member i to port j of member i + 1, the last to the first
    kDragonfly  ///< every pair of members has one cable, spread over the ports of both
};

/// One nesting level of a chain: `count` members and what joins them.
struct Level {
    std::string group;   ///< name of the group
    std::string member;  ///< name of its members: of a group or of the endpoint
    std::uint32_t count = 1;
    Pattern pattern = Pattern::kTree;
    std::uint32_t switches = 0;         ///< trees and rails
    std::string switch_name;            ///< trees and rails
    bool up_members = false;            ///< the ports up are those of the members, not the switches
    std::uint32_t cables_per_port = 0;  ///< dragonfly
    Cable cable;

    [[nodiscard]] bool has_switches() const {
        return pattern == Pattern::kTree || pattern == Pattern::kRails;
    }
};

/// Nested groups with one kind of member each, innermost first. Without levels: one endpoint.
struct Chain {
    std::string endpoint;  ///< name of the innermost member, such as "host" or "gpu"
    std::vector<Level> levels;
};

/// One site of a WAN.
struct Site {
    std::string name;  ///< empty when the network has no WAN
    int chain = 0;
};

struct WanLink {
    int a = 0;  ///< sites
    int b = 0;
    Cable forth;  ///< a to b
    Cable back;   ///< b to a
};

/// What a policy asks of the paths from one group to another.
enum class Use {
    kShortest,   ///< one shortest path a pair
    kEcmp,       ///< all shortest paths, equally
    kWecmp,      ///< all shortest paths, next hops in proportion to their capacity
    kRailLocal,  ///< shortest paths that change rails inside the sender's group only
    kAvoid,      ///< shortest paths without some sites, groups or links
    kVia,        ///< the shortest simple path through a site
    kDisjoint,   ///< the cheapest n paths between the sites that share no site
    kRelay       ///< received and sent on by an endpoint of a group
};

/// Endpoints lo .. hi - 1.
struct EndpointRange {
    std::uint32_t lo = 0;
    std::uint32_t hi = 0;

    [[nodiscard]] bool has(std::uint32_t endpoint) const { return lo <= endpoint && endpoint < hi; }
    friend bool operator==(const EndpointRange&, const EndpointRange&) = default;
};

/// Rule for the pairs of endpoints from one range to another. The first that fits counts.
struct Policy {
    std::string from = "*";  ///< as written
    std::string to = "*";
    EndpointRange senders;
    EndpointRange receivers;
    Use use = Use::kEcmp;
    std::vector<std::string> through;          ///< as written: avoid, via, relay
    std::vector<std::uint32_t> avoided_links;  ///< avoid: undirected links, sorted
    int via_site = -1;                         ///< via
    EndpointRange relays;                      ///< relay
    int paths = 0;                             ///< k-disjoint
    int line = 0;                              ///< where it was declared; 0 when not from a file
};

/// How one link differs from its pattern.
struct Exception {
    std::uint32_t link = 0;  ///< undirected
    bool down = false;
    Cable cable;  ///< both directions
};

}  // namespace longhaul::topology
