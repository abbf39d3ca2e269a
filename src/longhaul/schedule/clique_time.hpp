// How long one clique takes to exchange: offsets of the senders and the time of sending.
//
// The linear program of docs/mathematics/schedule.md, solved without one: for a time of sending s
// the conditions of the memory are differences of two offsets, so the least time T(s) is s plus a
// longest path, a convex and piecewise linear function of s.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::schedule {

/// What one clique is up against; members by position.
struct CliqueProblem {
    core::Grid<double> latency_ms;     ///< k x k: sender x receiver, >= 0; the diagonal is ignored
    std::vector<double> memory_share;  ///< k: memory of the aggregator over the payload, >= 0
    double least_ms = 0;               ///< time of sending the payload at the highest rate, >= 0
    double guard_ms = 0;               ///< spread of arrivals that memory must bear besides
    core::Grid<char> sends;            ///< k x k: who sends to whom; empty: all to all

    [[nodiscard]] bool has_stream(std::size_t sender, std::size_t receiver) const {
        return sender != receiver && (sends.empty() || sends(sender, receiver) != 0);
    }
    [[nodiscard]] std::size_t size() const { return memory_share.size(); }
};

/// When everything happens, ms from the start of the round.
struct CliqueTime {
    double time_ms = 0;             ///< last arrival of the last byte
    double sending_ms = 0;          ///< payload / rate
    std::vector<double> offset_ms;  ///< k: when each member starts to send; the latest that do
    std::vector<double> first_ms;   ///< k: first arrival of the first byte; 0 when alone
    std::vector<double> last_ms;    ///< k: last arrival of the first byte
};

/// The shortest exchange, or nothing when no offsets and no rate keep the aggregators within their
/// memory. Two members need no memory: one stream comes in. O(steps k^3); steps are at most the
/// pieces of T(s), in practice below 6.
[[nodiscard]] std::optional<CliqueTime> clique_time(const CliqueProblem& problem);

/// The exchange with the longest time of sending that ends within `time_ms`: what is left to other
/// cliques on shared links is most then. Nothing when there is none. Same complexity.
[[nodiscard]] std::optional<CliqueTime> slowest_within(const CliqueProblem& problem,
                                                       double time_ms);

/// Why clique_time found nothing: the smallest group of members whose arrivals cannot be made to
/// agree, the worst of its size. Nothing when the clique can be aligned. O(k^4 steps).
struct Misaligned {
    std::vector<int> members;  ///< by position
    double spread_ms = 0;      ///< by which arrivals at some member differ at least
};
[[nodiscard]] std::optional<Misaligned> why_not(const CliqueProblem& problem);

/// The same program solved by a simplex method (Clp), with variables T, s, offsets, first and last
/// arrivals: the twin that tests compare with, and the solver of senders with rates of their own.
[[nodiscard]] std::optional<CliqueTime> clique_time_by_lp(const CliqueProblem& problem);

}  // namespace longhaul::schedule
