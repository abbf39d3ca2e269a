#include "longhaul/topology/search.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace longhaul::topology {
namespace {

/// Sorts edges by node: counts, then fills.
void place(std::uint32_t nodes,
           std::span<const Link> links,
           bool reverse,
           std::vector<std::uint32_t>& first,
           std::vector<Graph::Edge>& edges) {
    first.assign(nodes + 1, 0);
    for (const Link& link : links) {
        first[(reverse ? link.to : link.from) + 1] += link.down ? 0 : 1;
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        first[i + 1] += first[i];
    }
    edges.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Link& link = links[i];
        if (!link.down) {
            edges[next[reverse ? link.to : link.from]++] = {
                reverse ? link.from : link.to, static_cast<std::uint32_t>(i), link.cost};
        }
    }
}

}  // namespace

Graph::Graph(std::uint32_t nodes, std::span<const Link> links) {
    place(nodes, links, false, first_, edges_);
    place(nodes, links, true, first_in_, in_);
    equal_costs_ = std::ranges::all_of(
        edges_, [&](const Edge& edge) { return edge.cost == edges_.front().cost; });
}

std::vector<std::int64_t> Graph::distances_to(std::uint32_t target) const {
    return equal_costs_ ? breadth_first(target) : dijkstra(target);
}

std::vector<std::int64_t> Graph::breadth_first(std::uint32_t target) const {
    std::vector<std::int64_t> distance(nodes(), kUnreachable);
    std::vector<std::uint32_t> queue{target};
    const int cost = edges_.empty() ? 1 : edges_.front().cost;
    distance[target] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t node = queue[i];
        for (std::uint32_t e = first_in_[node]; e < first_in_[node + 1]; ++e) {
            if (distance[in_[e].to] == kUnreachable) {
                distance[in_[e].to] = distance[node] + cost;
                queue.push_back(in_[e].to);
            }
        }
    }
    return distance;
}

std::vector<std::int64_t> Graph::dijkstra(std::uint32_t target) const {
    using Entry = std::pair<std::int64_t, std::uint32_t>;
    std::vector<std::int64_t> distance(nodes(), kUnreachable);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance[target] = 0;
    queue.emplace(0, target);
    while (!queue.empty()) {
        const auto [far, node] = queue.top();
        queue.pop();
        if (far > distance[node]) {
            continue;
        }
        for (std::uint32_t e = first_in_[node]; e < first_in_[node + 1]; ++e) {
            const std::int64_t through = far + in_[e].cost;
            if (through < distance[in_[e].to]) {
                distance[in_[e].to] = through;
                queue.emplace(through, in_[e].to);
            }
        }
    }
    return distance;
}

std::vector<std::uint32_t> Graph::next_links(std::uint32_t node,
                                             const std::vector<std::int64_t>& distances) const {
    std::vector<std::uint32_t> found;
    if (distances[node] == kUnreachable) {
        return found;
    }
    for (const Edge& edge : out(node)) {
        if (distances[edge.to] != kUnreachable &&
            distances[edge.to] + edge.cost == distances[node]) {
            found.push_back(edge.link);
        }
    }
    return found;  // edges of a node lie in the order of their links
}

}  // namespace longhaul::topology
