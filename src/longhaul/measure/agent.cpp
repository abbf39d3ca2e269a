#include "longhaul/measure/agent.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using core::Value;

constexpr std::size_t kSessionSize = 8;
constexpr Seconds kSendPatience{5};
constexpr Seconds kNoteEvery{10};
constexpr std::uint32_t kMostFramesWaiting = 100'000;

}  // namespace

core::Result<std::vector<Peer>> parse_peers(std::string_view text) {
    std::vector<Peer> peers;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view one = text.substr(0, comma);
        const std::size_t equal = one.find('=');
        const bool named = equal != std::string_view::npos && equal > 0;
        const std::optional<transport::Network> network =
            named ? transport::Network::parse(one.substr(equal + 1)) : std::nullopt;
        if (!network) {
            return core::fail({"",
                               "",
                               "found " + core::shown(one) + " among the peers",
                               "ID=ADDRESS or ID=ADDRESS/BITS, such as a=10.0.0.1,b=10.1.0.0/16"});
        }
        peers.push_back({std::string(one.substr(0, equal)), *network});
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return peers;
}

Agent::Agent(transport::Listener listener,
             transport::Token token,
             AgentOptions options,
             std::function<void(const AgentNote&)> note)
    : token_(std::move(token)),
      options_(std::move(options)),
      note_(std::move(note)),
      budget_(options_.limits.hour_bytes),
      door_(std::move(listener), token_, rules()) {}

Agent::~Agent() {
    drop_task();
}

transport::DoorRules Agent::rules() {
    transport::DoorRules rules;
    rules.may_connect = [this](const transport::Address& from) {
        return std::ranges::any_of(options_.peers,
                                   [&](const Peer& peer) { return peer.network.contains(from); });
    };
    rules.may_enter = [this](const transport::Hello& hello, const transport::Address& from) {
        return may_enter(hello, from);
    };
    return rules;
}

bool Agent::is_peer(std::string_view id, const transport::Address& from) const {
    return std::ranges::any_of(options_.peers, [&](const Peer& peer) {
        return peer.id == id && peer.network.contains(from);
    });
}

std::optional<transport::Ticket> Agent::ticket_of(const DataHello& hello,
                                                  const transport::Address& from) const {
    const auto ticket = transport::open_ticket(hello.ticket, token_, transport::now());
    const bool good = ticket && task_ && !session_.empty() && ticket->session == session_ &&
                      is_peer(ticket->from, from) && task_->expects(hello, *ticket);
    return good ? ticket : std::nullopt;
}

bool Agent::may_enter(const transport::Hello& hello, const transport::Address& from) {
    if (hello.purpose == transport::Purpose::kData) {
        const auto data = data_hello_of(hello.payload);
        return data && ticket_of(*data, from);
    }
    const Value said = object_of(hello.payload);
    const std::string to = text_member(said, "to");
    return is_peer(kCoordinatorId, from) && text_member(said, "id") == kCoordinatorId &&
           !to.empty() && (options_.id.empty() || options_.id == to);
}

void Agent::step(Seconds patience) {
    std::vector<transport::Watch> watches{{waker_.fd()}};
    door_.watch(watches);
    if (coordinator_) {
        watches.push_back({coordinator_->socket().fd()});
    }
    transport::wait(watches, patience);
    waker_.drain();
    hear();  // first: an old coordinator that is gone makes room for a new one
    for (transport::Admission& admission : door_.step()) {
        admit(std::move(admission));
    }
    speak();
    if (coordinator_ && transport::now() - heard_ > Seconds(options_.limits.silence_seconds)) {
        drop_session("the coordinator is silent");
    }
    std::erase_if(retired_, [](const std::future<void>& one) {
        return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    note_strangers();
}

void Agent::admit(transport::Admission admission) {
    if (admission.hello.purpose == transport::Purpose::kControl) {
        admit_coordinator(std::move(admission));
    } else {
        admit_data(std::move(admission));
    }
}

void Agent::admit_coordinator(transport::Admission admission) {
    transport::Channel channel(
        std::move(admission.socket), admission.keys, transport::Side::kServer);
    const Seconds deadline = transport::now() + kSendPatience;
    if (coordinator_) {
        (void)channel.send({kCommandFrame, core::write_json_line(command("busy"))}, deadline);
        return;
    }
    session_ = transport::to_hex(transport::random_bytes(kSessionSize));
    self_ = text_member(object_of(admission.hello.payload), "to");
    heard_ = transport::now();
    coordinator_.emplace(std::move(channel));
    {
        const std::lock_guard lock(mutex_);
        outbox_.clear();
    }
    note_({"session",
           fmt::format("coordinator {} calls this agent {}", admission.remote.text(), self_)});
    tell(command("welcome").set("session", session_).set("facts", options_.facts));
}

void Agent::admit_data(transport::Admission admission) {
    const auto hello = data_hello_of(admission.hello.payload);
    const auto ticket = hello ? ticket_of(*hello, admission.remote) : std::nullopt;
    if (ticket) {  // the task may have ended since the handshake began
        task_->offer(std::move(admission), *hello, static_cast<double>(ticket->max_bytes));
    }
}

void Agent::hear() {
    if (!coordinator_) {
        return;
    }
    const auto frames = coordinator_->drain();
    if (!frames) {
        drop_session(frames.error().what);
        return;
    }
    for (const transport::Frame& frame : *frames) {
        heard_ = transport::now();
        obey(frame);
    }
}

void Agent::obey(const transport::Frame& frame) {
    const Value request = object_of(frame.body);
    const std::string what = text_member(request, "do");
    if (what == "clock") {
        tell(command("clock").set("t", transport::now().value()));
        return;
    }
    if (what == "beat") {
        tell(command("beat"));
        return;
    }
    if (what == "prepare") {
        prepare(request);
        return;
    }
    const bool current = task_ && task_->order().task == text_member(request, "task") &&
                         task_->order().attempt == integer_member(request, "attempt");
    if (!current) {
        return;
    }
    if (what == "connect") {
        task_->connect();
    } else if (what == "go") {
        task_->go(Seconds(number_member(request, "start")));
    } else if (what == "finish") {
        drop_task();
    }
}

void Agent::prepare(const Value& request) {
    drop_task();
    std::optional<TaskOrder> order = order_of(request);
    if (!order) {
        return;
    }
    Value answer = command("prepared").set("task", order->task).set("attempt", order->attempt);
    if (order->seconds > options_.limits.task_seconds) {
        answer.set("do", "failed").set("kind", "refused");
        answer.set(
            "detail",
            fmt::format("{}: a task may take {} s here", self_, options_.limits.task_seconds));
        tell(answer);
        return;
    }
    note_({"task", order->task});
    task_ = std::make_unique<TaskRun>(
        std::move(*order),
        TaskSetting{
            self_, &token_, &budget_, options_.limits.task_bytes, [this](TaskMessage message) {
                post(std::move(message));
            }});
    tell(answer);
}

void Agent::post(TaskMessage message) {
    const std::lock_guard lock(mutex_);
    if (outbox_.size() < kMostFramesWaiting) {
        outbox_.push_back(std::move(message));
    }
    waker_.notify();
}

void Agent::speak() {
    std::deque<TaskMessage> messages;
    {
        const std::lock_guard lock(mutex_);
        messages.swap(outbox_);
    }
    for (const TaskMessage& message : messages) {
        if (coordinator_ &&
            !coordinator_->send({message.frame, message.body}, transport::now() + kSendPatience)) {
            drop_session("the coordinator does not listen");
        }
    }
}

void Agent::tell(const Value& message) {
    if (coordinator_ && !coordinator_->send({kCommandFrame, core::write_json_line(message)},
                                            transport::now() + kSendPatience)) {
        drop_session("the coordinator does not listen");
    }
}

void Agent::drop_session(const std::string& why) {
    coordinator_.reset();
    session_.clear();
    drop_task();
    note_({"idle", why});
}

/// Ends the task at once; its threads are waited for elsewhere, since a connection that is being
/// made cannot be interrupted.
void Agent::drop_task() {
    if (!task_) {
        return;
    }
    task_->cancel();
    auto old = std::shared_ptr<TaskRun>(std::move(task_));
    retired_.push_back(std::async(std::launch::async, [old]() mutable { old.reset(); }));
}

/// Says how many strangers were turned away, at most every ten seconds.
void Agent::note_strangers() {
    const transport::DoorCounts& counts = door_.counts();
    const std::uint64_t total = counts.address + counts.handshake + counts.slow;
    const std::uint64_t before =
        noted_counts_.address + noted_counts_.handshake + noted_counts_.slow;
    if (total == before || transport::now() - noted_ < kNoteEvery) {
        return;
    }
    note_({"turned_away",
           fmt::format("{} from other addresses, {} without the token or a task, {} too slow",
                       counts.address - noted_counts_.address,
                       counts.handshake - noted_counts_.handshake,
                       counts.slow - noted_counts_.slow)});
    noted_ = transport::now();
    noted_counts_ = counts;
}

}  // namespace longhaul::measure
