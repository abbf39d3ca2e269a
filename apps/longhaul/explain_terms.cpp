#include "longhaul/explain_terms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/inputs.hpp"

namespace longhaul::app {

using placement::Exchange;
using placement::Explanation;
using placement::RepeatReason;
using placement::ResourceReason;
using placement::StageReason;

std::string score_line(const Explanation& why, const placement::Plan& plan) {
    const workload::Workload& workload = plan.workload;
    const bool compute = !workload.stage_seconds.empty() || !workload.layers.empty();
    return fmt::format(
        "score {:.6f} s = data parallel {:.6f} + pipeline {:.6f}{} ({} objective)\n",
        why.score.total(),
        why.score.data_parallel,
        why.score.pipeline,
        compute ? fmt::format(" + compute {:.6f}", why.score.compute) : std::string(),
        placement::name_of(plan.terms.objective));
}

namespace {

const char* waited_for(Exchange exchange) {
    switch (exchange) {
        case Exchange::kSharded:
            return "the slowest device of each stage group";
        case Exchange::kRing:
            return "the slowest hop of the ring of each stage group";
        case Exchange::kCentral:
            return "the root of each stage group and its costliest peer";
        case Exchange::kTree:
            return "the costliest hop of the branch that the root of each stage group waits for";
        case Exchange::kHierarchical:
            return "the costliest flow of each stage group, inside a region or across";
    }
    return "";
}

}  // namespace

std::string exchange_header(const placement::Plan& plan) {
    return fmt::format(
        "\ndata parallel: {}{}\n",
        waited_for(plan.terms.exchange),
        plan.placement.shape().tp > 1 ? "; a tensor group is named by its first device" : "");
}

std::string edges_header(const placement::Plan& plan) {
    return plan.terms.objective == placement::Objective::kPipelined
               ? "\npipeline: the slowest pair of each stage boundary, the first message forward "
                 "and "
                 "backward\n"
               : "\npipeline: the slowest pair of each stage boundary, forward and backward\n";
}

std::string waits_for(const fabric::Fabric& fabric, const placement::EdgeReason& edge) {
    return "shared " + fabric.parts().shared[static_cast<std::size_t>(edge.resource)].name;
}

namespace {

/// What every message of a pass waits for.
std::string waited_for_by(const Explanation& why,
                          const RepeatReason& repeat,
                          const fabric::Fabric& fabric) {
    if (repeat.shared_s > std::max(repeat.pair_s, repeat.compute_s)) {
        return "shared " +
               fabric.parts().shared[static_cast<std::size_t>(why.busiest_resource)].name;
    }
    return repeat.pair_s > repeat.compute_s
               ? fmt::format("the pair {} -> {}, stages {} -> {}",
                             device_name(fabric, why.slowest_pair.device),
                             device_name(fabric, why.slowest_pair.next_device),
                             why.slowest_pair.stage,
                             why.slowest_pair.stage + 1)
               : fmt::format("the compute of stage {}", why.slowest_stage);
}

std::string repeats_text(const Explanation& why, const fabric::Fabric& fabric) {
    std::string text;
    for (const RepeatReason& repeat : why.repeats) {
        if (repeat.messages == 0) {
            continue;
        }
        const double compute = repeat.messages * repeat.compute_s;
        text += fmt::format("  {:<8} {:>12.6f} s  {} x {:.6f} s: {}{}\n",
                            repeat.forward ? "forward" : "backward",
                            repeat.seconds(),
                            repeat.messages,
                            repeat.each_s(),
                            waited_for_by(why, repeat, fabric),
                            compute > 0 ? fmt::format("; {:.6f} s of it count as compute", compute)
                                        : std::string());
    }
    return text.empty() ? text
                        : "\nmessages after the first: what each of them waits for; what compute "
                          "takes alone counts as compute\n" +
                              text;
}

/// How the seconds of the stages make the term.
std::string compute_sum(const Explanation& why) {
    double sum = 0;
    for (const StageReason& stage : why.stages) {
        sum += stage.compute;
    }
    if (why.stages.size() < 2) {
        return {};
    }
    constexpr double kRounding = 1e-9;
    const bool follow = why.score.compute < sum * (1 - kRounding);
    return fmt::format("  a step    {:>12.6f} s  {}\n",
                       why.score.compute,
                       follow ? "the first micro-batch on every stage, each further one on the "
                                "slowest alone"
                              : "one stage after another");
}

std::string compute_text(const Explanation& why, const fabric::Fabric& fabric) {
    if (why.stages.front().compute_device < 0) {
        return {};
    }
    std::string text = "\ncompute: each stage on its slowest device\n";
    for (std::size_t s = 0; s < why.stages.size(); ++s) {
        const StageReason& stage = why.stages[s];
        text += fmt::format("  stage {:<3} {:>12.6f} s  {}",
                            stage.stage,
                            stage.compute,
                            device_name(fabric, stage.compute_device));
        if (stage.first_layer >= 0) {
            text += fmt::format(
                ", from layer {}: {:.3f} GB on each device", stage.first_layer, stage.needed_gb);
            text += std::isfinite(stage.memory_gb)
                        ? fmt::format(" of {:.3f} GB on {}",
                                      stage.memory_gb,
                                      device_name(fabric, stage.memory_device))
                        : std::string();
        }
        text += stage.compute >= why.stages[why.slowest_stage].compute * (1 - 1e-12)
                    ? "  <- slowest\n"
                    : "\n";
    }
    return text + compute_sum(why);
}

std::string resources_text(const Explanation& why) {
    std::string text;
    for (const ResourceReason& resource : why.resources) {
        text += fmt::format("  {:<20} exchange {:>12.6f} s{}  boundaries {:>12.6f} s\n",
                            resource.name,
                            resource.exchange,
                            resource.binds_exchange ? "  <- binds" : "",
                            resource.edges);
    }
    return text.empty() ? text
                        : "\nshared capacity: what all exchanges load it with, and the boundaries "
                          "that wait for it\n" +
                              text;
}

}  // namespace

std::string terms_text(const Explanation& why, const fabric::Fabric& fabric) {
    return repeats_text(why, fabric) + compute_text(why, fabric) + resources_text(why);
}

void add_compute_keys(const StageReason& stage, core::Value& value) {
    if (stage.compute_device < 0) {
        return;
    }
    value.set("compute", stage.compute).set("compute_device", stage.compute_device);
    if (stage.first_layer >= 0) {
        value.set("first_layer", stage.first_layer)
            .set("needed_gb", stage.needed_gb)
            .set("memory_gb",
                 std::isfinite(stage.memory_gb) ? core::Value(stage.memory_gb) : core::Value())
            .set("memory_device", stage.memory_device);
    }
}

core::Value shared_name(const fabric::Fabric& fabric, const placement::EdgeReason& edge) {
    return edge.resource < 0
               ? core::Value()
               : core::Value(fabric.parts().shared[static_cast<std::size_t>(edge.resource)].name);
}

core::Value resources_value(const Explanation& why) {
    core::Value list = core::Value::array();
    for (const ResourceReason& resource : why.resources) {
        list.append(core::Value::object()
                        .set("name", resource.name)
                        .set("exchange", resource.exchange)
                        .set("binds", resource.binds_exchange)
                        .set("edges", resource.edges));
    }
    return list;
}

core::Value repeats_value(const Explanation& why) {
    if (why.repeats.empty()) {
        return {};
    }
    core::Value value = core::Value::object();
    value.set("device", why.slowest_pair.device).set("next_device", why.slowest_pair.next_device);
    for (const RepeatReason& repeat : why.repeats) {
        value.set(repeat.forward ? "forward" : "backward",
                  core::Value::object()
                      .set("messages", repeat.messages)
                      .set("pair_s", repeat.pair_s)
                      .set("compute_s", repeat.compute_s)
                      .set("shared_s", repeat.shared_s)
                      .set("seconds", repeat.seconds()));
    }
    return value;
}

}  // namespace longhaul::app
