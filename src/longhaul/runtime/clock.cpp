#include "longhaul/runtime/clock.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {

ClockDifference clock_difference(const std::vector<Probe>& probes,
                                 double there_ms,
                                 double back_ms) {
    LONGHAUL_ASSERT(!probes.empty());
    const auto fastest = std::ranges::min_element(probes, {}, &Probe::round_trip);
    const double middle =
        ((fastest->heard - fastest->asked) + (fastest->answered - fastest->received)) / 2;
    const double round_trip = fastest->round_trip();
    return {middle - (there_ms - back_ms) / 2,
            round_trip,
            std::max(0.0, (round_trip - there_ms - back_ms) / 2),
            static_cast<int>(probes.size())};
}

}  // namespace longhaul::runtime
