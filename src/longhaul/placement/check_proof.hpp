// Whether a proof of a certificate shows that no placement of a problem scores less than a target.
#pragma once

#include <string>

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_tree.hpp"

namespace longhaul::placement {

/// What came of checking a proof.
struct ProofCheck {
    std::string why;          ///< what does not hold; empty: everything does
    std::uint64_t nodes = 0;  ///< of logs that were checked, the roots included; at least 1
    [[nodiscard]] bool holds() const { return why.empty(); }
};

/// Problems of tp = 1; with tensor groups the problem of the groups. What a part of the problem
/// leaves out only adds seconds: shared capacity outside tables, compute and messages that repeat
/// where no part counts them.
[[nodiscard]] ProofCheck check_proof(const Problem& problem,
                                     const BoundProof& proof,
                                     double target,
                                     const ReplayLimits& limits);

/// What needs no proof beyond the costs: the exchange of a device at best, the cheapest pair at
/// every boundary, compute on the fastest devices. With devices to spare also the boundaries
/// between parts of the devices, see spare_bound.hpp: devices are joined pair by pair, up to 2,048.
[[nodiscard]] double replay_elementary(const Problem& problem);

/// The problem without what a sum bounds apart.
[[nodiscard]] Problem without_parts(const Problem& problem, bool compute, bool exchange);

/// Seconds that a sum bounds apart.
[[nodiscard]] double parts_apart(const Problem& problem, bool compute, bool exchange);

/// The additive problem of the first message, where pairs above a slowness are too dear to be used.
[[nodiscard]] Problem under_limit(const Problem& problem, double limit);

/// Seconds beside the first message when the slowest pair is slower than `above` (a slowness, or
/// below 0: any): compute and the messages after the first. Infinite when there is no such pair.
[[nodiscard]] double beside_limit(const Problem& problem, double above);

}  // namespace longhaul::placement
