#include "longhaul/measure/cold.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/measure/detail/test_samples.hpp"

namespace longhaul::measure {
namespace {

double cold_ms(double bytes, double rtt_ms, double beta_gbps) {
    return 1e3 *
           cold_seconds(bytes, core::milliseconds(rtt_ms), core::GbitPerSecond(beta_gbps)).value();
}

// Times of single messages on fresh connections (cubic) over an emulated link of 80 ms and 200
// Mbit/s of wire rate, 191.28 of payload: 242, 404, 571, 747, 1279 ms were measured.
TEST(Cold, WithinOnePerCentOfMeasuredConnections) {
    const double bytes[] = {64 * detail::kKiB,
                            256 * detail::kKiB,
                            1 * detail::kMiB,
                            4 * detail::kMiB,
                            16 * detail::kMiB};
    const double measured_ms[] = {242, 404, 571, 747, 1279};
    const double derived_ms[] = {241, 402, 566, 741, 1267};  // by hand, rounded
    for (std::size_t i = 0; i < std::size(bytes); ++i) {
        const double found = cold_ms(bytes[i], 80, 0.19128);
        EXPECT_NEAR(found, measured_ms[i], 0.01 * measured_ms[i]);
        EXPECT_NEAR(found, derived_ms[i], 0.5);
    }
}

// 10 segments of 1448 bytes go at once; one byte more waits for a second round trip.
TEST(Cold, TheFirstWindowTakesOneRoundTrip) {
    const double first = cold_ms(14'480, 100, 10);
    EXPECT_NEAR(first, 100 + 14'480 * 8 / 10e9 * 1e3, 1e-9);
    EXPECT_NEAR(cold_ms(14'481, 100, 10), 200 + 8 / 10e9 * 1e3, 1e-9);
}

TEST(Cold, ShortPathsAreAffine) {
    EXPECT_NEAR(cold_ms(1e6, 0.1, 1), 0.1 + 8, 1e-9);
    EXPECT_EQ(cold_ms(0, 0, 1), 0);
}

}  // namespace
}  // namespace longhaul::measure
