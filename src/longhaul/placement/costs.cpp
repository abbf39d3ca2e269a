#include "longhaul/placement/costs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {

Costs make_costs(const fabric::Links& links, const workload::Workload& workload, Shape shape) {
    const core::Gigabytes backward = workload.c_pp_backward.value_or(workload.c_pp);
    const int backward_messages = workload.pp_backward_messages.value_or(workload.pp_messages);
    return {fabric::transfer_seconds(links,
                                     workload.c_pp + backward,
                                     static_cast<double>(workload.pp_messages) + backward_messages),
            fabric::transfer_seconds(
                links, workload.c_dp * (2.0 / shape.dp), 2.0 * workload.dp_messages)};
}

Costs costs_of(const fabric::Links& links,
               const workload::Workload& workload,
               Shape shape,
               const Terms& terms) {
    Costs costs = make_costs(links, workload, shape);
    if (terms.objective == Objective::kPipelined) {
        costs.pipeline = first_micro_batch(links, passes_of(workload, terms));
    }
    return costs;
}

core::Result<Problem> make_problem(const fabric::Fabric& fabric,
                                   const std::string& name,
                                   const workload::Workload& workload,
                                   Shape shape,
                                   const Terms& terms) {
    if (fabric.size() < shape.devices()) {
        return core::fail({name,
                           "",
                           fmt::format("has {} devices", fabric.size()),
                           fmt::format("pp {} x dp {}{} needs {}; choose a smaller pp or dp",
                                       shape.pp,
                                       shape.dp,
                                       shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : "",
                                       shape.devices())});
    }
    const std::size_t times = workload.stage_seconds.size();
    if (times > 1 && times != static_cast<std::size_t>(shape.pp)) {
        return core::fail({"",
                           "stage_seconds",
                           fmt::format("has {} entries", times),
                           fmt::format("give one for all stages, or one each: {}", shape.pp)});
    }
    Problem problem{shape, {}, fabric::make_links(fabric), workload, terms, {}};
    workload::Workload of_device = workload;
    of_device.c_dp = workload.c_dp / shape.tp;
    problem.costs = costs_of(problem.links, of_device, shape, terms);
    if (std::ranges::any_of(fabric.parts().devices,
                            [](const fabric::Device& device) { return device.speed != 1; })) {
        for (const fabric::Device& device : fabric.parts().devices) {
            problem.speed.push_back(device.speed);
        }
    }
    return problem;
}

namespace {

PairMatrix restricted_pairs(const PairMatrix& pairs, const std::vector<int>& devices) {
    std::vector<int> kinds;
    kinds.reserve(devices.size());
    for (const int device : devices) {
        kinds.push_back(pairs.kind_of_device()[device]);
    }
    return {std::move(kinds), pairs.table()};
}

}  // namespace

Problem restricted(const Problem& problem, const std::vector<int>& devices) {
    Problem part = problem;
    part.costs = {restricted_pairs(problem.costs.pipeline, devices),
                  restricted_pairs(problem.costs.exchange, devices)};
    if (problem.links.slowness.size() > 0) {
        part.links = {restricted_pairs(problem.links.latency_s, devices),
                      restricted_pairs(problem.links.slowness, devices)};
    }
    if (!problem.speed.empty()) {
        part.speed.clear();
        for (const int device : devices) {
            part.speed.push_back(problem.speed[device]);
        }
    }
    return part;
}

}  // namespace longhaul::placement
