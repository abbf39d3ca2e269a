// The pp x dp grid of a job and where each of its cells runs.
#pragma once

#include <cstddef>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::placement {

/// Pipeline stages x replicas.
struct Shape {
    int pp = 1;  ///< stages of a pipeline, D_PP of the DT-FM paper
    int dp = 1;  ///< replicas, that is devices of a stage group, D_DP
    [[nodiscard]] std::size_t devices() const {
        return static_cast<std::size_t>(pp) * static_cast<std::size_t>(dp);
    }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// Device of every rank, rank = replica * pp + stage: contiguous ranks form one pipeline.
class Placement {
public:
    Placement() = default;
    Placement(Shape shape, std::vector<int> device_of_rank);

    /// From rank_map[device] = rank. Fails unless it is a permutation of 0 .. pp * dp - 1.
    [[nodiscard]] static core::Result<Placement> from_rank_map(Shape shape,
                                                               const std::vector<int>& rank_map);
    /// From stage groups in path order, each in replica order: groups[stage][replica] = device.
    [[nodiscard]] static Placement from_stages(const std::vector<std::vector<int>>& groups);

    [[nodiscard]] Shape shape() const { return shape_; }
    [[nodiscard]] int device(int replica, int stage) const {
        return device_of_rank_[static_cast<std::size_t>(replica * shape_.pp + stage)];
    }
    /// rank_map[device] = rank.
    [[nodiscard]] std::vector<int> rank_map() const;
    /// stages()[stage][replica] = device.
    [[nodiscard]] std::vector<std::vector<int>> stages() const;
    /// pipelines()[replica][stage] = device.
    [[nodiscard]] std::vector<std::vector<int>> pipelines() const;

    friend bool operator==(const Placement&, const Placement&) = default;

private:
    Shape shape_;
    std::vector<int> device_of_rank_;
};

}  // namespace longhaul::placement
