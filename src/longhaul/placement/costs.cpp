#include "longhaul/placement/costs.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
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

namespace {

/// Numbers of devices with equal latency and slowness to all others, and of one region.
std::vector<int> classes_of_links(const fabric::Links& links, const std::vector<int>& region) {
    const Classes linked = exact_classes({links.latency_s, links.slowness});
    std::map<std::pair<int, int>, int> known;
    std::vector<int> number;
    for (std::size_t i = 0; i < region.size(); ++i) {
        const std::pair<int, int> key{linked.of_device[i], region[i]};
        number.push_back(known.emplace(key, static_cast<int>(known.size())).first->second);
    }
    return number;
}

void add_group_terms(const fabric::Fabric& fabric, Problem& problem) {
    if (problem.terms.count_shared) {
        problem.shared = Contention(fabric);
    }
    if (problem.terms.exchange != Exchange::kSharded || !problem.shared.empty()) {
        problem.exchange = make_exchange(problem.terms.exchange,
                                         problem.links,
                                         fabric::index_of_labels(fabric.labels()),
                                         problem.workload);
    }
}

/// Terms that do not go together.
core::Diagnostics unsupported(const Problem& problem) {
    core::Diagnostics problems;
    const workload::Workload& workload = problem.workload;
    if (!workload.layers.empty() && !workload.stage_seconds.empty()) {
        problems.push_back({"",
                            "layers",
                            "are given beside stage_seconds",
                            "give one of the two: layers are divided over the stages"});
    }
    if (!workload.layers.empty() &&
        workload.layers.size() < static_cast<std::size_t>(problem.shape.pp)) {
        problems.push_back(
            {"",
             "layers",
             fmt::format("has {} layers", workload.layers.size()),
             fmt::format("give at least one for each of {} stages", problem.shape.pp)});
    }
    return problems;
}

}  // namespace

std::shared_ptr<const ExchangeTerm> make_exchange(Exchange kind,
                                                  const fabric::Links& links,
                                                  const std::vector<int>& region,
                                                  const workload::Workload& workload) {
    return std::make_shared<ExchangeTerm>(kind,
                                          PointLinks(links),
                                          region,
                                          workload.c_dp.value(),
                                          workload.dp_messages,
                                          classes_of_links(links, region));
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
    Problem problem;
    problem.shape = shape;
    problem.links = fabric::make_links(fabric);
    problem.workload = workload;
    problem.terms = terms;
    workload::Workload of_device = workload;
    of_device.c_dp = workload.c_dp / shape.tp;
    problem.costs = costs_of(problem.links, of_device, shape, terms);
    if (std::ranges::any_of(fabric.parts().devices,
                            [](const fabric::Device& device) { return device.speed != 1; })) {
        for (const fabric::Device& device : fabric.parts().devices) {
            problem.speed.push_back(device.speed);
        }
    }
    for (const fabric::Device& device : fabric.parts().devices) {
        problem.memory_gb.push_back(
            device.memory_gb.value_or(std::numeric_limits<double>::infinity()));
    }
    add_group_terms(fabric, problem);
    if (core::Diagnostics problems = unsupported(problem); !problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return problem;
}

bool has_compute(const Problem& problem) {
    return !problem.workload.stage_seconds.empty() || !problem.workload.layers.empty();
}

namespace {

/// Without the kinds that no device has any more.
PairMatrix restricted_pairs(const PairMatrix& pairs, const std::vector<int>& devices) {
    std::vector<int> number(pairs.kinds(), 0);
    for (const int device : devices) {
        number[pairs.kind_of_device()[device]] = 1;
    }
    std::vector<std::size_t> kept;
    for (std::size_t kind = 0; kind < number.size(); ++kind) {
        if (number[kind] != 0) {
            number[kind] = static_cast<int>(kept.size());
            kept.push_back(kind);
        }
    }
    std::vector<int> kinds;
    kinds.reserve(devices.size());
    for (const int device : devices) {
        kinds.push_back(number[pairs.kind_of_device()[device]]);
    }
    core::Grid<double> table(kept.size(), kept.size());
    for (std::size_t a = 0; a < kept.size(); ++a) {
        for (std::size_t b = 0; b < kept.size(); ++b) {
            table(a, b) = pairs.table()(kept[a], kept[b]);
        }
    }
    return {std::move(kinds), std::move(table)};
}

std::vector<double> restricted_values(const std::vector<double>& values,
                                      const std::vector<int>& devices) {
    std::vector<double> part;
    for (const int device : devices) {
        if (!values.empty()) {
            part.push_back(values[device]);
        }
    }
    return part;
}

}  // namespace

Problem restricted_to_pairs(const Problem& problem, const std::vector<int>& devices) {
    Problem part{problem.shape, {}};
    part.workload = problem.workload;
    part.terms = problem.terms;
    part.costs = {restricted_pairs(problem.costs.pipeline, devices),
                  restricted_pairs(problem.costs.exchange, devices)};
    if (problem.links.slowness.size() > 0) {
        part.links = {restricted_pairs(problem.links.latency_s, devices),
                      restricted_pairs(problem.links.slowness, devices)};
    }
    part.speed = restricted_values(problem.speed, devices);
    part.memory_gb = restricted_values(problem.memory_gb, devices);
    return part;
}

Problem restricted(const Problem& problem, const std::vector<int>& devices) {
    Problem part = restricted_to_pairs(problem, devices);
    if (problem.exchange) {
        part.exchange = std::make_shared<ExchangeTerm>(problem.exchange->of(devices));
    }
    part.shared = problem.shared.of(devices);
    return part;
}

}  // namespace longhaul::placement
