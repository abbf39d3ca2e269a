#include "longhaul/topology/wan.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/search.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

/// The links of the WAN with sites as their ends, in the order of wan_base().
std::vector<Link> wan_links(const Topology& topology, std::span<const std::uint32_t> avoided) {
    std::vector<Link> links;
    for (std::uint32_t u = topology.wan_base(); u < topology.undirected_links(); ++u) {
        for (const std::uint32_t way : {0U, 1U}) {
            Link link = topology.link(2 * u + way);
            link.from = static_cast<NodeId>(topology.site_of(link.from));
            link.to = static_cast<NodeId>(topology.site_of(link.to));
            link.down = link.down || std::ranges::binary_search(avoided, u);
            links.push_back(link);
        }
    }
    return links;
}

/// Unit-capacity min-cost flow over sites that are split in two (2 s in, 2 s + 1 out), by
/// Bellman-Ford: WANs are small.
class UnitFlow {
public:
    explicit UnitFlow(const Topology& topology) : base_(2 * topology.wan_base()) {
        const int sites = static_cast<int>(topology.sites().size());
        for (int s = 0; s < sites; ++s) {
            add(2 * s, 2 * s + 1, 1, 0, kInside);
        }
        const std::vector<Link> links = wan_links(topology, {});
        for (std::size_t i = 0; i < links.size(); ++i) {
            if (!links[i].down) {
                add(2 * static_cast<int>(links[i].from) + 1,
                    2 * static_cast<int>(links[i].to),
                    1,
                    links[i].cost,
                    static_cast<std::int64_t>(i));
            }
        }
        nodes_ = 2 * sites;
    }

    /// A node beyond all sites; arcs from it or to it cost nothing.
    int add_node() { return nodes_++; }
    void add(int from, int to, int capacity, std::int64_t cost, std::int64_t link) {
        arcs_.push_back({from, to, capacity, cost, link});
        arcs_.push_back({to, from, 0, -cost, kInside});
    }

    /// Sends one more unit along the cheapest way; false when there is none.
    bool augment(int from, int to) {
        std::vector<std::int64_t> cost(slot(nodes_), kUnreachable);
        std::vector<int> via(slot(nodes_), -1);
        cost[slot(from)] = 0;
        for (bool better = true; better;) {
            better = false;
            for (std::size_t i = 0; i < arcs_.size(); ++i) {
                const Arc& arc = arcs_[i];
                if (arc.capacity > 0 && cost[slot(arc.from)] != kUnreachable &&
                    cost[slot(arc.from)] + arc.cost < cost[slot(arc.to)]) {
                    cost[slot(arc.to)] = cost[slot(arc.from)] + arc.cost;
                    via[slot(arc.to)] = static_cast<int>(i);
                    better = true;
                }
            }
        }
        if (cost[slot(to)] == kUnreachable) {
            return false;
        }
        for (int node = to; node != from; node = arcs_[slot(via[slot(node)])].from) {
            arcs_[slot(via[slot(node)])].capacity -= 1;
            arcs_[slot(via[slot(node)] ^ 1)].capacity += 1;
        }
        return true;
    }

    /// Takes one unit of the flow apart: the links from a node on.
    WanPath take(int from, int to) {
        WanPath path;
        while (from != to) {
            const auto used = std::ranges::find_if(arcs_, [&](const Arc& arc) {
                const auto i = static_cast<std::size_t>(&arc - arcs_.data());
                return i % 2 == 0 && arc.from == from && arcs_[i + 1].capacity > 0;
            });
            if (used == arcs_.end()) {
                return {};
            }
            const auto i = static_cast<std::size_t>(used - arcs_.begin());
            arcs_[i + 1].capacity -= 1;
            if (used->link != kInside) {
                path.push_back(base_ + static_cast<LinkId>(used->link));
            }
            from = used->to;
        }
        return path;
    }

private:
    static constexpr std::int64_t kInside = -1;
    struct Arc {
        int from = 0;
        int to = 0;
        int capacity = 0;
        std::int64_t cost = 0;
        std::int64_t link = kInside;
    };

    LinkId base_;
    int nodes_ = 0;
    std::vector<Arc> arcs_;
};

std::int64_t cost_of(const Topology& topology, const WanPath& path) {
    std::int64_t sum = 0;
    for (const LinkId link : path) {
        sum += topology.link(link).cost;
    }
    return sum;
}

}  // namespace

WanTable::WanTable(const Topology& topology, std::span<const std::uint32_t> avoided)
    : sites_(topology.sites().size()), set_of_(sites_ * sites_, 0) {
    const std::vector<Link> links = wan_links(topology, avoided);
    const Graph graph(static_cast<std::uint32_t>(sites_), links);
    std::map<std::vector<LinkId>, std::uint32_t> numbers{{{}, 0}};
    for (std::uint32_t to = 0; to < sites_; ++to) {
        const std::vector<std::int64_t> distances = graph.distances_to(to);
        for (std::uint32_t from = 0; from < sites_; ++from) {
            std::vector<LinkId> next;
            if (from != to) {
                next = graph.next_links(from, distances);
            }
            for (LinkId& link : next) {
                link += 2 * topology.wan_base();
            }
            const auto [found, fresh] =
                numbers.try_emplace(next, static_cast<std::uint32_t>(sets_.size()));
            if (fresh) {
                sets_.push_back(std::move(next));
            }
            set_of_[from * sites_ + to] = found->second;
        }
    }
}

std::vector<WanPath> disjoint_paths(const Topology& topology, int from, int to, int count) {
    UnitFlow flow(topology);
    int units = 0;
    while (units < count && flow.augment(2 * from + 1, 2 * to)) {
        ++units;
    }
    std::vector<WanPath> paths;
    for (int i = 0; i < units; ++i) {
        paths.push_back(flow.take(2 * from + 1, 2 * to));
    }
    std::ranges::stable_sort(paths, [&](const WanPath& a, const WanPath& b) {
        return cost_of(topology, a) < cost_of(topology, b);
    });
    return paths;
}

WanPath path_through(const Topology& topology, int from, int to, int via) {
    // Both halves start at `via`: the half to the sender is found backwards, over the same cables.
    // Costs of the two directions of a cable are equal here by construction of the flow network.
    UnitFlow flow(topology);
    const int sink = flow.add_node();
    flow.add(2 * from + 1, sink, 1, 0, -1);
    flow.add(2 * to + 1, sink, 1, 0, -1);
    if (!flow.augment(2 * via + 1, sink) || !flow.augment(2 * via + 1, sink)) {
        return {};
    }
    WanPath first = flow.take(2 * via + 1, sink);
    WanPath second = flow.take(2 * via + 1, sink);
    if (static_cast<int>(topology.site_of(topology.link(first.back()).to)) != from) {
        std::swap(first, second);
    }
    WanPath path;
    for (std::size_t i = first.size(); i > 0; --i) {
        path.push_back(first[i - 1] ^ 1U);
    }
    path.insert(path.end(), second.begin(), second.end());
    return path;
}

}  // namespace longhaul::topology
