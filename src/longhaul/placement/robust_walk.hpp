// The p90 over samples of a placement that changes by exchanges of ranks.
#pragma once

#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/robust.hpp"

namespace longhaul::placement {

/// A placement as pipelines of devices, with the terms of every sample kept up to date.
class RobustWalk {
public:
    RobustWalk(const std::vector<Problem>& problems, const Placement& start);

    [[nodiscard]] double p90() const { return p90_; }
    [[nodiscard]] Placement placement() const;
    /// Exchanges the devices of two ranks if the p90 stays within the limit. O(samples * dp^2).
    bool try_exchange(std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit);

private:
    struct Terms {
        std::vector<double> exchange;  ///< of each stage
        std::vector<double> edges;     ///< of each boundary, in front of the stage; the first is 0
    };
    void rescore(std::size_t sample, std::size_t s);
    [[nodiscard]] double quantile_of_totals();

    const std::vector<Problem>& problems_;
    Stages now_;  ///< [stage][replica]
    std::vector<Terms> terms_;
    std::vector<Terms> kept_;
    std::vector<double> totals_;
    double p90_ = 0;
};

/// Annealing on the p90; the best placement met.
struct AnnealedPlacement {
    Placement placement;
    double p90 = 0;
    std::uint64_t evaluations = 0;
};
[[nodiscard]] AnnealedPlacement anneal_robust(const std::vector<Problem>& problems,
                                              const Placement& start,
                                              const AnnealOptions& options,
                                              core::Random random);

}  // namespace longhaul::placement
