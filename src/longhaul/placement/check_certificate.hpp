// Whether what a certificate claims really follows from what it carries.
#pragma once

#include <optional>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_tree.hpp"

namespace longhaul::placement {

/// Claims are checked up to this share of them: sums are taken in another order than in the proof.
inline constexpr double kReplayTolerance = 1e-9;

/// Why there are no certificates for a problem; empty when there are. They are about the additive
/// objective, links alone, with every device in use.
[[nodiscard]] std::string beyond_certificates(const Problem& problem);

struct CertificateCheck {
    bool holds = false;
    std::optional<double> score;  ///< of the rank map, computed anew where that can be done
    double bound = 0;             ///< what was proved: the claim, or 0 when it does not hold
    bool optimal = false;         ///< no placement is better than the rank map
    std::uint64_t nodes = 0;      ///< of the log that were checked, the root included
    std::string why;              ///< what does not hold
};

/// Checks the rank map's score, the classes and the proof. `problem` holds what the workload and
/// shape of the file cost on a fabric whose file has the hash `fabric_sha256`.
[[nodiscard]] CertificateCheck check_certificate(const CertificateFile& file,
                                                 const Problem& problem,
                                                 std::string_view fabric_sha256,
                                                 const ReplayLimits& limits);

}  // namespace longhaul::placement
