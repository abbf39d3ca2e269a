#include "longhaul/topology/multicast.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "longhaul/topology/detail/test_networks.hpp"

namespace longhaul::topology {
namespace {

std::string shipped(const std::string& name) {
    std::ifstream file(LONGHAUL_SOURCE_DIR "/topologies/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Stream> all_to_all(int nodes) {
    std::vector<Stream> streams;
    for (int source = 0; source < nodes; ++source) {
        Stream stream{source, {}, 1};
        for (int node = 0; node < nodes; ++node) {
            if (node != source) {
                stream.receivers.push_back(node);
            }
        }
        streams.push_back(std::move(stream));
    }
    return streams;
}

double worst_latency(const StreamNetwork& network,
                     const std::vector<Stream>& streams,
                     const std::vector<StreamTree>& trees) {
    double worst = 0;
    for (std::size_t s = 0; s < streams.size(); ++s) {
        worst = std::max(worst, std::ranges::max(stream_latencies(network, streams[s], trees[s])));
    }
    return worst;
}

/// A tree reaches all receivers, enters each node once, and each link follows the one before.
void expect_tree(const StreamNetwork& network, const Stream& stream, const StreamTree& tree) {
    std::vector<char> inside(static_cast<std::size_t>(network.nodes), 0);
    inside[static_cast<std::size_t>(stream.source)] = 1;
    for (const std::uint32_t id : tree.links) {
        EXPECT_EQ(inside[network.links[id].from], 1);
        EXPECT_EQ(inside[network.links[id].to], 0);
        inside[network.links[id].to] = 1;
    }
    for (const int receiver : stream.receivers) {
        EXPECT_EQ(inside[static_cast<std::size_t>(receiver)], 1);
    }
}

TEST(Multicast, NineCitiesNeedFourStreamsALinkInsteadOfSeven) {
    // All to all over the reconstruction of the nine cities: shortest-path trees put 7 streams on
    // LON > AMS and LON > FRA, since AMS and FRA hang on London alone. All 7 streams from outside
    // must enter the two by these two links: at least 4 on one of them, and 4 is found, with no
    // longer way than before to the farthest city.
    const auto topology = read_topology(shipped("nine-city.toml"), "nine-city.toml");
    ASSERT_TRUE(topology.has_value());
    const StreamNetwork network = site_network(*topology);
    const std::vector<Stream> streams = all_to_all(9);
    const auto shortest = shortest_trees(network, streams);
    EXPECT_EQ(std::ranges::max(stream_loads(network, streams, shortest)), 7);
    const auto shared = congestion_aware_trees(network, streams, {});
    EXPECT_EQ(std::ranges::max(stream_loads(network, streams, shared)), 4);
    EXPECT_NEAR(
        worst_latency(network, streams, shared), worst_latency(network, streams, shortest), 1e-9);
    for (std::size_t s = 0; s < streams.size(); ++s) {
        expect_tree(network, streams[s], shortest[s]);
        expect_tree(network, streams[s], shared[s]);
    }
}

TEST(Multicast, TheCapIsKept) {
    // Ring of four with one long side: without it, A reaches D over B and C in 3 ms; with a cap
    // of 2.5 ms, only by the side of 2 ms.
    std::string text;
    for (const char* name : {"A", "B", "C", "D"}) {
        text += "[[site]]\nname = \"" + std::string(name) + "\"\n";
    }
    for (const auto& [a, b, ms] :
         {std::tuple("A", "B", "1"), {"B", "C", "1"}, {"C", "D", "1"}, {"D", "A", "2"}}) {
        text += "[[link]]\na = \"" + std::string(a) + "\"\nb = \"" + b + "\"\nlatency_ms = " + ms +
                "\ngbps = " + (std::string(ms) == "2" ? "1" : "100") + "\n";
    }
    const StreamNetwork network = site_network(detail::network(text));
    const std::vector<Stream> streams{{0, {1, 2, 3}, 1}};
    const auto wide = congestion_aware_trees(network, streams, {10, 20, 7});
    EXPECT_DOUBLE_EQ(worst_latency(network, streams, wide), 3);
    const auto near = congestion_aware_trees(network, streams, {2.5, 20, 7});
    EXPECT_DOUBLE_EQ(worst_latency(network, streams, near), 2);
}

TEST(Multicast, SameSeedSameTrees) {
    const auto topology = read_topology(shipped("nine-city.toml"), "nine-city.toml");
    const StreamNetwork network = site_network(*topology);
    const std::vector<Stream> streams = all_to_all(9);
    EXPECT_EQ(congestion_aware_trees(network, streams, {}),
              congestion_aware_trees(network, streams, {}));
}

}  // namespace
}  // namespace longhaul::topology
