// How long all islands take to agree: every way to exchange parameters with everybody else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::study {

/// Multicast: every island sends once, aggregators at the receivers add up. Ring: a ring
/// all-reduce. Unicast: every island sends a copy to every other.
enum class ExchangeKind { kMulticast, kRing, kUnicast };

/// "multicast", "ring", "unicast".
[[nodiscard]] std::string_view name_of(ExchangeKind kind);

struct ExchangeTime {
    ExchangeKind kind = ExchangeKind::kRing;
    double ms = 0;       ///< infinite when it cannot be done
    std::string detail;  ///< the ring, or why it cannot be done; may be empty
};

/// Streams share links equally, and paths are shortest by routing cost.
///
/// Multicast: the clique of all islands (schedule/round_times.hpp), with the memory of the
/// capabilities. Ring: 2 (n - 1) steps, each as long as its slowest hop, D / n over its rate plus
/// its latency; the ring is that with the fastest slowest hop when hops have links to themselves.
/// Unicast: the largest of (n - 1) D over an access link and copies x D over a link, plus the
/// largest latency. One island: all 0. O(n^2 links + 2^n n for n <= 12).
[[nodiscard]] ExchangeTime multicast_time(schedule::RoundTimes& times);
[[nodiscard]] ExchangeTime ring_time(schedule::RoundTimes& times);
[[nodiscard]] ExchangeTime unicast_time(schedule::RoundTimes& times);

/// All of them in the order of ExchangeKind; multicast only where the network has it.
[[nodiscard]] std::vector<ExchangeTime> exchange_times(schedule::RoundTimes& times, bool multicast);

/// The fastest, the first of equals; `times` must not be empty.
[[nodiscard]] const ExchangeTime& fastest(const std::vector<ExchangeTime>& times);

/// No exchange of any kind is shorter: what an island alone knows, D, must leave it over its access
/// link, and the last of it must reach the farthest island; the same for what comes in. Over all
/// islands, ms; latencies over any links. O(n nodes links).
[[nodiscard]] double exchange_bound_ms(const schedule::Islands& islands, double payload_gb);

}  // namespace longhaul::study
