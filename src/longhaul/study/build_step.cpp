#include "longhaul/study/build_step.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/study/exchange_tasks.hpp"

namespace longhaul::study {
namespace {

using placement::Placement;
using placement::Problem;

/// Which micro-batches a message carries: message j of m has those with j = i m / M.
struct Grouping {
    int messages = 1;
    int micro_batches = 1;
    [[nodiscard]] int message_of(int micro_batch) const {
        return static_cast<int>(static_cast<long long>(micro_batch) * messages / micro_batches);
    }
    [[nodiscard]] bool last(int micro_batch) const {
        return micro_batch + 1 == micro_batches ||
               message_of(micro_batch + 1) != message_of(micro_batch);
    }
    [[nodiscard]] bool first(int micro_batch) const {
        return micro_batch == 0 || message_of(micro_batch - 1) != message_of(micro_batch);
    }
    /// The first micro-batch of the message that holds this one.
    [[nodiscard]] int first_of(int micro_batch) const {
        int i = micro_batch;
        while (!first(i)) {
            --i;
        }
        return i;
    }
    [[nodiscard]] int largest() const { return (micro_batches + messages - 1) / messages; }
};

class StepBuilder {
public:
    StepBuilder(const Problem& problem,
                const fabric::Fabric& fabric,
                const Placement& placement,
                const StepOptions& options)
        : problem_(problem),
          placement_(placement),
          options_(options),
          shape_(placement.shape()),
          micro_batches_(micro_batches_of(problem.workload)),
          sent_(placement::passes_of(problem.workload, problem.terms)),
          forward_{sent_.forward_units, micro_batches_},
          backward_{sent_.backward_units, micro_batches_},
          region_(fabric::index_of_labels(fabric.labels())),
          graph_(placement.devices()) {}

    [[nodiscard]] core::Result<void> check() const {
        const auto refuse = [](std::string what, std::string fix) -> core::Result<void> {
            return core::fail({"", "--schedule", std::move(what), std::move(fix)});
        };
        if (const auto reason = why_not(options_.order, shape_.pp, micro_batches_);
            !reason.empty()) {
            return refuse(
                std::string(reason),
                fmt::format("found {} stages and {} micro-batches", shape_.pp, micro_batches_));
        }
        const int most = std::max(forward_.largest(), backward_.largest());
        if (options_.order != PipelineOrder::kGpipe && shape_.pp > 1 && most > 1) {
            return refuse(fmt::format("{} needs one message a micro-batch; here one carries {}",
                                      name_of(options_.order),
                                      most),
                          "take gpipe, or as many messages as micro-batches");
        }
        return {};
    }

    StepGraph build() {
        for (step_ = 0; step_ < options_.steps; ++step_) {
            add_passes();
            for (int replica = 0; replica < shape_.dp; ++replica) {
                for (int v = 0; v + 1 < virtual_stages(); ++v) {
                    cross(replica, v);
                }
            }
            add_programs();
            add_exchanges();
        }
        graph_.close();
        return std::move(graph_);
    }

private:
    [[nodiscard]] Task blank() const {
        Task task;
        task.step = step_;
        return task;
    }

    [[nodiscard]] int virtual_stages() const { return shape_.pp * options_.chunks; }

    /// Number of a pass among all passes of one direction.
    [[nodiscard]] std::size_t at(int replica, int stage, int tensor, int chunk, int batch) const {
        const auto cell =
            static_cast<std::size_t>((replica * shape_.pp + stage) * shape_.tp + tensor);
        return (cell * static_cast<std::size_t>(options_.chunks) +
                static_cast<std::size_t>(chunk)) *
                   static_cast<std::size_t>(micro_batches_) +
               static_cast<std::size_t>(batch);
    }

    /// Pass of a virtual stage: stage v mod pp, chunk v / pp.
    [[nodiscard]] int pass(
        const std::vector<int>& passes, int replica, int v, int tensor, int batch) const {
        return passes[at(replica, v % shape_.pp, tensor, v / shape_.pp, batch)];
    }

    /// Compute seconds of the reference device for each whole stage.
    [[nodiscard]] std::vector<double> reference_seconds() const {
        const placement::Stages stages = placement_.stages();
        std::vector<double> seconds = placement::stage_seconds(problem_, stages);
        seconds.resize(stages.size(), 0);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            double slowest = speed(stages[s].front());
            for (const int device : stages[s]) {
                slowest = std::min(slowest, speed(device));
            }
            seconds[s] *= slowest;
        }
        return seconds;
    }

    [[nodiscard]] double speed(int device) const {
        return problem_.speed.empty() ? 1 : problem_.speed[static_cast<std::size_t>(device)];
    }

    [[nodiscard]] double cell_speed(int replica, int stage) const {
        double slowest = speed(placement_.device(replica, stage));
        for (int tensor = 1; tensor < shape_.tp; ++tensor) {
            slowest = std::min(slowest, speed(placement_.device(replica, stage, tensor)));
        }
        return slowest;
    }

    void add_passes() {
        const std::vector<double> seconds = reference_seconds();
        const auto count =
            at(shape_.dp - 1, shape_.pp - 1, shape_.tp - 1, options_.chunks - 1, micro_batches_);
        forward_passes_.resize(count);
        backward_passes_.resize(count);
        for (int replica = 0; replica < shape_.dp; ++replica) {
            for (int stage = 0; stage < shape_.pp; ++stage) {
                const double each = seconds[static_cast<std::size_t>(stage)] /
                                    cell_speed(replica, stage) / options_.chunks / micro_batches_;
                for (int tensor = 0; tensor < shape_.tp; ++tensor) {
                    add_passes(replica, stage, tensor, each);
                }
            }
        }
    }

    void add_passes(int replica, int stage, int tensor, double seconds) {
        Task task = blank();
        task.device = placement_.device(replica, stage, tensor);
        task.stage = stage;
        task.replica = replica;
        for (int chunk = 0; chunk < options_.chunks; ++chunk) {
            for (int batch = 0; batch < micro_batches_; ++batch) {
                task.chunk = chunk;
                task.micro_batch = batch;
                task.kind = TaskKind::kForward;
                task.seconds = seconds * sent_.forward_share;
                forward_passes_[at(replica, stage, tensor, chunk, batch)] = graph_.add(task);
                task.kind = TaskKind::kBackward;
                task.seconds = seconds * (1 - sent_.forward_share);
                backward_passes_[at(replica, stage, tensor, chunk, batch)] = graph_.add(task);
            }
        }
    }

    /// The messages between virtual stages v and v + 1, both ways.
    void cross(int replica, int v) {
        for (int batch = 0; batch < micro_batches_; ++batch) {
            if (forward_.last(batch)) {
                carry(replica, v, v + 1, batch, forward_passes_, forward_, TaskKind::kActivation);
            }
            if (backward_.last(batch)) {
                carry(replica, v + 1, v, batch, backward_passes_, backward_, TaskKind::kGradient);
            }
        }
    }

    void carry(int replica,
               int from,
               int to,
               int batch,
               const std::vector<int>& passes,
               const Grouping& grouping,
               TaskKind kind) {
        Task task = blank();
        task.kind = kind;
        task.stage = from % shape_.pp;
        task.chunk = from / shape_.pp;
        task.replica = replica;
        task.micro_batch = batch;
        task.gb = kind == TaskKind::kActivation ? sent_.forward_gb : sent_.backward_gb;
        for (int tensor = 0; tensor < shape_.tp; ++tensor) {
            task.device = placement_.device(replica, from % shape_.pp, tensor);
            task.peer = placement_.device(replica, to % shape_.pp, tensor);
            const int id = graph_.add(task);
            graph_.wait(id, pass(passes, replica, from, tensor, batch));
            for (int other = 0; other < shape_.tp; ++other) {
                graph_.wait(pass(passes, replica, to, other, grouping.first_of(batch)), id);
            }
            message_after_.emplace_back(pass(passes, replica, from, tensor, batch), id);
        }
    }

    /// The order of every device; without overlap, messages right behind what they carry.
    void add_programs() {
        std::vector<int> message(graph_.tasks().size(), -1);
        for (const auto& [producer, id] : message_after_) {
            message[static_cast<std::size_t>(producer)] = id;
        }
        message_after_.clear();
        for (int stage = 0; stage < shape_.pp; ++stage) {
            const std::vector<Pass> order =
                passes_in_order(options_.order, stage, shape_.pp, micro_batches_, options_.chunks);
            for (int replica = 0; replica < shape_.dp; ++replica) {
                for (int tensor = 0; tensor < shape_.tp; ++tensor) {
                    for (const Pass& next : order) {
                        const auto& passes = next.backward ? backward_passes_ : forward_passes_;
                        const int id =
                            passes[at(replica, stage, tensor, next.chunk, next.micro_batch)];
                        graph_.schedule(id);
                        const int sent = message[static_cast<std::size_t>(id)];
                        if (!options_.overlap && sent >= 0) {
                            graph_.schedule(sent);
                        }
                    }
                }
            }
        }
    }

    void add_exchanges() {
        for (int stage = 0; stage < shape_.pp; ++stage) {
            for (int tensor = 0; tensor < shape_.tp; ++tensor) {
                std::vector<std::vector<int>> waits(static_cast<std::size_t>(shape_.dp));
                for (int chunk = 0; chunk < options_.chunks; ++chunk) {
                    add_exchange(stage, tensor, chunk, waits);
                }
                add_updates(stage, tensor, waits);
            }
        }
    }

    [[nodiscard]] int last_backward(int replica, int stage, int tensor, int chunk) const {
        return backward_passes_[at(replica, stage, tensor, chunk, micro_batches_ - 1)];
    }

    void add_exchange(int stage, int tensor, int chunk, std::vector<std::vector<int>>& waits) {
        std::vector<int> devices;
        std::vector<int> replica_of(placement_.devices(), 0);
        for (int replica = 0; replica < shape_.dp; ++replica) {
            devices.push_back(placement_.device(replica, stage, tensor));
            replica_of[static_cast<std::size_t>(devices.back())] = replica;
        }
        ExchangeJob job;
        job.kind = problem_.terms.exchange;
        job.region = region_;
        job.gb = problem_.workload.c_dp.value() / (shape_.tp * options_.chunks);
        job.one_peer_at_a_time = options_.one_peer_at_a_time;
        job.label = blank();
        job.label.stage = stage;
        job.label.chunk = chunk;
        job.plan = term().plan(devices);
        std::vector<int> ready;
        for (const int device : job.plan.group) {
            job.replica.push_back(replica_of[static_cast<std::size_t>(device)]);
            ready.push_back(last_backward(job.replica.back(), stage, tensor, chunk));
        }
        const auto done = study::add_exchange(graph_, job, ready);
        for (std::size_t i = 0; i < done.size(); ++i) {
            auto& mine = waits[static_cast<std::size_t>(job.replica[i])];
            mine.insert(mine.end(), done[i].begin(), done[i].end());
        }
    }

    void add_updates(int stage, int tensor, const std::vector<std::vector<int>>& waits) {
        for (int replica = 0; replica < shape_.dp; ++replica) {
            Task task = blank();
            task.kind = TaskKind::kUpdate;
            task.device = placement_.device(replica, stage, tensor);
            task.stage = stage;
            task.replica = replica;
            task.seconds = options_.update_seconds / cell_speed(replica, stage);
            const int id = graph_.add(task);
            for (const int message : waits[static_cast<std::size_t>(replica)]) {
                graph_.wait(id, message);
            }
            graph_.schedule(id);
        }
    }

    const placement::ExchangeTerm& term() {
        if (!term_) {
            term_ = placement::make_exchange(
                problem_.terms.exchange, problem_.links, region_, problem_.workload);
        }
        return *term_;
    }

    const Problem& problem_;
    const Placement& placement_;
    const StepOptions& options_;
    placement::Shape shape_;
    int micro_batches_;
    placement::Passes sent_;
    Grouping forward_;
    Grouping backward_;
    std::vector<int> region_;
    StepGraph graph_;
    int step_ = 0;
    std::vector<int> forward_passes_;
    std::vector<int> backward_passes_;
    std::vector<std::pair<int, int>> message_after_;  // of this step: pass, message
    std::shared_ptr<const placement::ExchangeTerm> term_;
};

}  // namespace

int micro_batches_of(const workload::Workload& workload) {
    return workload.microbatches.value_or(std::max(
        workload.pp_messages, workload.pp_backward_messages.value_or(workload.pp_messages)));
}

core::Result<StepGraph> build_step(const placement::Problem& problem,
                                   const fabric::Fabric& fabric,
                                   const placement::Placement& placement,
                                   const StepOptions& options) {
    StepBuilder builder(problem, fabric, placement, options);
    if (core::Result<void> checked = builder.check(); !checked) {
        return tl::unexpected(checked.error());
    }
    return builder.build();
}

}  // namespace longhaul::study
