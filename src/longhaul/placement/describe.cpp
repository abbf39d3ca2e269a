#include "longhaul/placement/describe.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/shared_pipeline.hpp"
#include "longhaul/placement/spare.hpp"

namespace longhaul::placement {
namespace {

/// Read backwards the path costs the same unless stages or directions differ: begin at the end that
/// holds the lowest device.
void begin_low(const Problem& problem, Stages& stages) {
    if (problem.workload.stage_seconds.size() <= 1 && problem.workload.layers.empty() &&
        !directed(problem) && std::ranges::min(stages.back()) < std::ranges::min(stages.front())) {
        std::ranges::reverse(stages);
    }
}

/// What was decided beside the rank map.
void describe_terms(const Problem& problem, Plan& plan) {
    const Stages stages = plan.placement.stages();
    plan.first_layers.clear();
    plan.misfit.clear();
    plan.exchange_orders.clear();
    plan.shared_bottleneck.clear();
    plan.pipeline_bottleneck.clear();
    if (!problem.workload.layers.empty()) {
        plan.first_layers = divide(problem, stages).first;
        plan.misfit = why_nothing_fits(problem, stages);
    }
    if (!problem.exchange) {
        return;
    }
    for (const std::vector<int>& group : stages) {
        const ExchangePlan exchange = problem.exchange->plan(group);
        if (!exchange.order.empty()) {
            plan.exchange_orders.emplace_back();
            for (const int position : exchange.order) {
                plan.exchange_orders.back().push_back(exchange.group[position]);
            }
        }
    }
    const int resource = data_parallel(problem, stages).resource;
    if (resource >= 0) {
        plan.shared_bottleneck = problem.shared.name(resource);
    }
    if (const int busiest = resource_of_interval(problem, stages); busiest >= 0) {
        plan.pipeline_bottleneck = problem.shared.name(busiest);
    }
}

}  // namespace

Placement composed(const Problem& problem, Stages stages, std::span<const int> host_of) {
    Costs costs = problem.costs;
    if (problem.terms.objective == Objective::kPipelined) {
        Solved solved = solve_inner(problem, stages);
        if (!solved.paired.empty()) {
            begin_low(problem, solved.paired);
            return order_replicas(Placement::from_stages(solved.paired, problem.devices()),
                                  host_of);
        }
        stages = in_order(stages, solved.order);
        costs.pipeline =
            capped(problem.costs.pipeline, problem.links.slowness, solved.slowness_cap);
    }
    begin_low(problem, stages);
    if (!problem.shared.empty()) {
        return compose_contended(problem, stages, host_of);
    }
    std::vector<int> path(stages.size());
    std::iota(path.begin(), path.end(), 0);
    return compose(costs, stages, path, host_of);
}

void name_members(const Problem& problem, const TensorGroups& groups, Plan& plan) {
    for (std::vector<int>& order : plan.exchange_orders) {
        for (int& device : order) {
            device = groups.members[device].front();
        }
    }
    plan.placement = expanded(plan.placement, groups, problem.shape.tp, problem.devices());
    plan.misfit = why_nothing_fits(problem, plan.placement.stages());
    std::vector<LeftOut> left_out;
    for (const LeftOut& one : plan.left_out) {
        for (const int device : groups.members[one.device]) {
            left_out.push_back({device,
                                one.score,
                                one.instead_of < 0 ? -1 : groups.members[one.instead_of].front()});
        }
    }
    for (const int device : groups.alone) {
        left_out.push_back({device, 0, -1});
    }
    plan.left_out = std::move(left_out);
}

TensorUnits tensor_units_of(TensorGroups groups,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels) {
    TensorUnits units;
    for (const std::vector<int>& group : groups.members) {
        units.host_of.push_back(host_of[group.front()]);
        units.labels.push_back(labels[group.front()]);
    }
    units.groups = std::move(groups);
    return units;
}

void describe_placement(const Problem& problem,
                        const TensorGroups* groups,
                        int threads,
                        Plan& plan,
                        const std::function<bool()>& stop) {
    if (groups == nullptr) {
        describe_terms(problem, plan);
        plan.left_out = left_out(problem, plan.placement.stages(), threads, stop);
        return;
    }
    std::map<int, int> unit_of;  // of its first device
    for (const std::vector<int>& group : groups->members) {
        unit_of.emplace(group.front(), static_cast<int>(unit_of.size()));
    }
    const std::vector<int>& devices = plan.placement.device_of_rank();
    std::vector<int> cells;
    for (std::size_t rank = 0; rank < devices.size();
         rank += static_cast<std::size_t>(problem.shape.tp)) {
        cells.push_back(unit_of.at(devices[rank]));
    }
    const Problem unit = grouped(problem, *groups);
    plan.placement = Placement(unit.shape, std::move(cells), groups->members.size());
    describe_placement(unit, nullptr, threads, plan, stop);
    name_members(problem, *groups, plan);
}

}  // namespace longhaul::placement
