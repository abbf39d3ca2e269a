// Turns a plan into a certificate: proves its bound once more, with a log.
#pragma once

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/certify.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::placement {

struct CertificateOptions {
    ProofOptions proof;                  ///< work of all runs together
    std::size_t most_nodes = 1'000'000;  ///< of the log
};

/// The strongest bound up to that of the plan whose proof the file can carry: the simplest proof
/// that gives the plan's bound, else branch and bound with a log, else what lower targets or fewer
/// means give. It is checked before it is handed out (see check_certificate), so `bound` is never
/// more than what follows from the file; compare it with `plan_bound`. The problem must not be
/// beyond certificates.
[[nodiscard]] CertificateFile make_certificate(const Problem& problem,
                                               const Plan& plan,
                                               const CertificateOptions& options);

}  // namespace longhaul::placement
