// A bound over every period from the first rounds that a schedule may have.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"

namespace longhaul::schedule::detail {

/// A periodic schedule that scores less than S has a phase from which on the sum of the first m
/// lifetimes is less than m S / T for every m, so all sequences of rounds are tried as long as what
/// is known of them allows it (docs/mathematics/schedule-extensions.md). Uniform rounds, times
/// raised by prepare_for_bounds, two to ten islands. `errors` must outlive it.
class PrefixBound {
public:
    /// `above`: a score that is known; none above it is asked for later.
    PrefixBound(const std::vector<ListedRound>& rounds,
                const SetErrors& errors,
                int islands,
                const MixingOptions& mixing,
                double above);

    /// A proved bound in [below, above]. Limited to about `work` products looked at; `stop` ends
    /// it. `seen` gets the sequences that are left, as indices of rounds: made periodic they may be
    /// good schedules.
    [[nodiscard]] double prove(double below,
                               double above,
                               double work,
                               const std::function<bool()>& stop,
                               const std::function<void(std::span<const std::size_t>)>& seen);

private:
    const SetErrors& errors_;
    double forgetting_;
    RoundTable table_;
    ErrorFloors floors_;
    bool nothing_better_ = false;
    bool triples_ = false;  ///< looked at
};

}  // namespace longhaul::schedule::detail
