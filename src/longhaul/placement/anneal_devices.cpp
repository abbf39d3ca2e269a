#include "longhaul/placement/anneal_devices.hpp"

#include "longhaul/placement/device_walk.hpp"

namespace longhaul::placement {

AnnealedStages anneal_devices(const Costs& costs,
                              const Stages& start,
                              const AnnealOptions& options,
                              core::Random random) {
    DeviceWalk walk(costs, start);
    Cooling cooling(options, walk.total());
    Stages best = start;
    double best_total = walk.total();
    std::uint64_t done = 0;
    for (; done < options.evaluations; ++done) {
        if (done % options.stop_interval == 0 && options.stop && options.stop()) {
            break;
        }
        walk.step(cooling.limit(walk.total(), done, random), random);
        if (walk.total() < best_total) {
            best = walk.stages();
            best_total = walk.total();
        }
    }
    const Solved solved = solve_inner(costs, best);
    return {in_order(best, solved.order), solved.score.total(), done};
}

}  // namespace longhaul::placement
