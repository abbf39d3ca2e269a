// What one training step computes and sends, and what waits for what.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace longhaul::study {

/// Work of a step. `activation` and `gradient` cross a stage boundary, `reduce` and `gather` belong
/// to the data-parallel exchange; `sum` adds up what has arrived and takes no time.
enum class TaskKind : std::uint8_t {
    kForward,
    kBackward,
    kUpdate,
    kSum,
    kActivation,
    kGradient,
    kReduce,
    kGather
};

/// "forward", "backward", "update", "sum", "activation", "gradient", "reduce", "gather".
[[nodiscard]] std::string_view name_of(TaskKind kind);

/// A computation of a device, or a message to a peer.
struct Task {
    TaskKind kind = TaskKind::kForward;
    int device = 0;
    int peer = -1;  ///< receives; -1: a computation
    int step = 0;   ///< of several in a row
    int stage = 0;
    int replica = 0;
    int chunk = 0;         ///< of the stage, where schedules interleave
    int micro_batch = -1;  ///< the last one that a message carries; -1: of the whole step
    double seconds = 0;    ///< of a computation
    double gb = 0;         ///< of a message
    [[nodiscard]] bool is_message() const { return peer >= 0; }
};

/// Tasks 0, 1, 2, … with their dependencies. A device computes what is in its program in that
/// order; messages of a program keep it busy until they are sent (no overlap), all others run
/// beside it. Messages from one device to another share one connection, which keeps their order.
class StepGraph {
public:
    explicit StepGraph(std::size_t devices) : programs_(devices) {}

    int add(const Task& task);
    /// `task` cannot start before `earlier` has ended, or, of a message, has arrived.
    void wait(int task, int earlier);
    /// Appends a task to the program of its device.
    void schedule(int task);
    /// To be called after the last wait(). O(tasks + waits).
    void close();

    [[nodiscard]] std::span<const Task> tasks() const { return tasks_; }
    [[nodiscard]] const Task& task(int i) const { return tasks_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] std::size_t devices() const { return programs_.size(); }
    [[nodiscard]] const std::vector<int>& program(std::size_t device) const {
        return programs_[device];
    }
    /// Tasks that wait for one.
    [[nodiscard]] std::span<const int> followers(int task) const;
    /// How many tasks each one waits for.
    [[nodiscard]] const std::vector<int>& waits() const { return waits_; }

private:
    struct Edge {
        int earlier;
        int task;
    };
    std::vector<Task> tasks_;
    std::vector<std::vector<int>> programs_;
    std::vector<Edge> edges_;  // until close()
    std::vector<std::size_t> first_;
    std::vector<int> followers_;
    std::vector<int> waits_;
};

}  // namespace longhaul::study
