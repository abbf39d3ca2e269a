// Proved bounds where pair costs do not tell the whole score: other exchanges, shared capacity,
// compute on unequal devices.
#pragma once

#include <functional>
#include <optional>

#include "longhaul/placement/certify.hpp"

namespace longhaul::placement {

/// Problems whose terms only whole tables tell, when there are few tables; else nothing.
[[nodiscard]] std::optional<Certificate> prove_every_table(const Problem& problem,
                                                           double incumbent,
                                                           const ProofOptions& options);

/// Proves a problem of pair costs alone.
using PlainProof = std::function<Certificate(const Problem&, double, const ProofOptions&)>;

/// Another exchange: branch and bound with the seconds of every possible stage group while they are
/// few, else bounded on its own and `plain` for the rest as if it took no time. Shared capacity
/// only adds seconds, so it is left out.
[[nodiscard]] Certificate prove_terms(const Problem& problem,
                                      double incumbent,
                                      const ProofOptions& options,
                                      const PlainProof& plain);

}  // namespace longhaul::placement
