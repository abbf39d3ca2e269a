#include "longhaul/schedule/timed_fit.hpp"

#include <gtest/gtest.h>

#include "longhaul/schedule/comparators.hpp"
#include "longhaul/schedule/detail/random_islands.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/schedule/streamed.hpp"

namespace longhaul::schedule {
namespace {

TimedSchedule triangles(const Islands& islands) {
    RoundTimes times(islands, capabilities_of(islands));
    return timed_schedule(islands.schedule("triangles")->schedule, times, Pace::kUniform);
}

// Everything that the program makes itself can be carried, with memory and without.
TEST(WhyNotCarried, IsNothingForSchedulesOfOurOwn) {
    int seen = 0;
    for (const double memory_gb : {0.0, 0.05, 1.0}) {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const Islands islands =
                detail::planar_islands(5 + static_cast<int>(seed % 4), memory_gb, seed);
            RoundTimes times(islands, capabilities_of(islands));
            for (const Pace pace : {Pace::kUniform, Pace::kOwn}) {
                for (const Comparator& one :
                     compare_schedules(times, {.pace = pace, .mixing = {}, .seed = 1})) {
                    if (one.schedule && one.feasible) {
                        const TimedSchedule timed = timed_schedule(*one.schedule, times, pace);
                        EXPECT_EQ(why_not_carried(timed, islands), "") << one.name;
                        ++seen;
                    }
                }
            }
        }
    }
    EXPECT_GT(seen, 100);
    const Islands nine = detail::shipped_islands("nine-city.json");
    RoundTimes times(nine, capabilities_of(nine));
    EXPECT_EQ(why_not_carried(
                  stream_schedule(nine.schedule("triangles")->schedule, times, {})->schedule, nine),
              "");
}

TEST(WhyNotCarried, NamesWhatIsTooMuch) {
    Islands islands = detail::shipped_islands("nine-city.json");
    for (Island& island : islands.islands) {
        island.memory_gb = 0;
    }
    const TimedSchedule fits = triangles(islands);
    EXPECT_EQ(why_not_carried(fits, islands), "");

    // 1 GB in 0.1 ms are 80 Tbit/s.
    TimedSchedule fast = fits;
    fast.rounds[1].cliques[0].sending_ms = 0.1;
    EXPECT_NE(why_not_carried(fast, islands).find("round 2: "), std::string::npos);
    EXPECT_NE(why_not_carried(fast, islands).find("would send 80000.000 Gbit/s, its access takes"),
              std::string::npos)
        << why_not_carried(fast, islands);

    // Half of the room on every link of the network, and the streams of a round no longer fit.
    Islands narrow = islands;
    for (topology::Link& link : narrow.network.links) {
        link.gbps = 5;
    }
    EXPECT_NE(why_not_carried(fits, narrow).find("Gbit/s, it has 5"), std::string::npos)
        << why_not_carried(fits, narrow);

    // One of three sends 100 ms later: its byte is so much later than that of the other. At 20
    // Gbit/s the aggregator then holds 0.25 GB.
    TimedSchedule late = fits;
    late.rounds[0].cliques[0].offset_ms[0] += 100;
    const std::string why = why_not_carried(late, islands);
    EXPECT_NE(why.find("round 1: contributions reach "), std::string::npos) << why;
    EXPECT_NE(why.find("100.000 ms apart, its aggregator would hold 0.2500 GB and has 0"),
              std::string::npos)
        << why;
    late.memory_gb.assign(late.memory_gb.size(), 0.3);
    EXPECT_EQ(why_not_carried(late, islands), "");
}

}  // namespace
}  // namespace longhaul::schedule
