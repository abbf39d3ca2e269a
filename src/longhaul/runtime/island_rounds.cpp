#include <algorithm>
#include <limits>

#include "longhaul/runtime/detail/island_process.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kPrepareMs = 40;  // before the first block of a round is sent
constexpr double kReportMs = 8;    // after the end of a round: nobody waits for it
constexpr double kSlackMs = 15;    // a block is overdue that long after it should have come
constexpr double kAheadMs = 8;  // blocks wait that long for the access link, which keeps the rate
constexpr double kLessAheadMs = 3;  // where the access link is faster than the stream
constexpr double kMuchFaster = 1.02;
constexpr double kQuietMs = 20;
constexpr std::uint32_t kWorkKept = 4;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

/// When each block of the other members must have come, if nothing is lost: the slowest of them may
/// have been lost on the way to the aggregator, and the slot have waited for it until it was given
/// up.
Requests Island::requests_of(const Exchange& exchange, double start_ms) const {
    const std::vector<int> members = schedule::members_of(exchange.members);
    const auto self =
        static_cast<std::size_t>(std::ranges::find(members, island_) - members.begin());
    double first = -kNever;
    double each = 0;
    for (const Sender& sender : exchange.senders) {
        if (sender.island != island_) {
            first = std::max(first, sender.offset_ms + sender.latency_ms[self] + block_ms(sender));
            each = std::max(each, block_ms(sender));
        }
    }
    std::vector<DueStream> streams;
    for (const Sender& sender : exchange.senders) {
        if (sender.island != island_) {
            const auto other = static_cast<std::size_t>(sender.island);
            const double wait = session_.timeout_ms + kSlackMs;
            const double way =
                session_.latency_ms(host_, other) + session_.latency_ms(other, host_);
            streams.push_back({sender.island, start_ms + first + wait, each, way + wait});
        }
    }
    return {std::move(streams), session_.blocks};
}

/// Makes the payloads of rounds that are about to begin. Returns when there is something to do.
double Island::prepare(double now_ms) {
    while (begin_ms_ && prepared_ < session_.rounds.size()) {
        const Exchange& exchange = session_.exchange(prepared_, island_);
        const double start = *begin_ms_ + session_.rounds[prepared_].start_ms;
        const double due = start - session_.lead_ms - kPrepareMs;
        if (due > now_ms) {
            return due;
        }
        const std::size_t elements =
            static_cast<std::size_t>(session_.options.block_elements) * session_.blocks;
        std::vector<std::int32_t> own =
            payload_of(session_.options.seed, prepared_, island_, elements);
        Merger merger(exchange.members, island_, own, session_.blocks);
        Work work{prepared_,
                  start,
                  std::move(own),
                  std::move(merger),
                  requests_of(exchange, start),
                  nullptr,
                  0,
                  start,
                  -1,
                  exchange.senders.empty()};
        const auto sender = std::ranges::find(exchange.senders, island_, &Sender::island);
        work.sender = sender != exchange.senders.end() ? &*sender : nullptr;
        work_.emplace(prepared_, std::move(work));
        ++prepared_;
        std::erase_if(work_, [&](const auto& entry) {
            return entry.first + kWorkKept < prepared_ && entry.second.reported;
        });
    }
    return kNever;
}

double Island::send_blocks(double now_ms, Work& work) {
    if (work.sender == nullptr) {
        return kNever;
    }
    const Sender& sender = *work.sender;
    const auto size = static_cast<std::size_t>(session_.options.block_elements);
    Datagram out{Kind::kContribution,
                 work.round,
                 0,
                 static_cast<std::uint16_t>(island_),
                 0,
                 schedule::Clique{1} << host_,
                 {}};
    const bool faster = sender.sending_ms > kMuchFaster * session_.access_ms(island_);
    const double ahead = faster ? kLessAheadMs : kAheadMs;
    for (; work.next < session_.blocks; ++work.next) {
        const double due = work.start_ms + sender.offset_ms + work.next * block_ms(sender);
        if (due > now_ms + ahead || now_ms < work.start_ms + sender.offset_ms) {
            return std::max(due - ahead / 2, work.start_ms + sender.offset_ms);
        }
        const auto& kill_at = session_.options.kill;
        if (kill_at && kill_at->island == island_ && kill_at->round == work.round &&
            work.next >= session_.blocks / 2) {
            end_at_once();
        }
        counts_.late_ms = std::max(counts_.late_ms, now_ms - due);
        const std::span<const std::int32_t> block =
            std::span(work.own).subspan(work.next * size, size);
        out.block = out.sequence = work.next;
        out.elements.assign(block.begin(), block.end());
        const int copies = random_.uniform() < session_.options.duplicates ? 2 : 1;
        for (int i = 0; i < copies; ++i) {
            static_cast<void>(socket_.send(sender.group, kAggregatorPort, out));
        }
    }
    return kNever;
}

/// Asks when nothing has come for a while: as long as something comes, the link is full, and what
/// is late may wait in front of it.
double Island::ask(double now_ms, Work& work) {
    if (work.reported || work.merger.complete()) {
        return kNever;
    }
    if (now_ms < work.last_ms + kQuietMs) {
        return std::max(work.last_ms + kQuietMs, work.requests.next_ms());
    }
    if (work.requests.next_ms() <= now_ms) {
        for (const Request& request :
             work.requests.due(now_ms, work.merger, static_cast<std::size_t>(kMostElements))) {
            counts_.requests += static_cast<double>(request.blocks.size());
            Datagram out{
                Kind::kRequest, work.round, 0, static_cast<std::uint16_t>(island_), 0, 0, {}};
            out.elements.assign(request.blocks.begin(), request.blocks.end());
            static_cast<void>(
                socket_.send(address(static_cast<std::size_t>(request.island)), kIslandPort, out));
        }
    }
    return work.requests.next_ms();
}

/// Tells the coordinator about a round that is over: complete, or out of patience.
double Island::finish(double now_ms, Work& work) {
    if (work.reported) {
        return kNever;
    }
    const double end = work.start_ms + session_.rounds[work.round].predicted_ms;
    const double due = work.merger.complete() ? std::max(end, work.finished_ms) + kReportMs
                                              : end + session_.options.patience_ms;
    if (due > now_ms) {
        return due;
    }
    work.reported = true;
    report(work);
    return kNever;
}

void Island::report(const Work& work) {
    core::Value stretches = core::Value::array();
    for (const Stretch& stretch : work.merger.stretches()) {
        core::Value members = core::Value::array();
        for (const int member : schedule::members_of(stretch.mask)) {
            members.append(member);
        }
        stretches.append(core::Value::object()
                             .set("blocks", static_cast<double>(stretch.blocks))
                             .set("islands", std::move(members)));
    }
    core::Value message = core::Value::object();
    message.set("round", static_cast<double>(work.round))
        .set("stretches", std::move(stretches))
        .set("digest", digest_of(work.merger.sums()));
    if (work.merger.complete()) {
        message.set("elapsed_ms", work.finished_ms - work.start_ms);
    }
    static_cast<void>(control_.send(message));
}

/// Sends blocks again that others lack, no faster than the first time.
double Island::resend(double now_ms) {
    while (!owed_.empty()) {
        if (resend_ms_ > now_ms) {
            return resend_ms_;
        }
        const Owed owed = owed_.front();
        owed_.pop_front();
        const auto work = work_.find(owed.round);
        if (work == work_.end() || work->second.sender == nullptr ||
            owed.block >= session_.blocks) {
            continue;
        }
        const auto size = static_cast<std::size_t>(session_.options.block_elements);
        const auto block = std::span(work->second.own).subspan(owed.block * size, size);
        const Datagram out{Kind::kResend,
                           owed.round,
                           owed.block,
                           static_cast<std::uint16_t>(island_),
                           owed.block,
                           schedule::Clique{1} << host_,
                           {block.begin(), block.end()}};
        static_cast<void>(socket_.send(address(owed.to), kIslandPort, out));
        ++counts_.resends;
        resend_ms_ = std::max(resend_ms_, now_ms - block_ms(*work->second.sender)) +
                     block_ms(*work->second.sender);
    }
    return kNever;
}

}  // namespace longhaul::runtime
