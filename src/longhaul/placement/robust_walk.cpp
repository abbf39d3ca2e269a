#include "longhaul/placement/robust_walk.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::placement {

RobustWalk::RobustWalk(const std::vector<Problem>& problems, const Placement& start)
    : problems_(problems), now_(start.stages()), terms_(problems.size()) {
    for (std::size_t k = 0; k < problems_.size(); ++k) {
        terms_[k] = {std::vector<double>(now_.size(), 0), std::vector<double>(now_.size(), 0)};
        for (std::size_t s = 0; s < now_.size(); ++s) {
            rescore(k, s);
        }
    }
    p90_ = quantile_of_totals();
}

Placement RobustWalk::placement() const {
    return Placement::from_stages(now_);
}

/// Stage s and the edges on both sides of it.
void RobustWalk::rescore(std::size_t sample, std::size_t s) {
    const Costs& costs = problems_[sample].costs;
    Terms& terms = terms_[sample];
    terms.exchange[s] = group_exchange(costs.exchange, now_[s]).seconds;
    for (const std::size_t edge : {s, s + 1}) {
        if (edge == 0 || edge == now_.size()) {
            continue;
        }
        terms.edges[edge] = 0;
        for (std::size_t r = 0; r < now_[s].size(); ++r) {
            terms.edges[edge] = std::max(terms.edges[edge],
                                         costs.pipeline(static_cast<std::size_t>(now_[edge - 1][r]),
                                                        static_cast<std::size_t>(now_[edge][r])));
        }
    }
}

double RobustWalk::quantile_of_totals() {
    totals_.clear();
    for (const Terms& terms : terms_) {
        double total = *std::ranges::max_element(terms.exchange);
        for (const double edge : terms.edges) {
            total += edge;
        }
        totals_.push_back(total);
    }
    std::ranges::sort(totals_);
    return core::quantile(totals_, 0.9);
}

bool RobustWalk::try_exchange(
    std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit) {
    kept_ = terms_;
    std::swap(now_[s][i], now_[t][j]);
    for (std::size_t k = 0; k < problems_.size(); ++k) {
        rescore(k, s);
        if (t != s) {
            rescore(k, t);
        }
    }
    const double p90 = quantile_of_totals();
    if (p90 > limit) {
        std::swap(now_[s][i], now_[t][j]);
        std::swap(terms_, kept_);
        return false;
    }
    p90_ = p90;
    return true;
}

AnnealedPlacement anneal_robust(const std::vector<Problem>& problems,
                                const Placement& start,
                                const AnnealOptions& options,
                                core::Random random) {
    RobustWalk walk(problems, start);
    AnnealedPlacement best{start, walk.p90(), 0};
    const auto pp = static_cast<std::size_t>(start.shape().pp);
    const auto dp = static_cast<std::size_t>(start.shape().dp);
    Cooling cooling(options, walk.p90());
    for (std::uint64_t done = 0; done < options.evaluations; ++done) {
        if (done % options.stop_interval == 0 && options.stop && options.stop()) {
            break;
        }
        ++best.evaluations;
        const std::size_t s = random.index(pp);
        const std::size_t t = random.index(pp);
        const std::size_t i = random.index(dp);
        const std::size_t j = random.index(dp);
        if (s == t && i == j) {
            continue;
        }
        const double limit = cooling.limit(walk.p90(), done, random);
        if (walk.try_exchange(s, i, t, j, limit) && walk.p90() < best.p90) {
            best.placement = walk.placement();
            best.p90 = walk.p90();
        }
    }
    return best;
}

}  // namespace longhaul::placement
