#include "longhaul/schedule/detail/clique_on_trees.hpp"

#include <algorithm>
#include <map>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

std::vector<topology::Stream> streams_of(const std::vector<int>& members) {
    std::vector<topology::Stream> streams;
    for (const int sender : members) {
        topology::Stream& stream = streams.emplace_back();
        stream.source = sender;
        for (const int receiver : members) {
            if (receiver != sender) {
                stream.receivers.push_back(receiver);
            }
        }
    }
    return streams;
}

CliqueOnTrees on_trees(const Islands& islands,
                       const Capabilities& can,
                       Clique clique,
                       std::vector<topology::StreamTree> trees) {
    CliqueOnTrees found;
    found.members = members_of(clique);
    const std::size_t k = found.members.size();
    found.problem.latency_ms = core::Grid<double>(k, k, 0);
    found.problem.guard_ms = can.guard_ms;
    const std::vector<topology::Stream> streams = streams_of(found.members);
    found.trees = trees.empty() && k > 1 ? topology::shortest_trees(islands.network, streams)
                                         : std::move(trees);
    std::map<std::uint32_t, double> counts;
    for (std::size_t i = 0; i < k; ++i) {
        const int member = found.members[i];
        const Island& island = islands.islands[slot(member)];
        found.problem.memory_share.push_back(can.memory_gb[slot(member)] / can.payload_gb);
        found.problem.least_ms =
            std::max(found.problem.least_ms,
                     8000 * can.payload_gb / std::min(island.ingress_gbps, island.egress_gbps));
        if (k == 1) {
            continue;
        }
        const auto far = topology::stream_latencies(islands.network, streams[i], found.trees[i]);
        for (std::size_t r = 0; r < far.size(); ++r) {
            found.problem.latency_ms(i, r < i ? r : r + 1) = far[r];
        }
        for (const std::uint32_t link : found.trees[i].links) {
            counts[link] += 1;
        }
    }
    found.streams.assign(counts.begin(), counts.end());
    return found;
}

CliqueOnTrees part_on_trees(const Islands& islands,
                            const Capabilities& can,
                            Clique part,
                            const core::Grid<char>& sends) {
    CliqueOnTrees found = on_trees(islands, can, part, {});
    const std::size_t k = found.members.size();
    found.problem.sends = core::Grid<char>(k, k, 0);
    std::map<std::uint32_t, double> counts;
    for (std::size_t i = 0; i < k; ++i) {
        topology::Stream stream{found.members[i], {}, 1};
        for (std::size_t r = 0; r < k; ++r) {
            if (sends(slot(found.members[i]), slot(found.members[r])) != 0) {
                found.problem.sends(i, r) = 1;
                stream.receivers.push_back(found.members[r]);
            }
        }
        found.trees[i] = topology::shortest_trees(islands.network, {stream}).front();
        for (const std::uint32_t link : found.trees[i].links) {
            counts[link] += 1;
        }
    }
    found.streams.assign(counts.begin(), counts.end());
    return found;
}

double least_of(const CliqueOnTrees& clique,
                const std::vector<double>& on_link,
                const std::vector<double>& stream_ms) {
    double least = clique.problem.least_ms;
    for (const auto& [link, own] : clique.streams) {
        least = std::max(least, on_link[link] * stream_ms[link]);
    }
    return least;
}

double least_alone(const CliqueOnTrees& clique, const std::vector<double>& stream_ms) {
    double least = clique.problem.least_ms;
    for (const auto& [link, own] : clique.streams) {
        least = std::max(least, own * stream_ms[link]);
    }
    return least;
}

}  // namespace longhaul::schedule::detail
