#include "longhaul/placement/anneal_devices.hpp"

#include "longhaul/placement/device_walk.hpp"

namespace longhaul::placement {

AnnealedStages anneal_devices(const Costs& costs,
                              const Stages& start,
                              const AnnealOptions& options,
                              core::Random random) {
    return anneal_devices(costs, start, std::nullopt, options, random);
}

AnnealedStages anneal_devices(const Costs& costs,
                              const Stages& start,
                              std::optional<double> start_score,
                              const AnnealOptions& options,
                              core::Random random) {
    DeviceWalk walk(costs, start);
    Stages best = start;
    bool better = false;
    const std::uint64_t done = anneal(walk, options, random, [&] {
        best = walk.stages();
        better = true;
    });
    if (!better && start_score) {
        return {start, *start_score, done};
    }
    const Solved solved = solve_inner_nearby(costs, best);
    return {in_order(best, solved.order), solved.score.total(), done};
}

}  // namespace longhaul::placement
