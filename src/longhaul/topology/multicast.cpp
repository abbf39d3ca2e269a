#include "longhaul/topology/multicast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "longhaul/core/random.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Walks get stuck: after so many rounds the next one starts from the shortest trees again.
constexpr int kRoundsAWalk = 40;
constexpr std::uint32_t kNoLink = ~std::uint32_t{0};

/// Links by their start.
using Out = std::vector<std::vector<std::uint32_t>>;

Out links_out(const StreamNetwork& network) {
    Out out(slot(network.nodes));
    for (std::uint32_t id = 0; id < network.links.size(); ++id) {
        if (!network.links[id].down) {
            out[network.links[id].from].push_back(id);
        }
    }
    return out;
}

/// How far each node is, and by which link.
struct Reach {
    std::vector<double> length;
    std::vector<std::uint32_t> via;
};

/// Dijkstra from the nodes whose length is known in `reach`. Ties go to the lower link.
void spread(const StreamNetwork& network,
            const Out& out,
            const std::function<double(std::uint32_t)>& length_of,
            Reach& reach) {
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::uint32_t node = 0; node < reach.length.size(); ++node) {
        if (reach.length[node] != kNever) {
            queue.emplace(reach.length[node], node);
        }
    }
    while (!queue.empty()) {
        const auto [far, node] = queue.top();
        queue.pop();
        if (far > reach.length[node]) {
            continue;
        }
        for (const std::uint32_t id : out[node]) {
            const Link& link = network.links[id];
            const double through = far + length_of(id);
            const bool tie = through == reach.length[link.to] && reach.via[link.to] != kNoLink &&
                             id < reach.via[link.to];
            if (through < reach.length[link.to] || tie) {
                reach.length[link.to] = through;
                reach.via[link.to] = id;
                queue.emplace(through, link.to);
            }
        }
    }
}

Reach start_at(const StreamNetwork& network, int source) {
    const std::size_t n = slot(network.nodes);
    Reach reach{std::vector<double>(n, kNever), std::vector<std::uint32_t>(n, kNoLink)};
    reach.length[slot(source)] = 0;
    return reach;
}

/// Appends the links from the tree to a node, first link first.
void append_way(const StreamNetwork& network,
                const Reach& reach,
                std::uint32_t node,
                const std::vector<char>& inside,
                StreamTree& tree) {
    std::vector<std::uint32_t> way;
    while (inside[node] == 0) {
        way.push_back(reach.via[node]);
        node = network.links[reach.via[node]].from;
    }
    tree.links.insert(tree.links.end(), way.rbegin(), way.rend());
}

StreamTree shortest_tree(const StreamNetwork& network, const Out& out, const Stream& stream) {
    Reach reach = start_at(network, stream.source);
    spread(network, out, [&](std::uint32_t id) { return network.links[id].cost; }, reach);
    StreamTree tree;
    std::vector<char> inside(slot(network.nodes), 0);
    inside[slot(stream.source)] = 1;
    for (const int receiver : stream.receivers) {
        if (reach.length[slot(receiver)] == kNever) {
            continue;
        }
        append_way(network, reach, static_cast<std::uint32_t>(receiver), inside, tree);
        for (const std::uint32_t id : tree.links) {
            inside[network.links[id].to] = 1;
        }
    }
    return tree;
}

/// Grows and judges trees under the load of the others.
class TreeSearch {
public:
    TreeSearch(const StreamNetwork& network, const std::vector<Stream>& streams, double cap)
        : network_(network),
          streams_(streams),
          out_(links_out(network)),
          cap_(std::max(cap, 1e-9)) {}

    [[nodiscard]] std::vector<double> fullness(const std::vector<StreamTree>& trees) const {
        std::vector<double> full = stream_loads(network_, streams_, trees);
        for (std::size_t id = 0; id < full.size(); ++id) {
            full[id] /= network_.links[id].gbps;
        }
        std::ranges::sort(full, std::greater<>());
        return full;
    }

    /// How lengths are made: of the fullness that the others leave, to the power `steep`, and of
    /// `nearness` times the latency; each blurred by a factor of 1 to 1.5.
    struct Lengths {
        double steep = 4;
        double nearness = 0;
        std::vector<double> blur;
    };

    [[nodiscard]] Lengths draw(core::Random& random) const {
        constexpr std::array<double, 5> kNearness = {0, 0.1, 0.3, 1, 3};
        Lengths lengths{1.0 + random.below(8), kNearness[random.index(kNearness.size())], {}};
        for (std::size_t id = 0; id < network_.links.size(); ++id) {
            lengths.blur.push_back(1 + 0.5 * random.uniform());
        }
        return lengths;
    }

    /// A tree of one stream, grown from the nearest receiver on; `fallback` when a receiver would
    /// lie beyond the cap.
    [[nodiscard]] StreamTree grow(std::size_t s,
                                  const std::vector<double>& others,
                                  double fullest,
                                  const Lengths& lengths,
                                  const StreamTree& fallback) const {
        const Stream& stream = streams_[s];
        const auto length_of = [&](std::uint32_t id) {
            const Link& link = network_.links[id];
            const double full = (others[id] + stream.gbps) / link.gbps / fullest;
            return lengths.blur[id] * (std::pow(full, lengths.steep) +
                                       (lengths.nearness + 1e-9) * link.latency_ms / cap_ + 1e-12);
        };
        Growth growth{{}, std::vector<double>(slot(network_.nodes), kNever)};
        growth.latency[slot(stream.source)] = 0;
        std::vector<int> left = stream.receivers;
        while (!left.empty()) {
            Reach reach = from_tree(growth, false);
            spread(network_, out_, length_of, reach);
            const auto nearest = static_cast<std::uint32_t>(*std::ranges::min_element(
                left, {}, [&](int node) { return reach.length[slot(node)]; }));
            if (reach.length[nearest] == kNever) {
                return fallback;
            }
            if (!attach(nearest, reach, growth)) {
                // Too far that way: by the quickest one.
                Reach quick = from_tree(growth, true);
                spread(
                    network_,
                    out_,
                    [&](std::uint32_t id) { return network_.links[id].latency_ms; },
                    quick);
                if (!attach(nearest, quick, growth)) {
                    return fallback;
                }
            }
            std::erase_if(left, [&](int node) { return growth.latency[slot(node)] != kNever; });
        }
        return std::move(growth.tree);
    }

private:
    /// A tree as it grows, and the latency of every node in it.
    struct Growth {
        StreamTree tree;
        std::vector<double> latency;
    };

    /// A search that starts from all nodes of the tree: at 0, or at their latencies.
    [[nodiscard]] Reach from_tree(const Growth& growth, bool by_latency) const {
        const std::size_t n = growth.latency.size();
        Reach reach{std::vector<double>(n, kNever), std::vector<std::uint32_t>(n, kNoLink)};
        for (std::size_t node = 0; node < n; ++node) {
            if (growth.latency[node] != kNever) {
                reach.length[node] = by_latency ? growth.latency[node] : 0;
            }
        }
        return reach;
    }

    /// Adds the way to a node unless it is beyond the cap.
    bool attach(std::uint32_t node, const Reach& reach, Growth& growth) const {
        std::vector<std::uint32_t> way;
        while (growth.latency[node] == kNever) {
            way.push_back(reach.via[node]);
            node = network_.links[reach.via[node]].from;
        }
        double latency = growth.latency[node];
        for (const std::uint32_t id : way) {
            latency += network_.links[id].latency_ms;
        }
        if (latency > cap_) {
            return false;
        }
        for (std::size_t i = way.size(); i > 0; --i) {
            const Link& link = network_.links[way[i - 1]];
            growth.latency[link.to] = growth.latency[link.from] + link.latency_ms;
            growth.tree.links.push_back(way[i - 1]);
        }
        return true;
    }

    const StreamNetwork& network_;
    const std::vector<Stream>& streams_;
    Out out_;
    double cap_;
};

}  // namespace

StreamNetwork site_network(const Topology& topology) {
    StreamNetwork network{static_cast<int>(topology.sites().size()), {}};
    for (std::uint32_t u = topology.wan_base(); u < topology.undirected_links(); ++u) {
        for (const std::uint32_t way : {0U, 1U}) {
            Link link = topology.link(2 * u + way);
            link.from = static_cast<NodeId>(topology.site_of(link.from));
            link.to = static_cast<NodeId>(topology.site_of(link.to));
            network.links.push_back(link);
        }
    }
    return network;
}

StreamNetwork whole_network(const Topology& topology) {
    return {static_cast<int>(topology.nodes()), topology.links()};
}

std::vector<StreamTree> shortest_trees(const StreamNetwork& network,
                                       const std::vector<Stream>& streams) {
    const Out out = links_out(network);
    std::vector<StreamTree> trees;
    trees.reserve(streams.size());
    for (const Stream& stream : streams) {
        trees.push_back(shortest_tree(network, out, stream));
    }
    return trees;
}

std::vector<double> stream_loads(const StreamNetwork& network,
                                 const std::vector<Stream>& streams,
                                 const std::vector<StreamTree>& trees) {
    std::vector<double> loads(network.links.size(), 0);
    for (std::size_t s = 0; s < trees.size(); ++s) {
        for (const std::uint32_t id : trees[s].links) {
            loads[id] += streams[s].gbps;
        }
    }
    return loads;
}

std::vector<double> stream_latencies(const StreamNetwork& network,
                                     const Stream& stream,
                                     const StreamTree& tree) {
    std::vector<double> at(slot(network.nodes), kNever);
    at[slot(stream.source)] = 0;
    for (const std::uint32_t id : tree.links) {
        const Link& link = network.links[id];
        at[link.to] = at[link.from] + link.latency_ms;
    }
    std::vector<double> latencies;
    for (const int receiver : stream.receivers) {
        latencies.push_back(at[slot(receiver)]);
    }
    return latencies;
}

std::vector<StreamTree> congestion_aware_trees(const StreamNetwork& network,
                                               const std::vector<Stream>& streams,
                                               const TreeOptions& options) {
    const std::vector<StreamTree> shortest = shortest_trees(network, streams);
    std::vector<StreamTree> trees = shortest;
    double cap = options.latency_cap_ms;
    for (std::size_t s = 0; options.latency_cap_ms == 0 && s < streams.size(); ++s) {
        for (const double latency : stream_latencies(network, streams[s], shortest[s])) {
            cap = latency == kNever ? cap : std::max(cap, latency);
        }
    }
    cap *= 1 + 1e-12;  // sums in another order
    const TreeSearch search(network, streams, cap);
    if (network.links.empty() || streams.empty()) {
        return trees;
    }
    std::vector<StreamTree> best = shortest;
    std::vector<double> least = search.fullness(best);
    if (least.front() == 0) {
        return trees;
    }
    core::Random random(options.seed);
    std::vector<std::size_t> order(streams.size());
    for (std::size_t s = 0; s < order.size(); ++s) {
        order[s] = s;
    }
    std::vector<double> current = least;
    for (int round = 0; round < options.rounds; ++round) {
        if (round % kRoundsAWalk == 0) {
            trees = shortest;
            current = search.fullness(trees);
        }
        random.shuffle(std::span(order));
        for (const std::size_t s : order) {
            std::vector<double> others = stream_loads(network, streams, trees);
            for (const std::uint32_t id : trees[s].links) {
                others[id] -= streams[s].gbps;
            }
            StreamTree old = std::exchange(
                trees[s], search.grow(s, others, least.front(), search.draw(random), trees[s]));
            if (std::vector<double> full = search.fullness(trees); full <= current) {
                current = std::move(full);
            } else {
                trees[s] = std::move(old);
            }
        }
        if (current < least) {
            least = current;
            best = trees;
        }
    }
    return best;
}

}  // namespace longhaul::topology
