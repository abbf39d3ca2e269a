#include "longhaul/topology/cuts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

using Pair = std::pair<int, int>;

/// Ordered pairs of sites that load each directed link of the WAN, whichever branch they take.
std::vector<std::set<Pair>> pairs_of_links(const Routes& routes) {
    const Topology& topology = routes.topology();
    const WanTable& table = routes.planes().front().wan;
    const int sites = static_cast<int>(topology.sites().size());
    std::vector<std::set<Pair>> loaded(2 * topology.declaration().wan.size());
    for (int a = 0; a < sites; ++a) {
        for (int b = 0; b < sites; ++b) {
            std::set<int> seen{a};
            std::vector<int> open{a};
            while (!open.empty() && a != b) {
                const int here = open.back();
                open.pop_back();
                if (here == b) {
                    continue;
                }
                for (const LinkId link : table.next(here, b)) {
                    loaded[link - 2 * topology.wan_base()].insert({a, b});
                    const int next = topology.site_of(topology.link(link).to);
                    if (seen.insert(next).second) {
                        open.push_back(next);
                    }
                }
            }
        }
    }
    return loaded;
}

/// States a link whose directed pairs are those of a cut; false when they are not.
bool state(const Topology& topology, std::size_t i, const std::set<Pair>& pairs, Cuts& cuts) {
    const WanLink& link = topology.declaration().wan[i];
    const auto name = [&](int site) { return topology.sites()[slot(site)].name; };
    Cut cut{fmt::format("{} - {}", name(link.a), name(link.b)),
            link.forth.gbps,
            link.back.gbps,
            {},
            {}};
    if (const Exception* odd =
            topology.exception(topology.wan_base() + static_cast<std::uint32_t>(i))) {
        cut.there_gbps = cut.back_gbps = odd->cable.gbps;
    }
    if (pairs == std::set<Pair>{{link.a, link.b}}) {
        cut.between = {name(link.a), name(link.b)};
        cuts.list.push_back(std::move(cut));
        return true;
    }
    std::set<int> from;
    for (const Pair& pair : pairs) {
        from.insert(pair.first);
    }
    std::size_t expected = 0;
    bool whole = true;
    const int sites = static_cast<int>(topology.sites().size());
    for (const int a : from) {
        for (int b = 0; b < sites; ++b) {
            if (!from.contains(b)) {
                ++expected;
                whole = whole && pairs.contains({a, b});
            }
        }
        cut.of.push_back(name(a));
    }
    if (!whole || expected != pairs.size()) {
        return false;
    }
    cuts.list.push_back(std::move(cut));
    return true;
}

/// Rate of all links between the members of the outermost level and its switches, a member; and of
/// the endpoints of one member together.
std::pair<double, double> way_out(const Shape& shape) {
    const LinkClass& top = shape.classes().back();
    const double members = shape.radix(top.axis);
    double rate = 0;
    for (const LinkClass& links : shape.classes()) {
        if (links.low == 0 && links.high != 0) {
            rate = std::max(rate, links.cable.gbps * shape.radix(links.up_free.front()));
        }
    }
    return {top.cable.gbps * top.count / members, rate * shape.endpoints() / members};
}

}  // namespace

std::string label_of(const Topology& topology, NodeId endpoint) {
    return topology.group_name(endpoint, topology.wan() ? 0 : 1);
}

Cuts shared_cuts(const Routes& routes) {
    const Topology& topology = routes.topology();
    Cuts cuts;
    if (topology.wan()) {
        const std::vector<std::set<Pair>> pairs = pairs_of_links(routes);
        for (std::size_t i = 0; i < topology.declaration().wan.size(); ++i) {
            if (!pairs[2 * i].empty() && !state(topology, i, pairs[2 * i], cuts)) {
                const WanLink& link = topology.declaration().wan[i];
                cuts.unstated.push_back(fmt::format("{} - {}",
                                                    topology.sites()[slot(link.a)].name,
                                                    topology.sites()[slot(link.b)].name));
            }
        }
    }
    for (std::size_t s = 0; s < topology.sites().size(); ++s) {
        const Shape& shape = topology.shape(static_cast<int>(s));
        if (shape.levels() < 2 || shape.classes().back().high == shape.classes().back().low ||
            (topology.wan() && shape.radix(shape.levels() - 1) != 1)) {
            continue;
        }
        const auto [out, inside] = way_out(shape);
        for (std::uint32_t m = 0; out < inside && m < shape.radix(shape.levels() - 1); ++m) {
            const NodeId first = topology.endpoint_base(static_cast<int>(s)) +
                                 m * (shape.endpoints() / shape.radix(shape.levels() - 1));
            const std::string label = label_of(topology, first);
            cuts.list.push_back({"out of " + label, out, out, {label}, {}});
        }
    }
    return cuts;
}

}  // namespace longhaul::topology
