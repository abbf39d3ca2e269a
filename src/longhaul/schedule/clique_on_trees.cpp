#include "longhaul/schedule/detail/clique_on_trees.hpp"

#include <algorithm>

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

namespace {

/// Members, memories and access; latencies and streams are to be filled in.
CliqueOnTrees without_streams(const Islands& islands, const Capabilities& can, Clique clique) {
    CliqueOnTrees found;
    found.members = members_of(clique);
    const std::size_t k = found.members.size();
    found.problem.latency_ms = core::Grid<double>(k, k, 0);
    found.problem.guard_ms = can.guard_ms;
    for (const int member : found.members) {
        const Island& island = islands.islands[slot(member)];
        found.problem.memory_share.push_back(can.memory_gb[slot(member)] / can.payload_gb);
        found.problem.least_ms =
            std::max(found.problem.least_ms,
                     8000 * can.payload_gb / std::min(island.ingress_gbps, island.egress_gbps));
    }
    return found;
}

/// Counts the streams on links: each sender once on every link that it uses.
class Streams {
public:
    void next_sender() {
        used_.insert(used_.end(), own_.begin(), own_.end());
        own_.clear();
    }
    void use(const std::vector<std::uint32_t>& links) {
        for (const std::uint32_t link : links) {
            if (std::ranges::find(own_, link) == own_.end()) {
                own_.push_back(link);
            }
        }
    }
    [[nodiscard]] std::vector<std::pair<std::uint32_t, double>> counts() {
        next_sender();
        std::ranges::sort(used_);
        std::vector<std::pair<std::uint32_t, double>> counts;
        for (const std::uint32_t link : used_) {
            if (counts.empty() || counts.back().first != link) {
                counts.emplace_back(link, 0);
            }
            counts.back().second += 1;
        }
        return counts;
    }

private:
    std::vector<std::uint32_t> used_;
    std::vector<std::uint32_t> own_;
};

}  // namespace

ShortestPaths::ShortestPaths(const Islands& islands)
    : latency_ms_(islands.size(), islands.size(), 0), links_(islands.size(), islands.size()) {
    const int n = static_cast<int>(islands.size());
    for (int from = 0; from < n; ++from) {
        topology::Stream stream{from, {}, 1};
        for (int to = 0; to < n; ++to) {
            if (to != from) {
                stream.receivers.push_back(to);
            }
        }
        const auto tree = topology::shortest_trees(islands.network, {stream}).front();
        const auto far = topology::stream_latencies(islands.network, stream, tree);
        // Links of a tree stand behind the ones that lead to them.
        std::vector<std::vector<std::uint32_t>> way(slot(islands.network.nodes));
        for (const std::uint32_t id : tree.links) {
            const topology::Link& link = islands.network.links[id];
            way[link.to] = way[link.from];
            way[link.to].push_back(id);
        }
        for (std::size_t r = 0; r < far.size(); ++r) {
            const int to = stream.receivers[r];
            latency_ms_(slot(from), slot(to)) = far[r];
            links_(slot(from), slot(to)) = way[slot(to)];
        }
    }
}

CliqueOnTrees on_paths(const Islands& islands,
                       const Capabilities& can,
                       const ShortestPaths& paths,
                       Clique clique) {
    CliqueOnTrees found = without_streams(islands, can, clique);
    Streams streams;
    for (std::size_t i = 0; i < found.members.size(); ++i) {
        streams.next_sender();
        for (std::size_t r = 0; r < found.members.size(); ++r) {
            if (i != r) {
                const int from = found.members[i];
                const int to = found.members[r];
                found.problem.latency_ms(i, r) = paths.latency_ms()(slot(from), slot(to));
                streams.use(paths.links(from, to));
            }
        }
    }
    found.streams = streams.counts();
    return found;
}

CliqueOnTrees on_trees(const Islands& islands,
                       const Capabilities& can,
                       Clique clique,
                       std::vector<topology::StreamTree> trees) {
    CliqueOnTrees found = without_streams(islands, can, clique);
    found.trees = std::move(trees);
    const std::vector<topology::Stream> sent = streams_of(found.members);
    Streams streams;
    for (std::size_t i = 0; i < found.trees.size(); ++i) {
        streams.next_sender();
        const auto far = topology::stream_latencies(islands.network, sent[i], found.trees[i]);
        for (std::size_t r = 0; r < far.size(); ++r) {
            found.problem.latency_ms(i, r < i ? r : r + 1) = far[r];
        }
        streams.use(found.trees[i].links);
    }
    found.streams = streams.counts();
    return found;
}

CliqueOnTrees part_on_paths(const Islands& islands,
                            const Capabilities& can,
                            const ShortestPaths& paths,
                            Clique part,
                            const core::Grid<char>& sends) {
    CliqueOnTrees found = on_paths(islands, can, paths, part);
    const std::size_t k = found.members.size();
    found.problem.sends = core::Grid<char>(k, k, 0);
    Streams streams;
    for (std::size_t i = 0; i < k; ++i) {
        streams.next_sender();
        for (std::size_t r = 0; r < k; ++r) {
            if (sends(slot(found.members[i]), slot(found.members[r])) != 0) {
                found.problem.sends(i, r) = 1;
                streams.use(paths.links(found.members[i], found.members[r]));
            }
        }
    }
    found.streams = streams.counts();
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
