#include "longhaul/placement/units.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {

Units units_of(const Problem& problem, const Placement& placement, std::span<const int> host_of) {
    Units units;
    const int tp = problem.shape.tp;
    if (tp == 1) {
        units.problem = problem;
        units.placement = placement;
        for (std::size_t device = 0; device < problem.devices(); ++device) {
            units.groups.members.push_back({static_cast<int>(device)});
        }
        return units;
    }
    units.groups = groups_of(placement);
    const std::vector<int> unused = std::move(units.groups.alone);
    std::vector<int> hosts;
    for (const int device : unused) {
        hosts.push_back(host_of[static_cast<std::size_t>(device)]);
    }
    const TensorGroups rest = make_tensor_groups(hosts, tp);
    for (const std::vector<int>& group : rest.members) {
        std::vector<int>& members = units.groups.members.emplace_back();
        for (const int at : group) {
            members.push_back(unused[static_cast<std::size_t>(at)]);
        }
    }
    units.groups.alone.clear();
    for (const int at : rest.alone) {
        units.groups.alone.push_back(unused[static_cast<std::size_t>(at)]);
    }
    units.problem = grouped(problem, units.groups);
    std::vector<int> cells(units.problem.shape.cells());
    std::iota(cells.begin(), cells.end(), 0);
    units.placement = Placement(units.problem.shape, std::move(cells), units.groups.members.size());
    return units;
}

Problem units_to_place(const Problem& problem, std::span<const int> host_of) {
    return problem.shape.tp == 1 ? problem
                                 : grouped(problem, make_tensor_groups(host_of, problem.shape.tp));
}

std::vector<int> unit_kinds(const Problem& problem) {
    std::vector<int> kinds = kinds_of_devices(problem);
    if (problem.terms.objective != Objective::kPipelined) {
        return kinds;
    }
    const Classes linked = exact_classes({problem.links.latency_s, problem.links.slowness});
    std::map<std::pair<int, int>, int> known;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        kinds[i] =
            known.emplace(std::pair{kinds[i], linked.of_device[i]}, static_cast<int>(known.size()))
                .first->second;
    }
    return kinds;
}

Classes classes_of_kinds(const std::vector<int>& kinds) {
    Classes classes;
    classes.exact = true;
    classes.of_device = kinds;
    classes.members.resize(static_cast<std::size_t>(1 + std::ranges::max(kinds)));
    for (std::size_t device = 0; device < kinds.size(); ++device) {
        classes.members[static_cast<std::size_t>(kinds[device])].push_back(
            static_cast<int>(device));
    }
    return classes;
}

}  // namespace longhaul::placement
