#include "longhaul/placement/anneal_devices.hpp"

#include "longhaul/placement/device_walk.hpp"

namespace longhaul::placement {

AnnealedStages anneal_devices(const Costs& costs,
                              const Stages& start,
                              const AnnealOptions& options,
                              core::Random random) {
    DeviceWalk walk(costs, start);
    Stages best = start;
    const std::uint64_t done = anneal(walk, options, random, [&] { best = walk.stages(); });
    const Solved solved = solve_inner_quickly(costs, best);
    return {in_order(best, solved.order), solved.score.total(), done};
}

}  // namespace longhaul::placement
