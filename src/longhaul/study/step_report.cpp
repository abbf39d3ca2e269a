#include "longhaul/study/step_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace longhaul::study {
namespace {

double seconds(Time time) {
    return flowsim::to_seconds(time).value();
}

int steps_of(const StepGraph& graph) {
    int steps = 1;
    for (const Task& task : graph.tasks()) {
        steps = std::max(steps, task.step + 1);
    }
    return steps;
}

std::vector<DeviceReport> device_reports(const StepGraph& graph, const StepTimes& times) {
    std::vector<DeviceReport> devices(graph.devices());
    const std::vector<Timeline> lines = timelines(graph, times);
    for (std::size_t d = 0; d < devices.size(); ++d) {
        DeviceReport& device = devices[d];
        device.device = static_cast<int>(d);
        device.used = !graph.program(d).empty();
        if (device.used) {
            device.stage = graph.task(graph.program(d).front()).stage;
            device.replica = graph.task(graph.program(d).front()).replica;
        }
        const Shares shares = shares_of(lines[d]);
        device.computing_s = seconds(shares.computing);
        device.waiting_compute_s = seconds(shares.compute);
        device.waiting_network_s = seconds(shares.network);
        device.waiting_stragglers_s = seconds(shares.stragglers);
    }
    return devices;
}

std::vector<CriticalPart> critical_parts(const StepGraph& graph, const StepTimes& times) {
    std::vector<CriticalPart> parts;
    for (const CriticalTask& part : critical_path(times)) {
        const Task& task = graph.task(part.task);
        if (part.begin == part.end) {
            continue;
        }
        const CriticalPart next{
            task.kind, task.device, task.peer, seconds(part.begin), seconds(part.end), 1};
        if (!parts.empty() && parts.back().kind == next.kind &&
            parts.back().device == next.device && parts.back().peer == next.peer) {
            parts.back().end_s = next.end_s;
            ++parts.back().tasks;
        } else {
            parts.push_back(next);
        }
    }
    return parts;
}

std::vector<LinkReport> link_reports(const StepNetwork& network, const Replay& replay) {
    std::vector<LinkReport> links;
    const auto add = [&](const std::string& name, const LinkUse& use) {
        if (use.gb > 0 && !name.empty()) {
            links.push_back({name, use.gb, seconds(use.busy), seconds(use.limiting)});
        }
    };
    for (std::size_t i = 0; i < replay.links.size(); ++i) {
        add(network.names[i], replay.links[i]);
    }
    for (std::size_t i = 0; i < replay.connections.size(); ++i) {
        add(network.connection_names[i], replay.connections[i]);
    }
    std::ranges::stable_sort(links, std::ranges::greater{}, &LinkReport::busy_s);
    return links;
}

core::Value device_value(const DeviceReport& device, const std::vector<std::string>& names) {
    core::Value value = core::Value::object();
    value.set("device", names[static_cast<std::size_t>(device.device)]);
    if (device.used) {
        value.set("stage", device.stage).set("replica", device.replica);
    }
    value.set("computing_s", device.computing_s)
        .set("waiting_compute_s", device.waiting_compute_s)
        .set("waiting_network_s", device.waiting_network_s)
        .set("waiting_stragglers_s", device.waiting_stragglers_s);
    return value;
}

core::Value critical_value(const CriticalPart& part, const std::vector<std::string>& names) {
    core::Value value = core::Value::object();
    value.set("kind", std::string(name_of(part.kind)))
        .set("device", names[static_cast<std::size_t>(part.device)]);
    if (part.peer >= 0) {
        value.set("to", names[static_cast<std::size_t>(part.peer)]);
    }
    value.set("begin_s", part.begin_s).set("end_s", part.end_s).set("tasks", part.tasks);
    return value;
}

// ---- picture

constexpr std::size_t kMostRows = 64;

/// Used devices, stage by stage; whole replicas as long as they fit.
std::vector<int> rows_of(const StepGraph& graph) {
    struct Row {
        int stage;
        int replica;
        int device;
    };
    std::vector<Row> rows;
    for (std::size_t d = 0; d < graph.devices(); ++d) {
        if (!graph.program(d).empty()) {
            const Task& first = graph.task(graph.program(d).front());
            rows.push_back({first.stage, first.replica, static_cast<int>(d)});
        }
    }
    std::map<int, std::size_t> of_replica;
    for (const Row& row : rows) {
        ++of_replica[row.replica];
    }
    std::size_t sum = 0;
    int replicas = 0;
    for (const auto& [replica, count] : of_replica) {
        sum += count;
        replicas = sum <= kMostRows || replica == 0 ? replica + 1 : replicas;
    }
    std::erase_if(rows, [&](const Row& row) { return row.replica >= replicas; });
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
        return std::tie(a.stage, a.replica) < std::tie(b.stage, b.replica);
    });
    std::vector<int> devices;
    for (const Row& row : rows) {
        devices.push_back(row.device);
    }
    devices.resize(std::min(devices.size(), kMostRows));
    return devices;
}

/// Colours: forward, backward, update, pipeline messages, exchange messages.
int colour_of(TaskKind kind) {
    constexpr std::array<int, 8> kColour{0, 1, 2, 2, 4, 4, 3, 3};
    return kColour.at(static_cast<std::size_t>(kind));
}

report::GanttBar bar_of(const Task& task, int row, double begin, double end) {
    report::GanttBar bar{row, task.is_message() ? 1 : 0, begin, end, colour_of(task.kind), ""};
    if (task.micro_batch >= 0 && !task.is_message()) {
        bar.label = std::to_string(task.micro_batch);
    }
    return bar;
}

}  // namespace

double step_seconds(const StepGraph& graph, const StepTimes& times) {
    std::vector<Time> ends(static_cast<std::size_t>(steps_of(graph)));
    for (std::size_t i = 0; i < graph.tasks().size(); ++i) {
        Time& end = ends[static_cast<std::size_t>(graph.tasks()[i].step)];
        end = std::max(end, times.tasks[i].end);
    }
    return ends.size() == 1
               ? seconds(ends.front())
               : seconds(ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
}

StepReport report_step(const StepGraph& graph, const StepNetwork& network, const Replay& replay) {
    StepReport report;
    report.steps = steps_of(graph);
    report.total_s = seconds(replay.times.end);
    report.step_s = step_seconds(graph, replay.times);
    Time pipeline{};
    for (std::size_t i = 0; i < graph.tasks().size(); ++i) {
        if (graph.tasks()[i].kind == TaskKind::kBackward && graph.tasks()[i].step == 0) {
            pipeline = std::max(pipeline, replay.times.tasks[i].end);
        }
    }
    report.pipeline_s = seconds(pipeline);
    report.devices = device_reports(graph, replay.times);
    report.critical = critical_parts(graph, replay.times);
    report.links = link_reports(network, replay);
    return report;
}

core::Value to_value(const StepReport& report, const std::vector<std::string>& names) {
    core::Value devices = core::Value::array();
    for (const DeviceReport& device : report.devices) {
        devices.append(device_value(device, names));
    }
    core::Value critical = core::Value::array();
    for (const CriticalPart& part : report.critical) {
        critical.append(critical_value(part, names));
    }
    core::Value links = core::Value::array();
    for (const LinkReport& link : report.links) {
        core::Value value = core::Value::object();
        value.set("link", link.name)
            .set("gb", link.gb)
            .set("busy_s", link.busy_s)
            .set("limiting_s", link.limiting_s);
        links.append(std::move(value));
    }
    core::Value value = core::Value::object();
    value.set("steps", report.steps)
        .set("step_s", report.step_s)
        .set("total_s", report.total_s)
        .set("pipeline_s", report.pipeline_s)
        .set("devices", std::move(devices))
        .set("critical_path", std::move(critical))
        .set("links", std::move(links));
    return value;
}

report::Gantt gantt_of(const StepGraph& graph,
                       const StepTimes& times,
                       const std::vector<std::string>& names) {
    report::Gantt gantt;
    gantt.lanes = 2;
    gantt.kinds = {"forward", "backward", "update", "sending: exchange", "sending: pipeline"};
    gantt.end = std::max(seconds(times.end), 1e-12);
    const std::vector<int> rows = rows_of(graph);
    std::vector<int> row_of(graph.devices(), -1);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto device = static_cast<std::size_t>(rows[row]);
        row_of[device] = static_cast<int>(row);
        const Task& first = graph.task(graph.program(device).front());
        gantt.rows.push_back(fmt::format("{}  s{} r{}", names[device], first.stage, first.replica));
    }
    for (std::size_t i = 0; i < graph.tasks().size(); ++i) {
        const Task& task = graph.tasks()[i];
        const int row = row_of[static_cast<std::size_t>(task.device)];
        if (row >= 0 && task.kind != TaskKind::kSum) {
            gantt.bars.push_back(
                bar_of(task, row, seconds(times.tasks[i].start), seconds(times.tasks[i].sent)));
        }
    }
    for (const CriticalTask& part : critical_path(times)) {
        const Task& task = graph.task(part.task);
        const int row = row_of[static_cast<std::size_t>(task.device)];
        if (row >= 0 && part.begin < part.end) {
            gantt.path.push_back(bar_of(task, row, seconds(part.begin), seconds(part.end)));
        }
    }
    return gantt;
}

}  // namespace longhaul::study
