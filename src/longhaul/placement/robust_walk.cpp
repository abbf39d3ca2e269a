#include "longhaul/placement/robust_walk.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/ordered.hpp"

namespace longhaul::placement {

RobustWalk::RobustWalk(const std::vector<Problem>& problems, const Placement& start)
    : problems_(problems),
      now_(start.stages()),
      spare_(start.unused()),
      plain_(pairs_make_the_score(problems.front())),
      whole_(problems.front().terms.objective == Objective::kPipelined),
      terms_(problems.size()) {
    for (std::size_t k = 0; k < problems_.size(); ++k) {
        terms_[k] = {std::vector<double>(now_.size(), 0),
                     std::vector<double>(now_.size(), 0),
                     std::vector<std::vector<Load>>(problems_[k].shared.empty() ? 0 : now_.size())};
        for (std::size_t s = 0; s < now_.size(); ++s) {
            rescore(k, s);
        }
    }
    p90_ = quantile_of_totals();
}

Placement RobustWalk::placement() const {
    return Placement::from_stages(now_, problems_.front().devices());
}

/// Stage s and the edges on both sides of it.
void RobustWalk::rescore(std::size_t sample, std::size_t s) {
    if (whole_ || s >= now_.size()) {
        return;
    }
    const Problem& problem = problems_[sample];
    const Costs& costs = problem.costs;
    Terms& terms = terms_[sample];
    terms.exchange[s] = group_seconds(problem, now_[s]);
    if (!terms.loads.empty()) {
        terms.loads[s].assign(problem.shared.size(), {});
        problem.shared.add(problem.exchange->plan(now_[s]), terms.loads[s]);
    }
    for (const std::size_t edge : {s, s + 1}) {
        if (edge == 0 || edge == now_.size()) {
            continue;
        }
        if (!problem.shared.empty()) {
            terms.edges[edge] = mapped_edge(problem, now_[edge - 1], now_[edge]);
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

double RobustWalk::total(std::size_t sample) const {
    const Problem& problem = problems_[sample];
    if (whole_) {
        return score_as_mapped(problem, placement()).total();
    }
    const Terms& terms = terms_[sample];
    double total = *std::ranges::max_element(terms.exchange);
    if (!terms.loads.empty()) {
        std::vector<Load> all(problem.shared.size());
        for (const std::vector<Load>& loads : terms.loads) {
            for (std::size_t r = 0; r < all.size(); ++r) {
                all[r].there += loads[r].there;
                all[r].back += loads[r].back;
            }
        }
        total = std::max(total, problem.shared.slowest(all).seconds);
    }
    for (const double edge : terms.edges) {
        total += edge;
    }
    return total + compute_;
}

double RobustWalk::quantile_of_totals() {
    // Links vary from sample to sample, devices do not.
    compute_ = plain_ || whole_ ? 0 : compute_alone(problems_.front(), now_);
    totals_.clear();
    for (std::size_t k = 0; k < problems_.size(); ++k) {
        totals_.push_back(total(k));
    }
    std::ranges::sort(totals_);
    return core::quantile(totals_, 0.9);
}

bool RobustWalk::try_exchange(
    std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit) {
    kept_ = terms_;
    const double kept_compute = compute_;
    std::swap(seat(s, i), seat(t, j));
    for (std::size_t k = 0; k < problems_.size(); ++k) {
        rescore(k, s);
        if (t != s) {
            rescore(k, t);
        }
    }
    const double p90 = quantile_of_totals();
    if (p90 > limit) {
        std::swap(seat(s, i), seat(t, j));
        std::swap(terms_, kept_);
        compute_ = kept_compute;
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
    const std::size_t rows = walk.rows();
    Cooling cooling(options, scale_of(walk.p90()));
    for (std::uint64_t done = 0; done < options.evaluations; ++done) {
        if (done % options.stop_interval == 0 && options.stop && options.stop()) {
            break;
        }
        ++best.evaluations;
        const std::size_t s = random.index(rows);
        const std::size_t t = random.index(rows);
        const std::size_t i = random.index(walk.row_size(s));
        const std::size_t j = random.index(walk.row_size(t));
        const auto pp = static_cast<std::size_t>(start.shape().pp);
        if (s == t && (i == j || s == pp)) {
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
