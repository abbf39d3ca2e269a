// What flows run over: links, and paths as lists of them. Plain types: a network of any origin can
// be put into this form.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/core/units.hpp"
#include "longhaul/flowsim/time.hpp"

namespace longhaul::flowsim {

/// Place of a link in the list of links.
using LinkId = std::uint32_t;

/// One direction of a cable, or anything else that limits the sum of what flows take from it: a
/// half-duplex cable (both directions name it), the network card of a host, a contract.
struct Link {
    core::GbitPerSecond capacity;  ///< > 0 and finite
    Time latency{};                ///< one way; the latency of a path is the sum of its links
};

/// One link of a path. A flow of rate r takes load * r of the capacity. Load 1 is plain traffic;
/// 1/b on a link of capacity 1 says that a flow which could run at b alone occupies the link for
/// all of its time (a serial receiver); a small load is a tax, such as acknowledgements.
struct Hop {
    LinkId link = 0;
    double load = 1;  ///< > 0 and finite

    friend bool operator==(const Hop&, const Hop&) = default;
};

/// A link may stand on a path more than once: its loads add up.
using Path = std::vector<Hop>;

}  // namespace longhaul::flowsim
