#include "longhaul/measure/cold.hpp"

#include "longhaul/core/assert.hpp"

namespace longhaul::measure {
namespace {

constexpr double kInitialWindow = 10 * 1448;  // bytes, RFC 6928; 1448 = 1500 - headers - timestamps

}  // namespace

core::Seconds cold_seconds(double bytes, core::Seconds rtt, core::GbitPerSecond beta) {
    LONGHAUL_ASSERT(bytes >= 0 && rtt.value() >= 0 && beta.value() > 0);
    const double pipe = beta.value() * 1e9 / 8 * rtt.value();  // bytes under way at full rate
    double window = kInitialWindow;
    double left = bytes;
    core::Seconds time = rtt;
    while (window < pipe && left > window) {
        time = time + rtt;
        left -= window;
        window *= 2;
    }
    return time + core::Gigabytes(left / 1e9) / beta;
}

}  // namespace longhaul::measure
