// The agent: takes part in tasks that a coordinator with the token orders, and in nothing else.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/task_run.hpp"
#include "longhaul/transport/acceptor.hpp"
#include "longhaul/transport/channel.hpp"

namespace longhaul::measure {

inline constexpr std::string_view kCoordinatorId = "coordinator";

/// Who may talk to an agent: an id, and the addresses that it may come from.
struct Peer {
    std::string id;
    transport::Network network;
};

/// From "a=10.0.0.1,b=10.1.0.0/16,coordinator=10.0.0.9".
[[nodiscard]] core::Result<std::vector<Peer>> parse_peers(std::string_view text);

/// What an agent never exceeds, whatever the coordinator says. It runs one task at a time.
struct AgentLimits {
    double task_bytes = 16e9;   ///< received on one connection of a task
    double hour_bytes = 400e9;  ///< sent and received in an hour
    double task_seconds = 900;
    double silence_seconds = 10;  ///< without a word from the coordinator: idle
};

struct AgentOptions {
    std::string id;  ///< empty: what the coordinator calls it
    std::vector<Peer> peers;
    AgentLimits limits;
    core::Value facts = core::Value::object();  ///< of the host, for the raw file
};

/// Something that a person who watches an agent wants to see.
struct AgentNote {
    std::string kind;  ///< "session", "task", "idle", "turned_away", ...
    std::string detail;
};

class Agent {
public:
    Agent(transport::Listener listener,
          transport::Token token,
          AgentOptions options,
          std::function<void(const AgentNote&)> note);
    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    [[nodiscard]] const transport::Address& address() const { return door_.address(); }
    /// One turn: waits for something to do, at most `patience`, and does it.
    void step(core::Seconds patience);

private:
    [[nodiscard]] transport::DoorRules rules();
    [[nodiscard]] bool may_enter(const transport::Hello& hello, const transport::Address& from);
    [[nodiscard]] bool is_peer(std::string_view id, const transport::Address& from) const;
    [[nodiscard]] std::optional<transport::Ticket> ticket_of(const DataHello& hello,
                                                             const transport::Address& from) const;
    void admit(transport::Admission admission);
    void admit_coordinator(transport::Admission admission);
    void admit_data(transport::Admission admission);
    void hear();
    void obey(const transport::Frame& frame);
    void prepare(const core::Value& request);
    void speak();
    void tell(const core::Value& message);
    void drop_session(const std::string& why);
    void drop_task();
    void post(TaskMessage message);
    void note_strangers();

    transport::Token token_;
    AgentOptions options_;
    std::function<void(const AgentNote&)> note_;
    ByteBudget budget_;
    transport::Waker waker_;
    std::mutex mutex_;
    std::deque<TaskMessage> outbox_;  // guarded by mutex_

    std::string session_;
    std::string self_;
    std::optional<transport::Channel> coordinator_;
    core::Seconds heard_;
    std::unique_ptr<TaskRun> task_;
    std::vector<std::future<void>> retired_;
    core::Seconds noted_{-1e9};
    transport::DoorCounts noted_counts_;
    transport::Acceptor door_;  // last: its rules use the rest
};

}  // namespace longhaul::measure
