#include "longhaul/equal_placements.hpp"

#include <algorithm>
#include <numeric>

#include "longhaul/inputs.hpp"
#include "longhaul/launch/arrange.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/hosts_together.hpp"
#include "longhaul/plan_fabric.hpp"

namespace longhaul::app {

std::vector<placement::Placement> equal_placements(const placement::Plan& plan,
                                                   const std::string& plan_file,
                                                   const launch::Hosts& hosts) {
    std::vector<placement::Placement> candidates{plan.placement};
    std::vector<int> host_of = launch::host_of_devices(hosts);
    if (host_of.size() > plan.placement.devices()) {
        return candidates;  // refused later with a message
    }
    host_of.resize(plan.placement.devices(), -1);
    const bool all_known = std::ranges::find(host_of, -1) == host_of.end();
    const bool spare = plan.placement.devices() != plan.placement.shape().devices();
    if (std::ranges::any_of(plan.placement.device_of_rank(),
                            [&](int device) { return host_of[device] < 0; })) {
        return candidates;  // refused later with a message
    }
    candidates.push_back(placement::order_replicas(plan.placement, host_of));
    const auto found = fabric_of_plan({plan.fabric_path, plan.fabric_sha256, plan_file}, "");
    if (!all_known || !found || found->loaded.sha256 != plan.fabric_sha256) {
        return candidates;
    }
    const LoadedFabric* fabric = &found->loaded;
    const auto problem = placement::make_problem(
        fabric->fabric, plan.fabric_path, plan.workload, plan.placement.shape(), plan.terms);
    if (!problem) {
        return candidates;
    }
    const auto score_of = [&](const placement::Placement& placement) {
        return problem->shape.tp == 1
                   ? placement::score_as_mapped(*problem, placement).total()
                   : placement::score_as_mapped(problem->costs, placement).total();
    };
    if (!spare) {
        const placement::Stages stages = plan.placement.stages();
        std::vector<int> path(stages.size());
        std::iota(path.begin(), path.end(), 0);
        placement::Placement other = placement::compose(problem->costs, stages, path, host_of);
        if (score_of(other) <= score_of(plan.placement)) {
            candidates.push_back(std::move(other));
        }
    }
    if (problem->shape.tp == 1) {
        for (const auto order :
             {placement::RankOrder::kByPipeline, placement::RankOrder::kByStage}) {
            candidates.push_back(
                placement::hosts_together(*problem, plan.placement, host_of, order));
        }
    }
    return candidates;
}

}  // namespace longhaul::app
