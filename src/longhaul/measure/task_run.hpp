// One task at one agent: connections, receivers, and, at its leader, the program. It has a thread
// of its own; the agent's main thread only hands it connections and commands.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "longhaul/measure/data_stream.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/measure/out_flows.hpp"
#include "longhaul/measure/program.hpp"
#include "longhaul/transport/acceptor.hpp"
#include "longhaul/transport/channel.hpp"

namespace longhaul::measure {

/// What a task tells the coordinator; sent by the agent's main thread.
struct TaskMessage {
    std::uint32_t frame = kCommandFrame;
    std::string body;
};

/// What a task borrows from its agent; all of it outlives the task.
struct TaskSetting {
    std::string self;  ///< id of this host
    const transport::Token* token = nullptr;
    ByteBudget* budget = nullptr;
    double most_bytes = 0;                  ///< received on one connection
    std::function<void(TaskMessage)> post;  ///< from any thread
};

class TaskRun {
public:
    TaskRun(TaskOrder order, TaskSetting setting);
    ~TaskRun();  ///< ends it at once
    TaskRun(const TaskRun&) = delete;
    TaskRun& operator=(const TaskRun&) = delete;

    [[nodiscard]] const TaskOrder& order() const { return order_; }
    /// Whether the task waits for this connection of this sender; each may come once.
    [[nodiscard]] bool expects(const DataHello& hello, const transport::Ticket& ticket) const;
    /// Takes a connection that expects() agreed to.
    void offer(transport::Admission admission, const DataHello& hello, double max_bytes);

    void connect();                ///< connect the outgoing flows and report "ready"
    void go(core::Seconds start);  ///< at the leader: run the program
    void cancel();                 ///< ends connections and threads, at once

private:
    enum class Phase { kPrepared, kConnect, kReady, kGo, kEnd };
    void run();
    [[nodiscard]] bool wait_for(Phase phase);
    [[nodiscard]] bool connect_all();
    void lead();
    void serve_leader(transport::Channel& channel);
    [[nodiscard]] core::Value answer_leader(const core::Value& request);
    [[nodiscard]] core::Value answer_round(const core::Value& request);
    [[nodiscard]] int connections_wanted() const;
    void receive(transport::Socket& socket, const Allowance& allowance);
    void report(const std::string& what, const TaskProblem& problem);

    const TaskOrder order_;
    const TaskSetting setting_;
    const bool leads_;
    const bool driven_;
    const core::Seconds end_;
    SocketSet sockets_;
    RoundBook book_;
    std::unique_ptr<OutFlows> out_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Phase phase_ = Phase::kPrepared;
    core::Seconds start_;
    std::set<std::tuple<int, int, int>> seen_;
    int connected_ = 0;
    std::vector<std::thread> receivers_;
    std::thread thread_;
};

/// Plain values of a round, as they travel from a driven agent to the leader.
[[nodiscard]] core::Value to_value(const FlowTimes& times);
[[nodiscard]] FlowTimes flow_times_of(const core::Value& value);

}  // namespace longhaul::measure
