// Differences of clocks from probes: question and answer, each with its time. Pure.
#pragma once

#include <vector>

namespace longhaul::runtime {

/// One question to another clock; all ms, on the clock named.
struct Probe {
    double asked = 0;     ///< own
    double heard = 0;     ///< the other
    double answered = 0;  ///< the other
    double received = 0;  ///< own

    [[nodiscard]] double round_trip() const { return (received - asked) - (answered - heard); }
};

struct ClockDifference {
    double ahead_ms = 0;       ///< the other clock minus the own one
    double round_trip_ms = 0;  ///< of the fastest probe
    double residual_ms = 0;    ///< the truth is no farther away than that
    int probes = 0;
};

/// From the probe with the fastest round trip. `there_ms` and `back_ms` are what the ways take at
/// least: what the round trip took longer can have been spent on either way, so the residual is
/// half of that. Clocks that drift apart by less than a few 1e-6 are meant. At least one probe.
[[nodiscard]] ClockDifference clock_difference(const std::vector<Probe>& probes,
                                               double there_ms,
                                               double back_ms);

}  // namespace longhaul::runtime
