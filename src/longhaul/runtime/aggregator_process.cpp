#include "longhaul/runtime/aggregator_process.hpp"

#include <algorithm>
#include <array>

#include "longhaul/runtime/aggregator.hpp"
#include "longhaul/runtime/control.hpp"
#include "longhaul/runtime/detail/processes.hpp"
#include "longhaul/runtime/udp.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kNapMs = 1.5;  // between looks at streams that flow

core::Value report_of(const AggregatorCounts& counts) {
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    return core::Value::object().set("aggregator",
                                     core::Value::object()
                                         .set("contributions", number(counts.contributions))
                                         .set("duplicates", number(counts.duplicates))
                                         .set("strangers", number(counts.strangers))
                                         .set("completed", number(counts.completed))
                                         .set("conflicts", number(counts.conflicts))
                                         .set("timeouts", number(counts.timeouts))
                                         .set("late", number(counts.late))
                                         .set("peak_slots", number(counts.peak_slots)));
}

/// Joins the groups of everybody who ever sends to this island.
core::Result<void> join_groups(const Session& session, int island, UdpSocket& socket) {
    for (const SessionRound& round : session.rounds) {
        const Exchange& exchange =
            round.exchanges[round.exchange_of[static_cast<std::size_t>(island)]];
        for (const Sender& sender : exchange.senders) {
            if (sender.island != island) {
                if (const auto joined = socket.join(sender.group); !joined) {
                    return joined;
                }
            }
        }
    }
    return {};
}

}  // namespace

int run_aggregator(const Session& session, int island) {
    const std::size_t host = session.islands() + static_cast<std::size_t>(island);
    const double error_ms = session.clock_error_ms[host];
    auto control = Control::join(session.wan.control_host, kJoinPatienceS);
    if (!control) {
        return kFailed;
    }
    core::Value hello = core::Value::object();
    hello.set("host", static_cast<int>(host));
    auto socket = UdpSocket::open(session.wan.hosts[host].address, kAggregatorPort);
    const auto joined =
        socket ? join_groups(session, island, *socket) : tl::unexpected(socket.error());
    if (!joined) {
        hello.set("problem", core::to_string(joined.error().front()));
        static_cast<void>(control->send(hello));
        return kFailed;
    }
    hello.set("real_time", be_punctual());
    static_cast<void>(control->send(hello));
    const std::uint32_t to = session.wan.hosts[static_cast<std::size_t>(island)].address;
    Datagram out{Kind::kSum, 0, 0, static_cast<std::uint16_t>(island), 0, 0, {}};
    Aggregator aggregator(
        {session.slots[static_cast<std::size_t>(island)],
         session.blocks,
         session.timeout_ms,
         [&](std::uint32_t round) { return session.expected(round, island); },
         [&](std::uint32_t round, int source) { return session.weight(round, island, source); }},
        [&](const PartialSum& sum) {
            out.round = sum.round;
            out.block = sum.block;
            out.mask = sum.mask;
            out.elements = sum.sums;
            static_cast<void>(socket->send(to, kIslandPort, out));
            ++out.sequence;
        });
    const std::array<int, 2> descriptors{control->fd(), socket->fd()};
    Datagram in;
    bool busy = false;
    while (!control->closed()) {
        const double now = clock_ms(error_ms);
        aggregator.expire(now);
        if (busy) {
            nap(kNapMs);
        } else {
            wait_for(descriptors, error_ms, std::min(aggregator.next_ms(), now + kIdleMs));
        }
        busy = false;
        while (socket->receive(in)) {
            busy = true;
            const bool fits =
                in.elements.size() == static_cast<std::size_t>(session.options.block_elements);
            if (in.kind == Kind::kContribution && in.source < session.islands() && fits) {
                aggregator.take(clock_ms(error_ms), in.round, in.block, in.source, in.elements);
            }
        }
        for (const core::Value& message : control->receive()) {
            if (const core::Value* residual = message.find("clock_residual_ms")) {
                aggregator.widen(
                    session.slots_for(static_cast<std::size_t>(island), residual->number));
            }
            if (message.find("end") != nullptr) {
                static_cast<void>(control->send(report_of(aggregator.counts())));
                return 0;
            }
        }
    }
    return 0;
}

}  // namespace longhaul::runtime
