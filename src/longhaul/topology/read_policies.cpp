// Exceptions and policies of a topology file: they name nodes, groups and links.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/topology/detail/readers.hpp"
#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::topology::detail {
namespace {

using core::Cursor;

/// Undirected links by their two ends.
class LinkIndex {
public:
    explicit LinkIndex(const Topology& topology) : topology_(topology) {
        const std::vector<Link> links = topology.links();
        for (std::size_t id = 0; id < links.size(); id += 2) {
            const auto [low, high] = std::minmax(links[id].from, links[id].to);
            entries_.push_back({low, high, static_cast<std::uint32_t>(id / 2)});
        }
        std::ranges::sort(entries_);
    }

    /// Links between two names, reported when there is none. A site stands for its border.
    [[nodiscard]] std::vector<std::uint32_t> between(const Cursor& pair) const {
        std::vector<std::uint32_t> found;
        if (!pair.is_array()) {
            return found;
        }
        if (pair.value().size() != 2) {
            pair.report(fmt::format("found {} names", pair.value().size()),
                        "a link is named by its two ends");
            return found;
        }
        const auto a = end(pair.item(0));
        const auto b = end(pair.item(1));
        if (!a || !b) {
            return found;
        }
        const auto [low, high] = std::minmax(*a, *b);
        for (auto each = std::ranges::lower_bound(entries_, std::array{low, high, 0U});
             each != entries_.end() && (*each)[0] == low && (*each)[1] == high;
             ++each) {
            found.push_back((*each)[2]);
        }
        if (found.empty()) {
            pair.report(
                fmt::format("no link between {} and {}", topology_.name(*a), topology_.name(*b)),
                "name the two ends of a link");
        }
        return found;
    }

private:
    [[nodiscard]] std::optional<NodeId> end(const Cursor& place) const {
        const auto name = place.string();
        if (!name) {
            return std::nullopt;
        }
        if (const int site = topology_.find_site(*name); site >= 0) {
            return topology_.border(site);
        }
        const auto node = topology_.find(*name);
        if (!node) {
            place.report("unknown node " + core::shown(*name),
                         fmt::format("names look like \"{}\" and \"{}\"",
                                     topology_.name(0),
                                     topology_.name(topology_.nodes() - 1)));
        }
        return node;
    }

    const Topology& topology_;
    std::vector<std::array<std::uint32_t, 3>> entries_;
};

void read_exception(const Cursor& table,
                    const Topology& plain,
                    const LinkIndex& index,
                    Declaration& declaration) {
    table.only_keys({"link", "down", "cost", "gbps", "latency_ms", "latency_us", "note"});
    const auto place = table.require("link", "the two ends of a link");
    if (!place) {
        return;
    }
    for (const std::uint32_t link : index.between(*place)) {
        const Link before = plain.link(2 * link);
        Exception odd{link, false, {before.gbps, before.latency_ms, before.cost}};
        if (const auto down = table.find("down")) {
            odd.down = down->boolean().value_or(false);
        }
        if (const auto cost = table.find("cost")) {
            odd.cable.cost = cost->integer(1, kMostCost).value_or(before.cost);
        }
        odd.cable.gbps = read_gbps(table, "gbps", before.gbps);
        odd.cable.latency_ms = read_latency(table, "", before.latency_ms);
        if (std::ranges::find(declaration.exceptions, link, &Exception::link) !=
            declaration.exceptions.end()) {
            place->report("a second exception of one link", "say all in one");
            return;
        }
        declaration.exceptions.push_back(odd);
    }
    if (table.value().members.size() < 2) {
        table.report("an exception that changes nothing",
                     "give down = true, cost, gbps or latency_ms");
    }
}

constexpr std::array<std::pair<std::string_view, Use>, 8> kUses = {{{"shortest", Use::kShortest},
                                                                    {"ecmp", Use::kEcmp},
                                                                    {"wecmp", Use::kWecmp},
                                                                    {"rail-local", Use::kRailLocal},
                                                                    {"avoid", Use::kAvoid},
                                                                    {"via", Use::kVia},
                                                                    {"k-disjoint", Use::kDisjoint},
                                                                    {"relay", Use::kRelay}}};

bool read_range(const Cursor& table,
                std::string_view key,
                const Topology& plain,
                std::string& text,
                EndpointRange& range) {
    const auto place = table.find(key);
    if (!place) {
        range = {0, plain.endpoints()};
        return true;
    }
    const auto name = place->string();
    if (!name) {
        return false;
    }
    const auto found = plain.find_group(*name);
    if (!found) {
        place->report(
            "unknown group " + core::shown(*name),
            fmt::format("a site, a group such as \"{}\", or \"*\"", plain.group_name(0, 1)));
        return false;
    }
    text = *name;
    range = *found;
    return true;
}

/// What a policy avoids: names of sites, groups and nodes, and pairs that name links.
void read_avoided(const Cursor& table,
                  const Topology& plain,
                  const LinkIndex& index,
                  Policy& policy) {
    const auto list = table.require("avoid", "names of sites, groups, nodes and links to avoid");
    if (!list || !list->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const Cursor item = list->item(i);
        std::vector<std::uint32_t> links;
        if (item.value().kind == core::Value::Kind::kArray) {
            links = index.between(item);
        } else if (const auto name = item.string()) {
            links = *name == "*" ? std::vector<std::uint32_t>() : plain.links_at(*name);
            policy.through.push_back(*name);
            if (links.empty()) {
                item.report("unknown site, group or node " + core::shown(*name),
                            "name one of this file");
            }
        }
        policy.avoided_links.insert(policy.avoided_links.end(), links.begin(), links.end());
    }
    std::ranges::sort(policy.avoided_links);
    const auto rest = std::ranges::unique(policy.avoided_links);
    policy.avoided_links.erase(rest.begin(), rest.end());
}

void read_through(const Cursor& table, const Topology& plain, Policy& policy) {
    const bool via = policy.use == Use::kVia;
    const auto place = table.require(
        "through", via ? "the site that paths lead through" : "the group whose endpoints relay");
    const auto name = place ? place->string() : std::nullopt;
    if (!name) {
        return;
    }
    policy.through.push_back(*name);
    if (via) {
        policy.via_site = plain.find_site(*name);
        if (policy.via_site < 0) {
            place->report("unknown site " + core::shown(*name),
                          "via leads through a [[site]] of this file");
        }
        return;
    }
    const auto range = plain.find_group(*name);
    if (!range) {
        place->report("unknown group " + core::shown(*name), "name a site or a group");
        return;
    }
    policy.relays = *range;
}

/// Rails are a matter of one kind of chain.
bool same_rails(const Topology& plain, const Policy& policy) {
    int chain = -1;
    for (std::size_t s = 0; s < plain.sites().size(); ++s) {
        const auto site = static_cast<int>(s);
        const auto meets = [&](const EndpointRange& range) {
            return range.lo < plain.endpoint_base(site + 1) && plain.endpoint_base(site) < range.hi;
        };
        if (meets(policy.senders) || meets(policy.receivers)) {
            if ((chain >= 0 && chain != plain.sites()[s].chain) ||
                !rails_of(plain.shape(site).chain())) {
                return false;
            }
            chain = plain.sites()[s].chain;
        }
    }
    return true;
}

void read_policy(const Cursor& table,
                 const Topology& plain,
                 const LinkIndex& index,
                 Declaration& declaration) {
    Policy policy;
    policy.line = table.value().line;
    const bool known = read_range(table, "from", plain, policy.from, policy.senders) &&
                       read_range(table, "to", plain, policy.to, policy.receivers);
    const auto place = table.require("use", "what the paths shall be");
    const auto text = place ? place->string() : std::nullopt;
    if (!known || !text) {
        return;
    }
    const auto* found = std::ranges::find(kUses, *text, &std::pair<std::string_view, Use>::first);
    if (found == kUses.end()) {
        place->report("found " + core::shown(*text),
                      "known: shortest, ecmp, wecmp, rail-local, avoid, via, k-disjoint, relay");
        return;
    }
    policy.use = found->second;
    const bool leads = policy.use == Use::kVia || policy.use == Use::kDisjoint;
    if (leads && !plain.wan()) {
        place->report("found " + *text + " without a WAN", "it chooses paths between [[site]]s");
        return;
    }
    if (policy.use == Use::kAvoid) {
        table.only_keys({"from", "to", "use", "both", "avoid", "note"});
        read_avoided(table, plain, index, policy);
    } else if (policy.use == Use::kVia || policy.use == Use::kRelay) {
        table.only_keys({"from", "to", "use", "both", "through", "note"});
        read_through(table, plain, policy);
    } else if (policy.use == Use::kDisjoint) {
        table.only_keys({"from", "to", "use", "both", "paths", "note"});
        const auto paths = table.require("paths", "how many disjoint paths");
        policy.paths = paths ? paths->integer(1, 1000).value_or(1) : 1;
    } else {
        table.only_keys({"from", "to", "use", "both", "note"});
    }
    if (policy.use == Use::kRailLocal && !same_rails(plain, policy)) {
        place->report("found rail-local, but the groups have no rails of one kind",
                      "it needs a group with up = \"members\" inside a group of pattern rails");
    }
    const auto both = table.find("both");
    declaration.policies.push_back(policy);
    if (both && both->boolean().value_or(false)) {
        std::swap(policy.from, policy.to);
        std::swap(policy.senders, policy.receivers);
        declaration.policies.push_back(std::move(policy));
    }
}

}  // namespace

void read_exceptions(const Cursor& root, const Topology& plain, Declaration& declaration) {
    const std::vector<Cursor> tables = read_tables(root, "exception");
    if (tables.empty()) {
        return;
    }
    const LinkIndex index(plain);
    for (const Cursor& table : tables) {
        read_exception(table, plain, index, declaration);
    }
    std::ranges::sort(declaration.exceptions, {}, &Exception::link);
}

void read_policies(const Cursor& root, const Topology& plain, Declaration& declaration) {
    const std::vector<Cursor> tables = read_tables(root, "policy");
    if (tables.empty()) {
        return;
    }
    const LinkIndex index(plain);
    for (const Cursor& table : tables) {
        read_policy(table, plain, index, declaration);
    }
}

}  // namespace longhaul::topology::detail
