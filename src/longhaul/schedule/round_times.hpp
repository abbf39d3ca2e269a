// How long a round takes on the network, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/schedule/capabilities.hpp"
#include "longhaul/schedule/clique_time.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// Why contributions cannot be aligned: the smallest group of islands whose arrivals cannot be made
/// to agree, the worst of its size; of graphs, all that exchange.
struct Miss {
    std::vector<int> islands;
    double apart_ms = 0;   ///< arrivals at some island differ by so much at least, guard included
    double needed_gb = 0;  ///< memory that would bear it at the highest rate, for these islands
};

/// Times of rounds under one set of capabilities. Remembers cliques and loads: rounds that share a
/// clique under the same load compute it once. Not for use by two threads at once.
class RoundTimes {
public:
    /// Both must outlive it.
    RoundTimes(const Islands& islands, const Capabilities& capabilities);
    ~RoundTimes();
    RoundTimes(const RoundTimes&) = delete;
    RoundTimes& operator=(const RoundTimes&) = delete;

    /// Time of the longest clique, ms; infinite when a clique cannot be aligned.
    /// O(cliques (links + k^3)) when nothing is remembered.
    [[nodiscard]] double time_ms(const Round& round);

    /// Time of a round in which islands send to some others, n x n (sender x receiver): parts that
    /// have nothing to do with each other take a rate and offsets each. Equal sharing, shortest
    /// trees; infinite when a part cannot be aligned.
    [[nodiscard]] double graph_ms(const core::Grid<char>& sends);

    /// The same as time_ms with offsets, rates and trees; nothing when a clique cannot be aligned.
    [[nodiscard]] std::optional<TimedRound> timed(const Round& round);

    /// Why one of the rounds has no time, the first that has none; nothing when all have. O(k^4
    /// steps).
    [[nodiscard]] std::optional<Miss> miss(const Schedule& schedule);
    [[nodiscard]] std::optional<Miss> graph_miss(const core::Grid<char>& sends);
    /// The same as one sentence that names the islands and the miss.
    [[nodiscard]] std::string reason(const Round& round);

    /// Latency from sender to receiver over shortest paths, ms, n x n.
    [[nodiscard]] const core::Grid<double>& latency_ms() const;

    /// Directed links of the shortest path between two islands.
    [[nodiscard]] const std::vector<std::uint32_t>& path(int from, int to) const;

    /// The least time that the islands of a clique need when nobody else sends, ms; infinite when
    /// it cannot be aligned. A lower bound of the time of any round that holds it.
    [[nodiscard]] double alone_ms(Clique clique);

    /// Streams that cross each directed link in a round, with the trees that `timed` uses.
    [[nodiscard]] std::vector<double> streams_on_links(const TimedRound& round) const;

    [[nodiscard]] const Islands& islands() const;
    [[nodiscard]] const Capabilities& capabilities() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace longhaul::schedule
