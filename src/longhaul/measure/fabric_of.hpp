// A fabric from fits: what a planner places on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// Values of every ordered pair of hosts, in the order of LinkFits::hosts: measured where there
/// were fits, completed elsewhere.
struct CompletedPairs {
    core::Grid<double> alpha_ms;  ///< one way
    core::Grid<double> beta_gbps;
    core::Grid<double> alpha_lower, alpha_upper;
    core::Grid<double> beta_lower, beta_upper;
};

struct FabricOptions {
    State state = State::kWarm;
    std::string transport;     ///< empty: the only one there is, else a problem
    int streams = 0;           ///< 0: the fewest measured of each pair
    double message_bytes = 0;  ///< 0: the largest measured; chooses the segment
    int devices_per_host = 1;  ///< where the facts of a host do not say ("devices")
    /// Of devices of one host, when there are local fits of no use: links inside a host.
    double inside_alpha_ms = 0.01;
    double inside_beta_gbps = 100;
    /// For pairs without a fit; such pairs are marked `estimated`. Absent: they are problems.
    std::optional<CompletedPairs> completed;
};

/// What a fit says of one direction at a message size.
struct PairCost {
    double alpha_ms = 0;  ///< one way, >= 0
    double beta_gbps = 0;
    Range alpha_interval;
    Range beta_interval;
};

/// Least round trip that either direction of a pair knows, ms: it is the same for both. `back` may
/// be null. 0: unknown.
[[nodiscard]] double least_round_trip(const LinkFit& fit, const LinkFit* back);

/// One-way start-up and rate of a fit. With echoes one-way delays are not identifiable: half of the
/// least round trip (of pings and the kernel; else the fit's alpha) is the floor of the start-up,
/// and of warm connections the start-up itself; idle and cold ones start at alpha less the way
/// back, or at the floor. Where the line of the segment meets zero bytes below a round trip, or is
/// that of a later segment, the rate is what makes a message of this size take what it took (at
/// most 10 times the segment's), and carries all of the uncertainty. Intervals hold the values;
/// those of alpha lie at or above the floor. rtt_ms <= 0: unknown.
[[nodiscard]] PairCost pair_cost(const LinkFit& fit, double rtt_ms, double message_bytes);

/// The fit of an ordered pair that the options ask for; nullptr when there is none.
[[nodiscard]] const LinkFit* find_pair(const LinkFits& fits,
                                       const std::string& from,
                                       const std::string& to,
                                       const FabricOptions& options);

/// Devices of every host in the order of the hosts. A record that is one process of a machine says
/// so with the facts "host" (text) and "local_rank" (number): its device gets these. Pairs that are
/// missing are problems, all of them listed. O(devices^2 + hosts^2 x pairs).
[[nodiscard]] core::Result<fabric::FabricParts> to_fabric(const LinkFits& fits,
                                                          const FabricOptions& options);

/// Host of a record's devices in a fabric: the fact "host", else its id.
[[nodiscard]] std::string device_host(const HostRecord& record);

/// Capacities with the names that to_fabric gives the hosts. What holds some records of a machine
/// but not all cannot be stated and is left out.
[[nodiscard]] std::vector<fabric::SharedCapacity> places_in_fabric(
    const LinkFits& fits, std::vector<fabric::SharedCapacity> capacities);

}  // namespace longhaul::measure
