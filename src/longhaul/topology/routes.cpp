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

bool Routes::step(const Place& from,
                  const Local& local,
                  const Local& to,
                  const Digits& to_digits,
                  std::uint64_t flow,
                  LinkId& link,
                  ChainRoutes::Spot& next) const {
    const Shape& shape = topology_.shape(from.site);
    const bool exit = from.site != to.site;
    const NodeId node = topology_.global(from.site, local.node);
    const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(from.site)].chain)];
    ChainRoutes::Hop hop;
    if (!rules.choose(
            shape, {from.role, from.digits}, to_digits, exit, hop_hash(flow, node), hop, next)) {
        return false;
    }
    link = hop.link + 2 * topology_.link_base(from.site);
    return true;
}

std::optional<Routes::Hop> Routes::next_hop(NodeId from, NodeId to, std::uint64_t flow) const {
    if (from == to) {
        return std::nullopt;
    }
    const Local source = topology_.local(from);
    const Local target = topology_.local(to);
    if (source.site == target.site && planes_[0].sites[slot(source.site)].empty()) {
        const Shape& shape = topology_.shape(source.site);
        const ChainRoutes& rules = chains_[slot(topology_.sites()[slot(source.site)].chain)];
        Digits digits{};
        shape.decode(0, target.node, digits);
        ChainRoutes::Hop hop;
        ChainRoutes::Spot next;
        if (!rules.choose(shape,
                          rules.spot(shape, source.node),
                          digits,
                          false,
                          hop_hash(flow, from),
                          hop,
                          next)) {
            return std::nullopt;
        }
        return Hop{topology_.global(source.site, hop.node),
                   hop.link + 2 * topology_.link_base(source.site)};
    }
    const std::vector<LinkId> links = next_links(source, target, 0);
    if (links.empty()) {
        return std::nullopt;
    }
    const LinkId link = choose(links, Choice::kHash, hop_hash(flow, from));
    return Hop{topology_.link(link).to, link};
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
    Digits digits{};
    topology_.shape(target.site).decode(0, target.node, digits);
    for (NodeId steps = 0; node != to; ++steps) {
        LONGHAUL_ASSERT(steps <= topology_.nodes());  // every step is nearer
        const Local local = topology_.local(node);
        const Plane& used = planes_[plane];
        const bool plain = choice == Choice::kHash && local.site == target.site &&
                           used.sites[slot(local.site)].empty();
        LinkId link = 0;
        if (plain) {
            // Inside an unpatched site the rules decide to the end, digits in hand.
            Place place = topology_.place(node);
            ChainRoutes::Spot next;
            while (place.role != 0 || node != to) {
                if (!step(place, topology_.local(node), target, digits, flow, link, next)) {
                    return false;
                }
                links.push_back(link);
                place.role = next.role;
                place.digits = next.digits;
                const Shape& shape = topology_.shape(place.site);
                node = topology_.global(place.site, shape.node(next.role, next.digits));
            }
            return true;
        }
        const std::vector<LinkId> options = next_links(local, target, plane);
        if (options.empty()) {
            return false;
        }
        link = choose(options, choice, hop_hash(flow, node));
        links.push_back(link);
        node = topology_.link(link).to;
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
        std::vector<LinkId> options =
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

Route Routes::path(NodeId from, NodeId to, std::uint64_t flow) const {
    LONGHAUL_ASSERT(from < topology_.endpoints() && to < topology_.endpoints());
    Route route;
    const Policy* asked = policy(from, to);
    if (asked == nullptr || from == to) {
        route.reachable = walk(from, to, flow, 0, Choice::kHash, route.links);
    } else {
        const auto i = static_cast<std::size_t>(asked - topology_.declaration().policies.data());
        const Carried& carried = carried_[i];
        const auto sites = topology_.sites().size();
        const int site = topology_.site_of_endpoint(from);
        const int far = topology_.site_of_endpoint(to);
        const std::vector<WanPath>* wan = carried.wan.empty() || site == far
                                              ? nullptr
                                              : &carried.wan[slot(site) * sites + slot(far)];
        const Choice choice = asked->use == Use::kShortest ? Choice::kFirst
                              : asked->use == Use::kWecmp  ? Choice::kWeight
                                                           : Choice::kHash;
        if (asked->use == Use::kRailLocal) {
            const NodeId rail = rail_of(from, to);
            return rail == to || rail == from ? legs(from, from, to, flow)
                                              : legs(from, rail, to, flow);
        }
        if (asked->use == Use::kRelay) {
            const NodeId relay = relay_of(*asked, from, to, flow);
            if (relay != from && relay != to) {
                route = legs(from, relay, to, flow);
                route.relays.push_back(relay);
                return route;
            }
        }
        if (wan != nullptr && !wan->empty()) {
            const WanPath& chosen = (*wan)[flow % wan->size()];
            route.reachable = walk_out(from, flow, route.links);
            route.links.insert(route.links.end(), chosen.begin(), chosen.end());
            route.reachable = route.reachable &&
                              walk(topology_.border(far), to, flow, 0, Choice::kHash, route.links);
        } else {
            route.reachable = walk(from, to, flow, carried.plane, choice, route.links);
        }
    }
    if (!route.reachable) {
        route.links.clear();
    }
    return route;
}

}  // namespace longhaul::topology
