// Senders of a clique with rates of their own: who is near sends slower while far contributions are
// still on their way, and aggregators hold less.
//
// Section A.2 of "Distributed Training using an Intelligent Network"; the program is in
// docs/mathematics/schedule-extensions.md.
#pragma once

#include <optional>
#include <vector>

#include "longhaul/schedule/clique_time.hpp"

namespace longhaul::schedule {

/// Part x of the payload of sender i arrives at r at offset_i + latency(i, r) + x sending_i.
struct SenderTimes {
    double time_ms = 0;              ///< last arrival of the last byte
    std::vector<double> sending_ms;  ///< k: payload / rate of each member
    std::vector<double> offset_ms;   ///< k
};

/// The shortest exchange when member i takes at least floor_ms[i] to send the payload; members
/// whose floor is below the problem's least_ms are held to that. An aggregator with memory share m
/// < 1 holds parts in the order of arrival: x must be complete everywhere before x + m comes. Sums
/// of arrivals are convex and concave in x, so the condition is linear at x = 0 and x = 1 - m; with
/// m >= 1 there is none. Of the shortest, one that sends late. `one_rate`: all members send at one
/// rate, as clique_time has it. Nothing when no rates keep the aggregators within their memory.
/// Simplex method over O(k^3) rows.
[[nodiscard]] std::optional<SenderTimes> sender_times(const CliqueProblem& problem,
                                                      const std::vector<double>& floor_ms,
                                                      bool one_rate = false);

/// Most of the payload that the aggregator of each member holds at once, exact. O(k^4).
[[nodiscard]] std::vector<double> held_shares(const CliqueProblem& problem,
                                              const SenderTimes& times);

/// The least memory share, equal for all members, with which the exchange ends by `time_ms`, to
/// 1e-9 of the payload; nothing when even the whole payload does not do. Some 30 programs.
struct LeastMemory {
    double share = 0;
    SenderTimes times;
};
[[nodiscard]] std::optional<LeastMemory> least_memory(const CliqueProblem& problem,
                                                      const std::vector<double>& floor_ms,
                                                      double time_ms,
                                                      bool one_rate = false);

}  // namespace longhaul::schedule
