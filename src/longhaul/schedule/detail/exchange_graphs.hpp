// Rounds that are no partitions: who sends to whom, and with which weights.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule::detail {

using Edges = std::vector<std::pair<int, int>>;

/// Weights of one step; islands send to those who weigh them.
[[nodiscard]] core::Grid<char> senders_of(const MixingMatrix& weights);

/// Makes every row sum to 1 by what an island keeps of its own.
void keep_the_rest(MixingMatrix& weights);

/// Exchange weights 1 / (1 + larger degree) (Metropolis).
[[nodiscard]] MixingMatrix metropolis(const Edges& edges, int islands);
/// I - alpha L.
[[nodiscard]] MixingMatrix laplacian_step(const Edges& edges, int islands, double alpha);

/// The links between islands; where others only forward, pairs whose shortest path passes no other
/// island; when these are more than three an island, the shortest spanning tree and the two nearest
/// of each.
[[nodiscard]] Edges underlay(const RoundTimes& times);

/// Matchings that cover all edges, greedily: MATCHA's decomposition.
[[nodiscard]] std::vector<Edges> matchings(const Edges& edges, int islands);

/// How often each matching should run so that `budget` of them run on average and the expected
/// graph is connected as well as it can be (MATCHA, section 3): ascent on the second eigenvalue.
[[nodiscard]] std::vector<double> matching_odds(const std::vector<Edges>& matchings,
                                                int islands,
                                                double budget);

/// The alpha of I - alpha L with the least contraction factor of the mean square when matchings run
/// with these odds (MATCHA, section 4); of a grid of steps of 0.01 that keep weights >= 0.
[[nodiscard]] double matching_alpha(const std::vector<Edges>& matchings,
                                    const std::vector<double>& odds,
                                    int islands);

/// A short round trip: nearest neighbour, then 2-opt.
[[nodiscard]] std::vector<int> short_tour(const core::Grid<double>& latency_ms);

/// Steps of degree at most k that end in exact consensus: hyper-hypercubes where n has only
/// factors up to k + 1, else the Base-(k+1) recursion: the large part and the rest agree on their
/// own, exchange once, and the large part spreads what it got.
[[nodiscard]] std::vector<MixingMatrix> base_graph(int islands, int degree);

/// Islands in groups of neighbours: the regions of the file, else by cutting the longest edges of
/// the shortest spanning tree.
[[nodiscard]] std::vector<Clique> groups_of(const RoundTimes& times);

/// Time in which every one of these transfers has sent a payload, all at once: access and links of
/// the core carry their sum.
[[nodiscard]] double unicast_ms(const RoundTimes& times, const Edges& transfers);

/// Time of all-reduce around the ring that is done first: from the one of least latency, by
/// exchanges of two islands and reversals of a part, until none helps. O(n^3) a pass.
[[nodiscard]] double fast_ring_ms(const RoundTimes& times);

}  // namespace longhaul::schedule::detail
