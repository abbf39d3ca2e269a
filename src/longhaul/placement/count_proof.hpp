// Branch and bound over count columns: proves that no placement is below a target.
#pragma once

#include <functional>
#include <memory>

#include "longhaul/placement/counts.hpp"

namespace longhaul::placement {

struct ProofOptions {
    std::uint64_t work = 100'000'000;  ///< columns passed over until it gives up: about 10 ns each
    std::function<bool()> stop;        ///< see SearchOptions
};

struct ProofResult {
    bool complete = false;  ///< nothing below the target was left out
    double best = 0;        ///< least score found below the target, or the target
    Counts counts;          ///< what has it; empty when nothing was found
    std::uint64_t nodes = 0;
    std::uint64_t work = 0;
};

/// The exact optimum over counts: a set of columns (a column is what one stage holds, devices of
/// each class) whose sums are the class sizes, in the best order. Sets are enumerated class by
/// class, the class with the fewest columns first; a node is left when its bound reaches the
/// target: the worst exchange so far or that the remaining devices force, and the breaks that the
/// chosen profiles and the rest force at every level (levels.hpp). The order of stages is solved at
/// the leaves. Source: docs/mathematics/placement.md, "Branch and bound".
class CountProof {
public:
    /// `costs` between classes of these sizes. With class-minimum costs the optimum is a lower
    /// bound of the instance that they were taken from.
    CountProof(ClassCosts costs, Shape shape, std::vector<int> sizes);
    ~CountProof();
    CountProof(const CountProof&) = delete;
    CountProof& operator=(const CountProof&) = delete;

    /// Whether the number of classes and devices can be handled at all. Stages of more than
    /// kMaxStageDevices devices have the bound of the root only: run then gives up at once.
    [[nodiscard]] static bool applicable(Shape shape, const std::vector<int>& sizes);

    /// Bound of the whole problem without branching. Milliseconds at most.
    [[nodiscard]] double root_bound();

    /// Searches everything below the target. May be called again with another target.
    [[nodiscard]] ProofResult run(double target, const ProofOptions& options);

private:
    class Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace longhaul::placement
