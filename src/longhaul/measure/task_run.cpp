#include "longhaul/measure/task_run.hpp"

#include <algorithm>

#include "longhaul/measure/tcp_team.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using core::Value;

constexpr Seconds kConnectPatience{15};
constexpr Seconds kReadyPatience{60};  // for connections and for other tasks of the slot
constexpr Seconds kForever{1e9};

bool drives_self(const TaskOrder& order, const std::string& self) {
    const auto party = std::ranges::find(order.parties, self, &PartyOrder::id);
    return party != order.parties.end() && !party->ticket.empty();
}

Value facts_value(const TcpFacts& facts) {
    return Value::object()
        .set("min_rtt_s", facts.min_rtt_s)
        .set("retransmitted_bytes", facts.retransmitted_bytes)
        .set("sndbuf_limited_s", facts.sndbuf_limited_s)
        .set("rwnd_limited_s", facts.rwnd_limited_s)
        .set("busy_s", facts.busy_s)
        .set("delivery_gbps", facts.delivery_gbps)
        .set("application_limited", facts.application_limited);
}

TcpFacts facts_of(const Value& value) {
    return {number_member(value, "min_rtt_s"),
            number_member(value, "retransmitted_bytes"),
            number_member(value, "sndbuf_limited_s"),
            number_member(value, "rwnd_limited_s"),
            number_member(value, "busy_s"),
            number_member(value, "delivery_gbps"),
            flag_member(value, "application_limited")};
}

Value problem_value(const TaskProblem& problem) {
    return Value::object().set("problem", problem.kind).set("detail", problem.detail);
}

}  // namespace

Value to_value(const FlowTimes& times) {
    Value value = Value::object();
    value.set("flow", times.flow).set("begin_s", times.begin_s);
    value.set("elapsed_s", times.elapsed_s).set("per_stream_s", times.per_stream_s);
    value.set("receive_s", times.receive_s.value_or(0));
    value.set("cpu_share", times.cpu_share.value_or(0));
    value.set("congestion_control", times.congestion_control);
    if (times.connect_s) {
        value.set("connect_s", *times.connect_s);
    }
    return value.set("tcp", facts_value(times.tcp.value_or(TcpFacts())));
}

FlowTimes flow_times_of(const Value& value) {
    FlowTimes times;
    times.flow = integer_member(value, "flow", -1);
    times.begin_s = number_member(value, "begin_s");
    times.elapsed_s = number_member(value, "elapsed_s");
    if (const Value* streams = value.find("per_stream_s")) {
        times.per_stream_s = streams->numbers;
    }
    times.receive_s = number_member(value, "receive_s");
    times.cpu_share = number_member(value, "cpu_share");
    times.congestion_control = text_member(value, "congestion_control");
    if (value.find("connect_s") != nullptr) {
        times.connect_s = number_member(value, "connect_s");
    }
    if (const Value* tcp = value.find("tcp")) {
        times.tcp = facts_of(*tcp);
    }
    return times;
}

TaskRun::TaskRun(TaskOrder order, TaskSetting setting)
    : order_(std::move(order)),
      setting_(std::move(setting)),
      leads_(order_.leader == setting_.self),
      driven_(drives_self(order_, setting_.self)),
      end_(transport::now() + Seconds(order_.seconds) + kReadyPatience) {
    out_ = std::make_unique<OutFlows>(
        order_, setting_.self, *setting_.token, *setting_.budget, sockets_);
    thread_ = std::thread([this] { run(); });
}

TaskRun::~TaskRun() {
    cancel();
    thread_.join();
    for (std::thread& receiver : receivers_) {
        receiver.join();
    }
}

bool TaskRun::expects(const DataHello& hello, const transport::Ticket& ticket) const {
    const std::lock_guard lock(mutex_);
    if (ticket.task != order_.task || ticket.attempt != order_.attempt ||
        ticket.to != setting_.self || phase_ == Phase::kEnd ||
        seen_.contains({hello.flow, hello.stream, hello.serial})) {
        return false;
    }
    if (hello.flow < 0) {
        return driven_ && ticket.from == order_.leader && hello.stream == 0 && hello.serial == 0;
    }
    if (static_cast<std::size_t>(hello.flow) >= order_.flows.size() ||
        hello.stream >= order_.streams) {
        return false;
    }
    const FlowOrder& flow = order_.flows[static_cast<std::size_t>(hello.flow)];
    const bool first = hello.serial == 0 || order_.state == State::kCold;
    return first && flow.from == ticket.from && flow.to == setting_.self;
}

void TaskRun::offer(transport::Admission admission, const DataHello& hello, double max_bytes) {
    const std::lock_guard lock(mutex_);
    const bool fresh = seen_.insert({hello.flow, hello.stream, hello.serial}).second;
    if (!fresh || phase_ == Phase::kEnd) {
        return;
    }
    ++connected_;
    if (hello.flow < 0) {
        auto channel = std::make_shared<transport::Channel>(
            std::move(admission.socket), admission.keys, transport::Side::kServer);
        receivers_.emplace_back([this, channel] { serve_leader(*channel); });
    } else {
        const auto socket = sockets_.add(std::move(admission.socket));
        const Allowance allowance{std::min(max_bytes, setting_.most_bytes), setting_.budget, end_};
        receivers_.emplace_back([this, socket, allowance] { receive(*socket, allowance); });
    }
    changed_.notify_all();
}

void TaskRun::receive(transport::Socket& socket, const Allowance& allowance) {
    const auto done = receive_messages(socket, allowance, book_);
    if (!done && done.error().kind == transport::IoError::Kind::kRefused) {
        report("failed", problem_of(done.error(), setting_.self));
    }
}

void TaskRun::report(const std::string& what, const TaskProblem& problem) {
    Value value = command(what);
    value.set("task", order_.task).set("attempt", order_.attempt);
    value.set("kind", problem.kind).set("detail", problem.detail);
    setting_.post({kCommandFrame, core::write_json_line(value)});
}

void TaskRun::connect() {
    const std::lock_guard lock(mutex_);
    phase_ = phase_ == Phase::kPrepared ? Phase::kConnect : phase_;
    changed_.notify_all();
}

void TaskRun::go(Seconds start) {
    const std::lock_guard lock(mutex_);
    start_ = start;
    phase_ = phase_ == Phase::kReady ? Phase::kGo : phase_;
    changed_.notify_all();
}

void TaskRun::cancel() {
    {
        const std::lock_guard lock(mutex_);
        phase_ = Phase::kEnd;
        changed_.notify_all();
    }
    sockets_.end();
    book_.end();
}

/// Waits until the phase is reached; false when the task has ended before.
bool TaskRun::wait_for(Phase phase) {
    std::unique_lock lock(mutex_);
    const double left = (end_ - transport::now()).value();
    changed_.wait_for(lock, std::chrono::duration<double>(left), [&] { return phase_ >= phase; });
    return phase_ == phase;
}

int TaskRun::connections_wanted() const {
    const auto incoming = std::ranges::count(order_.flows, setting_.self, &FlowOrder::to);
    const bool now = order_.state != State::kCold;  // cold connections come one by one
    return (driven_ ? 1 : 0) + (now ? static_cast<int>(incoming) * order_.streams : 0);
}

bool TaskRun::connect_all() {
    const Seconds deadline = transport::now() + kConnectPatience;
    if (order_.state != State::kCold) {
        if (const auto connected = out_->connect(deadline); !connected) {
            report("failed", connected.error());
            return false;
        }
    }
    std::unique_lock lock(mutex_);
    const double left = (deadline - transport::now()).value();
    const bool all = changed_.wait_for(lock, std::chrono::duration<double>(left), [&] {
        return phase_ == Phase::kEnd || connected_ >= connections_wanted();
    });
    const bool ended = phase_ == Phase::kEnd;
    lock.unlock();
    if (!all) {
        report("failed", {"timeout", setting_.self + ": not every sender has connected"});
    }
    return all && !ended;
}

void TaskRun::run() {
    if (!wait_for(Phase::kConnect)) {
        return;
    }
    if (leads_) {
        lead();
        return;
    }
    if (connect_all()) {
        const std::lock_guard lock(mutex_);
        phase_ = phase_ == Phase::kConnect ? Phase::kReady : phase_;
        report("ready", {});
    }
}

void TaskRun::lead() {
    TcpTeam team(order_, setting_.self, *setting_.token, *out_, book_, sockets_, end_);
    const auto driven = team.connect(transport::now() + kConnectPatience);
    if (!driven) {
        report("failed", driven.error());
        return;
    }
    if (!connect_all()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        phase_ = phase_ == Phase::kConnect ? Phase::kReady : phase_;
    }
    report("ready", {});
    if (!wait_for(Phase::kGo)) {
        return;
    }
    transport::sleep_until(std::min(start_, transport::now() + kConnectPatience));
    const ProgramResult result = run_program(order_, team, [&](const Sample& sample) {
        setting_.post({kRecordsFrame, to_line(sample)});
    });
    for (const TaskProblem& event : result.events) {
        report("event", event);
    }
    report(result.complete ? "done" : "failed",
           result.events.empty() ? TaskProblem() : result.events.back());
}

void TaskRun::serve_leader(transport::Channel& channel) {
    sockets_.watch(channel.socket());
    while (true) {
        const auto frame = channel.receive(transport::now() + kForever);
        if (!frame) {
            break;
        }
        const Value answer = answer_leader(object_of(frame->body));
        if (!channel.send({kCommandFrame, core::write_json_line(answer)}, end_)) {
            break;
        }
    }
    sockets_.remove(channel.socket());
}

Value TaskRun::answer_leader(const Value& request) {
    const std::string what = text_member(request, "do");
    if (what == "clock") {
        return command("clock").set("t", transport::now().value());
    }
    if (what == "open") {
        const auto opened = out_->connect(end_);
        return opened ? command("open") : problem_value(opened.error());
    }
    if (what == "round") {
        return answer_round(request);
    }
    return problem_value({"refused", "an unknown command"});
}

Value TaskRun::answer_round(const Value& request) {
    const auto number = static_cast<std::uint32_t>(integer_member(request, "number"));
    const Seconds start(number_member(request, "start"));
    const double bytes = number_member(request, "bytes");
    if (!(bytes >= 0 && bytes <= setting_.most_bytes) ||
        start > transport::now() + kReadyPatience) {
        return problem_value({"refused", setting_.self + ": more than this agent sends"});
    }
    const auto flows = out_->round(number, bytes, start, end_);
    if (!flows) {
        return problem_value(flows.error());
    }
    Value list = Value::array();
    for (const FlowTimes& flow : *flows) {
        list.append(to_value(flow));
    }
    Value answer = command("round").set("flows", list);
    const auto incoming = std::ranges::count(order_.flows, setting_.self, &FlowOrder::to);
    if (incoming > 0) {
        const auto received =
            book_.wait_for(number, static_cast<int>(incoming) * order_.streams, end_);
        if (!received) {
            return problem_value({"timeout", setting_.self + ": a message did not arrive"});
        }
        answer.set("received_s", (*received - start).value());
    }
    return answer;
}

}  // namespace longhaul::measure
