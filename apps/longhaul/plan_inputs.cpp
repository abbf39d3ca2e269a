#include "longhaul/plan_inputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/command.hpp"
#include "longhaul/fabric/names.hpp"
#include "longhaul/plan_fabric.hpp"

namespace longhaul::app {
namespace {

/// What the score counts is that of the old plan, unless given.
void fill_terms(const placement::Terms& terms, PlacementInputs& inputs) {
    if (!inputs.has("--objective")) {
        inputs.objective = placement::name_of(terms.objective);
    }
    if (!inputs.has("--exchange")) {
        inputs.exchange = placement::name_of(terms.exchange);
    }
    if (!inputs.has("--schedule")) {
        inputs.schedule = placement::name_of(terms.schedule);
    }
    if (!inputs.has("--forward-share")) {
        inputs.forward_share = terms.forward_share;
    }
    inputs.ignore_shared = inputs.ignore_shared || !terms.count_shared;
}

/// Payloads, message counts and micro-batches that were not typed are those of the plan, each by
/// itself: a payload that was typed leaves the number of its messages alone.
void fill_payloads_of_plan(const workload::Workload& old, PlacementInputs& inputs) {
    const auto gigabytes = [](const std::optional<core::Gigabytes>& payload) {
        return payload ? std::optional(payload->value()) : std::nullopt;
    };
    inputs.c_pp = inputs.c_pp ? inputs.c_pp : gigabytes(old.c_pp);
    inputs.c_dp = inputs.c_dp ? inputs.c_dp : gigabytes(old.c_dp);
    inputs.c_pp_backward =
        inputs.c_pp_backward ? inputs.c_pp_backward : gigabytes(old.c_pp_backward);
    if (!inputs.has("--pp-messages")) {
        inputs.pp_messages = old.pp_messages;
    }
    if (!inputs.has("--dp-messages")) {
        inputs.dp_messages = old.dp_messages;
    }
    if (!inputs.pp_backward_messages) {
        inputs.pp_backward_messages = old.pp_backward_messages;
    }
    inputs.microbatches = inputs.microbatches ? inputs.microbatches : old.microbatches;
}

}  // namespace

void fill_from_plan(const placement::Plan& plan, PlacementInputs& inputs) {
    const workload::Workload& old = plan.workload;
    fill_terms(plan.terms, inputs);
    inputs.tp = inputs.has("--tp") ? inputs.tp : plan.placement.shape().tp;
    if (!inputs.job.empty()) {
        return;
    }
    if (inputs.layers.empty() && inputs.stage_seconds.empty()) {
        inputs.stage_seconds = old.stage_seconds;
        inputs.old_layers = old.layers;
    }
    inputs.pp = inputs.pp != 0 ? inputs.pp : plan.placement.shape().pp;
    inputs.dp = inputs.dp != 0 ? inputs.dp : plan.placement.shape().dp;
    fill_payloads_of_plan(old, inputs);
}

void warn_of_other_devices(const placement::Plan& plan,
                           const fabric::Fabric& fabric,
                           const std::string& name) {
    const std::vector<std::string> names = fabric::device_names(fabric);
    if (plan.devices.size() != names.size()) {
        return;
    }
    const auto [old, now] = std::ranges::mismatch(plan.devices, names);
    if (old != plan.devices.end()) {
        warn(
            fmt::format("{}: device {} is {} in the plan and {} in the fabric; ranks are those of "
                        "the plan by index. place --from matches devices by name",
                        name,
                        old - plan.devices.begin(),
                        *old,
                        *now));
    }
}

core::Result<LoadedPlan> load_plan(const std::string& fabric,
                                   std::string_view text,
                                   std::string name) {
    core::Result<placement::Plan> plan = placement::read_plan(text, name);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    core::Result<FoundFabric> found =
        fabric_of_plan({plan->fabric_path, plan->fabric_sha256, name}, fabric);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const std::string path = found->path;
    LoadedFabric* read = &found->loaded;
    core::Result<placement::Problem> problem = placement::make_problem(
        read->fabric, input_name(path), plan->workload, plan->placement.shape(), plan->terms);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    if (problem->devices() != plan->placement.devices()) {
        return core::fail({std::move(name),
                           "rank_map",
                           fmt::format("has {} ranks", plan->placement.devices()),
                           fmt::format("the fabric has {} devices", problem->devices())});
    }
    warn_of_other_devices(*plan, read->fabric, name);
    const workload::Workload workload = plan->workload;
    return LoadedPlan{
        {path, std::move(read->sha256), std::move(read->fabric), workload, std::move(*problem)},
        std::move(*plan)};
}

}  // namespace longhaul::app
