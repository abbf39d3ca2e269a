// What the cost model charges a pair of devices; everything else in this module works on these.
#pragma once

#include <memory>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/contention.hpp"
#include "longhaul/placement/exchange.hpp"
#include "longhaul/placement/shape.hpp"
#include "longhaul/placement/terms.hpp"
#include "longhaul/workload/workload.hpp"

namespace longhaul::placement {

using fabric::PairMatrix;

/// Pair costs in seconds, symmetric (n devices of the fabric).
struct Costs {
    /// One pipeline edge, forward and backward. Additive: T(c_pp, pp_messages) + T(backward
    /// payload), twice the forward time when both directions are equal. Pipelined: the first
    /// micro-batch alone, see pipelined.hpp.
    PairMatrix pipeline;
    /// Both rounds of the sharded exchange with one peer: 2 T(c_dp / dp, dp_messages).
    PairMatrix exchange;
};

/// Additive pair costs of a workload. Source: geo-placement page, "Architecture". O(kinds^2).
[[nodiscard]] Costs make_costs(const fabric::Links& links,
                               const workload::Workload& workload,
                               Shape shape);

/// The same under what the score counts.
[[nodiscard]] Costs costs_of(const fabric::Links& links,
                             const workload::Workload& workload,
                             Shape shape,
                             const Terms& terms);

/// A placement problem: devices, what their links cost, and the grid to fill.
struct Problem {
    Shape shape;
    Costs costs;
    fabric::Links links{};
    workload::Workload workload{};
    Terms terms{};
    std::vector<double> speed{};      ///< of each device, relative; empty: all alike
    std::vector<double> memory_gb{};  ///< of each device; empty: unlimited
    /// Another exchange than the sharded one, or any when capacity is shared; null: pair costs
    /// tell.
    std::shared_ptr<const ExchangeTerm> exchange{};
    Contention shared{};  ///< what the fabric states and terms ask to count
    /// Of the fabric: shape.devices() are used, the others left out.
    [[nodiscard]] std::size_t devices() const { return costs.pipeline.size(); }
};

/// Fails (with `name` as the file) unless the fabric has pp * dp devices or more, and where the
/// workload does not fit the shape.
[[nodiscard]] core::Result<Problem> make_problem(const fabric::Fabric& fabric,
                                                 const std::string& name,
                                                 const workload::Workload& workload,
                                                 Shape shape,
                                                 const Terms& terms = {});

/// The exchange of a workload between devices of these regions.
[[nodiscard]] std::shared_ptr<const ExchangeTerm> make_exchange(Exchange kind,
                                                                const fabric::Links& links,
                                                                const std::vector<int>& region,
                                                                const workload::Workload& workload);

/// Whether a step has compute times, from stages or from layers.
[[nodiscard]] bool has_compute(const Problem& problem);

/// The same problem with some of its devices, in the given order.
[[nodiscard]] Problem restricted(const Problem& problem, const std::vector<int>& devices);

/// The same without another exchange and shared capacity. O(devices + (their kinds)^2).
[[nodiscard]] Problem restricted_to_pairs(const Problem& problem, const std::vector<int>& devices);

}  // namespace longhaul::placement
