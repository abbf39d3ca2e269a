#include "longhaul/placement/tensor.hpp"

#include <algorithm>
#include <map>

#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {
namespace {

/// Groups whose members are of the same kinds are of one kind.
PairMatrix largest_between(const PairMatrix& pairs, const TensorGroups& groups) {
    std::map<std::vector<int>, int> known;
    std::vector<std::vector<int>> kinds;  // of the members of each kind of groups
    std::vector<int> kind_of;
    for (const std::vector<int>& group : groups.members) {
        std::vector<int> members;
        for (const int device : group) {
            members.push_back(pairs.kind_of_device()[device]);
        }
        const auto [at, fresh] = known.try_emplace(members, static_cast<int>(kinds.size()));
        if (fresh) {
            kinds.push_back(std::move(members));
        }
        kind_of.push_back(at->second);
    }
    core::Grid<double> largest(kinds.size(), kinds.size(), 0.0);
    for (std::size_t a = 0; a < kinds.size(); ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            for (std::size_t t = 0; t < kinds[a].size(); ++t) {
                largest(a, b) = std::max(largest(a, b), pairs.table()(kinds[a][t], kinds[b][t]));
            }
            largest(b, a) = largest(a, b);
        }
    }
    return {std::move(kind_of), std::move(largest)};
}

/// The slowest, or the smallest, device of every group.
std::vector<double> least_in(const std::vector<double>& values, const TensorGroups& groups) {
    std::vector<double> least;
    for (const std::vector<int>& group : groups.members) {
        if (!values.empty()) {
            least.push_back(values[group.front()]);
            for (const int device : group) {
                least.back() = std::min(least.back(), values[device]);
            }
        }
    }
    return least;
}

}  // namespace

TensorGroups make_tensor_groups(std::span<const int> host_of, int tp) {
    std::map<int, std::vector<int>> open;
    TensorGroups groups;
    for (std::size_t device = 0; device < host_of.size(); ++device) {
        std::vector<int>& group = open[host_of[device]];
        group.push_back(static_cast<int>(device));
        if (static_cast<int>(group.size()) == tp) {
            groups.members.push_back(std::move(group));
            group.clear();
        }
    }
    for (const auto& [host, rest] : open) {
        groups.alone.insert(groups.alone.end(), rest.begin(), rest.end());
    }
    std::ranges::sort(groups.alone);
    return groups;
}

TensorGroups groups_of(const Placement& placement) {
    TensorGroups groups;
    const auto tp = static_cast<std::size_t>(placement.shape().tp);
    const std::vector<int>& devices = placement.device_of_rank();
    for (std::size_t rank = 0; rank < devices.size(); rank += tp) {
        const auto first = devices.begin() + static_cast<std::ptrdiff_t>(rank);
        groups.members.emplace_back(first, first + static_cast<std::ptrdiff_t>(tp));
    }
    groups.alone = placement.unused();
    return groups;
}

Problem grouped(const Problem& problem, const TensorGroups& groups) {
    Problem unit = problem;
    const int tp = problem.shape.tp;
    unit.shape.tp = 1;
    unit.links = {largest_between(problem.links.latency_s, groups),
                  largest_between(problem.links.slowness, groups)};
    unit.workload.c_dp = problem.workload.c_dp / tp;
    unit.costs = costs_of(unit.links, unit.workload, unit.shape, unit.terms);
    unit.speed = least_in(problem.speed, groups);
    unit.memory_gb = least_in(problem.memory_gb, groups);
    std::vector<int> first;
    for (const std::vector<int>& group : groups.members) {
        first.push_back(group.front());
    }
    if (problem.exchange) {
        unit.exchange = std::make_shared<ExchangeTerm>(problem.exchange->kind(),
                                                       PointLinks(unit.links),
                                                       problem.exchange->of(first).region(),
                                                       unit.workload.c_dp.value(),
                                                       unit.workload.dp_messages);
    }
    unit.shared = problem.shared.of(first).divided(tp);
    return unit;
}

Placement expanded(const Placement& placement,
                   const TensorGroups& groups,
                   int tp,
                   std::size_t devices) {
    std::vector<int> device_of_rank;
    for (const int group : placement.device_of_rank()) {
        device_of_rank.insert(
            device_of_rank.end(), groups.members[group].begin(), groups.members[group].end());
    }
    Shape shape = placement.shape();
    shape.tp = tp;
    return {shape, std::move(device_of_rank), devices};
}

}  // namespace longhaul::placement
