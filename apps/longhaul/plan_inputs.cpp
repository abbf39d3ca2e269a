#include "longhaul/plan_inputs.hpp"

#include "longhaul/command.hpp"

namespace longhaul::app {

core::Result<LoadedPlan> load_plan(const std::string& fabric,
                                   std::string_view text,
                                   std::string name) {
    core::Result<placement::Plan> plan = placement::read_plan(text, name);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    const std::string path = fabric.empty() ? plan->fabric_path : fabric;
    if (path.empty()) {
        return core::fail(
            {std::move(name), "fabric", "names no fabric file", "give --fabric FILE"});
    }
    core::Result<LoadedFabric> read = fabric.empty() ? load_named_fabric(path) : load_fabric(path);
    if (!read) {
        return tl::unexpected(read.error());
    }
    if (fabric.empty() && !plan->fabric_sha256.empty() && plan->fabric_sha256 != read->sha256) {
        return core::fail({path,
                           "",
                           "is not the fabric that the plan was made from (its SHA-256 differs)",
                           "give --fabric to score the plan on it all the same"});
    }
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
    const workload::Workload workload = plan->workload;
    return LoadedPlan{
        {path, std::move(read->sha256), std::move(read->fabric), workload, std::move(*problem)},
        std::move(*plan)};
}

}  // namespace longhaul::app
