// Which shape to choose: every grid that fits is bounded, those that may win are placed, the best
// ones again with more effort.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// What came of one shape.
struct ShapeTrial {
    Shape shape;
    std::string reason;  ///< why it cannot run; empty when it can
    bool tried = false;  ///< placed; false when it cannot run, or when its bound is above the best
    Score score;         ///< when tried
    Bound bound;
};

struct BestShape {
    Plan plan;
    std::vector<ShapeTrial> trials;  ///< in the order of the candidates
};

/// Shapes for `cells` tensor groups, all that fit; pp = 0 or dp = 0 leaves that axis free, anything
/// else fixes it. With `all_used`, only those that use the most devices: without compute times the
/// score has no reason to use a device at all. Beyond kMaxShapes shapes, every pp takes as many
/// replicas as fit.
inline constexpr std::size_t kMaxShapes = 2'000;
[[nodiscard]] std::vector<Shape> shapes_for(
    std::size_t cells, int pp, int dp, int tp, bool all_used);

/// Bounds every candidate without branching, places them with a fraction of the effort, lowest
/// bound first, while the bound is below the best score, then the best three with all of it.
/// `problem_of` may refuse a shape. Fails when it refuses all: with the reason of each.
[[nodiscard]] core::Result<BestShape> solve_best_shape(
    std::span<const Shape> candidates,
    const std::function<core::Result<Problem>(Shape)>& problem_of,
    std::span<const int> host_of,
    const std::vector<std::string>& labels,
    const SolveOptions& options);

}  // namespace longhaul::placement
