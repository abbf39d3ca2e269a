// A declared network: nodes and directed links, by number and by name.
//
// Nodes: endpoints 0 .. endpoints() - 1, site by site, then the switches, site by site. Links:
// directed link 2 x u leads one way along the undirected link u, 2 x u + 1 the other way; first the
// links inside the sites, then those of the WAN.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/topology/declaration.hpp"
#include "longhaul/topology/shape.hpp"

namespace longhaul::topology {

using NodeId = std::uint32_t;
using LinkId = std::uint32_t;

/// One direction of a cable.
struct Link {
    NodeId from = 0;
    NodeId to = 0;
    double gbps = 0;
    double latency_ms = 0;
    int cost = 1;
    bool down = false;
};

/// Where a node is: its site, role and digits there.
struct Place {
    int site = 0;
    int role = 0;
    Digits digits{};
};

/// A node of the chain of a site.
struct Local {
    int site = 0;
    std::uint32_t node = 0;
};

/// The parts of a network; everything refers to chains and sites by number.
struct Declaration {
    std::string name;
    std::string provenance;
    std::string file;    ///< display name, for messages
    core::Value source;  ///< the file as it was read
    std::vector<Chain> chains;
    std::vector<Site> sites;
    std::vector<WanLink> wan;
    std::vector<Exception> exceptions;  ///< sorted by link
    std::vector<Policy> policies;
};

class Topology {
public:
    /// The declaration must be sound: read_topology checks what people write.
    explicit Topology(Declaration declaration);

    [[nodiscard]] const Declaration& declaration() const { return declared_; }
    [[nodiscard]] const std::vector<Site>& sites() const { return declared_.sites; }
    /// Several sites, joined by the links of a WAN.
    [[nodiscard]] bool wan() const { return !declared_.sites.front().name.empty(); }
    [[nodiscard]] const Shape& shape(int site) const {
        return shapes_[static_cast<std::size_t>(
            declared_.sites[static_cast<std::size_t>(site)].chain)];
    }

    [[nodiscard]] std::uint32_t endpoints() const { return endpoint_base_.back(); }
    [[nodiscard]] std::uint32_t nodes() const { return switch_base_.back(); }
    [[nodiscard]] std::uint32_t undirected_links() const {
        return wan_base() + static_cast<std::uint32_t>(declared_.wan.size());
    }
    /// All directed links. O(links).
    [[nodiscard]] std::vector<Link> links() const;
    /// One of them. O(nodes a chain) for pairs in large meshes, else O(1).
    [[nodiscard]] Link link(LinkId id) const;

    [[nodiscard]] int site_of_endpoint(NodeId endpoint) const;
    [[nodiscard]] int site_of(NodeId node) const { return local(node).site; }
    /// Of one site, local numbers are those of the network.
    [[nodiscard]] Local local(NodeId node) const {
        return link_base_.size() == 2 ? Local{0, node} : local_of_many(node);
    }
    [[nodiscard]] NodeId global(int site, std::uint32_t local_node) const {
        return link_base_.size() == 2 ? local_node : global_of_many(site, local_node);
    }
    [[nodiscard]] Place place(NodeId node) const;
    /// The node of a site that the WAN links end at.
    [[nodiscard]] NodeId border(int site) const;

    [[nodiscard]] std::uint32_t endpoint_base(int site) const {
        return endpoint_base_[static_cast<std::size_t>(site)];
    }
    [[nodiscard]] std::uint32_t switch_base(int site) const {
        return switch_base_[static_cast<std::size_t>(site)];
    }
    /// First undirected link of a site.
    [[nodiscard]] std::uint32_t link_base(int site) const {
        return link_base_[static_cast<std::size_t>(site)];
    }
    /// First undirected link of the WAN.
    [[nodiscard]] std::uint32_t wan_base() const { return link_base_.back(); }

    /// "eu/pod3/rack1/host7", "pod3/agg5": the groups around a node, outermost first.
    [[nodiscard]] std::string name(NodeId node) const;
    /// Name of the group of an endpoint `depth` levels below the site (0: the site).
    [[nodiscard]] std::string group_name(NodeId endpoint, int depth) const;
    [[nodiscard]] std::optional<NodeId> find(std::string_view name) const;
    /// Endpoints of a group: "*", a site, "eu/pod3", or one endpoint.
    [[nodiscard]] std::optional<EndpointRange> find_group(std::string_view name) const;
    [[nodiscard]] int find_site(std::string_view name) const;  ///< -1: unknown
    /// Undirected links between two nodes.
    [[nodiscard]] std::vector<std::uint32_t> links_between(NodeId a, NodeId b) const;
    /// Undirected links with an end in a group of endpoints or a node of that name; empty when
    /// there is none.
    [[nodiscard]] std::vector<std::uint32_t> links_at(std::string_view name) const;

    /// The same network with other exceptions, and the file that would say so.
    [[nodiscard]] Topology with_exceptions(std::vector<Exception> exceptions,
                                           core::Value source = {}) const;
    [[nodiscard]] const Exception* exception(std::uint32_t undirected) const;

private:
    [[nodiscard]] Local local_of_many(NodeId node) const;
    [[nodiscard]] NodeId global_of_many(int site, std::uint32_t local_node) const;
    [[nodiscard]] Link plain_link(std::uint32_t undirected, bool reverse) const;
    [[nodiscard]] std::string prefix(int site) const;
    /// Strips "eu/" off; -1 when there is no such site.
    int take_site(std::string_view& name) const;

    Declaration declared_;
    std::vector<Shape> shapes_;
    std::vector<std::uint32_t> endpoint_base_;
    std::vector<std::uint32_t> switch_base_;
    std::vector<std::uint32_t> link_base_;
};

}  // namespace longhaul::topology
