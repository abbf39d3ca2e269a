// The rounds of a session: who sends what along which tree, when rounds start, and how long they
// should take.
#pragma once

#include "longhaul/runtime/session.hpp"

namespace longhaul::runtime {

/// The members of a clique as messages name them: "{a, b}".
[[nodiscard]] std::string clique_text(const schedule::Islands& islands, schedule::Clique clique);

/// Whether its members count differently.
[[nodiscard]] bool weights_differ(const schedule::TimedClique& clique);

/// Rounds with their exchanges, without starts; trees in the WAN; `lead_ms` and `jitter_ms`.
[[nodiscard]] core::Result<void> lay_rounds(const schedule::Islands& islands,
                                            const schedule::TimedSchedule& schedule,
                                            Session& session);

/// What rounds must be apart, besides their own length, so that what the links lose can be sent
/// again in between; 0 without losses. For the island that lacks or owes most: its expected number
/// of blocks and three standard deviations. Rounds that do not overlap wait as well for the slots
/// of the last blocks and for the longest way of a request and its answer.
[[nodiscard]] double recovery_for(const Session& session);

/// Starts of rounds, and where they overlap, their times.
void start_rounds(const schedule::TimedSchedule& schedule, Session& session);

}  // namespace longhaul::runtime
