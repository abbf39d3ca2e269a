// All paths of a pair.
#include <algorithm>

#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {
namespace {

constexpr std::uint64_t kTried = 64;

}  // namespace

Routes::PathList Routes::paths(NodeId from, NodeId to, std::size_t most) const {
    PathList list;
    const Policy* asked = policy(from, to);
    const bool branches = asked == nullptr || asked->use == Use::kEcmp ||
                          asked->use == Use::kWecmp || asked->use == Use::kAvoid;
    if (!branches || from == to) {
        const std::uint64_t tries = std::max<std::uint64_t>(kTried, 4 * most);
        for (std::uint64_t flow = 0; flow < tries && list.routes.size() < most; ++flow) {
            Route route = path(from, to, flow);
            const auto same = [&](const Route& other) { return other.links == route.links; };
            if (route.reachable && std::ranges::none_of(list.routes, same)) {
                list.routes.push_back(std::move(route));
            }
        }
        list.complete = asked == nullptr || asked->use == Use::kShortest;
        return list;
    }
    const std::size_t plane =
        asked == nullptr
            ? 0
            : carried_[static_cast<std::size_t>(asked - topology_.declaration().policies.data())]
                  .plane;
    // Depth first over the branches: (link chosen so far, options left) a step.
    std::vector<std::pair<std::vector<LinkId>, std::size_t>> stack;
    stack.emplace_back(next_links(from, to, plane), 0);
    while (!stack.empty()) {
        auto& [links, next] = stack.back();
        if (next == links.size()) {
            stack.pop_back();
            continue;
        }
        if (list.routes.size() >= most) {
            list.complete = false;
            break;
        }
        const NodeId node = topology_.link(links[next++]).to;
        if (node != to) {
            stack.emplace_back(next_links(node, to, plane), 0);
            continue;
        }
        Route route{true, {}, {}};
        for (const auto& [options, taken] : stack) {
            route.links.push_back(options[taken - 1]);
        }
        list.routes.push_back(std::move(route));
    }
    return list;
}

}  // namespace longhaul::topology
