#include "longhaul/interchange/detail/routes.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace longhaul::interchange::detail {

void Way::add(const Way& other) {
    alpha_ms += other.alpha_ms;
    beta_gbps = std::min(beta_gbps, other.beta_gbps);
    links += other.links;
    through.insert(through.end(), other.through.begin(), other.through.end());
}

std::vector<Way> ways_from(const std::vector<std::vector<Edge>>& graph,
                           const std::vector<char>& forwards,
                           int source) {
    Way unreached;
    unreached.links = -1;
    std::vector<Way> best(graph.size(), unreached);
    using Entry = std::pair<int, int>;  // links so far, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    best[source] = Way();
    open.emplace(0, source);
    while (!open.empty()) {
        const auto [links, node] = open.top();
        open.pop();
        if (links > best[node].links || (node != source && forwards[node] == 0)) {
            continue;
        }
        for (const Edge& edge : graph[node]) {
            Way way = best[node];
            way.add(edge.way);
            if (best[edge.to].links < 0 || way.links < best[edge.to].links) {
                best[edge.to] = way;
                open.emplace(way.links, edge.to);
            }
        }
    }
    return best;
}

}  // namespace longhaul::interchange::detail
