#include "longhaul/placement/group_terms.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/long_path.hpp"
#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {
namespace {

/// GB of both passes that one pipeline sends over an edge at once: all, or one message.
std::pair<double, double> passes_gb(const Problem& problem) {
    const workload::Workload& workload = problem.workload;
    if (problem.terms.objective == Objective::kPipelined) {
        const Passes passes = passes_of(workload, problem.terms);
        return {passes.forward_gb, passes.backward_gb};
    }
    return {workload.c_pp.value(), workload.c_pp_backward.value_or(workload.c_pp).value()};
}

/// Positions of a group in the order of their devices.
std::vector<int> positions_by_device(const std::vector<int>& group) {
    std::vector<int> positions(group.size());
    std::iota(positions.begin(), positions.end(), 0);
    std::ranges::sort(positions, {}, [&](int position) { return group[position]; });
    return positions;
}

}  // namespace

double group_seconds(const Problem& problem, const std::vector<int>& group) {
    return problem.terms.exchange == Exchange::kSharded || !problem.exchange
               ? group_exchange(problem.costs.exchange, group).seconds
               : problem.exchange->seconds(group);
}

DataParallel data_parallel(const Problem& problem, const Stages& stages) {
    DataParallel worst;
    std::vector<Load> loads;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const double seconds = group_seconds(problem, stages[s]);
        if (worst.stage < 0 || seconds > worst.seconds) {
            worst = {seconds, static_cast<int>(s), -1};
        }
        if (!problem.shared.empty()) {
            problem.shared.add(problem.exchange->plan(stages[s]), loads);
        }
    }
    const Contended slowest = problem.shared.slowest(loads);
    if (slowest.seconds > worst.seconds) {
        worst.seconds = slowest.seconds;
        worst.resource = slowest.resource;
    }
    return worst;
}

bool directed(const Problem& problem) {
    const auto [forward, backward] = passes_gb(problem);
    return problem.shared.directed(forward, backward);
}

namespace {

/// Groups are sorted first, and the one with the lowest device comes first, so that the same two
/// groups always get the same pairs.
ContendedEdge contended_edge_of(const Problem& problem,
                                const std::vector<int>& left,
                                const std::vector<int>& right,
                                double forward,
                                double backward) {
    if (std::ranges::min(right) < std::ranges::min(left)) {
        ContendedEdge edge = contended_edge_of(problem, right, left, backward, forward);
        std::vector<int> partner(left.size());
        for (std::size_t j = 0; j < right.size(); ++j) {
            partner[edge.partner[j]] = static_cast<int>(j);
        }
        edge.partner = std::move(partner);
        return edge;
    }
    const std::vector<int> from = positions_by_device(left);
    const std::vector<int> to = positions_by_device(right);
    core::Grid<double> pairs(left.size(), right.size());
    std::vector<int> sorted_left;
    std::vector<int> sorted_right;
    for (std::size_t i = 0; i < left.size(); ++i) {
        sorted_left.push_back(left[from[i]]);
        sorted_right.push_back(right[to[i]]);
        for (std::size_t j = 0; j < right.size(); ++j) {
            pairs(i, j) = problem.costs.pipeline(left[from[i]], right[to[j]]);
        }
    }
    ContendedEdge edge = problem.shared.match(pairs, sorted_left, sorted_right, forward, backward);
    std::vector<int> partner(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        partner[from[i]] = to[edge.partner[i]];
    }
    edge.partner = std::move(partner);
    return edge;
}

}  // namespace

ContendedEdge contended_edge(const Problem& problem,
                             const std::vector<int>& left,
                             const std::vector<int>& right) {
    const auto [forward, backward] = passes_gb(problem);
    return contended_edge_of(problem, left, right, forward, backward);
}

double mapped_edge(const Problem& problem,
                   const std::vector<int>& left,
                   const std::vector<int>& right) {
    double slowest = 0;
    for (std::size_t r = 0; r < left.size(); ++r) {
        slowest = std::max(slowest, problem.costs.pipeline(left[r], right[r]));
    }
    const auto [forward, backward] = passes_gb(problem);
    return std::max(slowest, problem.shared.edge(left, right, forward, backward).seconds);
}

core::Grid<double> contended_edges(const Problem& problem, const Stages& stages, bool bounds) {
    core::Grid<double> edges(stages.size(), stages.size(), 0.0);
    const bool each_way = directed(problem);
    const auto seconds = [&](std::size_t a, std::size_t b) {
        const ContendedEdge edge = contended_edge(problem, stages[a], stages[b]);
        return bounds ? std::min(edge.bound, edge.seconds()) : edge.seconds();
    };
    for (std::size_t a = 0; a < stages.size(); ++a) {
        for (std::size_t b = a + 1; b < stages.size(); ++b) {
            edges(a, b) = seconds(a, b);
            edges(b, a) = each_way ? seconds(b, a) : edges(a, b);
        }
    }
    return edges;
}

double contended_as_mapped(const Problem& problem, const Stages& stages) {
    double length = 0;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        length += mapped_edge(problem, stages[s - 1], stages[s]);
    }
    return length;
}

PipelineCompute pipeline_compute(const Problem& problem) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    return {problem.workload.microbatches.value_or(passes.forward_units),
            problem.terms.schedule,
            passes.units_together()};
}

LayerDivision divide(const Problem& problem, const Stages& stages) {
    std::vector<StageDevices> devices(stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
        devices[s].speed = problem.speed.empty() ? 1 : std::numeric_limits<double>::infinity();
        for (const int device : stages[s]) {
            if (!problem.speed.empty()) {
                devices[s].speed = std::min(devices[s].speed, problem.speed[device]);
            }
            if (!problem.memory_gb.empty()) {
                devices[s].memory_gb = std::min(devices[s].memory_gb, problem.memory_gb[device]);
            }
        }
    }
    return divide_layers(problem.workload.layers, devices, pipeline_compute(problem));
}

std::string why_nothing_fits(const Problem& problem, const Stages& stages) {
    if (problem.workload.layers.empty()) {
        return {};
    }
    const std::optional<MissingMemory> missing = divide(problem, stages).missing;
    if (!missing) {
        return {};
    }
    int device = stages[missing->stage].front();
    for (const int other : stages[missing->stage]) {
        device = problem.memory_gb[other] < problem.memory_gb[device] ? other : device;
    }
    return fmt::format(
        "in the division that comes closest, stage {} needs {:.3f} GB on each device; device {} "
        "has {:.3f} GB, {:.3f} GB are missing",
        missing->stage,
        missing->needed_gb,
        device,
        problem.memory_gb[device],
        missing->missing_gb);
}

std::vector<double> stage_seconds(const Problem& problem, const Stages& stages) {
    if (!problem.workload.layers.empty()) {
        LayerDivision division = divide(problem, stages);
        if (division.missing) {
            division.stage_seconds.assign(stages.size(), 0);
            division.stage_seconds.front() = seconds_without_memory(division.missing->missing_gb);
        }
        return std::move(division.stage_seconds);
    }
    std::vector<double> seconds;
    const std::vector<double>& given = problem.workload.stage_seconds;
    for (std::size_t s = 0; !given.empty() && s < stages.size(); ++s) {
        double speed = problem.speed.empty() ? 1 : std::numeric_limits<double>::infinity();
        for (const int device : stages[s]) {
            speed = problem.speed.empty() ? 1 : std::min(speed, problem.speed[device]);
        }
        seconds.push_back(given[given.size() == 1 ? 0 : s] / speed);
    }
    return seconds;
}

double compute_alone(const Problem& problem, const Stages& stages) {
    if (!has_compute(problem)) {
        return 0;
    }
    const StageCompute compute = stage_compute(problem, stages);
    return compute.sum + repeats(passes_of(problem.workload, problem.terms), compute, 0);
}

std::vector<int> kinds_of_devices(const Problem& problem) {
    // Where the slowest pair counts on its own, slowness alone tells devices apart, too.
    const bool links = problem.terms.objective == Objective::kPipelined;
    const Classes classes = exact_classes(
        links ? Costs{problem.links.latency_s, problem.links.slowness} : problem.costs);
    std::map<std::vector<double>, int> known;
    std::vector<int> kind;
    for (std::size_t i = 0; i < problem.devices(); ++i) {
        std::vector<double> key{static_cast<double>(classes.of_device[i])};
        key.push_back(problem.exchange ? problem.exchange->class_of_point()[i] : 0);
        key.push_back(problem.speed.empty() || !has_compute(problem) ? 1 : problem.speed[i]);
        key.push_back(problem.memory_gb.empty() || problem.workload.layers.empty()
                          ? 0
                          : problem.memory_gb[i]);
        for (const std::vector<int>& side : problem.shared.sides()) {
            key.push_back(side[i]);
        }
        kind.push_back(known.emplace(std::move(key), static_cast<int>(known.size())).first->second);
    }
    return kind;
}

Classes classes_under_terms(const Problem& problem) {
    Classes classes;
    classes.exact = true;
    classes.of_device = kinds_of_devices(problem);
    classes.members.resize(*std::ranges::max_element(classes.of_device) + 1);
    for (std::size_t device = 0; device < classes.of_device.size(); ++device) {
        classes.members[classes.of_device[device]].push_back(static_cast<int>(device));
    }
    return classes;
}

double data_parallel_bound(const Problem& problem) {
    std::vector<double> bounds;
    if (problem.terms.exchange == Exchange::kSharded || !problem.exchange) {
        const NearestCosts nearest = nearest_costs(problem.costs, problem.shape.dp);
        for (const int kind : problem.costs.exchange.kind_of_device()) {
            bounds.push_back(nearest.exchange[kind]);
        }
    } else {
        bounds = problem.exchange->member_bounds(problem.shape.dp);
    }
    // Of the devices that are used, one has at least this; the worst ones may be left out.
    std::ranges::sort(bounds);
    return bounds[problem.shape.devices() - 1];
}

}  // namespace longhaul::placement
