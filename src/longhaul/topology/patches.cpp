#include "longhaul/topology/patches.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "longhaul/topology/search.hpp"

namespace longhaul::topology {
namespace {

/// A site by itself: directed links in local numbers, those that are avoided down.
std::vector<Link> site_links(const Topology& topology,
                             int site,
                             std::span<const std::uint32_t> avoided,
                             std::vector<std::uint32_t>& changed) {
    const Shape& shape = topology.shape(site);
    std::vector<Link> links(2 * static_cast<std::size_t>(shape.links()));
    shape.for_each_link([&](std::uint32_t u, std::uint32_t a, std::uint32_t b, int link_class) {
        const Cable& cable = shape.classes()[static_cast<std::size_t>(link_class)].cable;
        Link link{a, b, cable.gbps, cable.latency_ms, cable.cost, false};
        links[2 * static_cast<std::size_t>(u)] = link;
        std::swap(link.from, link.to);
        links[2 * static_cast<std::size_t>(u) + 1] = link;
    });
    const std::uint32_t base = topology.link_base(site);
    const auto change = [&](std::uint32_t global, bool down, int cost) {
        if (global < base || global >= base + shape.links()) {
            return;
        }
        Link& link = links[2 * static_cast<std::size_t>(global - base)];
        if (link.down == down && link.cost == cost) {
            return;
        }
        link.down = links[2 * static_cast<std::size_t>(global - base) + 1].down = down;
        link.cost = links[2 * static_cast<std::size_t>(global - base) + 1].cost = cost;
        changed.push_back(global - base);
    };
    for (const Exception& odd : topology.declaration().exceptions) {
        change(odd.link, odd.down, odd.cable.cost);
    }
    for (const std::uint32_t link : avoided) {
        if (link >= base && link < base + shape.links()) {
            change(link, true, links[2 * static_cast<std::size_t>(link - base)].cost);
        }
    }
    return links;
}

}  // namespace

/// Works through the destinations of one site in the order of their numbers.
class PatchMaker {
public:
    PatchMaker(const Shape& shape, const ChainRoutes& rules, std::vector<Link> links)
        : shape_(shape), rules_(rules), links_(std::move(links)), graph_(shape.nodes(), links_) {
        last_.assign(shape.nodes(), -1);
    }

    Patches make(const std::vector<std::uint32_t>& changed, bool exits) {
        changed_ = changed;
        for (std::uint32_t lo = 0; lo < shape_.endpoints();) {
            std::uint32_t hi = lo + 1;
            if (graph_.out(lo).empty()) {
                patches_.dead_.push_back(lo);
            } else {
                const std::uint32_t hub = hub_of(lo);
                while (hub != kNone && hi < shape_.endpoints() && hub_of(hi) == hub) {
                    ++hi;
                }
                destinations(lo, hi, hub, false);
            }
            lo = hi;
        }
        if (exits) {
            destinations(shape_.endpoints(), shape_.endpoints() + 1, kNone, true);
        }
        std::ranges::sort(patches_.entries_, {}, [](const Patches::Entry& entry) {
            return std::pair(entry.node, entry.lo);
        });
        patches_.index(shape_, links_);
        return std::move(patches_);
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    /// The switch that an endpoint with one link hangs on; kNone for others. An endpoint whose
    /// rules know more than one link counts as other.
    [[nodiscard]] std::uint32_t hub_of(std::uint32_t endpoint) const {
        const auto out = graph_.out(endpoint);
        const bool leaf = out.size() == 1 && out.front().to >= shape_.endpoints();
        return leaf && shape_.levels() > 0 && single_ ? out.front().to : kNone;
    }

    /// One search for the destinations lo .. hi - 1, which share all next hops of other nodes.
    void destinations(std::uint32_t lo, std::uint32_t hi, std::uint32_t hub, bool exit) {
        if (!touched(lo, exit)) {
            return;
        }
        const std::uint32_t target =
            exit ? shape_.roles()[static_cast<std::size_t>(shape_.up_role(shape_.levels()))].base
                 : lo;
        const std::vector<std::int64_t> distances = graph_.distances_to(target);
        for (std::uint32_t node = 0; node < shape_.nodes(); ++node) {
            const bool inside = hub != kNone && (node == hub || (node >= lo && node < hi));
            if (node == target || inside) {
                continue;
            }
            std::vector<std::uint32_t> found = graph_.next_links(node, distances);
            if (found != rules_.links(shape_, node, lo, exit)) {
                add(node, lo, hi, set_of(std::move(found)));
            }
        }
    }

    /// Whether a change lies on a shortest path of the rules, or may make a shorter one.
    [[nodiscard]] bool touched(std::uint32_t destination, bool exit) const {
        return std::ranges::any_of(changed_, [&](std::uint32_t undirected) {
            const Link& link = links_[2 * static_cast<std::size_t>(undirected)];
            if (!link.down && link.cost < shape_.classes()[class_of(undirected)].cable.cost) {
                return true;
            }
            const auto uses = [&](std::uint32_t node, std::uint32_t directed) {
                const auto on = rules_.links(shape_, node, destination, exit);
                return std::ranges::binary_search(on, directed);
            };
            return uses(link.from, 2 * undirected) || uses(link.to, 2 * undirected + 1);
        });
    }

    [[nodiscard]] std::size_t class_of(std::uint32_t undirected) const {
        return static_cast<std::size_t>(&shape_.class_of(undirected) - shape_.classes().data());
    }

    std::uint32_t set_of(std::vector<std::uint32_t> links) {
        const auto [at, fresh] =
            numbers_.try_emplace(links, static_cast<std::uint32_t>(patches_.sets_.size()));
        if (fresh) {
            patches_.sets_.push_back(std::move(links));
        }
        return at->second;
    }

    /// Lengthens the last entry of the node where it can.
    void add(std::uint32_t node, std::uint32_t lo, std::uint32_t hi, std::uint32_t set) {
        if (last_[node] >= 0) {
            Patches::Entry& last = patches_.entries_[static_cast<std::size_t>(last_[node])];
            if (last.hi == lo && last.set == set) {
                last.hi = hi;
                return;
            }
        }
        last_[node] = static_cast<std::int64_t>(patches_.entries_.size());
        patches_.entries_.push_back({node, lo, hi, set});
    }

    const Shape& shape_;
    const ChainRoutes& rules_;
    std::vector<Link> links_;
    Graph graph_;
    std::vector<std::uint32_t> changed_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_{{{}, 0}};
    std::vector<std::int64_t> last_;
    Patches patches_;
    /// Whether endpoints have one link each by their pattern, so that hubs are what patches say.
    bool single_ = [this] {
        std::size_t links = 0;
        for (const LinkClass& each : shape_.classes()) {
            links += each.low == 0 ? (each.high != 0 ? shape_.radix(each.up_free.front()) : 2) : 0;
        }
        return links == 1;
    }();
};

Patches Patches::make(const Topology& topology,
                      int site,
                      const ChainRoutes& rules,
                      std::span<const std::uint32_t> avoided,
                      bool exits) {
    if (topology.declaration().exceptions.empty() && avoided.empty()) {
        return {};
    }
    std::vector<std::uint32_t> changed;
    std::vector<Link> links = site_links(topology, site, avoided, changed);
    if (changed.empty()) {
        return {};
    }
    return PatchMaker(topology.shape(site), rules, std::move(links)).make(changed, exits);
}

void Patches::index_node(std::uint32_t node, std::uint32_t first, std::uint32_t last) {
    const std::uint32_t destinations = endpoints_ + 1;
    Spans& spans = spans_[node];
    spans.first = static_cast<std::uint32_t>(places_.size());
    spans.shift = 0;
    while ((destinations >> (spans.shift + 1)) >= 2 * (last - first)) {
        ++spans.shift;
    }
    std::uint32_t at = first;
    for (std::uint32_t span = 0; (span << spans.shift) < destinations; ++span) {
        while (at + 1 < last && entries_[at + 1].lo <= (span << spans.shift)) {
            ++at;
        }
        places_.push_back(at + 1);  // entry i is range i + 1
    }
    places_.push_back(last);
}

void Patches::index(const Shape& shape, std::span<const Link> links) {
    endpoints_ = shape.endpoints();
    dead_bits_.assign(endpoints_ / 64 + 1, 0);
    for (const std::uint32_t endpoint : dead_) {
        dead_bits_[endpoint / 64] |= std::uint64_t{1} << (endpoint % 64);
    }
    spans_.assign(shape.nodes(), {});
    places_ = {0, 0};
    ranges_.assign(1, {});
    for (std::uint32_t first = 0; first < entries_.size();) {
        std::uint32_t last = first;
        while (last < entries_.size() && entries_[last].node == entries_[first].node) {
            const Entry& entry = entries_[last++];
            ranges_.push_back({entry.lo, entry.hi - entry.lo, entry.set});
        }
        index_node(entries_[first].node, first, last);
        first = last;
    }
    ranges_.push_back({std::numeric_limits<std::uint32_t>::max(), 0, 0});
    first_hop_.assign(1, 0);
    for (const std::vector<std::uint32_t>& set : sets_) {
        for (const std::uint32_t link : set) {
            hops_.push_back({links[link].to, link});
        }
        first_hop_.push_back(static_cast<std::uint32_t>(hops_.size()));
    }
}

}  // namespace longhaul::topology
