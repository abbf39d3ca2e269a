// Compute seconds of a pipeline: layers divided unevenly over stages of unequal devices.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "longhaul/workload/workload.hpp"

namespace longhaul::placement {

using workload::Layer;

/// What the slowest and the smallest device of a stage group allow.
struct StageDevices {
    double speed = 1;  ///< relative to the reference device, > 0
    double memory_gb = std::numeric_limits<double>::infinity();
};

/// Micro-batches that are in flight on a stage at once: all of them, or what is left of the
/// pipeline from there on.
enum class Schedule { kGpipe, kOneForwardOneBackward };

/// "gpipe", "1f1b".
[[nodiscard]] std::string_view name_of(Schedule schedule);
[[nodiscard]] std::optional<Schedule> schedule_of_name(std::string_view name);

struct PipelineCompute {
    int microbatches = 1;  ///< of a replica and step
    Schedule schedule = Schedule::kOneForwardOneBackward;
    double units = 0;  ///< U, see below; >= 1, or 0: microbatches
    /// Of stage s (0-based) of `stages`: M, or min(M, stages - s).
    [[nodiscard]] int in_flight(int s, int stages) const;
    /// Equal parts of a step that follow each other. Passes of U_f and U_b messages, of which
    /// forward takes the share f: 1 / U = f / U_f + (1 - f) / U_b.
    [[nodiscard]] double parts() const { return units > 0 ? units : microbatches; }
    /// sum of t / U + (U - 1) max of t / U, where stages take t in all. With two passes that is
    /// sum of t f / U_f + (U_f - 1) max of t f / U_f, and the same of backward.
    [[nodiscard]] double seconds(const std::vector<double>& stage_seconds) const;
};

/// Why no division fits.
struct MissingMemory {
    int stage = -1;         ///< of the division that comes closest; -1: fewer layers than stages
    double needed_gb = 0;   ///< on each of its devices
    double missing_gb = 0;  ///< beyond its memory
};

struct LayerDivision {
    std::vector<int> first;                ///< first layer of each stage
    std::vector<double> stage_seconds;     ///< per replica and step
    std::vector<double> stage_gb;          ///< memory per device
    double seconds = 0;                    ///< compute of the step, see PipelineCompute
    std::optional<MissingMemory> missing;  ///< set: nothing fits, and the rest is empty
};

/// Contiguous division of the layers over stages in order, each with at least one, of least compute
/// seconds within memory; of equal ones, the one whose stages take least in all. Exact: for every
/// limit on the slowest stage that can still win, the least sum by dynamic programming over (stage,
/// layer) with sliding minima, O(P L) a limit.
[[nodiscard]] LayerDivision divide_layers(const std::vector<Layer>& layers,
                                          const std::vector<StageDevices>& stages,
                                          const PipelineCompute& compute);

/// No grouping and order of devices with these speeds into `stages` groups of `dp` computes a step
/// of layers (whole work and slowest layer, seconds) in `parts` parts in less. Sorted speeds
/// dominate: the k-th fastest stage is at most as fast as the (k dp)-th fastest device. O(n log n).
[[nodiscard]] double compute_bound(std::vector<double> speeds,
                                   int stages,
                                   int dp,
                                   double work,
                                   double slowest_layer,
                                   double parts);

}  // namespace longhaul::placement
