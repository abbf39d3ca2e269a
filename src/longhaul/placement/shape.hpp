// The pp x dp grid of a job and where each of its cells runs.
#pragma once

#include <cstddef>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::placement {

/// Pipeline stages x replicas, each cell a tensor-parallel group of one device or more.
struct Shape {
    int pp = 1;  ///< stages of a pipeline, D_PP of the DT-FM paper
    int dp = 1;  ///< replicas, that is tensor groups of a stage group, D_DP
    int tp = 1;  ///< devices of a tensor group
    [[nodiscard]] std::size_t cells() const {
        return static_cast<std::size_t>(pp) * static_cast<std::size_t>(dp);
    }
    [[nodiscard]] std::size_t devices() const { return cells() * static_cast<std::size_t>(tp); }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// Device of every rank, rank = (replica * pp + stage) * tp + tensor: contiguous ranks form one
/// pipeline. A fabric may have more devices than ranks; the others are left out.
class Placement {
public:
    Placement() = default;
    /// `devices` of the fabric; 0: as many as ranks.
    Placement(Shape shape, std::vector<int> device_of_rank, std::size_t devices = 0);

    /// From rank_map[device] = rank, or -1 for a device that is left out. Fails unless every rank
    /// occurs once.
    [[nodiscard]] static core::Result<Placement> from_rank_map(Shape shape,
                                                               const std::vector<int>& rank_map);
    /// From stage groups in path order, each in replica order: groups[stage][replica] = device.
    [[nodiscard]] static Placement from_stages(const std::vector<std::vector<int>>& groups,
                                               std::size_t devices = 0);

    [[nodiscard]] Shape shape() const { return shape_; }
    /// Of the fabric, with those that are left out.
    [[nodiscard]] std::size_t devices() const { return devices_; }
    [[nodiscard]] int device(int replica, int stage, int tensor = 0) const {
        return device_of_rank_[static_cast<std::size_t>((replica * shape_.pp + stage) * shape_.tp +
                                                        tensor)];
    }
    [[nodiscard]] const std::vector<int>& device_of_rank() const { return device_of_rank_; }
    /// rank_map[device] = rank; -1 when it is left out.
    [[nodiscard]] std::vector<int> rank_map() const;
    /// Devices that have no rank, ascending.
    [[nodiscard]] std::vector<int> unused() const;
    /// stages()[stage] = devices, replica by replica.
    [[nodiscard]] std::vector<std::vector<int>> stages() const;
    /// pipelines()[replica] = devices, stage by stage.
    [[nodiscard]] std::vector<std::vector<int>> pipelines() const;

    friend bool operator==(const Placement&, const Placement&) = default;

private:
    Shape shape_;
    std::vector<int> device_of_rank_;
    std::size_t devices_ = 0;
};

/// Devices of `devices` that no stage group holds, ascending.
[[nodiscard]] std::vector<int> left_out_of(const std::vector<std::vector<int>>& stages,
                                           std::size_t devices);

}  // namespace longhaul::placement
