// The area and the score of clique schedules, quickly: what searches call a million times.
#pragma once

#include <vector>

#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule::detail {

/// Follows updates through rounds as rows of a flat matrix; a clique replaces the rows of its
/// members by their mean. Equal to survival() and score_of() but for the end of curves: when less
/// than `precision` of the sum is left, the rest is guessed as a geometric series, which is off by
/// much less than that. Not for use by two threads at once.
class FastMixing {
public:
    FastMixing(int islands, const MixingOptions& options, double precision = 1e-10);

    /// sum over phases of sum_h weight_{p+1+h} e_p(h), stopped early when it exceeds `most`.
    /// Uniform: weights 1. Infinite when the rounds do not join all islands.
    /// score = T (1/2 + sum / period) for uniform rounds.
    [[nodiscard]] double area(const Schedule& schedule, double most);

    /// The score under own lengths, see score.hpp.
    [[nodiscard]] double own_score(const Schedule& schedule, const std::vector<double>& round_ms);

    /// e(1) .. e(rounds) of an update born just before the first of these.
    [[nodiscard]] double error_after(const std::vector<const Round*>& rounds);

    /// Stepwise: after start(), apply() one round after the other.
    void start();
    void apply(const Round& round);
    [[nodiscard]] double error() const;
    [[nodiscard]] const std::vector<double>& state() const { return phi_; }
    void restore(const std::vector<double>& state) { phi_ = state; }

private:
    [[nodiscard]] bool joined(const Schedule& schedule) const;
    template <class Weight>
    [[nodiscard]] double phase_sum(const Schedule& schedule,
                                   std::size_t phase,
                                   const Weight& weight,
                                   double most);

    std::size_t n_;
    std::vector<double> share_;
    bool equal_;
    double forgetting_;
    double precision_;
    double start_;
    std::vector<double> phi_;   ///< n x n
    std::vector<double> mean_;  ///< scratch: one row
};

}  // namespace longhaul::schedule::detail
