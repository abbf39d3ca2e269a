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
constexpr double kQuietMs = 20;       // without a sum: nothing queues in front of the access link
constexpr double kAnswerWaitMs = 50;  // beyond what a request and its answer take
constexpr double kKeptMs = 500;       // a round is kept for others, after their patience
constexpr int kRequestCopies = 2;     // they are small
constexpr int kSureAttempt = 3;       // from that on blocks are sent twice
constexpr std::size_t kMostRanges = kMostElements / 2;
constexpr double kSameMs = 1e-3;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

/// Whether a stream leaves nothing of the access link of its sender.
bool Island::fills(const Sender& sender) const {
    return sender.sending_ms <= kMuchFaster * session_.access_ms(sender.island);
}

/// Streams of an island that leave no room for resends, as long as a round is asked for; own clock.
std::vector<Full> Island::full_from(int island, std::uint32_t round) const {
    const SessionRound& now = session_.rounds[round];
    const double end = now.start_ms + now.predicted_ms + session_.patience_ms;
    std::vector<Full> full;
    for (std::uint32_t k = round > 0 ? round - 1 : 0; k < session_.rounds.size(); ++k) {
        if (session_.rounds[k].start_ms - session_.lead_ms > end) {
            break;
        }
        for (const Sender& sender : session_.exchange(k, island).senders) {
            if (sender.island == island && fills(sender)) {
                const double from = *begin_ms_ + session_.rounds[k].start_ms + sender.offset_ms;
                full.push_back({from, from + sender.sending_ms});
            }
        }
    }
    return full;
}

/// When each block of the other members must have come, if nothing is lost: its sum leaves with the
/// slowest of them, or when the slot gives up a member that does not come.
Requests Island::requests_of(std::uint32_t round, double start_ms) const {
    const Exchange& exchange = session_.exchange(round, island_);
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
            const double answer = session_.access_ms(sender.island) / session_.blocks;
            streams.push_back({sender.island,
                               start_ms + first,
                               each,
                               session_.latency_ms(host_, other),
                               session_.latency_ms(other, host_),
                               answer * static_cast<double>(members.size() - 1),
                               full_from(sender.island, round)});
        }
    }
    const double slack = kSlackMs + session_.guard_ms;
    return {std::move(streams),
            session_.blocks,
            {slack, session_.timeout_ms + slack, kAnswerWaitMs, session_.options.tries}};
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
            payload_of(session_.options.seed, prepared_, island_, elements, session_.payload_bits);
        Merger merger(exchange.members,
                      island_,
                      own,
                      session_.blocks,
                      session_.weights_of(prepared_, island_));
        Work work{prepared_,
                  start,
                  std::move(own),
                  std::move(merger),
                  requests_of(prepared_, start),
                  nullptr,
                  0,
                  start,
                  0,
                  -1,
                  exchange.senders.empty(),
                  follows(prepared_)};
        const auto sender = std::ranges::find(exchange.senders, island_, &Sender::island);
        work.sender = sender != exchange.senders.end() ? &*sender : nullptr;
        work_.emplace(prepared_, std::move(work));
        ++prepared_;
        std::erase_if(work_, [&](const auto& entry) {
            return entry.second.reported && now_ms > entry.second.start_ms +
                                                         session_.rounds[entry.first].predicted_ms +
                                                         session_.patience_ms + kKeptMs;
        });
    }
    return kNever;
}

/// Whether the own stream of a round begins while that of the round before is on the access link.
bool Island::follows(std::uint32_t round) const {
    const auto own = [&](std::uint32_t k) -> const Sender* {
        const std::vector<Sender>& senders = session_.exchange(k, island_).senders;
        const auto at = std::ranges::find(senders, island_, &Sender::island);
        return at != senders.end() && fills(*at) ? &*at : nullptr;
    };
    const Sender* const before = round > 0 ? own(round - 1) : nullptr;
    const Sender* const now = own(round);
    return before != nullptr && now != nullptr &&
           session_.rounds[round - 1].start_ms + before->offset_ms + before->sending_ms + kSameMs >
               session_.rounds[round].start_ms + now->offset_ms;
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
    const double ahead = fills(sender) ? kAheadMs : kLessAheadMs;
    // Behind a stream of its own the first block, too, can wait in front of the access link.
    const double begin = work.start_ms + sender.offset_ms - (work.follows ? ahead : 0);
    for (; work.next < session_.blocks; ++work.next) {
        const double due = work.start_ms + sender.offset_ms + work.next * block_ms(sender);
        if (due > now_ms + ahead || now_ms < begin) {
            return std::max(due - ahead / 2, begin);
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

/// Up to when what was due has passed the access link: sums come in order of time, so that what
/// was due before the last one has come, or is lost; when none comes, nothing is on its way.
double Island::progress_ms(const Work& work, double now_ms) const {
    if (now_ms >= work.sum_ms + kQuietMs) {
        return now_ms;
    }
    return std::min(now_ms, work.requests.planned_ms(work.highest));
}

double Island::ask(double now_ms, Work& work) {
    if (work.reported || work.merger.complete()) {
        return kNever;
    }
    if (work.requests.next_ms() <= now_ms) {
        const std::uint64_t lacking = work.requests.lacking();
        const std::uint64_t asked = work.requests.asked();
        for (const Request& request :
             work.requests.due(now_ms, progress_ms(work, now_ms), work.merger, kMostRanges)) {
            Datagram out{Kind::kRequest,
                         work.round,
                         static_cast<std::uint32_t>(request.attempt),
                         static_cast<std::uint16_t>(island_),
                         ++asked_,
                         0,
                         {}};
            for (const BlockRange& range : request.ranges) {
                out.elements.push_back(static_cast<std::int32_t>(range.first));
                out.elements.push_back(static_cast<std::int32_t>(range.count));
            }
            for (int i = 0; i < kRequestCopies; ++i) {
                static_cast<void>(socket_.send(
                    address(static_cast<std::size_t>(request.island)), kIslandPort, out));
            }
            ++counts_.datagrams;
        }
        counts_.lacking += static_cast<double>(work.requests.lacking() - lacking);
        counts_.requests += static_cast<double>(work.requests.asked() - asked);
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
                                              : end + session_.patience_ms;
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

/// The own streams of the session, from its start, with what waits in front of the access link.
std::vector<Busy> Island::own_streams() const {
    std::vector<Busy> busy;
    for (const SessionRound& round : session_.rounds) {
        for (const Sender& sender : round.exchanges[round.exchange_of[host_]].senders) {
            if (sender.island == island_) {
                const double begin = round.start_ms + sender.offset_ms;
                const double share = session_.access_ms(island_) / sender.sending_ms;
                busy.push_back({begin, begin + sender.sending_ms, std::min(1.0, share)});
            }
        }
    }
    return busy;
}

void Island::resend_one(const Owed& owed) {
    const auto work = work_.find(owed.round);
    if (work == work_.end() || work->second.sender == nullptr) {
        return;
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
    for (int i = 0; i < (owed.attempt >= kSureAttempt ? 2 : 1); ++i) {
        static_cast<void>(
            socket_.send(address(static_cast<std::size_t>(owed.to)), kIslandPort, out));
        ++counts_.resends;
    }
}

/// Sends blocks again that others lack, when the access link has room for them.
double Island::resend(double now_ms) {
    if (!begin_ms_) {
        return kNever;
    }
    while (const auto owed = resends_.take(now_ms - *begin_ms_)) {
        resend_one(*owed);
    }
    return *begin_ms_ + resends_.next_ms(now_ms - *begin_ms_);
}

}  // namespace longhaul::runtime
