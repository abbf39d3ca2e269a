// Proves the bound of a problem once more, in a form that a certificate can carry.
#pragma once

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/certify.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

struct CertificateOptions {
    ProofOptions proof;                  ///< work of all runs together
    std::size_t most_nodes = 1'000'000;  ///< of the logs
};

/// A bound with a proof that the check follows.
struct MadeProof {
    double bound = 0;
    BoundProof proof;
};

/// The strongest bound up to `goal` for pair costs alone with every device in use (tp = 1): breaks,
/// branch and bound with a log, different stages with a log. `work` and `most_nodes` are lowered by
/// what was used. Every proof was checked.
[[nodiscard]] MadeProof prove_pairs(const Problem& problem,
                                    double goal,
                                    const ProofOptions& options,
                                    std::uint64_t work,
                                    std::size_t& most_nodes);

/// The same for another exchange: branch and bound over the seconds of every possible stage group.
/// Nothing beyond 0 where there are too many classes of links or possible groups.
[[nodiscard]] MadeProof prove_groups(const Problem& problem,
                                     double goal,
                                     const ProofOptions& options,
                                     std::uint64_t work,
                                     std::size_t& most_nodes);

/// The strongest bound up to `goal` under every term (tp = 1), put together as prove does.
[[nodiscard]] MadeProof make_proof(const Problem& problem,
                                   double goal,
                                   const CertificateOptions& options);

}  // namespace longhaul::placement
