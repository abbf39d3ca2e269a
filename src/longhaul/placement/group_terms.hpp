// The terms of a problem beyond pair costs: another exchange, shared capacity, layers on unequal
// devices. The functions of evaluate.hpp go through here.
#pragma once

#include <string>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// Compute seconds of a placement that no memory can hold are at least these: above any score of
/// inputs that the readers take (payloads and seconds up to 1e30, 1e-9 Gbit/s, speeds from 1e-6).
inline constexpr double kDoesNotFit = 1e60;

/// More where more is missing, so that searches walk towards what fits.
[[nodiscard]] constexpr double seconds_without_memory(double missing_gb) {
    return kDoesNotFit * (1 + missing_gb);
}

/// Data-parallel term: the worst stage group, or the slowest shared resource over all of them.
struct DataParallel {
    double seconds = 0;
    int stage = -1;     ///< the worst group
    int resource = -1;  ///< the slowest resource, when that takes longer; else -1
};
[[nodiscard]] DataParallel data_parallel(const Problem& problem, const Stages& stages);

/// One stage group alone. O(dp^2) for most exchanges.
[[nodiscard]] double group_seconds(const Problem& problem, const std::vector<int>& group);

/// Whether an order of stages may cost more read backwards, by what it sends: see
/// Contention::directed.
[[nodiscard]] bool directed(const Problem& problem);

/// Best pairs between two stage groups while capacity is shared. The left group sends forward.
[[nodiscard]] ContendedEdge contended_edge(const Problem& problem,
                                           const std::vector<int>& left,
                                           const std::vector<int>& right);

/// What an edge costs with shared capacity when position r joins left[r] and right[r].
[[nodiscard]] double mapped_edge(const Problem& problem,
                                 const std::vector<int>& left,
                                 const std::vector<int>& right);

/// Edges between all stage groups with shared capacity, (a, b) where a comes first; with `bounds`,
/// what no matching beats.
[[nodiscard]] core::Grid<double> contended_edges(const Problem& problem,
                                                 const Stages& stages,
                                                 bool bounds = false);

/// Pipeline term as it stands, with shared capacity.
[[nodiscard]] double contended_as_mapped(const Problem& problem, const Stages& stages);

/// How layers are divided: micro-batches and the schedule.
[[nodiscard]] PipelineCompute pipeline_compute(const Problem& problem);

/// Layers divided over stages in path order.
[[nodiscard]] LayerDivision divide(const Problem& problem, const Stages& stages);

/// Why no layers fit on these stages: "stage 3 needs 18 GB on each device, ..."; empty: they fit,
/// or there are none.
[[nodiscard]] std::string why_nothing_fits(const Problem& problem, const Stages& stages);

/// Seconds of whole stages, on their slowest devices; empty without compute times. Where layers do
/// not fit, seconds_without_memory on the first stage, so that a step takes just that.
[[nodiscard]] std::vector<double> stage_seconds(const Problem& problem, const Stages& stages);

/// Compute seconds of a step as if no transfer took any time; stages in path order.
[[nodiscard]] double compute_alone(const Problem& problem, const Stages& stages);

/// Kind of each device: devices that no term of the problem tells apart have the same.
[[nodiscard]] std::vector<int> kinds_of_devices(const Problem& problem);

/// The same as classes.
[[nodiscard]] Classes classes_under_terms(const Problem& problem);

/// No placement has a smaller data-parallel term, whatever the exchange: the worst device at best.
[[nodiscard]] double data_parallel_bound(const Problem& problem);

}  // namespace longhaul::placement
