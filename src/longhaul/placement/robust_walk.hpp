// The p90 over samples of a placement that changes by exchanges of ranks.
#pragma once

#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/contention.hpp"
#include "longhaul/placement/robust.hpp"

namespace longhaul::placement {

/// A placement as pipelines of devices (tp = 1), with the terms of every sample kept up to date.
/// Devices that are left out count as one stage more. Under every term; the pipelined objective is
/// scored as a whole.
class RobustWalk {
public:
    RobustWalk(const std::vector<Problem>& problems, const Placement& start);

    [[nodiscard]] double p90() const { return p90_; }
    [[nodiscard]] Placement placement() const;
    /// Stages, and one more when devices are left out.
    [[nodiscard]] std::size_t rows() const { return now_.size() + (spare_.empty() ? 0 : 1); }
    [[nodiscard]] std::size_t row_size(std::size_t s) const {
        return s < now_.size() ? now_[s].size() : spare_.size();
    }
    /// Exchanges the devices of two ranks if the p90 stays within the limit. O(samples * dp^2) with
    /// the sharded exchange.
    bool try_exchange(std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit);

private:
    struct Terms {
        std::vector<double> exchange;  ///< of each stage
        std::vector<double> edges;     ///< of each boundary, in front of the stage; the first is 0
        std::vector<std::vector<Load>> loads{};  ///< of each stage, where capacity is shared
    };
    [[nodiscard]] int& seat(std::size_t s, std::size_t i) {
        return s < now_.size() ? now_[s][i] : spare_[i];
    }
    void rescore(std::size_t sample, std::size_t s);
    [[nodiscard]] double total(std::size_t sample) const;
    [[nodiscard]] double quantile_of_totals();

    const std::vector<Problem>& problems_;
    Stages now_;  ///< [stage][replica]
    std::vector<int> spare_;
    bool plain_;  ///< pair costs make the score
    bool whole_;  ///< samples are scored as a whole
    double compute_ = 0;
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
