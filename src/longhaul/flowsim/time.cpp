#include "longhaul/flowsim/time.hpp"

#include <cmath>

#include "longhaul/core/assert.hpp"

namespace longhaul::flowsim {

Time to_time(core::Seconds seconds) {
    LONGHAUL_ASSERT(seconds.value() >= 0);
    const double picoseconds = seconds.value() * 1e12;
    if (picoseconds > static_cast<double>(kHorizon.count())) {
        return kNever;
    }
    return Time(std::llround(picoseconds));
}

}  // namespace longhaul::flowsim
