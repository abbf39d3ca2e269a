// Proved bounds with more devices than places: one proof for each choice of what is left out.
#pragma once

#include <optional>

#include "longhaul/placement/prove_terms.hpp"

namespace longhaul::placement {

/// Devices that no term tells apart stand for each other, so the ways to leave some out are counted
/// by kind. `whole` proves each problem without spare devices, under all terms: the root bound of
/// every choice, then as far as the work goes those below `incumbent`. The least is a bound of the
/// problem. Nothing where there are more than 20,000 choices, or more than the work can bound.
[[nodiscard]] std::optional<Certificate> prove_choices(const Problem& problem,
                                                       double incumbent,
                                                       const ProofOptions& options,
                                                       const PlainProof& whole);

}  // namespace longhaul::placement
