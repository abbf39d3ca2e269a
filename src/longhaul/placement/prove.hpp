// Proved bounds for any problem: what goes beyond the plain proof is reduced to it.
#pragma once

#include "longhaul/placement/certify.hpp"

namespace longhaul::placement {

/// certify for every problem. Pipelined: under each cap of the slowest pair the first micro-batch
/// is additive, and the least over the caps bounds the whole. More devices than places: the least
/// over all choices by class of what is left out while they are few, elementary bounds otherwise.
/// Compute is bounded by the fastest devices.
[[nodiscard]] Certificate prove(const Problem& problem,
                                double incumbent,
                                const ProofOptions& options);

}  // namespace longhaul::placement
