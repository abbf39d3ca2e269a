// A trial of a schedule on an emulated network: what everybody does, worked out beforehand. Pure.
//
// The network of the schedule is scaled down to one machine: a small payload and slow links, so
// that sending takes as long as in the schedule, and latencies as they are. Each island is two
// hosts: the island, behind its access link, and the aggregator in front of that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/grid.hpp"
#include "longhaul/emulate/wan.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::runtime {

/// An island whose process is killed in the middle of sending.
struct Kill {
    int island = 0;
    std::uint32_t round = 0;  ///< of the session
};

struct SessionOptions {
    double payload_mb = 0.25;   ///< of each island, about; decimal MB
    int block_elements = 320;   ///< of 4 bytes, in a datagram; 1 to kMostElements
    double time_scale = 1;      ///< everything takes that much longer
    int repetitions = 3;        ///< of the period
    double spare_ms = 10;       ///< spread of arrivals that slots bear besides the memory
    double gap_ms = 25;         ///< between rounds, unless they overlap anyway
    double patience_ms = 1000;  ///< after the end of a round, before what is missing is left out
    double loss = 0;            ///< share of packets that each link loses
    double duplicates = 0;      ///< share of contributions that are sent twice
    double clock_error_ms = 0;  ///< clocks of the hosts are wrong by up to that
    std::optional<Kill> kill;
    std::uint64_t seed = 7;
};

/// One stream of a round.
struct Sender {
    int island = 0;
    double offset_ms = 0;            ///< from the start of the round
    double sending_ms = 0;           ///< the whole payload
    std::uint32_t group = 0;         ///< IPv4 multicast address, host byte order
    std::vector<double> latency_ms;  ///< to each member of the clique, ascending
};

/// One clique of a round.
struct Exchange {
    schedule::Clique members = 0;
    double predicted_ms = 0;      ///< from the start of the round to the last byte
    std::vector<Sender> senders;  ///< one a member, ascending; empty when alone
};

struct SessionRound {
    std::size_t phase = 0;  ///< round of the schedule
    double start_ms = 0;    ///< from the start of the session
    double predicted_ms = 0;
    std::vector<Exchange> exchanges;
    std::vector<std::size_t> exchange_of;  ///< of each island
};

/// Hosts of `wan`: islands 0 .. n - 1, then their aggregators in the same order.
struct Session {
    std::vector<std::string> names;  ///< of islands
    SessionOptions options;
    schedule::Pace pace = schedule::Pace::kUniform;
    emulate::Wan wan;
    core::Grid<double> latency_ms;  ///< between islands, unicast
    std::uint32_t blocks = 1;
    double payload_bytes = 0;        ///< of an island, exactly
    double rate_scale = 1;           ///< emulated rate over the real one, without headers
    std::vector<std::size_t> slots;  ///< of each aggregator
    double timeout_ms = 0;           ///< of a slot
    double lead_ms = 0;              ///< most that a sender is ahead of the start of its round
    std::vector<SessionRound> rounds;
    std::vector<double> clock_error_ms;  ///< of each host

    [[nodiscard]] std::size_t islands() const { return names.size(); }
    [[nodiscard]] const Exchange& exchange(std::uint32_t round, int island) const {
        const SessionRound& at = rounds[round];
        return at.exchanges[at.exchange_of[static_cast<std::size_t>(island)]];
    }
    /// How long the payload of an island takes over its egress link alone.
    [[nodiscard]] double access_ms(int island) const;
    /// Islands whose blocks come to the aggregator of an island; 0 beyond the last round.
    [[nodiscard]] schedule::Clique expected(std::uint32_t round, int island) const;
};

/// Works out the session. Problems: weights of its own, which aggregators cannot apply; trees that
/// miss a receiver; more than 256 rounds a period; nobody who exchanges anything.
[[nodiscard]] core::Result<Session> make_session(const schedule::Islands& islands,
                                                 const schedule::TimedSchedule& schedule,
                                                 const SessionOptions& options);

}  // namespace longhaul::runtime
