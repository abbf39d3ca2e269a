#include "longhaul/runtime/clock.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"

namespace longhaul::runtime {
namespace {

// Ways of 30 and 50 ms, no delay besides: the difference comes out as it is.
TEST(ClockDifference, IsExactWhenNothingWaits) {
    const double ahead = -12.5;
    const ClockDifference found = clock_difference({{100, 130 + ahead, 131 + ahead, 181}}, 30, 50);
    EXPECT_NEAR(found.ahead_ms, ahead, 1e-12);
    EXPECT_NEAR(found.round_trip_ms, 80, 1e-12);
    EXPECT_NEAR(found.residual_ms, 0, 1e-12);
    EXPECT_EQ(found.probes, 1);
}

// Whatever waits on either way, the truth stays within the residual, and more probes do not widen
// it.
TEST(ClockDifference, TruthLiesWithinTheResidual) {
    core::Random random(3);
    for (int trial = 0; trial < 500; ++trial) {
        const double ahead = 1000 * (random.uniform() - 0.5);
        const double there = 80 * random.uniform();
        const double back = 80 * random.uniform();
        std::vector<Probe> probes;
        double last = 1e300;
        for (int i = 0; i < 8; ++i) {
            const double asked = 10.0 * i;
            const double heard = asked + there + 5 * random.uniform();
            const double answered = heard + random.uniform();
            probes.push_back(
                {asked, heard + ahead, answered + ahead, answered + back + 5 * random.uniform()});
            const ClockDifference found = clock_difference(probes, there, back);
            EXPECT_LE(std::abs(found.ahead_ms - ahead), found.residual_ms + 1e-9);
            EXPECT_LE(found.residual_ms, last);
            EXPECT_LE(found.residual_ms, 5 + 1e-9);
            last = found.residual_ms;
        }
    }
}

}  // namespace
}  // namespace longhaul::runtime
