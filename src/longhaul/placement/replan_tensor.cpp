#include "longhaul/placement/replan_tensor.hpp"

#include <algorithm>
#include <map>

namespace longhaul::placement {
namespace {

/// Places one after another: a device goes to its old place while that is free, else to the first.
std::vector<int> in_old_places(const std::vector<int>& devices,
                               const std::vector<OldPlace>& places) {
    std::vector<int> group(devices.size(), -1);
    std::vector<int> others;
    for (const int device : devices) {
        const int tensor = places[static_cast<std::size_t>(device)].tensor;
        if (tensor >= 0 && tensor < static_cast<int>(group.size()) &&
            group[static_cast<std::size_t>(tensor)] < 0) {
            group[static_cast<std::size_t>(tensor)] = device;
        } else {
            others.push_back(device);
        }
    }
    std::size_t next = 0;
    for (int& device : group) {
        device = device < 0 ? others[next++] : device;
    }
    return group;
}

/// Groups of one host.
void add_groups(std::vector<int> devices,
                const std::vector<OldPlace>& places,
                bool same_size,
                std::size_t tp,
                TensorGroups& groups) {
    const auto key = [&](int device) {
        const OldPlace& place = places[static_cast<std::size_t>(device)];
        return std::tuple(place.stage < 0, place.stage, place.replica, place.tensor, device);
    };
    std::ranges::sort(devices, {}, key);
    std::map<std::pair<int, int>, std::vector<int>> cells;
    for (const int device : devices) {
        const OldPlace& place = places[static_cast<std::size_t>(device)];
        cells[{place.stage, place.replica}].push_back(device);
    }
    std::vector<int> rest;
    for (const int device : devices) {
        const OldPlace& place = places[static_cast<std::size_t>(device)];
        const std::vector<int>& cell = cells[{place.stage, place.replica}];
        if (place.stage < 0 || !same_size || cell.size() != tp) {
            rest.push_back(device);
        } else if (cell.front() == device) {
            groups.members.push_back(cell);
        }
    }
    for (std::size_t first = 0; first + tp <= rest.size(); first += tp) {
        const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(first);
        groups.members.push_back(
            in_old_places({begin, begin + static_cast<std::ptrdiff_t>(tp)}, places));
    }
    groups.alone.insert(
        groups.alone.end(), rest.end() - static_cast<std::ptrdiff_t>(rest.size() % tp), rest.end());
}

}  // namespace

Regrouped regroup(std::span<const int> host_of,
                  const std::vector<OldPlace>& places,
                  int old_pp,
                  int old_tp,
                  int tp) {
    std::map<int, std::vector<int>> hosts;
    for (std::size_t device = 0; device < host_of.size(); ++device) {
        hosts[host_of[device]].push_back(static_cast<int>(device));
    }
    Regrouped made;
    for (auto& [host, devices] : hosts) {
        add_groups(devices, places, old_tp == tp, static_cast<std::size_t>(tp), made.groups);
    }
    std::ranges::sort(made.groups.alone);
    made.old.pp = old_pp;
    for (const std::vector<int>& group : made.groups.members) {
        std::vector<int>& stages = made.old.members.emplace_back();
        for (std::size_t t = 0; t < group.size(); ++t) {
            const OldPlace& place = places[static_cast<std::size_t>(group[t])];
            stages.push_back(
                keeps_state(place.tensor, old_tp, static_cast<int>(t), tp) ? place.stage : -1);
        }
        made.old.stage_of.push_back(stages.front());
    }
    return made;
}

void expand_points(Replan& replan, const TensorGroups& groups, int tp, std::size_t devices) {
    for (ReplanPoint& point : replan.curve) {
        point.placement = expanded(point.placement, groups, tp, devices);
    }
    if (replan.chosen) {
        replan.chosen->placement = expanded(replan.chosen->placement, groups, tp, devices);
    }
}

}  // namespace longhaul::placement
