// What the cost model charges a pair of devices; everything else in this module works on these.
#pragma once

#include "longhaul/core/grid.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/shape.hpp"
#include "longhaul/workload/workload.hpp"

namespace longhaul::placement {

/// Pair costs in seconds, n x n, symmetric, zero on the diagonal (n = devices of the fabric).
struct Costs {
    /// One pipeline edge, forward and backward: T(c_pp, pp_messages) + T(backward payload); twice
    /// the forward time when both directions are equal.
    core::Grid<double> pipeline;
    /// Both rounds of the sharded exchange with one peer: 2 T(c_dp / dp, dp_messages).
    core::Grid<double> exchange;
};

/// Pair costs of a workload on a fabric. Source: geo-placement page, "Architecture". O(n^2).
[[nodiscard]] Costs make_costs(const fabric::Fabric& fabric,
                               const workload::Workload& workload,
                               Shape shape);

/// A placement problem: n = shape.devices() devices and their pair costs.
struct Problem {
    Shape shape;
    Costs costs;
};

/// Fails (with `name` as the file) unless the fabric has exactly pp * dp devices and pp is within
/// what the path solver can do.
[[nodiscard]] core::Result<Problem> make_problem(const fabric::Fabric& fabric,
                                                 const std::string& name,
                                                 const workload::Workload& workload,
                                                 Shape shape);

}  // namespace longhaul::placement
