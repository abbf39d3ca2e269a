#include "longhaul/study/replay.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <queue>
#include <span>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/flowsim/queues.hpp"

namespace longhaul::study {
namespace {

constexpr double kMostGb = 1e9;  // of a message: what flowsim counts
constexpr const char* kCheck = "check compute seconds, payloads and bandwidths of the plan";

core::Result<void> check_payloads(const StepGraph& graph) {
    for (const Task& task : graph.tasks()) {
        if (!(task.gb <= kMostGb)) {
            return core::fail(
                {"",
                 fmt::format("stage {}", task.stage),
                 fmt::format("{} sends messages of {:g} GB", name_of(task.kind), task.gb),
                 fmt::format("at most {:g} GB are simulated; {}", kMostGb, kCheck)});
        }
    }
    return {};
}

/// When computations end: a core for each device, or cores that all share fairly.
class Processors {
public:
    explicit Processors(int cores) {
        if (cores > 0) {
            const flowsim::Link link{core::GbitPerSecond(cores * kCore), {}};
            shared_.emplace(std::span(&link, 1));
            path_ = shared_->path(std::vector<flowsim::Hop>{{0, 1}});
        }
    }
    void start(int task, double seconds, Time now) {
        if (!shared_) {
            const Time span = flowsim::to_time(core::Seconds(seconds));
            const bool ends = span <= flowsim::kHorizon - now;
            own_.push({ends ? now + span : flowsim::kNever, task});
            return;
        }
        flowsim::Flow flow;
        flow.path = path_;
        flow.payload = core::Gigabytes(std::min(seconds * kCore / 8, kMostGb));
        flow.cap = core::GbitPerSecond(kCore);
        shared_->start(flow, now);
        task_of_flow_.push_back(task);
    }
    /// No computation ends before that moment; kNever: none is left.
    [[nodiscard]] Time earliest() {
        return shared_ ? shared_->earliest() : own_.empty() ? flowsim::kNever : own_.top().end;
    }
    /// The next that ends at `now`, if any.
    [[nodiscard]] std::optional<int> ended(Time now) {
        if (shared_) {
            while (const auto event = shared_->next_until(now)) {
                if (event->kind == flowsim::EventKind::kDelivered) {
                    return task_of_flow_[event->flow];
                }
            }
            return std::nullopt;
        }
        if (own_.empty() || own_.top().end > now) {
            return std::nullopt;
        }
        const int task = own_.top().task;
        own_.pop();
        return task;
    }

private:
    static constexpr double kCore = 1;  // Gbit/s that stand for one core

    struct Computed {
        Time end{};
        int task = 0;
        friend bool operator>(const Computed& a, const Computed& b) {
            return a.end != b.end ? a.end > b.end : a.task > b.task;
        }
    };
    std::priority_queue<Computed, std::vector<Computed>, std::greater<>> own_;
    std::optional<flowsim::Simulator> shared_;
    flowsim::PathId path_ = 0;
    std::vector<int> task_of_flow_;
};

struct DeviceState {
    std::size_t next = 0;  ///< place in its program
    bool busy = false;
    int last = -1;  ///< the task that kept it busy
};

struct ConnectionState {
    std::deque<int> queue;
    flowsim::PathId path = 0;
    bool busy = false;
    bool used = false;
    int last = -1;
};

/// Simulator is flowsim::Simulator or flowsim::QueueSimulator.
template <typename Simulator>
class Replayer {
public:
    Replayer(const StepGraph& graph,
             const Connections& connections,
             const StepNetwork& network,
             const ReplayOptions& options,
             Simulator simulator)
        : graph_(graph),
          connections_(connections),
          network_(network),
          options_(options),
          simulator_(std::move(simulator)),
          waits_(graph.waits()),
          devices_(graph.devices()),
          states_(connections.list.size()),
          in_program_(graph.tasks().size()),
          reached_(graph.tasks().size()),
          processors_(options.cores) {
        result_.times.tasks.resize(graph.tasks().size());
        for (std::size_t c = 0; c < states_.size(); ++c) {
            states_[c].path = simulator_.path(network.paths[c]);
        }
        for (std::size_t device = 0; device < graph.devices(); ++device) {
            for (const int task : graph.program(device)) {
                in_program_[static_cast<std::size_t>(task)] = 1;
            }
        }
    }

    core::Result<Replay> run() {
        for (std::size_t i = 0; i < waits_.size(); ++i) {
            if (waits_[i] == 0) {
                ready_.push_back(static_cast<int>(i));
            }
        }
        while (true) {
            release();
            const Time own = processors_.earliest();
            if (const auto event = simulator_.next_until(std::min(own, flowsim::kHorizon))) {
                on_event(*event);
            } else if (own > flowsim::kHorizon) {
                break;
            } else if (const auto task = processors_.ended(own)) {
                now_ = own;
                at(*task).sent = own;
                leave_device(*task);
                finish(*task);
            }
        }
        if (finished_ != graph_.tasks().size()) {
            return tl::unexpected(stalled());
        }
        result_.times.end = now_;
        add_use();
        return std::move(result_);
    }

private:
    TaskTimes& at(int task) { return result_.times.tasks[static_cast<std::size_t>(task)]; }

    /// Everything that can begin now begins.
    void release() {
        while (!ready_.empty()) {
            const int task = ready_.front();
            ready_.pop_front();
            at(task).ready = now_;
            const Task& what = graph_.task(task);
            if (in_program_[static_cast<std::size_t>(task)] != 0) {
                reached_[static_cast<std::size_t>(task)] = 1;
                advance(static_cast<std::size_t>(what.device));
            } else if (what.is_message()) {
                enqueue(task);
            } else {
                compute(task);
            }
        }
    }

    /// Starts what is next in the program of a device, if it is ready and the device is free.
    void advance(std::size_t number) {
        DeviceState& device = devices_[number];
        const std::vector<int>& program = graph_.program(number);
        if (device.busy || device.next == program.size()) {
            return;
        }
        const int task = program[device.next];
        if (reached_[static_cast<std::size_t>(task)] == 0) {
            return;
        }
        ++device.next;
        device.busy = true;
        at(task).behind = device.last;
        device.last = task;
        if (graph_.task(task).is_message()) {
            enqueue(task);
        } else {
            compute(task);
        }
    }

    void compute(int task) {
        at(task).start = now_;
        processors_.start(task, graph_.task(task).seconds, now_);
    }

    void enqueue(int task) {
        const auto c =
            static_cast<std::size_t>(connections_.of_task[static_cast<std::size_t>(task)]);
        states_[c].queue.push_back(task);
        send_next(c);
    }

    void send_next(std::size_t c) {
        ConnectionState& connection = states_[c];
        if (connection.busy || connection.queue.empty()) {
            return;
        }
        const int task = connection.queue.front();
        connection.queue.pop_front();
        connection.busy = true;
        at(task).start = now_;
        if (connection.last >= 0 && at(connection.last).sent == now_) {
            at(task).behind = connection.last;
        }
        connection.last = task;
        flowsim::Flow flow;
        flow.path = connection.path;
        flow.payload = core::Gigabytes(graph_.task(task).gb);
        flow.cap = core::GbitPerSecond(network_.gbps[c]);
        flow.cold = options_.cold_first && !connection.used;
        connection.used = true;
        const flowsim::FlowId id = simulator_.start(flow, now_);
        LONGHAUL_ASSERT(id == task_of_flow_.size());
        task_of_flow_.push_back(task);
    }

    void on_event(const flowsim::Event& event) {
        now_ = event.time;
        const int task = task_of_flow_[event.flow];
        if (event.kind == flowsim::EventKind::kDelivered) {
            finish(task);
            return;
        }
        at(task).sent = now_;
        if (in_program_[static_cast<std::size_t>(task)] != 0) {
            leave_device(task);
        }
        const auto c =
            static_cast<std::size_t>(connections_.of_task[static_cast<std::size_t>(task)]);
        states_[c].busy = false;
        send_next(c);
    }

    void leave_device(int task) {
        if (in_program_[static_cast<std::size_t>(task)] != 0) {
            const auto device = static_cast<std::size_t>(graph_.task(task).device);
            devices_[device].busy = false;
            advance(device);
        }
    }

    void finish(int task) {
        at(task).end = now_;
        ++finished_;
        for (const int follower : graph_.followers(task)) {
            at(follower).waited_for = task;
            if (--waits_[static_cast<std::size_t>(follower)] == 0) {
                ready_.push_back(follower);
            }
        }
    }

    core::Diagnostics stalled() const {
        for (std::size_t i = 0; i < waits_.size(); ++i) {
            if (result_.times.tasks[i].end == Time{} && waits_[i] > 0) {
                const Task& task = graph_.task(static_cast<int>(i));
                return {
                    {"",
                     fmt::format("stage {}, replica {}", task.stage, task.replica),
                     fmt::format("the step does not end within 53 days, the longest that is "
                                 "simulated: {}{} of device {} has not begun ({} of {} tasks "
                                 "ended)",
                                 name_of(task.kind),
                                 task.micro_batch < 0 ? "" : fmt::format(" {}", task.micro_batch),
                                 task.device,
                                 finished_,
                                 graph_.tasks().size()),
                     kCheck}};
            }
        }
        return {{"",
                 "",
                 "the step does not end within 53 days, the longest that is simulated",
                 kCheck}};
    }

    void add_use() {
        result_.connections.resize(states_.size());
        for (const int task : task_of_flow_) {
            const auto c =
                static_cast<std::size_t>(connections_.of_task[static_cast<std::size_t>(task)]);
            const double gb = graph_.task(task).gb;
            LinkUse& use = result_.connections[c];
            use.gb += gb;
            use.busy += at(task).sent - at(task).start;
            use.limiting +=
                flowsim::to_time(core::Gigabytes(gb) / core::GbitPerSecond(network_.gbps[c]));
        }
        for (std::size_t link = 0; link < network_.links.size(); ++link) {
            const auto id = static_cast<flowsim::LinkId>(link);
            result_.links.push_back(
                {simulator_.carried(id).value(), simulator_.used(id), simulator_.limiting(id)});
        }
    }

    const StepGraph& graph_;
    const Connections& connections_;
    const StepNetwork& network_;
    const ReplayOptions& options_;
    Simulator simulator_;
    std::vector<int> waits_;
    std::vector<DeviceState> devices_;
    std::vector<ConnectionState> states_;
    std::vector<char> in_program_;
    std::vector<char> reached_;  // ready, and not yet begun by its device
    std::deque<int> ready_;
    Processors processors_;
    std::vector<int> task_of_flow_;
    Time now_{};
    std::size_t finished_ = 0;
    Replay result_;
};

}  // namespace

core::Result<Replay> replay(const StepGraph& graph,
                            const Connections& connections,
                            const StepNetwork& network,
                            const ReplayOptions& options) {
    if (core::Result<void> checked = check_payloads(graph); !checked) {
        return tl::unexpected(checked.error());
    }
    if (options.queues) {
        return Replayer(
                   graph, connections, network, options, flowsim::QueueSimulator(network.links))
            .run();
    }
    return Replayer(graph,
                    connections,
                    network,
                    options,
                    flowsim::Simulator(network.links, options.cold))
        .run();
}

}  // namespace longhaul::study
