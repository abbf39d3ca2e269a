// Fits of ordered pairs by the index of their hosts.
#pragma once

#include "longhaul/core/grid.hpp"
#include "longhaul/measure/fabric_of.hpp"

namespace longhaul::measure::detail {

/// Of several fits of a pair the one with the fewest streams. O(hosts^2 + pairs log hosts).
class PairFits {
public:
    PairFits(const LinkFits& fits, const FabricOptions& options);
    /// nullptr when there is none. Indices of LinkFits::hosts.
    [[nodiscard]] const LinkFit* find(std::size_t from, std::size_t to) const {
        return fits_(from, to);
    }

private:
    core::Grid<const LinkFit*> fits_;
};

/// Round trips, ms; 0 where unknown. The least of the medians of pings over any transport and of
/// what the fits of the pair say.
[[nodiscard]] core::Grid<double> round_trips_of(const LinkFits& fits);

}  // namespace longhaul::measure::detail
