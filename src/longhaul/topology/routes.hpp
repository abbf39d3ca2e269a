// Compiled routes of a network: rules, patches and a table of the WAN, and paths under policies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/topology/hops.hpp"
#include "longhaul/topology/patches.hpp"
#include "longhaul/topology/topology.hpp"
#include "longhaul/topology/wan.hpp"

namespace longhaul::topology {

/// A path: directed links in order. A relay receives the transfer and sends it on.
struct Route {
    bool reachable = false;
    std::vector<LinkId> links;  ///< empty from an endpoint to itself
    std::vector<NodeId> relays;
};

class Routes {
public:
    /// One step towards a destination.
    struct Hop {
        NodeId node = 0;
        LinkId link = 0;
    };

    /// Compiles the rules of each chain, the table of the WAN, patches for exceptions, and every
    /// policy. Fails where a policy cannot be obeyed by a pair that is connected without it, with
    /// its line. Without exceptions O(rules); each patch needs searches (see Patches::make).
    [[nodiscard]] static core::Result<Routes> compile(Topology topology);

    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] const ChainRoutes& chain(int chain) const {
        return chains_[static_cast<std::size_t>(chain)];
    }
    /// Patches and WAN table: plane 0 of the exceptions alone, others for policies that avoid.
    struct Plane {
        std::vector<Patches> sites;
        WanTable wan;
    };
    [[nodiscard]] const std::vector<Plane>& planes() const { return planes_; }

    /// Directed links of all shortest next hops from a node to an endpoint, sorted; empty when
    /// there is no path, or at the endpoint. Policies do not count here.
    [[nodiscard]] std::vector<LinkId> next_links(NodeId at, NodeId to, std::size_t plane = 0) const;

    /// One of them by the hash of the flow, equally likely; nullopt where there is none. The quick
    /// look-up: O(1), with patches too.
    [[nodiscard]] std::optional<Hop> next_hop(NodeId at, NodeId to, std::uint64_t flow) const;

    /// The path of a flow between two endpoints under the policy of the pair. Flows with the same
    /// hash take the same path. O(hops).
    [[nodiscard]] Route path(NodeId from, NodeId to, std::uint64_t flow) const;

    /// The policy of a pair; nullptr: plain ECMP.
    [[nodiscard]] const Policy* policy(NodeId from, NodeId to) const;

    /// Up to `most` different paths of a pair under its policy, without repeats: all hashes, or all
    /// branches of ECMP in the order of their links. `complete` tells whether there are no more.
    struct PathList {
        std::vector<Route> routes;
        bool complete = true;
    };
    [[nodiscard]] PathList paths(NodeId from, NodeId to, std::size_t most) const;

    /// Calls visit(site, other site, paths through the WAN) for the pairs that a policy leads.
    template <class Visit>
    void for_each_led(std::size_t policy, Visit visit) const {
        const std::size_t sites = topology_.sites().size();
        const std::vector<std::vector<WanPath>>& pairs = carried_[policy].wan;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!pairs[i].empty()) {
                visit(static_cast<int>(i / sites), static_cast<int>(i % sites), pairs[i]);
            }
        }
    }

private:
    explicit Routes(Topology topology) : topology_(std::move(topology)) {}

    /// How a policy is carried out.
    struct Carried {
        std::size_t plane = 0;
        std::vector<std::vector<WanPath>> wan;  ///< via, k-disjoint: paths of each pair of sites
    };
    enum class Choice { kHash, kFirst, kWeight };

    [[nodiscard]] core::Result<void> carry_out();
    [[nodiscard]] core::Result<Carried> carry_out(const Policy& policy);
    [[nodiscard]] core::Result<void> avoid(const Policy& policy, Carried& carried);
    [[nodiscard]] core::Result<void> lead(const Policy& policy, Carried& carried) const;
    [[nodiscard]] core::Result<std::vector<WanPath>> lead(const Policy& policy,
                                                          int from,
                                                          int to) const;
    [[nodiscard]] core::Result<void> check_relays(const Policy& policy) const;
    [[nodiscard]] tl::unexpected<core::Diagnostics> refuse(const Policy& policy,
                                                           std::string what,
                                                           std::string fix) const;
    /// Endpoints that stand for a range: the first of every site and of every group in it.
    [[nodiscard]] std::vector<NodeId> samples(const EndpointRange& range) const;

    [[nodiscard]] std::vector<LinkId> next_links(const Local& at,
                                                 const Local& to,
                                                 std::size_t plane) const;
    [[nodiscard]] std::optional<Hop> hop(const Local& from,
                                         const Local& to,
                                         std::size_t plane,
                                         Choice choice,
                                         std::uint32_t hash) const;
    /// One of the next hops of a patch.
    [[nodiscard]] std::optional<Hop> global_hop(int site,
                                                std::span<const ChainRoutes::Hop> hops,
                                                std::uint32_t hash) const;
    /// Whether the border of an endpoint's site cannot reach it.
    [[nodiscard]] bool closed(const Local& to, std::size_t plane) const;
    [[nodiscard]] LinkId choose(const std::vector<LinkId>& links,
                                Choice choice,
                                std::uint64_t hash) const;
    /// Appends the links from a node to an endpoint; false when there is no path.
    bool walk(NodeId at,
              NodeId to,
              std::uint64_t flow,
              std::size_t plane,
              Choice choice,
              std::vector<LinkId>& links) const;
    /// The same to the border of the node's own site.
    bool walk_out(NodeId at, std::uint64_t flow, std::vector<LinkId>& links) const;
    /// Inside a site without patches: the rules lead to the end, digits in hand.
    bool walk_rules(const Local& from,
                    const Local& to,
                    std::uint64_t flow,
                    std::vector<LinkId>& links) const;
    [[nodiscard]] NodeId rail_of(NodeId from, NodeId to) const;
    [[nodiscard]] NodeId relay_of(const Policy& policy,
                                  NodeId from,
                                  NodeId to,
                                  std::uint64_t flow) const;
    /// Through the WAN on one of the paths that a policy chose.
    [[nodiscard]] Route led(NodeId from,
                            NodeId to,
                            std::uint64_t flow,
                            const std::vector<WanPath>& paths) const;
    [[nodiscard]] Route obeying(const Policy& asked,
                                const Carried& carried,
                                NodeId from,
                                NodeId to,
                                std::uint64_t flow) const;
    [[nodiscard]] Route legs(NodeId from, NodeId over, NodeId to, std::uint64_t flow) const;

    Topology topology_;
    std::vector<ChainRoutes> chains_;
    std::vector<Plane> planes_;
    std::vector<Carried> carried_;  ///< one a policy
};

/// Mixes the hash of a flow with a node: which of several next hops it takes there (SplitMix64).
[[nodiscard]] std::uint32_t hop_hash(std::uint64_t flow, NodeId node);

/// The flow of a pair that has but one: what fabrics, emulated hosts and steps take.
[[nodiscard]] inline std::uint64_t pair_flow(NodeId from, NodeId to) {
    return (std::uint64_t{from} << 32U) + to;
}

/// The level whose members are the endpoints of one host with a rail each, and the level of the
/// rails; nullopt when a chain has none.
struct Rails {
    int host_level = 0;
    int rail_level = 0;
};
[[nodiscard]] std::optional<Rails> rails_of(const Chain& chain);

}  // namespace longhaul::topology
