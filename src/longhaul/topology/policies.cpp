// Carries policies out: planes without what is avoided, paths through the WAN.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/routes.hpp"
#include "longhaul/topology/search.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

std::string pair_text(const Topology& topology, NodeId from, NodeId to) {
    return fmt::format("{} to {}", topology.name(from), topology.name(to));
}

}  // namespace

tl::unexpected<core::Diagnostics> Routes::refuse(const Policy& policy,
                                                 std::string what,
                                                 std::string fix) const {
    return core::fail({topology_.declaration().file,
                       policy.line > 0 ? fmt::format("line {}, column 1: policy", policy.line)
                                       : fmt::format("policy {} -> {}", policy.from, policy.to),
                       std::move(what),
                       std::move(fix)});
}

core::Result<Routes> Routes::compile(Topology topology) {
    Routes routes(std::move(topology));
    const Topology& network = routes.topology_;
    for (const Chain& chain : network.declaration().chains) {
        auto rules = ChainRoutes::make(Shape(chain), network.wan());
        if (!rules) {
            return core::fail({network.declaration().file,
                               chain.levels.empty() ? "" : chain.levels.back().group,
                               "routes cannot be compiled: " + rules.error(),
                               "nest the groups in another order, or use other patterns"});
        }
        routes.chains_.push_back(std::move(*rules));
    }
    Plane plain;
    for (std::size_t s = 0; s < network.sites().size(); ++s) {
        const int site = static_cast<int>(s);
        plain.sites.push_back(Patches::make(
            network, site, routes.chains_[slot(network.sites()[s].chain)], {}, network.wan()));
    }
    plain.wan = WanTable(network, {});
    routes.planes_.push_back(std::move(plain));
    if (auto done = routes.carry_out(); !done) {
        return tl::unexpected(done.error());
    }
    return routes;
}

core::Result<void> Routes::carry_out() {
    for (const Policy& policy : topology_.declaration().policies) {
        auto carried = carry_out(policy);
        if (!carried) {
            return tl::unexpected(carried.error());
        }
        carried_.push_back(std::move(*carried));
    }
    return {};
}

core::Result<Routes::Carried> Routes::carry_out(const Policy& policy) {
    Carried carried;
    core::Result<void> done;
    switch (policy.use) {
        case Use::kAvoid:
            done = avoid(policy, carried);
            break;
        case Use::kVia:
        case Use::kDisjoint:
            done = lead(policy, carried);
            break;
        case Use::kRelay:
            done = check_relays(policy);
            break;
        default:
            break;
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return carried;
}

std::vector<NodeId> Routes::samples(const EndpointRange& range) const {
    std::vector<NodeId> chosen;
    const std::uint32_t step = std::max(1U, (range.hi - range.lo) / 512);
    for (NodeId node = range.lo; node < range.hi; node += step) {
        chosen.push_back(node);
    }
    return chosen;
}

core::Result<void> Routes::avoid(const Policy& policy, Carried& carried) {
    Plane plane;
    for (std::size_t s = 0; s < topology_.sites().size(); ++s) {
        plane.sites.push_back(Patches::make(topology_,
                                            static_cast<int>(s),
                                            chains_[slot(topology_.sites()[s].chain)],
                                            policy.avoided_links,
                                            topology_.wan()));
    }
    plane.wan = WanTable(topology_, policy.avoided_links);
    planes_.push_back(std::move(plane));
    carried.plane = planes_.size() - 1;
    for (const NodeId from : samples(policy.senders)) {
        for (const NodeId to : samples(policy.receivers)) {
            if (from != to && next_links(from, to, carried.plane).empty() &&
                !next_links(from, to, 0).empty()) {
                return refuse(policy,
                              fmt::format("no path from {} without what it avoids",
                                          pair_text(topology_, from, to)),
                              "avoid less, or declare another link");
            }
        }
    }
    return {};
}

core::Result<void> Routes::lead(const Policy& policy, Carried& carried) const {
    const int sites = static_cast<int>(topology_.sites().size());
    carried.wan.resize(slot(sites) * slot(sites));
    const auto meets = [&](const EndpointRange& range, int site) {
        return range.lo < topology_.endpoint_base(site + 1) &&
               topology_.endpoint_base(site) < range.hi;
    };
    for (int a = 0; a < sites; ++a) {
        for (int b = 0; b < sites; ++b) {
            if (a == b || !meets(policy.senders, a) || !meets(policy.receivers, b) ||
                planes_[0].wan.next(a, b).empty()) {
                continue;
            }
            auto paths = lead(policy, a, b);
            if (!paths) {
                return tl::unexpected(paths.error());
            }
            carried.wan[slot(a) * slot(sites) + slot(b)] = std::move(*paths);
        }
    }
    return {};
}

core::Result<std::vector<WanPath>> Routes::lead(const Policy& policy, int from, int to) const {
    const std::string pair = fmt::format(
        "{} to {}", topology_.sites()[slot(from)].name, topology_.sites()[slot(to)].name);
    if (policy.use == Use::kDisjoint) {
        std::vector<WanPath> paths = disjoint_paths(topology_, from, to, policy.paths);
        if (paths.size() < slot(policy.paths)) {
            const bool one = paths.size() == 1;
            return refuse(policy,
                          fmt::format("from {} there {} only {} path{} without a common site",
                                      pair,
                                      one ? "is" : "are",
                                      paths.size(),
                                      one ? "" : "s"),
                          "ask for fewer, or declare another link");
        }
        return paths;
    }
    if (policy.via_site == from || policy.via_site == to) {
        return std::vector<WanPath>();
    }
    WanPath path = path_through(topology_, from, to, policy.via_site);
    if (path.empty()) {
        return refuse(policy,
                      fmt::format("no simple path from {} leads through {}",
                                  pair,
                                  topology_.sites()[slot(policy.via_site)].name),
                      "choose another site, or declare another link");
    }
    return std::vector<WanPath>{std::move(path)};
}

core::Result<void> Routes::check_relays(const Policy& policy) const {
    for (const NodeId from : samples(policy.senders)) {
        const NodeId relay = relay_of(policy, from, from, 0);
        if (relay != from && next_links(from, relay, 0).empty()) {
            return refuse(policy,
                          fmt::format("no path from {}", pair_text(topology_, from, relay)),
                          "choose a relay that senders reach");
        }
    }
    for (const NodeId to : samples(policy.receivers)) {
        const NodeId relay = relay_of(policy, to, to, 0);
        if (relay != to && next_links(relay, to, 0).empty()) {
            return refuse(policy,
                          fmt::format("no path from {}", pair_text(topology_, relay, to)),
                          "choose a relay that reaches the receivers");
        }
    }
    return {};
}

}  // namespace longhaul::topology
