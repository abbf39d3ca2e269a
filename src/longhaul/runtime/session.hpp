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
    double payload_mb = 0.25;  ///< of each island, about; decimal MB
    int block_elements = 320;  ///< of 4 bytes, in a datagram; 1 to kMostElements
    double time_scale = 1;     ///< everything takes that much longer
    int repetitions = 3;       ///< of the period
    double spare_ms = 10;      ///< spread of arrivals that slots bear besides the memory
    double gap_ms = 25;        ///< between rounds, unless they overlap anyway
    /// After the end of a round, before what is missing is left out; nothing: 1 s, and with losses
    /// three rounds more.
    std::optional<double> patience_ms;
    /// Longer from round to round, so that what was lost can be sent again; nothing: what `loss`
    /// needs.
    std::optional<double> recovery_ms;
    int tries = 6;              ///< most requests for the same block of the same island
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
    std::vector<int> hops;           ///< access link and links to each member; 0 to itself
};

/// One clique of a round.
struct Exchange {
    schedule::Clique members = 0;
    double predicted_ms = 0;      ///< from the start of the round to the last byte
    std::vector<Sender> senders;  ///< one a member, ascending; empty when alone
    /// Receiver x sender, units of 1 / kWeightScale; empty: all alike, 1 each.
    core::Grid<std::int32_t> weights;
};

struct SessionRound {
    std::size_t phase = 0;  ///< round of the schedule
    double start_ms = 0;    ///< from the start of the session
    /// From its start until the last byte has arrived everywhere; where rounds overlap, behind the
    /// access links, in front of which the sums of two rounds queue.
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
    core::Grid<double> fastest_ms;  ///< the same, with the jitter that speeds up most
    std::uint32_t blocks = 1;
    double payload_bytes = 0;        ///< of an island, exactly
    double rate_scale = 1;           ///< emulated rate over the real one, without headers
    int payload_bits = 25;           ///< of an element
    std::vector<std::size_t> held;   ///< slots of each aggregator for what its memory holds
    std::vector<std::size_t> slots;  ///< of each aggregator, if clocks were right
    double jitter_ms = 0;            ///< most that jitter spreads two copies that left together
    double guard_ms = 0;             ///< spread that slots bear besides the memory, with jitter
    double sending_ms = 0;           ///< shortest time of sending a payload
    double timeout_ms = 0;           ///< of a slot
    double recovery_ms = 0;          ///< for resends, from round to round
    double patience_ms = 0;          ///< after the end of a round
    double lead_ms = 0;              ///< most that a sender is ahead of the start of its round
    std::vector<SessionRound> rounds;
    std::vector<double> clock_error_ms;  ///< of each host

    [[nodiscard]] std::size_t islands() const { return names.size(); }
    [[nodiscard]] const Exchange& exchange(std::uint32_t round, int island) const {
        const SessionRound& at = rounds[round];
        return at.exchanges[at.exchange_of[static_cast<std::size_t>(island)]];
    }
    /// How long the payload of an island takes over its egress link alone, and as much over its
    /// ingress link.
    [[nodiscard]] double access_ms(int island) const;
    [[nodiscard]] double ingress_ms(int island) const;
    /// Slots that an aggregator needs when clocks are wrong by up to `residual_ms`: two senders may
    /// miss each other by twice that.
    [[nodiscard]] std::size_t slots_for(std::size_t island, double residual_ms) const;
    /// What the block of a sender counts at a receiver in a round, and all weights of the receiver
    /// by island; empty: 1 each.
    [[nodiscard]] std::int32_t weight(std::uint32_t round, int receiver, int sender) const;
    [[nodiscard]] std::vector<std::int32_t> weights_of(std::uint32_t round, int receiver) const;
    /// Islands whose blocks come to the aggregator of an island; 0 beyond the last round.
    [[nodiscard]] schedule::Clique expected(std::uint32_t round, int island) const;
};

/// Works out the session. Problems: rows of weights that do not sum to 1; trees that miss a
/// receiver; more than 256 rounds a period; nobody who exchanges anything. Weights that differ are
/// rounded to multiples of 1 / kWeightScale, and elements then have kWeightedBits bits.
[[nodiscard]] core::Result<Session> make_session(const schedule::Islands& islands,
                                                 const schedule::TimedSchedule& schedule,
                                                 const SessionOptions& options);

}  // namespace longhaul::runtime
