#include "longhaul/topology/routes.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

std::uint32_t hop_hash(std::uint64_t flow, NodeId node) {
    std::uint64_t z = flow + 0x9E3779B97F4A7C15U * (std::uint64_t{node} + 1);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<std::uint32_t>((z ^ (z >> 31U)) >> 32U);
}

std::optional<Rails> rails_of(const Chain& chain) {
    for (std::size_t l = 1; l < chain.levels.size(); ++l) {
        const Level& below = chain.levels[l - 1];
        if (chain.levels[l].pattern == Pattern::kRails && l == 1 &&
            (below.up_members || !below.has_switches())) {
            return Rails{static_cast<int>(l), static_cast<int>(l) + 1};
        }
    }
    return std::nullopt;
}

const Policy* Routes::policy(NodeId from, NodeId to) const {
    for (const Policy& each : topology_.declaration().policies) {
        if (each.senders.has(from) && each.receivers.has(to)) {
            return &each;
        }
    }
    return nullptr;
}

std::vector<LinkId> Routes::next_links(NodeId at, NodeId to, std::size_t plane) const {
    return at == to ? std::vector<LinkId>()
                    : next_links(topology_.local(at), topology_.local(to), plane);
}

bool Routes::closed(const Local& to, std::size_t plane) const {
    const std::uint32_t entry = topology_.local(topology_.border(to.site)).node;
    const std::vector<std::uint32_t>* in =
        entry == to.node ? nullptr : planes_[plane].sites[slot(to.site)].find(entry, to.node);
    return in != nullptr && in->empty();
}

std::vector<LinkId> Routes::next_links(const Local& from,
                                       const Local& to,
                                       std::size_t plane) const {
    const bool exit = from.site != to.site;
    const Shape& shape = topology_.shape(from.site);
    const Plane& used = planes_[plane];
    if (exit && (used.wan.next(from.site, to.site).empty() || closed(to, plane))) {
        return {};
    }
    if (exit && topology_.global(from.site, from.node) == topology_.border(from.site)) {
        return used.wan.next(from.site, to.site);
    }
    const std::uint32_t destination = exit ? shape.endpoints() : to.node;
    const std::vector<std::uint32_t>* patch =
        used.sites[slot(from.site)].find(from.node, destination);
    const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(from.site)].chain)];
    std::vector<LinkId> links =
        patch != nullptr ? *patch : rules.links(shape, from.node, to.node, exit);
    for (LinkId& link : links) {
        link += 2 * topology_.link_base(from.site);
    }
    return links;
}

bool Routes::walk_rules(const Local& from,
                        const Local& to,
                        std::uint64_t flow,
                        std::vector<LinkId>& links) const {
    const Shape& shape = topology_.shape(from.site);
    const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(from.site)].chain)];
    const LinkId base = 2 * topology_.link_base(from.site);
    ChainRoutes::Hop hop{from.node, 0};
    if (const TreeTable* tree = rules.tree()) {
        const TreeTable::Numbers digits = tree->digits_of(to.node);
        while (hop.node != to.node) {
            const std::uint32_t hash = hop_hash(flow, topology_.global(from.site, hop.node));
            if (!tree->next(hop.node, digits, hash, hop.node, hop.link)) {
                return false;
            }
            links.push_back(hop.link + base);
        }
        return true;
    }
    Digits digits{};
    shape.decode(0, to.node, digits);
    ChainRoutes::Spot spot = ChainRoutes::spot(shape, from.node);
    while (hop.node != to.node) {
        const std::uint32_t hash = hop_hash(flow, topology_.global(from.site, hop.node));
        if (!rules.choose(shape, digits, false, hash, spot, hop)) {
            return false;
        }
        links.push_back(hop.link + base);
    }
    return true;
}

std::optional<Routes::Hop> Routes::global_hop(int site,
                                              std::span<const ChainRoutes::Hop> hops,
                                              std::uint32_t hash) const {
    if (hops.empty()) {
        return std::nullopt;
    }
    const ChainRoutes::Hop& chosen = hops[(std::uint64_t{hash} * hops.size()) >> 32U];
    return Hop{topology_.global(site, chosen.node), chosen.link + 2 * topology_.link_base(site)};
}

std::optional<Routes::Hop> Routes::hop(const Local& from,
                                       const Local& to,
                                       std::size_t plane,
                                       Choice choice,
                                       std::uint32_t hash) const {
    const Plane& used = planes_[plane];
    const bool exit = from.site != to.site;
    const bool border =
        exit && topology_.global(from.site, from.node) == topology_.border(from.site);
    if (choice != Choice::kHash || border || (exit && closed(to, plane))) {
        const std::vector<LinkId> links = next_links(from, to, plane);
        if (links.empty()) {
            return std::nullopt;
        }
        const LinkId link = choose(links, choice, hash);
        return Hop{topology_.link(link).to, link};
    }
    if (exit && used.wan.next(from.site, to.site).empty()) {
        return std::nullopt;
    }
    const Shape& shape = topology_.shape(from.site);
    const Patches& patches = used.sites[slot(from.site)];
    if (const std::uint32_t set = patches.set_at(from.node, exit ? shape.endpoints() : to.node);
        set != Patches::kRules) {
        return global_hop(from.site, patches.hops(set), hash);
    }
    const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(from.site)].chain)];
    ChainRoutes::Hop chosen;
    if (!rules.next(shape, from.node, to.node, exit, hash, chosen)) {
        return std::nullopt;
    }
    return Hop{topology_.global(from.site, chosen.node),
               chosen.link + 2 * topology_.link_base(from.site)};
}

std::optional<Routes::Hop> Routes::next_hop(NodeId from, NodeId to, std::uint64_t flow) const {
    if (from == to) {
        return std::nullopt;
    }
    return hop(topology_.local(from), topology_.local(to), 0, Choice::kHash, hop_hash(flow, from));
}

LinkId Routes::choose(const std::vector<LinkId>& links, Choice choice, std::uint64_t hash) const {
    if (choice == Choice::kFirst || links.size() == 1) {
        return links.front();
    }
    if (choice == Choice::kHash) {
        return links[(hash * links.size()) >> 32U];
    }
    double sum = 0;
    for (const LinkId link : links) {
        sum += topology_.link(link).gbps;
    }
    double left = static_cast<double>(hash) / 4294967296.0 * sum;
    for (const LinkId link : links) {
        left -= topology_.link(link).gbps;
        if (left < 0) {
            return link;
        }
    }
    return links.back();
}

bool Routes::walk(NodeId node,
                  NodeId to,
                  std::uint64_t flow,
                  std::size_t plane,
                  Choice choice,
                  std::vector<LinkId>& links) const {
    const Local target = topology_.local(to);
    for (NodeId steps = 0; node != to; ++steps) {
        LONGHAUL_ASSERT(steps <= topology_.nodes());  // every step is nearer
        const Local local = topology_.local(node);
        const Plane& used = planes_[plane];
        if (choice == Choice::kHash && local.site == target.site &&
            used.sites[slot(local.site)].empty()) {
            return walk_rules(local, target, flow, links);
        }
        const auto next = hop(local, target, plane, choice, hop_hash(flow, node));
        if (!next) {
            return false;
        }
        links.push_back(next->link);
        node = next->node;
    }
    return true;
}

bool Routes::walk_out(NodeId node, std::uint64_t flow, std::vector<LinkId>& links) const {
    const int site = topology_.site_of(node);
    const Shape& shape = topology_.shape(site);
    const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(site)].chain)];
    const NodeId border = topology_.border(site);
    while (node != border) {
        const std::uint32_t local = topology_.local(node).node;
        const auto* patch = planes_[0].sites[slot(site)].find(local, shape.endpoints());
        const std::vector<LinkId> options =
            patch != nullptr ? *patch : rules.links(shape, local, 0, true);
        if (options.empty()) {
            return false;
        }
        const LinkId link =
            choose(options, Choice::kHash, hop_hash(flow, node)) + 2 * topology_.link_base(site);
        links.push_back(link);
        node = topology_.link(link).to;
    }
    return true;
}

NodeId Routes::rail_of(NodeId from, NodeId to) const {
    const Local sender = topology_.local(from);
    const Local receiver = topology_.local(to);
    const Shape& shape = topology_.shape(sender.site);
    const auto rails = rails_of(shape.chain());
    LONGHAUL_ASSERT(rails.has_value());
    Digits digits{};
    Digits wanted{};
    shape.decode(0, sender.node, digits);
    topology_.shape(receiver.site).decode(0, receiver.node, wanted);
    for (int axis = 0; axis < rails->host_level; ++axis) {
        digits[slot(axis)] = wanted[slot(axis)];
    }
    return topology_.global(sender.site, shape.node(0, digits));
}

NodeId Routes::relay_of(const Policy& policy, NodeId from, NodeId to, std::uint64_t flow) const {
    const std::uint32_t size = policy.relays.hi - policy.relays.lo;
    NodeId relay = policy.relays.lo + static_cast<NodeId>(flow % size);
    for (std::uint32_t tries = 0; tries < size && (relay == from || relay == to); ++tries) {
        relay = relay + 1 == policy.relays.hi ? policy.relays.lo : relay + 1;
    }
    return relay;
}

Route Routes::legs(NodeId from, NodeId over, NodeId to, std::uint64_t flow) const {
    Route route;
    route.reachable = walk(from, over, flow, 0, Choice::kHash, route.links) &&
                      walk(over, to, flow, 0, Choice::kHash, route.links);
    if (!route.reachable) {
        route.links.clear();
    }
    return route;
}

Route Routes::led(NodeId from,
                  NodeId to,
                  std::uint64_t flow,
                  const std::vector<WanPath>& paths) const {
    Route route;
    const WanPath& chosen = paths[flow % paths.size()];
    route.reachable = walk_out(from, flow, route.links);
    route.links.insert(route.links.end(), chosen.begin(), chosen.end());
    const NodeId border = topology_.border(topology_.site_of_endpoint(to));
    route.reachable = route.reachable && walk(border, to, flow, 0, Choice::kHash, route.links);
    return route;
}

Route Routes::obeying(
    const Policy& asked, const Carried& carried, NodeId from, NodeId to, std::uint64_t flow) const {
    if (asked.use == Use::kRailLocal) {
        const NodeId rail = rail_of(from, to);
        return legs(from, rail == to ? from : rail, to, flow);
    }
    if (asked.use == Use::kRelay) {
        const NodeId relay = relay_of(asked, from, to, flow);
        Route route = legs(from, relay == to ? from : relay, to, flow);
        if (relay != from && relay != to) {
            route.relays.push_back(relay);
        }
        return route;
    }
    if (!carried.wan.empty()) {
        const std::size_t sites = topology_.sites().size();
        const std::size_t pair =
            slot(topology_.site_of_endpoint(from)) * sites + slot(topology_.site_of_endpoint(to));
        if (!carried.wan[pair].empty()) {
            return led(from, to, flow, carried.wan[pair]);
        }
    }
    const Choice choice = asked.use == Use::kShortest ? Choice::kFirst
                          : asked.use == Use::kWecmp  ? Choice::kWeight
                                                      : Choice::kHash;
    Route route;
    route.reachable = walk(from, to, flow, carried.plane, choice, route.links);
    return route;
}

Route Routes::path(NodeId from, NodeId to, std::uint64_t flow) const {
    LONGHAUL_ASSERT(from < topology_.endpoints() && to < topology_.endpoints());
    Route route;
    const Policy* asked = policy(from, to);
    if (asked == nullptr || from == to) {
        route.reachable = walk(from, to, flow, 0, Choice::kHash, route.links);
    } else {
        const auto i = static_cast<std::size_t>(asked - topology_.declaration().policies.data());
        route = obeying(*asked, carried_[i], from, to, flow);
    }
    if (!route.reachable) {
        route.links.clear();
    }
    return route;
}

}  // namespace longhaul::topology
