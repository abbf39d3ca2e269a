#include "longhaul/placement/anneal_counts.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/placement/count_walk.hpp"

namespace longhaul::placement {

double Cooling::limit(double current, std::uint64_t done, core::Random& random) {
    if (done >= next_) {
        const double progress = static_cast<double>(done) / static_cast<double>(evaluations_);
        temperature_ = start_ * std::pow(end_ / start_, progress);
        next_ = done + kStepsPerTemperature;
    }
    return current - temperature_ * std::log(1 - random.uniform());
}

AnnealedCounts anneal_counts(CountModel& model,
                             const Counts& start,
                             const AnnealOptions& options,
                             core::Random random) {
    CountWalk walk(model, start);
    Counts best = start;
    const std::uint64_t done = anneal(walk, options, random, [&] { best = walk.counts(); });
    const Solved solved = score_best_order(model, best);
    return {reordered(best, solved.order), solved.score.total(), done};
}

}  // namespace longhaul::placement
