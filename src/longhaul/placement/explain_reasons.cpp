#include "longhaul/placement/explain_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/shared_pipeline.hpp"

namespace longhaul::placement {
namespace {

constexpr double kTied = 1 - 1e-12;  // relative: sums in another order

bool sharded_alone(const Problem& unit) {
    return unit.terms.exchange == Exchange::kSharded || !unit.exchange;
}

StageReason sharded_reason(const Problem& unit, int stage, const std::vector<int>& group) {
    const GroupExchange worst = group_exchange(unit.costs.exchange, group);
    StageReason reason;
    reason.stage = stage;
    reason.device = worst.device;
    reason.seconds = worst.seconds;
    for (const int peer : group) {
        const double seconds = unit.costs.exchange(worst.device, peer);
        if (peer != worst.device &&
            (reason.worst_peer < 0 || seconds > reason.worst_peer_seconds)) {
            reason.worst_peer = peer;
            reason.worst_peer_seconds = seconds;
        }
    }
    return reason;
}

StageReason exchange_reason(const Problem& unit, int stage, const std::vector<int>& group) {
    if (sharded_alone(unit)) {
        return sharded_reason(unit, stage, group);
    }
    StageReason reason;
    reason.stage = stage;
    reason.device = group.front();
    reason.seconds = group_seconds(unit, group);
    const std::vector<CriticalFlow> flows = unit.exchange->critical_flows(group);
    if (!flows.empty()) {
        reason.device = flows.front().from;
        reason.worst_peer = flows.front().to;
        reason.worst_peer_seconds = flows.front().seconds;
    }
    return reason;
}

/// First of a group with the least value.
int least_of(const std::vector<double>& values, const std::vector<int>& group) {
    int least = group.front();
    for (const int device : group) {
        if (!values.empty() &&
            values[static_cast<std::size_t>(device)] < values[static_cast<std::size_t>(least)]) {
            least = device;
        }
    }
    return least;
}

void add_compute(const Problem& unit, const Stages& stages, Explanation& why) {
    if (!has_compute(unit)) {
        return;
    }
    why.misfit = why_nothing_fits(unit, stages);
    const std::vector<double> seconds = stage_seconds(unit, stages);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        why.stages[s].compute = seconds[s];
        why.stages[s].compute_device = least_of(unit.speed, stages[s]);
    }
    why.slowest_stage = static_cast<std::size_t>(
        std::ranges::max_element(why.stages, {}, &StageReason::compute) - why.stages.begin());
    if (unit.workload.layers.empty() || !why.misfit.empty()) {
        return;
    }
    const LayerDivision division = divide(unit, stages);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        StageReason& stage = why.stages[s];
        stage.first_layer = division.first[s];
        stage.needed_gb = division.stage_gb[s];
        stage.memory_device = least_of(unit.memory_gb, stages[s]);
        stage.memory_gb = unit.memory_gb.empty()
                              ? std::numeric_limits<double>::infinity()
                              : unit.memory_gb[static_cast<std::size_t>(stage.memory_device)];
    }
}

/// GB that one pipeline sends over an edge at once: all of both passes, or one message each.
std::pair<double, double> passes_gb_of(const Problem& unit) {
    if (unit.terms.objective == Objective::kPipelined) {
        const Passes passes = passes_of(unit.workload, unit.terms);
        return {passes.forward_gb, passes.backward_gb};
    }
    return {unit.workload.c_pp.value(),
            unit.workload.c_pp_backward.value_or(unit.workload.c_pp).value()};
}

EdgeReason edge_reason(const Problem& unit, int stage, const Stages& stages) {
    const auto s = static_cast<std::size_t>(stage);
    EdgeReason reason{stage, 0, -1, -1, 0, -1};
    for (std::size_t r = 0; r < stages[s].size(); ++r) {
        const int device = stages[s][r];
        const int next = stages[s + 1][r];
        if (reason.device < 0 || unit.costs.pipeline(device, next) > reason.seconds) {
            reason = {
                stage, static_cast<int>(r), device, next, unit.costs.pipeline(device, next), -1};
        }
    }
    if (!unit.shared.empty()) {
        const auto [forward_gb, backward_gb] = passes_gb_of(unit);
        const Contended shared =
            unit.shared.edge(stages[s], stages[s + 1], forward_gb, backward_gb);
        if (shared.seconds > reason.seconds) {
            reason.seconds = shared.seconds;
            reason.resource = shared.resource;
        }
    }
    return reason;
}

/// Seconds that all exchanges load each resource.
std::vector<double> exchange_loads(const Problem& unit, const Stages& stages) {
    std::vector<Load> loads(unit.shared.size());
    for (const std::vector<int>& group : stages) {
        unit.shared.add(unit.exchange->plan(group), loads);
    }
    std::vector<double> seconds;
    for (std::size_t r = 0; r < loads.size(); ++r) {
        std::vector<Load> alone(loads.size());
        alone[r] = loads[r];
        seconds.push_back(unit.shared.slowest(alone).seconds);
    }
    return seconds;
}

void add_resources(const Problem& unit, const Stages& stages, Explanation& why) {
    if (unit.shared.empty()) {
        return;
    }
    const std::vector<double> exchange = exchange_loads(unit, stages);
    const double groups = why.stages[why.binding_stage].seconds;
    for (std::size_t r = 0; r < exchange.size(); ++r) {
        ResourceReason reason{
            static_cast<int>(r),
            unit.shared.name(static_cast<int>(r)),
            exchange[r],
            exchange[r] > groups && exchange[r] >= why.score.data_parallel * kTied,
            0};
        for (const EdgeReason& edge : why.edges) {
            reason.edges += edge.resource == static_cast<int>(r) ? edge.seconds : 0;
        }
        if (reason.exchange > 0 || reason.edges > 0) {
            why.resources.push_back(std::move(reason));
        }
    }
}

void add_repeats(const Problem& unit, const Stages& stages, Explanation& why) {
    if (unit.terms.objective != Objective::kPipelined) {
        return;
    }
    const Passes passes = passes_of(unit.workload, unit.terms);
    const StageCompute compute = stage_compute(unit, stages);
    double slowest = 0;
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
        for (std::size_t r = 0; r < stages[s].size(); ++r) {
            const double slowness = unit.links.slowness(stages[s][r], stages[s + 1][r]);
            if (why.slowest_pair.device < 0 || slowness > slowest) {
                slowest = slowness;
                why.slowest_pair = {static_cast<int>(s),
                                    static_cast<int>(r),
                                    stages[s][r],
                                    stages[s + 1][r],
                                    (passes.forward_gb + passes.backward_gb) * slowness,
                                    -1};
            }
        }
    }
    const Contended busiest = unit.shared.empty() ? Contended{} : steady_load(unit, stages);
    why.busiest_resource = busiest.resource;
    why.repeats = {{true,
                    passes.forward_units - 1,
                    passes.forward_gb * slowest,
                    compute.forward_max,
                    passes.forward_gb * busiest.seconds},
                   {false,
                    passes.backward_units - 1,
                    passes.backward_gb * slowest,
                    compute.backward_max,
                    passes.backward_gb * busiest.seconds}};
}

/// The member of a group that sends the most over a resource in one direction.
int largest_sender(const Problem& unit, const std::vector<int>& group, std::size_t resource) {
    std::vector<double> sent(unit.devices(), 0);
    const ExchangePlan plan = unit.exchange->plan(group);
    const std::vector<int>& side = unit.shared.sides()[resource];
    for (const Flow& flow : plan.flows) {
        const int from = plan.group[static_cast<std::size_t>(flow.from)];
        const int to = plan.group[static_cast<std::size_t>(flow.to)];
        const int a = side[static_cast<std::size_t>(from)];
        const int b = side[static_cast<std::size_t>(to)];
        if (a != 0 && b != 0 && a != b) {
            sent[static_cast<std::size_t>(from)] += flow.gb;
        }
    }
    const auto most = std::ranges::max_element(sent);
    return *most > 0 ? static_cast<int>(most - sent.begin()) : -1;
}

}  // namespace

Explanation reasons_of(const Problem& unit, const Placement& placement) {
    Explanation why;
    why.score = score_as_mapped(unit, placement);
    const Stages stages = placement.stages();
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
        why.stages.push_back(exchange_reason(unit, s, stages[static_cast<std::size_t>(s)]));
        if (s > 0) {
            why.edges.push_back(edge_reason(unit, s - 1, stages));
        }
    }
    why.binding_stage = static_cast<std::size_t>(
        std::ranges::max_element(why.stages, {}, &StageReason::seconds) - why.stages.begin());
    why.binding_edge = static_cast<std::size_t>(
        std::ranges::max_element(why.edges, {}, &EdgeReason::seconds) - why.edges.begin());
    add_compute(unit, stages, why);
    add_resources(unit, stages, why);
    add_repeats(unit, stages, why);
    return why;
}

std::set<int> binding_units(const Problem& unit, const Stages& stages, const Explanation& why) {
    std::set<int> binding{why.stages[why.binding_stage].device,
                          why.stages[why.binding_stage].worst_peer};
    if (!why.edges.empty()) {
        binding.insert(why.edges[why.binding_edge].device);
        binding.insert(why.edges[why.binding_edge].next_device);
    }
    if (!unit.speed.empty() && has_compute(unit)) {
        binding.insert(why.stages[why.slowest_stage].compute_device);
    }
    if (std::ranges::any_of(why.repeats, [](const RepeatReason& repeat) {
            return repeat.messages > 0 && repeat.pair_s > repeat.compute_s &&
                   repeat.pair_s >= repeat.shared_s;
        })) {
        binding.insert(why.slowest_pair.device);
        binding.insert(why.slowest_pair.next_device);
    }
    for (const ResourceReason& resource : why.resources) {
        for (const std::vector<int>& group : stages) {
            if (resource.binds_exchange) {
                binding.insert(
                    largest_sender(unit, group, static_cast<std::size_t>(resource.resource)));
            }
        }
    }
    binding.erase(-1);
    return binding;
}

namespace {

using BindingPairs = std::vector<std::pair<int, int>>;

/// Of the slowest devices of a group under the sharded exchange, with all peers.
void add_sharded_pairs(const Problem& unit,
                       const std::vector<int>& group,
                       double worst,
                       BindingPairs& pairs) {
    for (const int device : group) {
        double sum = 0;
        for (const int peer : group) {
            sum += peer == device ? 0 : unit.costs.exchange(device, peer);
        }
        for (const int peer : group) {
            if (peer != device && sum >= worst * kTied) {
                pairs.emplace_back(device, peer);
            }
        }
    }
}

/// Neighbours of two stages whose value is the largest; at least `least`.
template <class Value>
void add_largest(
    const Stages& stages, std::size_t s, double least, Value value, BindingPairs& pairs) {
    double largest = least;
    for (std::size_t r = 0; r < stages[s].size(); ++r) {
        largest = std::max(largest, value(stages[s - 1][r], stages[s][r]));
    }
    for (std::size_t r = 0; r < stages[s].size(); ++r) {
        if (value(stages[s - 1][r], stages[s][r]) >= largest * kTied) {
            pairs.emplace_back(stages[s - 1][r], stages[s][r]);
        }
    }
}

double slowest_of_path(const Problem& unit, const Stages& stages) {
    double slowest = 0;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        for (std::size_t r = 0; r < stages[s].size(); ++r) {
            slowest = std::max(slowest, unit.links.slowness(stages[s - 1][r], stages[s][r]));
        }
    }
    return slowest;
}

}  // namespace

std::vector<std::pair<int, int>> binding_pairs(const Problem& unit, const Stages& stages) {
    BindingPairs pairs;
    std::vector<double> seconds;
    for (const std::vector<int>& group : stages) {
        seconds.push_back(group_seconds(unit, group));
    }
    const double worst = std::ranges::max(seconds);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (seconds[s] < worst * kTied) {
            continue;
        }
        if (sharded_alone(unit)) {
            add_sharded_pairs(unit, stages[s], worst, pairs);
            continue;
        }
        for (const CriticalFlow& flow : unit.exchange->critical_flows(stages[s])) {
            pairs.emplace_back(flow.from, flow.to);
        }
    }
    const bool pipelined = unit.terms.objective == Objective::kPipelined;
    const double slowest = pipelined ? slowest_of_path(unit, stages) : 0;
    for (std::size_t s = 1; s < stages.size(); ++s) {
        add_largest(stages, s, 0, [&](int a, int b) { return unit.costs.pipeline(a, b); }, pairs);
        if (pipelined) {
            add_largest(
                stages, s, slowest, [&](int a, int b) { return unit.links.slowness(a, b); }, pairs);
        }
    }
    return pairs;
}

std::vector<int> binding_resources(const Problem& unit, const Stages& stages) {
    if (unit.shared.empty()) {
        return {};
    }
    std::set<int> found;
    const std::vector<double> loads = exchange_loads(unit, stages);
    const double worst = data_parallel(unit, stages).seconds;
    for (std::size_t r = 0; r < loads.size(); ++r) {
        if (loads[r] > 0 && loads[r] >= worst * kTied) {
            found.insert(static_cast<int>(r));
        }
    }
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
        const int resource = edge_reason(unit, static_cast<int>(s), stages).resource;
        if (resource >= 0) {
            found.insert(resource);
        }
    }
    if (unit.terms.objective == Objective::kPipelined) {
        found.insert(resource_of_interval(unit, stages));
        found.erase(-1);
    }
    return {found.begin(), found.end()};
}

std::vector<std::size_t> binding_compute(const Problem& unit, const Stages& stages) {
    std::vector<std::size_t> found;
    if (!has_compute(unit)) {
        return found;
    }
    const std::vector<double> seconds = stage_seconds(unit, stages);
    const double slowest = std::ranges::max(seconds);
    for (std::size_t s = 0; s < seconds.size(); ++s) {
        if (!unit.workload.layers.empty() || seconds[s] >= slowest * kTied) {
            found.push_back(s);
        }
    }
    return found;
}

}  // namespace longhaul::placement
