// Proves the bound of a problem once more, in a form that a certificate can carry.
#pragma once

#include <algorithm>

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/certify.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

struct CertificateOptions {
    ProofOptions proof;                  ///< work of all runs together
    std::size_t most_nodes = 1'000'000;  ///< of the logs
};

/// What a proof is made for.
struct ProofAim {
    double bound = 0;  ///< of the plan; no more is proved
    double score = 0;  ///< that the proof of the plan started with; 0: not known
    /// What is left of it beside seconds that are bounded apart.
    [[nodiscard]] ProofAim beside(double seconds) const {
        return {std::max(0.0, bound - seconds), std::max(0.0, score - seconds)};
    }
};

/// A bound with a proof that the check follows.
struct MadeProof {
    double bound = 0;
    BoundProof proof;
};

/// The strongest bound up to the aim for pair costs alone with every device in use (tp = 1):
/// breaks, branch and bound with a log, different stages with a log. `work` and `most_nodes` are
/// lowered by what was used. Every proof was checked.
[[nodiscard]] MadeProof prove_pairs(const Problem& problem,
                                    const ProofAim& aim,
                                    const ProofOptions& options,
                                    std::uint64_t work,
                                    std::size_t& most_nodes);

/// The same over these classes alone, whose members may differ: breaks and branch and bound.
[[nodiscard]] MadeProof prove_over_classes(const Problem& problem,
                                           const Classes& classes,
                                           const ProofAim& aim,
                                           const ProofOptions& options,
                                           std::uint64_t work,
                                           std::size_t& most_nodes);

/// The same as prove_pairs for another exchange: branch and bound over the seconds of every
/// possible stage group. Nothing beyond 0 where there are too many classes of links or possible
/// groups.
[[nodiscard]] MadeProof prove_groups(const Problem& problem,
                                     const ProofAim& aim,
                                     const ProofOptions& options,
                                     std::uint64_t work,
                                     std::size_t& most_nodes);

/// The strongest bound up to the aim under every term (tp = 1), put together as prove does.
[[nodiscard]] MadeProof make_proof(const Problem& problem,
                                   const ProofAim& aim,
                                   const CertificateOptions& options);

}  // namespace longhaul::placement
