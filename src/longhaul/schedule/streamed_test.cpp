#include "longhaul/schedule/streamed.hpp"

#include <cstdio>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/shipped.hpp"

namespace longhaul::schedule {
namespace {

TEST(Streamed, Try) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    for (const Trees trees : {Trees::kShortest, Trees::kFlexible}) {
        for (const double m : {0.2, 32.0}) {
            for (const char* name : {"triangles", "all_to_all"}) {
                Capabilities can = capabilities_of(islands);
                can.memory_gb.assign(islands.size(), m);
                can.trees = trees;
                RoundTimes times(islands, can);
                std::string why;
                const auto r = stream_schedule(islands.schedule(name)->schedule, times, {}, &why);
                if (!r) {
                    std::printf("%s %d %g: %s\n", name, int(trees), m, why.c_str());
                    continue;
                }
                std::printf("%s %d %g: I %.3f J %.3f peak %.4f mem %.4f\n",
                            name,
                            int(trees),
                            m,
                            r->interval_ms,
                            r->score_ms,
                            r->core_peak,
                            *std::max_element(r->memory_peak_gb.begin(), r->memory_peak_gb.end()));
            }
        }
    }
}

}  // namespace
}  // namespace longhaul::schedule
