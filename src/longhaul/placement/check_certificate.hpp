// Whether what a certificate claims really follows from what it carries.
#pragma once

#include <optional>
#include <span>

#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_tree.hpp"

namespace longhaul::placement {

/// Claims are checked up to this share of them: sums are taken in another order than in the proof.
inline constexpr double kReplayTolerance = 1e-9;

struct CertificateCheck {
    bool holds = false;
    std::optional<double> score;  ///< of the rank map, computed anew where that can be done
    double bound = 0;             ///< what was proved: the claim, or 0 when it does not hold
    bool optimal = false;         ///< no placement is better than the rank map
    std::uint64_t nodes = 0;      ///< of the log that were checked, the root included
    std::string why;              ///< what does not hold
};

/// Checks the rank map's score, the classes and the proof. `problem` holds what the workload, shape
/// and terms of the file cost on a fabric whose file has the hash `fabric_sha256`; `host_of` its
/// devices' hosts, which say what the tensor groups are. The score of a rank map under terms beyond
/// links is that of score_as_mapped; what the proof rests on is computed by code of its own.
[[nodiscard]] CertificateCheck check_certificate(const CertificateFile& file,
                                                 const Problem& problem,
                                                 std::span<const int> host_of,
                                                 std::string_view fabric_sha256,
                                                 const ReplayLimits& limits);

}  // namespace longhaul::placement
