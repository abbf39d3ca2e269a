#include "longhaul/topology/check.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/search.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

constexpr std::size_t kListed = 20;

/// Sources to look at for one destination.
struct Work {
    NodeId to = 0;
    std::vector<NodeId> from;  ///< endpoints
    bool all = false;          ///< compare the sets of the switches too
};

std::vector<Work> work_of(const Topology& topology, const CheckOptions& options) {
    const std::uint32_t n = topology.endpoints();
    const std::uint64_t possible = std::uint64_t{n} * (n - 1);
    std::vector<Work> work;
    if (options.pairs == 0 || options.pairs >= possible) {
        std::vector<NodeId> all(n);
        std::iota(all.begin(), all.end(), 0U);
        for (NodeId to = 0; to < n; ++to) {
            work.push_back({to, all, true});
        }
        return work;
    }
    // About as many destinations as sources for each: the search for a destination is dear.
    core::Random random(options.seed);
    std::uint64_t destinations = 1;
    while (destinations * destinations < options.pairs && destinations < n) {
        ++destinations;
    }
    std::map<NodeId, std::vector<NodeId>> chosen;
    std::uint64_t left = options.pairs;
    while (chosen.size() < destinations) {
        chosen.try_emplace(random.below(n));
    }
    for (auto& [to, from] : chosen) {
        const std::uint64_t share = left / std::max<std::uint64_t>(destinations, 1);
        --destinations;
        for (std::uint64_t i = 0; i < share; ++i) {
            from.push_back(random.below(n));
        }
        left -= share;
        work.push_back({to, from, false});
    }
    return work;
}

bool has_node(const Topology& topology, const Route& route, NodeId node) {
    return std::ranges::any_of(route.links, [&](LinkId id) {
        const Link link = topology.link(id);
        return link.from == node || link.to == node;
    });
}

/// Whether all switches of rails beyond the sender's group are those of the receiver's rail.
bool on_rail(const Topology& topology, NodeId to, const Route& route) {
    const Place target = topology.place(to);
    const auto rails = rails_of(topology.shape(target.site).chain());
    if (!rails) {
        return false;
    }
    for (const LinkId id : route.links) {
        const Place place = topology.place(topology.link(id).to);
        const std::vector<int>& axes = topology.shape(place.site).roles()[slot(place.role)].axes;
        const bool wrong = std::ranges::any_of(axes, [&](int axis) {
            return place.role != 0 && axis < rails->host_level &&
                   place.digits[slot(axis)] != target.digits[slot(axis)];
        });
        if (wrong) {
            return false;
        }
    }
    return true;
}

std::string policy_problem(
    const Topology& topology, const Policy& policy, NodeId from, NodeId to, const Route& route) {
    const auto avoided = [&](LinkId id) {
        return std::ranges::binary_search(policy.avoided_links, id / 2);
    };
    switch (policy.use) {
        case Use::kAvoid:
            return std::ranges::any_of(route.links, avoided) ? "crosses what it must avoid" : "";
        case Use::kVia: {
            const int a = topology.site_of(from);
            const int b = topology.site_of(to);
            const bool asked = a != b && a != policy.via_site && b != policy.via_site;
            return asked && !has_node(topology, route, topology.border(policy.via_site))
                       ? "does not lead through " + policy.through.front()
                       : "";
        }
        case Use::kRelay:
            return route.relays.empty() && !policy.relays.has(from) && !policy.relays.has(to)
                       ? "has no relay"
                       : "";
        case Use::kRailLocal:
            return on_rail(topology, to, route) ? "" : "changes rails outside the sender's group";
        default:
            return "";
    }
}

/// Loops, gaps and links that are down; nothing else.
std::string chain_problem(const Topology& topology, NodeId from, NodeId to, const Route& route) {
    NodeId node = from;
    std::vector<NodeId> seen{from};
    for (const LinkId id : route.links) {
        const Link link = topology.link(id);
        if (link.from != node) {
            return "has a gap at " + topology.name(node);
        }
        if (link.down) {
            return fmt::format("uses a link that is down: {} to {}",
                               topology.name(link.from),
                               topology.name(link.to));
        }
        node = link.to;
        if (std::ranges::find(seen, node) != seen.end()) {
            return "visits " + topology.name(node) + " twice";
        }
        if (std::ranges::find(route.relays, node) != route.relays.end()) {
            seen.clear();
        }
        seen.push_back(node);
    }
    return node == to ? "" : "ends at " + topology.name(node);
}

class Checker {
public:
    Checker(const Routes& routes, const CheckOptions& options)
        : routes_(routes),
          topology_(routes.topology()),
          options_(options),
          graph_(topology_.nodes(), topology_.links()) {}

    CheckReport check(const Work& work) const {
        CheckReport report;
        const std::vector<std::int64_t> distances = graph_.distances_to(work.to);
        for (const NodeId from : work.from) {
            compare_sets(from, work.to, distances, report);
            if (from != work.to) {
                follow(from, work.to, distances[from], report);
            }
        }
        for (NodeId node = topology_.endpoints(); work.all && node < topology_.nodes(); ++node) {
            compare_sets(node, work.to, distances, report);
        }
        return report;
    }

private:
    void wrong(CheckReport& report, NodeId from, NodeId to, const std::string& what) const {
        ++report.wrong;
        if (report.problems.size() < kListed) {
            report.problems.push_back(
                fmt::format("{} to {}: {}", topology_.name(from), topology_.name(to), what));
        }
    }

    void compare_sets(NodeId from,
                      NodeId to,
                      const std::vector<std::int64_t>& distances,
                      CheckReport& report) const {
        ++report.sets;
        if (routes_.next_links(from, to) != graph_.next_links(from, distances)) {
            wrong(report, from, to, "next hops differ from those of the search");
        }
    }

    void follow(NodeId from, NodeId to, std::int64_t least, CheckReport& report) const {
        ++report.pairs;
        if (least == kUnreachable) {
            ++report.unreachable;
            if (report.lost.size() < kListed) {
                report.lost.push_back(
                    fmt::format("{} to {}", topology_.name(from), topology_.name(to)));
            }
        }
        for (int flow = 0; flow < options_.flows; ++flow) {
            const Route route = routes_.path(from, to, flow_of(from, to, flow));
            if (!route.reachable) {
                if (least != kUnreachable) {
                    wrong(report, from, to, "no path, though there is one");
                }
                return;
            }
            ++report.paths;
            const std::string problem = problem_of(routes_, from, to, route, least);
            if (!problem.empty()) {
                wrong(report, from, to, "the path " + problem);
                return;
            }
        }
    }

    [[nodiscard]] std::uint64_t flow_of(NodeId from, NodeId to, int flow) const {
        return (std::uint64_t{hop_hash(options_.seed + static_cast<std::uint64_t>(flow), from)}
                << 32U) +
               to;
    }

    const Routes& routes_;
    const Topology& topology_;
    const CheckOptions& options_;
    Graph graph_;
};

void add_to(CheckReport& sum, CheckReport& part) {
    sum.pairs += part.pairs;
    sum.sets += part.sets;
    sum.paths += part.paths;
    sum.unreachable += part.unreachable;
    sum.wrong += part.wrong;
    for (auto [from, to] : {std::pair(&part.lost, &sum.lost), {&part.problems, &sum.problems}}) {
        for (std::string& text : *from) {
            if (to->size() < kListed) {
                to->push_back(std::move(text));
            }
        }
    }
}

}  // namespace

std::string problem_of(
    const Routes& routes, NodeId from, NodeId to, const Route& route, std::int64_t least) {
    const Topology& topology = routes.topology();
    std::string problem = chain_problem(topology, from, to, route);
    if (!problem.empty()) {
        return problem;
    }
    const Policy* policy = routes.policy(from, to);
    const Use use = policy == nullptr ? Use::kEcmp : policy->use;
    if (use == Use::kEcmp || use == Use::kWecmp || use == Use::kShortest) {
        std::int64_t cost = 0;
        for (const LinkId link : route.links) {
            cost += topology.link(link).cost;
        }
        return cost == least ? "" : fmt::format("costs {}, the least is {}", cost, least);
    }
    return policy_problem(topology, *policy, from, to, route);
}

CheckReport check(const Routes& routes, const CheckOptions& options) {
    const std::vector<Work> work = work_of(routes.topology(), options);
    const Checker checker(routes, options);
    std::vector<CheckReport> parts(work.size());
    core::parallel_for(
        work.size(), options.threads, [&](std::size_t i) { parts[i] = checker.check(work[i]); });
    CheckReport sum;
    for (CheckReport& part : parts) {
        add_to(sum, part);
    }
    return sum;
}

}  // namespace longhaul::topology
