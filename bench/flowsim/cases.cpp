#include "cases.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"

namespace longhaul::bench {
namespace {

using core::GbitPerSecond;
using core::Random;
using flowsim::Hop;
using flowsim::Link;
using flowsim::LinkId;
using flowsim::Path;
using flowsim::Time;

constexpr std::int64_t kMicrosecond = 1'000'000;  // picoseconds
constexpr std::int64_t kMillisecond = 1'000'000'000;

Hop over(int link) {
    return {static_cast<LinkId>(link)};
}

void add_permutations(FlowCase& flow_case, int permutations, Random& random) {
    std::vector<int> target(static_cast<std::size_t>(flow_case.hosts));
    std::iota(target.begin(), target.end(), 0);
    for (int p = 0; p < permutations; ++p) {
        random.shuffle(std::span(target));
        for (int host = 0; host < flow_case.hosts; ++host) {
            const int to = target[static_cast<std::size_t>(host)];
            if (to != host) {
                flow_case.transfers.push_back(
                    {host, to, p * std::int64_t{100'000}, 200'000 + random.below(2'000'001)});
            }
        }
    }
}

/// Numbers of the directed links of a k-ary fat tree: host up, host down, edge to aggregation,
/// back, aggregation to core, back; each kind has k^3/4 links.
struct FatTree {
    int k;
    [[nodiscard]] int half() const { return k / 2; }
    [[nodiscard]] int hosts() const { return k * k * k / 4; }
    [[nodiscard]] int edge_of(int host) const { return host / half(); }
    [[nodiscard]] int pod_of(int host) const { return edge_of(host) / half(); }
    [[nodiscard]] int edge_link(int edge, int aggregation) const {
        return edge * half() + aggregation;
    }
    [[nodiscard]] int core_link(int pod, int aggregation, int core) const {
        return (pod * half() + aggregation) * half() + core;
    }
    [[nodiscard]] Path path(int from, int to, Random& random) const {
        const int kind = hosts();
        const auto below_half = [&] {
            return static_cast<int>(random.below(static_cast<std::uint32_t>(half())));
        };
        Path path = {over(from)};
        if (edge_of(from) != edge_of(to)) {
            const int aggregation = below_half();
            path.push_back(over(2 * kind + edge_link(edge_of(from), aggregation)));
            if (pod_of(from) != pod_of(to)) {
                const int core = below_half();
                path.push_back(over(4 * kind + core_link(pod_of(from), aggregation, core)));
                path.push_back(over(5 * kind + core_link(pod_of(to), aggregation, core)));
            }
            path.push_back(over(3 * kind + edge_link(edge_of(to), aggregation)));
        }
        path.push_back(over(kind + to));
        return path;
    }
};

}  // namespace

Time FlowCase::latency(const Transfer& one) const {
    Time sum{};
    for (const Hop& hop : route(one)) {
        sum += links[hop.link].latency;
    }
    return sum;
}

FlowCase fat_tree_case(int k, int permutations, std::uint64_t seed) {
    const FatTree tree{k};
    Random random(seed);
    FlowCase flow_case;
    flow_case.name = fmt::format("fat tree, {} hosts", tree.hosts());
    flow_case.hosts = tree.hosts();
    flow_case.links.assign(static_cast<std::size_t>(6 * tree.hosts()),
                           Link{GbitPerSecond(100), Time(kMicrosecond)});
    add_permutations(flow_case, permutations, random);
    for (const Transfer& one : flow_case.transfers) {
        flow_case.routes.try_emplace({one.from, one.to}, tree.path(one.from, one.to, random));
    }
    return flow_case;
}

FlowCase star_case(int hosts, int permutations, std::uint64_t seed) {
    Random random(seed);
    FlowCase flow_case;
    flow_case.name = fmt::format("star, {} hosts", hosts);
    flow_case.hosts = hosts;
    flow_case.links.assign(static_cast<std::size_t>(2 * hosts),
                           Link{GbitPerSecond(100), Time(kMicrosecond)});
    add_permutations(flow_case, permutations, random);
    for (const Transfer& one : flow_case.transfers) {
        flow_case.routes[{one.from, one.to}] = {over(one.from), over(hosts + one.to)};
    }
    return flow_case;
}

FlowCase wan_case(int transfers, int spread_ms, std::uint64_t seed) {
    constexpr int kSites = 9;
    Random random(seed);
    FlowCase flow_case;
    flow_case.name = fmt::format("WAN, {} flows", transfers);
    flow_case.hosts = kSites;
    flow_case.links.assign(2 * kSites, Link{GbitPerSecond(20), Time(kMillisecond / 10)});
    std::vector<Link> ring;
    for (int site = 0; site < kSites; ++site) {
        ring.push_back({GbitPerSecond(100), Time((5 + random.below(36)) * kMillisecond)});
    }
    // Clockwise from site i: 2 kSites + i; back to it: 3 kSites + i.
    flow_case.links.insert(flow_case.links.end(), ring.begin(), ring.end());
    flow_case.links.insert(flow_case.links.end(), ring.begin(), ring.end());
    for (int from = 0; from < kSites; ++from) {
        for (int to = 0; to < kSites; ++to) {
            const int ahead = (to - from + kSites) % kSites;
            Path& path = flow_case.routes[{from, to}];
            path = {over(from)};
            for (int step = 0; 2 * ahead < kSites && step < ahead; ++step) {
                path.push_back(over(2 * kSites + (from + step) % kSites));
            }
            for (int step = 1; 2 * ahead > kSites && step <= kSites - ahead; ++step) {
                path.push_back(over(3 * kSites + (from - step + kSites) % kSites));
            }
            path.push_back(over(kSites + to));
        }
    }
    for (int t = 0; t < transfers; ++t) {
        const auto from = static_cast<int>(random.below(kSites));
        const auto to = (from + 1 + static_cast<int>(random.below(kSites - 1))) % kSites;
        const std::uint32_t start_ms =
            spread_ms == 0 ? 0 : random.below(static_cast<std::uint32_t>(spread_ms));
        const double bytes = 1e6 * std::pow(1000, random.uniform());
        flow_case.transfers.push_back(
            {from, to, start_ms * std::int64_t{1'000'000}, static_cast<std::uint64_t>(bytes)});
    }
    return flow_case;
}

FlowCase case_of(const std::string& name) {
    constexpr std::uint64_t kSeed = 7;
    if (name == "star-128") {
        return star_case(128, 32, kSeed);
    }
    if (name == "star-1024") {
        return star_case(1024, 4, kSeed);
    }
    if (name == "fat-tree-128") {
        return fat_tree_case(8, 32, kSeed);
    }
    if (name == "fat-tree-1024") {
        return fat_tree_case(16, 4, kSeed);
    }
    LONGHAUL_ASSERT(name.starts_with("wan-"));
    return wan_case(std::stoi(name.substr(4)), 1000, kSeed);
}

}  // namespace longhaul::bench
