#include "longhaul/placement/shape.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {

Placement::Placement(Shape shape, std::vector<int> device_of_rank, std::size_t devices)
    : shape_(shape),
      device_of_rank_(std::move(device_of_rank)),
      devices_(std::max(devices, device_of_rank_.size())) {
    LONGHAUL_ASSERT(device_of_rank_.size() == shape.devices());
}

namespace {

/// Fills device_of_rank; tells what does not fit.
core::Diagnostics invert(const std::vector<int>& rank_map, std::vector<int>& device_of_rank) {
    core::Diagnostics problems;
    const bool spare = rank_map.size() > device_of_rank.size();
    for (std::size_t device = 0; device < rank_map.size(); ++device) {
        const int rank = rank_map[device];
        const std::string where = fmt::format("rank_map[{}]", device);
        if (rank == -1 && spare) {
            continue;
        }
        if (rank < 0 || static_cast<std::size_t>(rank) >= device_of_rank.size()) {
            problems.push_back(
                {"",
                 where,
                 fmt::format("found rank {}", rank),
                 fmt::format("ranks go from 0 to {}{}",
                             device_of_rank.size() - 1,
                             spare ? ", and -1 stands for a device that is left out" : "")});
        } else if (int& owner = device_of_rank[rank]; owner >= 0) {
            problems.push_back({"",
                                where,
                                fmt::format("rank {} is taken by device {} already", rank, owner),
                                "every rank must occur once"});
        } else {
            owner = static_cast<int>(device);
        }
    }
    const auto missing = std::ranges::find(device_of_rank, -1);
    if (problems.empty() && missing != device_of_rank.end()) {
        problems.push_back({"",
                            "rank_map",
                            fmt::format("rank {} is missing", missing - device_of_rank.begin()),
                            "every rank must occur once"});
    }
    return problems;
}

}  // namespace

core::Result<Placement> Placement::from_rank_map(Shape shape, const std::vector<int>& rank_map) {
    if (rank_map.size() < shape.devices()) {
        const std::string tensor = shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : "";
        return core::fail(
            {"",
             "rank_map",
             fmt::format("holds {} ranks", rank_map.size()),
             fmt::format("pp {} x dp {}{} needs {}", shape.pp, shape.dp, tensor, shape.devices())});
    }
    std::vector<int> device_of_rank(shape.devices(), -1);
    core::Diagnostics problems = invert(rank_map, device_of_rank);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return Placement(shape, std::move(device_of_rank), rank_map.size());
}

Placement Placement::from_stages(const std::vector<std::vector<int>>& groups, std::size_t devices) {
    const Shape shape{static_cast<int>(groups.size()), static_cast<int>(groups.front().size())};
    std::vector<int> device_of_rank;
    device_of_rank.reserve(shape.devices());
    for (std::size_t replica = 0; replica < groups.front().size(); ++replica) {
        for (const std::vector<int>& group : groups) {
            device_of_rank.push_back(group[replica]);
        }
    }
    return {shape, std::move(device_of_rank), devices};
}

std::vector<int> Placement::rank_map() const {
    std::vector<int> map(devices_, -1);
    for (std::size_t rank = 0; rank < device_of_rank_.size(); ++rank) {
        map[device_of_rank_[rank]] = static_cast<int>(rank);
    }
    return map;
}

std::vector<int> Placement::unused() const {
    std::vector<int> devices;
    const std::vector<int> map = rank_map();
    for (std::size_t device = 0; device < map.size(); ++device) {
        if (map[device] < 0) {
            devices.push_back(static_cast<int>(device));
        }
    }
    return devices;
}

std::vector<std::vector<int>> Placement::stages() const {
    std::vector<std::vector<int>> groups(shape_.pp);
    for (std::size_t rank = 0; rank < device_of_rank_.size(); ++rank) {
        groups[static_cast<int>(rank) / shape_.tp % shape_.pp].push_back(device_of_rank_[rank]);
    }
    return groups;
}

std::vector<std::vector<int>> Placement::pipelines() const {
    std::vector<std::vector<int>> rows(shape_.dp);
    for (std::size_t rank = 0; rank < device_of_rank_.size(); ++rank) {
        rows[static_cast<int>(rank) / (shape_.tp * shape_.pp)].push_back(device_of_rank_[rank]);
    }
    return rows;
}

std::vector<int> left_out_of(const std::vector<std::vector<int>>& stages, std::size_t devices) {
    std::vector<char> used(devices, 0);
    for (const std::vector<int>& group : stages) {
        for (const int device : group) {
            used[static_cast<std::size_t>(device)] = 1;
        }
    }
    std::vector<int> others;
    for (std::size_t device = 0; device < devices; ++device) {
        if (used[device] == 0) {
            others.push_back(static_cast<int>(device));
        }
    }
    return others;
}

}  // namespace longhaul::placement
