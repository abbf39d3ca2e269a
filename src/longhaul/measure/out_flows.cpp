#include "longhaul/measure/out_flows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "longhaul/transport/clock.hpp"
#include "longhaul/transport/handshake.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using transport::Io;
using transport::IoError;

/// What the kernel counted during a message, added over its streams.
void add_facts(TcpFacts& facts, const SendTimes& times, bool first) {
    const transport::TcpState& after = times.after;
    const transport::TcpState& before = times.before;
    facts.min_rtt_s =
        first ? after.min_rtt.value() : std::min(facts.min_rtt_s, after.min_rtt.value());
    facts.retransmitted_bytes += after.retransmitted_bytes - before.retransmitted_bytes;
    facts.sndbuf_limited_s +=
        std::max((after.sndbuf_limited - before.sndbuf_limited).value(), times.buffer_full_s);
    facts.rwnd_limited_s += (after.rwnd_limited - before.rwnd_limited).value();
    facts.busy_s += (after.busy - before.busy).value();
    facts.delivery_gbps += after.delivery_gbps;
    facts.application_limited = facts.application_limited || after.application_limited;
}

}  // namespace

Worker::Worker() : thread_([this] { loop(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Worker::start(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    busy_ = true;
    changed_.notify_all();
}

void Worker::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
}

void Worker::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return stop_ || job_; });
        if (!job_) {
            return;
        }
        const std::function<void()> job = std::move(job_);
        job_ = nullptr;
        lock.unlock();
        job();
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

TaskProblem problem_of(const IoError& error, const std::string& where) {
    const bool late = error.kind == IoError::Kind::kTimeout;
    const bool refused = error.kind == IoError::Kind::kRefused;
    return {late ? "timeout" : refused ? "refused" : "peer_lost", where + ": " + error.what};
}

OutFlows::OutFlows(const TaskOrder& order,
                   const std::string& self,
                   const transport::Token& token,
                   ByteBudget& budget,
                   SocketSet& sockets)
    : order_(order), token_(token), budget_(budget), sockets_(sockets) {
    for (std::size_t i = 0; i < order.flows.size(); ++i) {
        for (int stream = 0; order.flows[i].from == self && stream < order.streams; ++stream) {
            auto made = std::make_unique<Stream>();
            made->flow = static_cast<int>(i);
            made->index = stream;
            made->pool = payload_pool(i * 64 + static_cast<std::size_t>(stream));
            streams_.push_back(std::move(made));
        }
    }
}

const PartyOrder* OutFlows::receiver_of(int flow) const {
    const std::string& to = order_.flows[static_cast<std::size_t>(flow)].to;
    const auto party = std::ranges::find(order_.parties, to, &PartyOrder::id);
    return party == order_.parties.end() ? nullptr : &*party;
}

void OutFlows::connect_one(Stream& stream, Seconds deadline) {
    stream.socket.reset();
    const FlowOrder& flow = order_.flows[static_cast<std::size_t>(stream.flow)];
    const PartyOrder* to = receiver_of(stream.flow);
    const core::Result<transport::Address> address =
        to == nullptr ? core::Result<transport::Address>(core::fail({"", "", "unknown", ""}))
                      : transport::resolve(to->address, static_cast<std::uint16_t>(to->port));
    if (!address) {
        stream.connected = transport::io_error(IoError::Kind::kSystem, address.error()[0].what);
        return;
    }
    const Seconds begin = transport::now();
    transport::ConnectOptions options;
    options.congestion_control = order_.congestion_control;
    options.source = address_of(order_, flow.from);
    Io<transport::Socket> socket = transport::connect_to(*address, options, deadline);
    if (!socket) {
        stream.connected = tl::unexpected(socket.error());
        return;
    }
    stream.connect_time = transport::now() - begin;
    stream.socket = sockets_.add(std::move(*socket));
    const DataHello hello{flow.ticket, stream.flow, stream.index, stream.serial++};
    const Io<transport::SessionKeys> keys = transport::shake_hands(
        *stream.socket, token_, {transport::Purpose::kData, to_payload(hello)}, deadline);
    stream.connected = keys ? Io<void>() : tl::unexpected(keys.error());
}

tl::expected<void, TaskProblem> OutFlows::connect(Seconds deadline) {
    for (const auto& stream : streams_) {
        stream->worker.start([this, &one = *stream, deadline] { connect_one(one, deadline); });
    }
    for (const auto& stream : streams_) {
        stream->worker.wait();
    }
    for (const auto& stream : streams_) {
        if (!stream->connected) {
            const FlowOrder& flow = order_.flows[static_cast<std::size_t>(stream->flow)];
            return tl::unexpected(problem_of(stream->connected.error(), flow.from + ">" + flow.to));
        }
    }
    return {};
}

tl::expected<std::vector<FlowTimes>, TaskProblem> OutFlows::round(std::uint32_t number,
                                                                  double bytes,
                                                                  Seconds start,
                                                                  Seconds deadline) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    const auto parts = static_cast<std::uint64_t>(order_.streams);
    if (!budget_.take(bytes * static_cast<double>(streams_.size()) / order_.streams,
                      transport::now())) {
        return tl::unexpected(TaskProblem{"refused", "the agent's bytes of this hour are used up"});
    }
    for (const auto& stream : streams_) {
        const auto index = static_cast<std::uint64_t>(stream->index);
        const std::uint64_t part = whole / parts + (index < whole % parts ? 1 : 0);
        stream->worker.start([&one = *stream, number, part, start, deadline] {
            one.outcome =
                one.socket
                    ? send_message(*one.socket, one.pool, number, part, start, deadline)
                    : Io<SendTimes>(transport::io_error(IoError::Kind::kBroken, "not connected"));
        });
    }
    for (const auto& stream : streams_) {
        stream->worker.wait();
    }
    std::vector<FlowTimes> flows;
    for (const auto& stream : streams_) {
        if (!stream->outcome) {
            const FlowOrder& flow = order_.flows[static_cast<std::size_t>(stream->flow)];
            return tl::unexpected(problem_of(stream->outcome.error(), flow.from + ">" + flow.to));
        }
        if (stream->index == 0) {
            flows.push_back(times_of(stream->flow, start));
        }
    }
    return flows;
}

FlowTimes OutFlows::times_of(int flow, Seconds start) const {
    FlowTimes times;
    times.flow = flow;
    TcpFacts facts;
    std::optional<Seconds> begin;
    Seconds end;
    double cpu = 0;
    for (const auto& stream : streams_) {
        if (stream->flow != flow) {
            continue;
        }
        const SendTimes& one = *stream->outcome;
        add_facts(facts, one, !begin);
        begin = begin ? std::min(*begin, one.begin) : one.begin;
        end = std::max(end, one.end);
        times.per_stream_s.push_back((one.end - one.begin).value());
        times.receive_s = std::max(times.receive_s.value_or(0), one.receive_s);
        const double took = (one.end - one.begin).value();
        cpu = std::max({cpu, one.cpu_s / took, one.receiver_cpu_s / took});
        if (order_.state == State::kCold) {
            times.connect_s = std::max(times.connect_s.value_or(0), stream->connect_time.value());
        }
        times.congestion_control = stream->socket->congestion_control();
    }
    times.begin_s = (*begin - start).value();
    times.elapsed_s = (end - *begin).value();
    times.cpu_share = cpu;
    times.tcp = facts;
    return times;
}

}  // namespace longhaul::measure
