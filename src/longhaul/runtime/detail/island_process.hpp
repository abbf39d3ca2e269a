// The process of an island, see island.hpp: its state, and what it does when.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "longhaul/core/random.hpp"
#include "longhaul/runtime/control.hpp"
#include "longhaul/runtime/detail/clock_probing.hpp"
#include "longhaul/runtime/merger.hpp"
#include "longhaul/runtime/requests.hpp"
#include "longhaul/runtime/resends.hpp"
#include "longhaul/runtime/session.hpp"
#include "longhaul/runtime/udp.hpp"

namespace longhaul::runtime {

/// Blocks that an island may send again beside a stream of its own that fills the access link.
inline constexpr int kResendBurst = 2;

/// One round under way, or over and kept for others that lack something of it.
struct Work {
    std::uint32_t round = 0;
    double start_ms = 0;            ///< own clock
    std::vector<std::int32_t> own;  ///< payload
    Merger merger;
    Requests requests;
    const Sender* sender = nullptr;  ///< nullptr: alone in this round
    std::uint32_t next = 0;          ///< block to send
    double sum_ms = 0;               ///< when a sum of it came last, own clock
    std::uint32_t highest = 0;       ///< block of those sums
    double finished_ms = -1;
    bool reported = false;
    bool follows = false;  ///< the own stream of the round before ends when this one begins
};

struct Counts {
    double duplicates = 0;
    double refused = 0;
    double lacking = 0;    ///< blocks, one a sender, that were overdue
    double requests = 0;   ///< blocks asked for, each time
    double datagrams = 0;  ///< requests, which hold many blocks
    double resends = 0;    ///< blocks sent again, for others
    double late_ms = 0;    ///< most that a block was sent after its time
};

class Island {
public:
    Island(const Session& session, int island, Control control, UdpSocket socket)
        : session_(session),
          island_(island),
          host_(static_cast<std::size_t>(island)),
          error_ms_(session.clock_error_ms[host_]),
          control_(std::move(control)),
          socket_(std::move(socket)),
          probing_(session.fastest_ms(host_, 0), session.fastest_ms(0, host_)),
          random_(session.options.seed, (1ULL << 41U) + host_),
          resends_(own_streams(), session.access_ms(island) / session.blocks, kResendBurst) {}

    int run();

private:
    [[nodiscard]] double now() const { return clock_ms(error_ms_); }
    [[nodiscard]] double block_ms(const Sender& sender) const {
        return sender.sending_ms / session_.blocks;
    }
    [[nodiscard]] std::uint32_t address(std::size_t host) const {
        return session_.wan.hosts[host].address;
    }

    [[nodiscard]] std::vector<Busy> own_streams() const;
    [[nodiscard]] bool fills(const Sender& sender) const;
    [[nodiscard]] bool follows(std::uint32_t round) const;
    void obey(const core::Value& message);
    void take(const Datagram& datagram);
    void take_part(const Datagram& datagram);
    void take_request(const Datagram& datagram);
    double act(double now_ms);
    double prepare(double now_ms);
    double send_blocks(double now_ms, Work& work);
    double ask(double now_ms, Work& work);
    double finish(double now_ms, Work& work);
    double resend(double now_ms);
    void resend_one(const Owed& owed);
    [[nodiscard]] double progress_ms(const Work& work, double now_ms) const;
    double probe(double now_ms);
    void report(const Work& work);
    [[nodiscard]] std::vector<Full> full_from(int island, std::uint32_t round) const;
    [[nodiscard]] Requests requests_of(std::uint32_t round, double start_ms) const;

    const Session& session_;
    int island_;
    std::size_t host_;
    double error_ms_;
    Control control_;
    UdpSocket socket_;
    ClockProbing probing_;
    core::Random random_;
    double ahead_ms_ = 0;             ///< of the reference clock
    std::optional<double> begin_ms_;  ///< of the session, own clock
    std::map<std::uint32_t, Work> work_;
    std::uint32_t prepared_ = 0;  ///< rounds
    Resends resends_;             ///< times from the start of the session
    std::uint32_t asked_ = 0;     ///< requests sent
    Counts counts_;
    bool ended_ = false;
};

}  // namespace longhaul::runtime
