// Which shape to choose: every grid that fits is bounded, those that may win are placed, the best
// ones again with more effort. Time is shared over them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {

/// What came of one shape.
struct ShapeTrial {
    Shape shape;
    std::string reason;  ///< why it cannot run; empty when it can
    bool tried = false;  ///< searched, or its host order proved; false when it cannot run, when its
                         ///< bound is above the best, or when the time was up
    bool cut = false;    ///< the time was up before its search and proof ended
    Score score;         ///< when tried or cut; of layers that fit no device kDoesNotFit
    Bound bound;
};

struct BestShape {
    Plan plan;
    std::vector<ShapeTrial> trials;  ///< in the order of the candidates
};

/// Whether no shape can be better than this score: all others are bounded by it, or cannot run.
[[nodiscard]] bool best_of_all(std::span<const ShapeTrial> trials, Shape chosen, double score);

/// What the caller, who owns the clock, says of time and wants to hear of progress.
struct ShapeWatch {
    /// Share of the time that has passed, 0 to 1; empty: no limit. Any thread may ask.
    std::function<double()> used;
    /// Called when work on a shape begins: what is done, which one, of how many.
    std::function<void(std::string_view what, std::size_t number, std::size_t of)> begins;
};

/// Shapes for `cells` tensor groups, all that fit; pp = 0 or dp = 0 leaves that axis free, anything
/// else fixes it. With `all_used`, only those that use the most devices: without compute times the
/// score has no reason to use a device at all. Beyond kMaxShapes shapes, every pp takes as many
/// replicas as fit.
inline constexpr std::size_t kMaxShapes = 2'000;
[[nodiscard]] std::vector<Shape> shapes_for(
    std::size_t cells, int pp, int dp, int tp, bool all_used);

/// Three rounds. Every candidate gets host order and a bound without branching, those with most
/// devices first. Those whose bound is below the best score, lowest bound first, are searched with
/// a fraction of the effort. The best three by score get all of it, unless they are proved. Each
/// round keeps what an earlier one found, and the plan is at last compared with its baselines.
///
/// With a limit the first round ends at a third of the time, the second at two thirds; within a
/// round each shape that may win has an equal share of what is left, in the last round half of it.
/// What is left after them goes to the shapes that were cut short, in the same way. `problem_of`
/// may refuse a shape. Fails when it refuses all: with the reason of each.
[[nodiscard]] core::Result<BestShape> solve_best_shape(
    std::span<const Shape> candidates,
    const std::function<core::Result<Problem>(Shape)>& problem_of,
    std::span<const int> host_of,
    const std::vector<std::string>& labels,
    const SolveOptions& options,
    const ShapeWatch& watch = {});

}  // namespace longhaul::placement
