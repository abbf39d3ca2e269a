// flowsim against SimGrid (model CM02, which shares max-min fairly with weights 1/latency, its
// correction factors off): every transfer arrives at the same time. Required are 1 %; SimGrid's
// exact mode and flowsim agree to 2e-8, its default mode is the one that is off.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "engines.hpp"

namespace longhaul::bench {
namespace {

/// Largest relative difference of an arrival, counted from the start of its transfer.
void compare(const FlowCase& flow_case) {
    const auto theirs = run_simgrid(flow_case, false);
    if (!theirs) {
        GTEST_SKIP() << "built without SimGrid (Debian: libsimgrid-dev)";
    }
    const FlowRun ours = run_longhaul(flow_case);
    ASSERT_EQ(ours.arrival_s.size(), theirs->arrival_s.size());
    double worst = 0;
    for (std::size_t t = 0; t < ours.arrival_s.size(); ++t) {
        const double start = static_cast<double>(flow_case.transfers[t].start_ns) / 1e9;
        worst = std::max(
            worst,
            std::abs(ours.arrival_s[t] - theirs->arrival_s[t]) / (theirs->arrival_s[t] - start));
    }
    EXPECT_LT(worst, 1e-6);
}

TEST(AgainstSimgrid, WideAreaAtOnce) {
    compare(wan_case(300, 0, 1));
}

TEST(AgainstSimgrid, WideAreaOneAfterTheOther) {
    compare(wan_case(300, 2000, 2));
}

TEST(AgainstSimgrid, FatTreeOf16Hosts) {
    compare(fat_tree_case(4, 8, 3));
}

TEST(AgainstSimgrid, FatTreeOf128Hosts) {
    compare(fat_tree_case(8, 8, 4));
}

TEST(AgainstSimgrid, FatTreeOf1024Hosts) {
    compare(fat_tree_case(16, 1, 6));
}

TEST(AgainstSimgrid, Star) {
    compare(star_case(64, 6, 5));
}

}  // namespace
}  // namespace longhaul::bench
