#include "longhaul/study/trace.hpp"

#include <map>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/value.hpp"

namespace longhaul::study {
namespace {

double microseconds(Time time) {
    return static_cast<double>(time.count()) / 1e6;
}

/// "forward 3", "activation 3 to Oregon 2": what the bar of a task says.
std::string title_of(const Task& task, std::span<const std::string> names) {
    std::string title(name_of(task.kind));
    if (task.micro_batch >= 0) {
        title += fmt::format(" {}", task.micro_batch);
    }
    return task.is_message() ? title + " to " + names[static_cast<std::size_t>(task.peer)] : title;
}

class Trace {
public:
    Trace(const StepGraph& graph, const StepTimes& times, std::span<const std::string> names)
        : graph_(graph), times_(times), names_(names), threads_(graph.devices()) {}

    std::string write() {
        for (std::size_t device = 0; device < graph_.devices(); ++device) {
            name("process_name", static_cast<int>(device), 0, names_[device]);
            name("thread_name", static_cast<int>(device), 0, "computing");
        }
        for (std::size_t i = 0; i < graph_.tasks().size(); ++i) {
            const auto task = static_cast<int>(i);
            if (graph_.task(task).kind != TaskKind::kSum) {
                add(task);
            }
        }
        return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + events_ + "\n]}\n";
    }

private:
    static std::string quoted(std::string_view text) { return core::json_quoted(text); }

    void event(std::string_view json) {
        events_ += events_.empty() ? "" : ",\n";
        events_ += json;
    }

    void name(std::string_view what, int process, int thread, std::string_view text) {
        event(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})",
                          what,
                          process,
                          thread,
                          quoted(text)));
    }

    /// 0 computes; connections are numbered from 1 as they are first used.
    int thread_of(const Task& task) {
        if (!task.is_message()) {
            return 0;
        }
        auto& mine = threads_[static_cast<std::size_t>(task.device)];
        const auto [at, added] = mine.try_emplace(task.peer, static_cast<int>(mine.size()) + 1);
        if (added) {
            name("thread_name",
                 task.device,
                 at->second,
                 "to " + names_[static_cast<std::size_t>(task.peer)]);
        }
        return at->second;
    }

    void add(int id) {
        const Task& task = graph_.task(id);
        const TaskTimes& at = times_.tasks[static_cast<std::size_t>(id)];
        const int thread = thread_of(task);
        event(fmt::format(
            R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
            R"("args":{{"stage":{},"replica":{},"chunk":{},"gb":{:.9g}}}}})",
            quoted(title_of(task, names_)),
            name_of(task.kind),
            task.device,
            thread,
            microseconds(at.start),
            microseconds(at.sent - at.start),
            task.stage,
            task.replica,
            task.chunk,
            task.gb));
        if (task.is_message()) {
            arrow(id, thread);
        }
    }

    /// From the end of a message to the first computation that waited for nothing later.
    void arrow(int id, int thread) {
        const TaskTimes& at = times_.tasks[static_cast<std::size_t>(id)];
        for (const int follower : graph_.followers(id)) {
            const Task& next = graph_.task(follower);
            if (next.is_message() || next.kind == TaskKind::kSum) {
                continue;
            }
            const TaskTimes& then = times_.tasks[static_cast<std::size_t>(follower)];
            event(fmt::format(
                R"({{"ph":"s","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                id,
                graph_.task(id).device,
                thread,
                microseconds(at.sent)));
            event(fmt::format(
                R"({{"ph":"f","bp":"e","name":"message","cat":"message","id":{},"pid":{},"tid":0,"ts":{:.3f}}})",
                id,
                next.device,
                microseconds(then.start)));
            return;
        }
    }

    const StepGraph& graph_;
    const StepTimes& times_;
    std::span<const std::string> names_;
    std::vector<std::map<int, int>> threads_;
    std::string events_;
};

}  // namespace

std::string chrome_trace(const StepGraph& graph,
                         const StepTimes& times,
                         std::span<const std::string> names) {
    LONGHAUL_ASSERT(names.size() == graph.devices());
    return Trace(graph, times, names).write();
}

}  // namespace longhaul::study
