// Turns a plan into a certificate: proves its bound once more, with a log.
#pragma once

#include <span>

#include "longhaul/placement/make_proof.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::placement {

/// The strongest bound up to that of the plan whose proof the file can carry: the simplest proof
/// that gives the plan's bound, else branch and bound with a log, else what lower targets or fewer
/// means give. It is checked before it is handed out (see check_certificate), so `bound` is never
/// more than what follows from the file; compare it with `plan_bound`. `host_of`: of the devices,
/// for tensor groups.
[[nodiscard]] CertificateFile make_certificate(const Problem& problem,
                                               const Plan& plan,
                                               std::span<const int> host_of,
                                               const CertificateOptions& options);

}  // namespace longhaul::placement
