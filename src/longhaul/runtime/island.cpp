#include "longhaul/runtime/island.hpp"

#include <algorithm>
#include <array>

#include "longhaul/runtime/detail/island_process.hpp"
#include "longhaul/runtime/detail/processes.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kLookMs = 2;  // between looks at a stream that flows; the kernel keeps the times

}  // namespace

double Island::probe(double now_ms) {
    if (const auto number = probing_.ask(now_ms)) {
        const Datagram out{Kind::kProbe, 0, 0, static_cast<std::uint16_t>(island_), *number, 0, {}};
        static_cast<void>(socket_.send(address(0), kIslandPort, out));
    }
    if (const auto found = probing_.result(now_ms)) {
        ahead_ms_ = found->ahead_ms;
        static_cast<void>(
            control_.send(core::Value::object().set("clock",
                                                    core::Value::object()
                                                        .set("ahead_ms", found->ahead_ms)
                                                        .set("round_trip_ms", found->round_trip_ms)
                                                        .set("residual_ms", found->residual_ms)
                                                        .set("probes", found->probes))));
    }
    return probing_.next_ms();
}

/// Does what is due; returns when the next thing is.
double Island::act(double now_ms) {
    double next = std::min({prepare(now_ms), resend(now_ms), probe(now_ms), now_ms + kIdleMs});
    for (auto& [round, work] : work_) {
        next = std::min({next, send_blocks(now_ms, work), ask(now_ms, work), finish(now_ms, work)});
    }
    return next;
}

void Island::take_part(const Datagram& datagram) {
    const auto work = work_.find(datagram.round);
    if (work == work_.end() || work->second.reported) {
        ++counts_.refused;
        return;
    }
    Work& at = work->second;
    const bool again = datagram.kind == Kind::kResend;
    if (again) {
        at.requests.answered(socket_.received_ms() + error_ms_, datagram.source);
    } else {
        at.sum_ms = socket_.received_ms() + error_ms_;
        at.highest = std::max(at.highest, datagram.block);
    }
    switch (again ? at.merger.take_alone(datagram.block, datagram.source, datagram.elements)
                  : at.merger.take(datagram.block, datagram.mask, datagram.elements)) {
        case Merger::Took::kAdded:
            if (at.merger.complete()) {
                at.finished_ms = socket_.received_ms() + error_ms_;
            }
            break;
        case Merger::Took::kDuplicate:
            ++counts_.duplicates;
            break;
        case Merger::Took::kRefused:
            ++counts_.refused;
            break;
    }
}

/// Puts what another island lacks into the queue.
void Island::take_request(const Datagram& datagram) {
    if (datagram.source >= session_.islands() ||
        !resends_.heard(datagram.source, datagram.sequence)) {
        return;
    }
    for (std::size_t i = 0; i + 1 < datagram.elements.size(); i += 2) {
        const auto first = static_cast<std::uint32_t>(datagram.elements[i]);
        const auto count = static_cast<std::uint32_t>(datagram.elements[i + 1]);
        const std::uint32_t end = first + std::min(count, session_.blocks);
        for (std::uint32_t block = first; block < std::min(end, session_.blocks); ++block) {
            resends_.owe(
                {datagram.round, block, datagram.source, static_cast<int>(datagram.block)});
        }
    }
}

void Island::take(const Datagram& datagram) {
    const double heard = socket_.received_ms() + error_ms_;
    switch (datagram.kind) {
        case Kind::kSum:
        case Kind::kResend:
            take_part(datagram);
            break;
        case Kind::kRequest:
            take_request(datagram);
            break;
        case Kind::kProbe:
            if (datagram.source < session_.islands()) {
                const Datagram out{Kind::kAnswer,
                                   0,
                                   0,
                                   static_cast<std::uint16_t>(island_),
                                   datagram.sequence,
                                   0,
                                   readings_of(heard, now())};
                static_cast<void>(socket_.send(address(datagram.source), kIslandPort, out));
            }
            break;
        case Kind::kAnswer:
            if (datagram.elements.size() == 4) {
                probing_.answer(datagram.sequence,
                                reading_ms(datagram.elements),
                                reading_ms(std::span(datagram.elements).subspan(2)),
                                heard);
            }
            break;
        case Kind::kContribution:
            ++counts_.refused;
            break;
    }
}

void Island::obey(const core::Value& message) {
    if (message.find("clock") != nullptr) {
        probing_.begin(now());
    } else if (message.find("now") != nullptr) {
        static_cast<void>(control_.send(core::Value::object().set("now_ms", now())));
    } else if (const core::Value* at = message.find("start_ms")) {
        begin_ms_ = at->number - ahead_ms_;
    } else if (message.find("end") != nullptr) {
        static_cast<void>(
            control_.send(core::Value::object().set("island",
                                                    core::Value::object()
                                                        .set("duplicates", counts_.duplicates)
                                                        .set("refused", counts_.refused)
                                                        .set("lacking", counts_.lacking)
                                                        .set("requests", counts_.requests)
                                                        .set("datagrams", counts_.datagrams)
                                                        .set("resends", counts_.resends)
                                                        .set("late_ms", counts_.late_ms))));
        ended_ = true;
    }
}

int Island::run() {
    const std::array<int, 2> descriptors{control_.fd(), socket_.fd()};
    Datagram in;
    bool busy = false;
    while (!ended_ && !control_.closed()) {
        const double next = act(now());
        if (busy && next > now() + kLookMs) {
            nap(kLookMs);
        } else {
            wait_for(descriptors, error_ms_, next);
        }
        busy = false;
        while (socket_.receive(in)) {
            busy = in.kind == Kind::kSum;
            take(in);
        }
        for (const core::Value& message : control_.receive()) {
            obey(message);
        }
    }
    return 0;
}

int run_island(const Session& session, int island) {
    auto control = Control::join(session.wan.control_host, kJoinPatienceS);
    if (!control) {
        return kFailed;
    }
    core::Value hello = core::Value::object();
    hello.set("host", island);
    auto socket =
        UdpSocket::open(session.wan.hosts[static_cast<std::size_t>(island)].address, kIslandPort);
    if (!socket) {
        hello.set("problem", core::to_string(socket.error().front()));
        static_cast<void>(control->send(hello));
        return kFailed;
    }
    hello.set("real_time", be_punctual());
    static_cast<void>(control->send(hello));
    return Island(session, island, std::move(*control), std::move(*socket)).run();
}

}  // namespace longhaul::runtime
