#include "longhaul/placement/shape.hpp"

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {

Placement::Placement(Shape shape, std::vector<int> device_of_rank)
    : shape_(shape), device_of_rank_(std::move(device_of_rank)) {
    LONGHAUL_ASSERT(device_of_rank_.size() == shape.devices());
}

core::Result<Placement> Placement::from_rank_map(Shape shape, const std::vector<int>& rank_map) {
    if (rank_map.size() != shape.devices()) {
        return core::fail(
            {"",
             "rank_map",
             fmt::format("holds {} ranks", rank_map.size()),
             fmt::format("pp {} x dp {} needs {}", shape.pp, shape.dp, shape.devices())});
    }
    std::vector<int> device_of_rank(rank_map.size(), -1);
    core::Diagnostics problems;
    for (std::size_t device = 0; device < rank_map.size(); ++device) {
        const int rank = rank_map[device];
        const std::string where = fmt::format("rank_map[{}]", device);
        if (rank < 0 || static_cast<std::size_t>(rank) >= rank_map.size()) {
            problems.push_back({"",
                                where,
                                fmt::format("found rank {}", rank),
                                fmt::format("ranks go from 0 to {}", rank_map.size() - 1)});
        } else if (int& owner = device_of_rank[static_cast<std::size_t>(rank)]; owner >= 0) {
            problems.push_back({"",
                                where,
                                fmt::format("rank {} is taken by device {} already", rank, owner),
                                "every rank must occur once"});
        } else {
            owner = static_cast<int>(device);
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return Placement(shape, std::move(device_of_rank));
}

Placement Placement::from_stages(const std::vector<std::vector<int>>& groups) {
    const Shape shape{static_cast<int>(groups.size()), static_cast<int>(groups.front().size())};
    std::vector<int> device_of_rank;
    device_of_rank.reserve(shape.devices());
    for (std::size_t replica = 0; replica < groups.front().size(); ++replica) {
        for (const std::vector<int>& group : groups) {
            device_of_rank.push_back(group[replica]);
        }
    }
    return {shape, std::move(device_of_rank)};
}

std::vector<int> Placement::rank_map() const {
    std::vector<int> map(device_of_rank_.size());
    for (std::size_t rank = 0; rank < map.size(); ++rank) {
        map[static_cast<std::size_t>(device_of_rank_[rank])] = static_cast<int>(rank);
    }
    return map;
}

std::vector<std::vector<int>> Placement::stages() const {
    std::vector<std::vector<int>> groups(static_cast<std::size_t>(shape_.pp));
    for (int stage = 0; stage < shape_.pp; ++stage) {
        for (int replica = 0; replica < shape_.dp; ++replica) {
            groups[static_cast<std::size_t>(stage)].push_back(device(replica, stage));
        }
    }
    return groups;
}

std::vector<std::vector<int>> Placement::pipelines() const {
    std::vector<std::vector<int>> rows(static_cast<std::size_t>(shape_.dp));
    for (int replica = 0; replica < shape_.dp; ++replica) {
        for (int stage = 0; stage < shape_.pp; ++stage) {
            rows[static_cast<std::size_t>(replica)].push_back(device(replica, stage));
        }
    }
    return rows;
}

}  // namespace longhaul::placement
