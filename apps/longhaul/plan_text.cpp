#include "longhaul/plan_text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "longhaul/inputs.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::app {
namespace {

using placement::Baselines;
using placement::Plan;

std::string messages(int count) {
    return fmt::format("{} message{}", count, count == 1 ? "" : "s");
}

/// "Oregon 4, Virginia 4": the labels of a stage group in order of first occurrence.
std::string label_counts(const fabric::Fabric& fabric, const std::vector<int>& group) {
    std::vector<std::pair<std::string, int>> counts;
    std::vector<int> sorted = group;
    std::ranges::sort(sorted);
    for (const int device : sorted) {
        const std::string& label = fabric.labels()[device];
        const auto known = std::ranges::find(counts, label, &std::pair<std::string, int>::first);
        if (known == counts.end()) {
            counts.emplace_back(label, 1);
        } else {
            ++known->second;
        }
    }
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(counts.size(), kShown); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i].first, counts[i].second);
    }
    return counts.size() > kShown ? text + fmt::format(", {} more", counts.size() - kShown) : text;
}

std::string stage_lines(const Plan& plan, const fabric::Fabric& fabric) {
    const auto stages = plan.placement.stages();
    std::string text;
    for (std::size_t first = 0; first < stages.size();) {
        const std::string counts = label_counts(fabric, stages[first]);
        std::size_t last = first;
        while (last + 1 < stages.size() && label_counts(fabric, stages[last + 1]) == counts) {
            ++last;
        }
        const std::string range =
            first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
        text += fmt::format("  stage {:<6} {}\n", range, counts);
        first = last + 1;
    }
    return text;
}

/// Devices without a rank, and what the best plan around this one would cost with each.
std::string unused_lines(const Plan& plan, const fabric::Fabric& fabric) {
    constexpr std::size_t kShown = 8;
    constexpr double kEqual = 1e-9;
    const std::size_t unused = plan.placement.unused().size();
    std::string text;
    if (plan.left_out.size() < unused) {
        text = fmt::format("left out     {} devices; there was no time to score {} of them\n",
                           unused,
                           unused - plan.left_out.size());
    }
    for (std::size_t i = 0; i < plan.left_out.size(); ++i) {
        if (i == kShown) {
            return text + fmt::format("  {} more\n", plan.left_out.size() - kShown);
        }
        const placement::LeftOut& one = plan.left_out[i];
        text += fmt::format(
            "{:<13}{}: {}\n",
            i == 0 && text.empty() ? "left out" : "",
            device_name(fabric, one.device),
            one.score >= placement::kDoesNotFit
                ? std::string("no place was found that memory allows")
            : one.instead_of < 0 ? std::string("its host has no full tensor group for it")
            : one.score <= plan.score.total() * (1 + kEqual)
                ? fmt::format("no better in the place of another: equal, in that of {}",
                              device_name(fabric, one.instead_of))
                : fmt::format("{:.6f} s in the place of another, best of {}",
                              one.score,
                              device_name(fabric, one.instead_of)));
    }
    return text;
}

/// Seconds of a placement; layers that fit no memory have none.
std::string seconds_text(double seconds, int digits) {
    return seconds >= placement::kDoesNotFit ? std::string("no fit")
                                             : fmt::format("{:.{}f}", seconds, digits);
}

std::string baseline_line(std::string_view name, double seconds, double score) {
    return score > 0 && seconds < placement::kDoesNotFit
               ? fmt::format("  {:<42} {:>12.6f} s  {:>6.2f}x\n", name, seconds, seconds / score)
               : fmt::format("  {:<42} {:>12} s\n", name, seconds_text(seconds, 6));
}

std::string spread_line(const core::Summary& summary) {
    return fmt::format("    from {} to {} s, 80 % between {} and {} s\n",
                       seconds_text(summary.min, 3),
                       seconds_text(summary.max, 3),
                       seconds_text(summary.p10, 3),
                       seconds_text(summary.p90, 3));
}

std::string baseline_lines(const Baselines& baselines, double score) {
    std::string text =
        "baselines    score of other placements, and how many times that of the plan it is\n";
    text += baseline_line("host order, as it stands", baselines.host_order.total(), score);
    text += baseline_line("host order, best pairs and order", baselines.host_order_solved, score);
    text += baseline_line(baselines.labels_fit ? "one label a stage, best pairs and order"
                                               : "sorted by label, best pairs and order",
                          baselines.label_per_stage.total(),
                          score);
    if (baselines.samples == 0) {
        return text + "  no time was left for random placements\n";
    }
    text +=
        baseline_line(fmt::format("random partitions, solved (median of {})", baselines.samples),
                      baselines.partitions.median,
                      score);
    text += spread_line(baselines.partitions);
    text +=
        baseline_line(fmt::format("random maps, as they stand (median of {})", baselines.samples),
                      baselines.maps.median,
                      score);
    text += spread_line(baselines.maps);
    return text;
}

/// What the score counts; layers of each stage.
std::string term_lines(const Plan& plan, const fabric::Fabric& fabric) {
    std::vector<std::string> parts{
        fmt::format("{} objective", placement::name_of(plan.terms.objective))};
    if (plan.terms.exchange != placement::Exchange::kSharded) {
        parts.push_back(fmt::format("{} exchange", placement::name_of(plan.terms.exchange)));
    }
    if (const std::size_t shared = fabric.parts().shared.size(); shared > 0) {
        parts.push_back(fmt::format("{} shared {} {}",
                                    shared,
                                    shared == 1 ? "resource" : "resources",
                                    plan.terms.count_shared ? "counted" : "ignored"));
    }
    if (!plan.shared_bottleneck.empty()) {
        parts.push_back("the exchange waits for " + core::shown(plan.shared_bottleneck));
    }
    if (!plan.pipeline_bottleneck.empty()) {
        parts.push_back("micro-batches wait for " + core::shown(plan.pipeline_bottleneck));
    }
    std::string text = fmt::format("terms        {}\n", fmt::join(parts, ", "));
    if (const std::string note =
            additive_note(plan.terms, plan.workload, plan.placement.shape().pp);
        !note.empty()) {
        text += fmt::format("{:<13}{}\n", "", note);
    }
    if (!plan.first_layers.empty()) {
        text += "layers      ";
        for (std::size_t s = 0; s < plan.first_layers.size(); ++s) {
            const int last = s + 1 < plan.first_layers.size()
                                 ? plan.first_layers[s + 1]
                                 : static_cast<int>(plan.workload.layers.size());
            text += fmt::format(" {}-{}", plan.first_layers[s], last - 1);
        }
        text += "\n";
    }
    return text;
}

/// Of the shapes that a plan was chosen from, how many others may have a better plan: their bound
/// is below its score. Nullopt when the shape was given.
std::optional<std::size_t> open_shapes(const Plan& plan) {
    constexpr double kRounding = 1e-9;
    const core::Value* shapes = plan.unknown.find("shapes");
    if (shapes == nullptr || shapes->kind != core::Value::Kind::kArray) {
        return std::nullopt;
    }
    const auto number = [](const core::Value& shape, std::string_view key) {
        const core::Value* value = shape.find(key);
        return value == nullptr ? 0.0 : value->number;
    };
    const placement::Shape chosen = plan.placement.shape();
    return std::ranges::count_if(shapes->items, [&](const core::Value& shape) {
        const bool same = number(shape, "pp") == chosen.pp && number(shape, "dp") == chosen.dp;
        return !same && shape.find("reason") == nullptr &&
               number(shape, "bound") < plan.score.total() * (1 - kRounding);
    });
}

/// "; 2 other shapes may be better", as far as bounds tell. Without compute, shapes of fewer
/// devices were not compared.
std::string other_shapes(std::size_t open, const workload::Workload& workload) {
    const bool compared_all = !workload.stage_seconds.empty() || !workload.layers.empty();
    const std::string_view alike = compared_all ? "" : " of as many devices";
    const std::string text = open == 0
                                 ? fmt::format("; no other shape{} is better", alike)
                                 : fmt::format("; {} other shape{}{} may be better by {} bound{}",
                                               open,
                                               open == 1 ? "" : "s",
                                               alike,
                                               open == 1 ? "its" : "their",
                                               open == 1 ? "" : "s");
    return compared_all ? text
                        : text + "; --sequence-seconds or --layers compares shapes of fewer, too";
}

std::string bound_line(const Plan& plan) {
    const placement::Gap gap = placement::gap_between(plan.score.total(), plan.bound.value);
    const std::optional<std::size_t> open = open_shapes(plan);
    const std::string_view shape = open ? " for this shape" : "";
    const std::string verdict =
        (gap.optimal ? fmt::format("the plan is optimal{}", shape)
         : gap.known
             ? fmt::format(
                   "the plan is at most {:.2f} % above the optimum{}", 100 * gap.value, shape)
             : fmt::format("how far the plan is from the optimum{} is unknown", shape)) +
        (open ? other_shapes(*open, plan.workload) : std::string());
    return fmt::format(
        "bound        {:.6f} s ({}); {}\n", plan.bound.value, plan.bound.method, verdict);
}

}  // namespace

std::string payloads_text(const workload::Workload& workload) {
    std::string text =
        fmt::format("c_pp {} GB in {}", workload.c_pp.value(), messages(workload.pp_messages));
    if (workload.c_pp_backward || workload.pp_backward_messages) {
        text += fmt::format(" (back {} GB in {})",
                            workload.c_pp_backward.value_or(workload.c_pp).value(),
                            messages(workload.pp_backward_messages.value_or(workload.pp_messages)));
    }
    text +=
        fmt::format(", c_dp {} GB in {}", workload.c_dp.value(), messages(workload.dp_messages));
    const int micro_batches = workload.microbatches.value_or(workload.pp_messages);
    return micro_batches == workload.pp_messages
               ? text
               : text + fmt::format(", {} micro-batches", micro_batches);
}

std::string additive_note(const placement::Terms& terms,
                          const workload::Workload& workload,
                          int pp) {
    const int most = std::max({workload.pp_messages,
                               workload.pp_backward_messages.value_or(1),
                               workload.microbatches.value_or(1)});
    return terms.objective == placement::Objective::kAdditive && most > 1 && pp > 1
               ? "the sum counts every message one after the other; what a step takes is told by "
                 "--objective pipelined, or by simulate"
               : "";
}

std::string plan_text(const Plan& plan, const fabric::Fabric& fabric) {
    const placement::Shape shape = plan.placement.shape();
    std::string text =
        fmt::format("fabric       {}: {} devices\n", plan.fabric_path, fabric.size());
    text += "workload     " + payloads_text(plan.workload) + "\n";
    text += fmt::format("shape        pp {} x dp {}{}\n",
                        shape.pp,
                        shape.dp,
                        shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : std::string());
    text +=
        fmt::format("score        {:.6f} s = data parallel {:.6f} + pipeline {:.6f}{}\n",
                    plan.score.total(),
                    plan.score.data_parallel,
                    plan.score.pipeline,
                    plan.score.compute > 0 ? fmt::format(" + compute {:.6f}", plan.score.compute)
                                           : std::string());
    text += term_lines(plan, fabric);
    text += bound_line(plan);
    text += fmt::format("search       {} evaluations, seed {}, stopped by {}; found by {}\n",
                        plan.search.evaluations,
                        plan.search.seed,
                        plan.search.stopped_by,
                        plan.search.found_by);
    text += "stages       devices of each label\n" + stage_lines(plan, fabric);
    text += unused_lines(plan, fabric);
    if (plan.baselines) {
        text += baseline_lines(*plan.baselines, plan.score.total());
    }
    return text + rank_map_line(plan.placement.rank_map());
}

}  // namespace longhaul::app
