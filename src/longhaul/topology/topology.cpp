#include "longhaul/topology/topology.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

/// Index of the part of a sorted list of bases that holds a number.
int part_of(const std::vector<std::uint32_t>& bases, std::uint32_t number) {
    if (bases.size() == 2) {
        return 0;
    }
    return static_cast<int>(std::ranges::upper_bound(bases, number) - bases.begin()) - 1;
}

}  // namespace

Topology::Topology(Declaration declaration) : declared_(std::move(declaration)) {
    LONGHAUL_ASSERT(!declared_.sites.empty());
    for (const Chain& chain : declared_.chains) {
        shapes_.emplace_back(chain);
    }
    endpoint_base_.push_back(0);
    link_base_.push_back(0);
    for (std::size_t s = 0; s < sites().size(); ++s) {
        const Shape& site = shape(static_cast<int>(s));
        endpoint_base_.push_back(endpoint_base_.back() + site.endpoints());
        link_base_.push_back(link_base_.back() + site.links());
    }
    switch_base_.push_back(endpoint_base_.back());
    for (std::size_t s = 0; s < sites().size(); ++s) {
        const Shape& site = shape(static_cast<int>(s));
        switch_base_.push_back(switch_base_.back() + site.nodes() - site.endpoints());
    }
}

int Topology::site_of_endpoint(NodeId endpoint) const {
    return part_of(endpoint_base_, endpoint);
}

Local Topology::local_of_many(NodeId node) const {
    if (node < endpoints()) {
        const int site = part_of(endpoint_base_, node);
        return {site, node - endpoint_base(site)};
    }
    const int site = part_of(switch_base_, node);
    return {site, node - switch_base(site) + shape(site).endpoints()};
}

NodeId Topology::global_of_many(int site, std::uint32_t local_node) const {
    const std::uint32_t own = shape(site).endpoints();
    return local_node < own ? endpoint_base(site) + local_node
                            : switch_base(site) + local_node - own;
}

Place Topology::place(NodeId node) const {
    const Local where = local(node);
    const Shape& site = shape(where.site);
    Place place;
    place.site = where.site;
    place.role = site.role_of(where.node);
    site.decode(place.role, where.node - site.roles()[slot(place.role)].base, place.digits);
    return place;
}

NodeId Topology::border(int site) const {
    const Shape& chain = shape(site);
    return global(site, chain.roles()[slot(chain.up_role(chain.levels()))].base);
}

const Exception* Topology::exception(std::uint32_t undirected) const {
    const auto& list = declared_.exceptions;
    const auto found = std::ranges::lower_bound(list, undirected, {}, &Exception::link);
    return found == list.end() || found->link != undirected ? nullptr : &*found;
}

Link Topology::plain_link(std::uint32_t undirected, bool reverse) const {
    Link link;
    Cable cable;
    if (undirected >= wan_base()) {
        const WanLink& wan = declared_.wan[undirected - wan_base()];
        link.from = border(wan.a);
        link.to = border(wan.b);
        cable = reverse ? wan.back : wan.forth;
    } else {
        const int site = part_of(link_base_, undirected);
        const Shape& chain = shape(site);
        const std::uint32_t inside = undirected - link_base(site);
        const LinkClass& links = chain.class_of(inside);
        const auto [a, b] = chain.ends(links, inside - links.base);
        link.from = global(site, a);
        link.to = global(site, b);
        cable = links.cable;
    }
    if (reverse) {
        std::swap(link.from, link.to);
    }
    link.gbps = cable.gbps;
    link.latency_ms = cable.latency_ms;
    link.cost = cable.cost;
    return link;
}

Link Topology::link(LinkId id) const {
    Link link = plain_link(id / 2, id % 2 == 1);
    if (const Exception* odd = exception(id / 2)) {
        link.down = odd->down;
        link.gbps = odd->cable.gbps;
        link.latency_ms = odd->cable.latency_ms;
        link.cost = odd->cable.cost;
    }
    return link;
}

std::vector<Link> Topology::links() const {
    std::vector<Link> all(2 * static_cast<std::size_t>(undirected_links()));
    for (std::size_t s = 0; s < sites().size(); ++s) {
        const int site = static_cast<int>(s);
        const Shape& chain = shape(site);
        chain.for_each_link([&](std::uint32_t u, std::uint32_t a, std::uint32_t b, int link_class) {
            const Cable& cable = chain.classes()[slot(link_class)].cable;
            const std::size_t id = 2 * (static_cast<std::size_t>(link_base(site)) + u);
            const NodeId from = global(site, a);
            const NodeId to = global(site, b);
            all[id] = {from, to, cable.gbps, cable.latency_ms, cable.cost, false};
            all[id + 1] = {to, from, cable.gbps, cable.latency_ms, cable.cost, false};
        });
    }
    for (std::uint32_t u = wan_base(); u < undirected_links(); ++u) {
        all[2 * static_cast<std::size_t>(u)] = plain_link(u, false);
        all[2 * static_cast<std::size_t>(u) + 1] = plain_link(u, true);
    }
    for (const Exception& odd : declared_.exceptions) {
        for (const std::size_t way : {0, 1}) {
            all[2 * static_cast<std::size_t>(odd.link) + way] =
                link(2 * odd.link + static_cast<std::uint32_t>(way));
        }
    }
    return all;
}

Topology Topology::with_exceptions(std::vector<Exception> exceptions, core::Value source) const {
    Topology other = *this;
    std::ranges::sort(exceptions, {}, &Exception::link);
    other.declared_.exceptions = std::move(exceptions);
    other.declared_.source = std::move(source);
    return other;
}

}  // namespace longhaul::topology
