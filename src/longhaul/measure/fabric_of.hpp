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

/// One-way start-up and rate of a fit. With echoes one-way delays are not identifiable: the half of
/// the round trip is taken (from pings; else tcp's own; else the fit's alpha). rtt_ms <= 0:
/// unknown.
[[nodiscard]] PairCost pair_cost(const LinkFit& fit, double rtt_ms, double message_bytes);

/// Round trip of a pair, ms, from pings in either direction: those of the transport, else those of
/// the network itself ("icmp"); 0 when there are none.
[[nodiscard]] double round_trip_ms(const LinkFits& fits,
                                   const std::string& a,
                                   const std::string& b,
                                   const std::string& transport);

/// The fit of an ordered pair that the options ask for; nullptr when there is none.
[[nodiscard]] const LinkFit* find_pair(const LinkFits& fits,
                                       const std::string& from,
                                       const std::string& to,
                                       const FabricOptions& options);

/// Devices of every host in the order of the hosts. Pairs that are missing are problems, all of
/// them listed. O(devices^2 + hosts^2 x pairs).
[[nodiscard]] core::Result<fabric::FabricParts> to_fabric(const LinkFits& fits,
                                                          const FabricOptions& options);

}  // namespace longhaul::measure
