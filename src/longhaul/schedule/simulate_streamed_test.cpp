#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/linear_program.hpp"
#include "longhaul/schedule/detail/test_simulation.hpp"
#include "longhaul/schedule/detail/test_support.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {
namespace {

using detail::slot;

/// The streamed schedule of least score, where every row of what is left to agree is the same: then
/// J = (A - 1) I + mean(last arrival - offset), one linear program (section 3 of the background
/// page).
struct Streamed {
    double score_ms = 0;
    double interval_ms = 0;
    TimedSchedule schedule;
};

Streamed streamed(const Islands& islands, const char* name, double memory_gb) {
    Capabilities can = capabilities_of(islands);
    can.memory_gb.assign(islands.size(), memory_gb);
    RoundTimes times(islands, can);
    const Schedule& rounds = islands.schedule(name)->schedule;
    Streamed made{0, 0, timed_schedule(rounds, times, Pace::kUniform)};
    const double area = score_schedule(rounds, times, Pace::kUniform).area;
    const std::size_t period = rounds.period();
    const int n = static_cast<int>(islands.size());
    const double mean = 1.0 / (n * static_cast<double>(period));

    detail::LinearProgram program;
    const int interval = program.add_variable(0, area - 1);
    std::vector<std::vector<int>> offset(period);
    std::vector<std::vector<int>> first(period);
    std::vector<std::vector<int>> last(period);
    for (std::size_t p = 0; p < period; ++p) {
        for (int i = 0; i < n; ++i) {
            offset[p].push_back(program.add_variable(-1e4, -mean));
            first[p].push_back(program.add_variable(-1e4, 0));
            last[p].push_back(program.add_variable(-1e4, mean));
        }
    }
    program.add_at_most({{offset[0][0], 1}}, 0);
    program.add_at_least({{offset[0][0], 1}}, 0);
    for (std::size_t p = 0; p < period; ++p) {
        const std::size_t next = (p + 1) % period;
        for (const TimedClique& clique : made.schedule.rounds[p].cliques) {
            const std::vector<int> list = members_of(clique.members);
            for (const int r : list) {
                for (const int i : list) {
                    const double far = times.latency_ms()(slot(i), slot(r));
                    if (i != r) {
                        program.add_at_least({{last[p][slot(r)], 1}, {offset[p][slot(i)], -1}},
                                             far);
                        program.add_at_most({{first[p][slot(r)], 1}, {offset[p][slot(i)], -1}},
                                            far);
                    }
                }
                program.add_at_most({{last[p][slot(r)], 1}, {first[p][slot(r)], -1}},
                                    memory_gb * clique.sending_ms);
                program.add_at_least(
                    {{interval, 1}, {offset[next][slot(r)], 1}, {last[p][slot(r)], -1}}, 0);
                program.add_at_least(
                    {{interval, 1}, {offset[next][slot(r)], 1}, {offset[p][slot(r)], -1}},
                    clique.sending_ms);
                program.add_at_least(
                    {{interval, 1}, {last[next][slot(r)], 1}, {last[p][slot(r)], -1}},
                    clique.sending_ms);
            }
        }
    }
    const auto solution = program.minimise();
    if (!solution) {
        return made;
    }
    made.score_ms = solution->objective;
    made.interval_ms = solution->values[slot(interval)];
    made.schedule.pace = Pace::kStreamed;
    for (std::size_t p = 0; p < period; ++p) {
        made.schedule.rounds[p].length_ms = made.interval_ms;
        for (TimedClique& clique : made.schedule.rounds[p].cliques) {
            const std::vector<int> list = members_of(clique.members);
            for (std::size_t m = 0; m < list.size(); ++m) {
                clique.offset_ms[m] = solution->values[slot(offset[p][slot(list[m])])];
            }
        }
    }
    return made;
}

struct StreamedCase {
    const char* name;
    double memory_gb, interval_ms, score_ms;
};

class SimulateStreamed : public testing::TestWithParam<StreamedCase> {};

// Section 3 of the background page: intervals, scores by linear program, and scores simulated there
// (645.2, 619.0, 593.2, 580.6 and 373.0). With 0.2 GB that page has 413.3 and 590.1: this program's
// optimum is lower by 0.16 ms, within the same conditions.
TEST_P(SimulateStreamed, MeasuresTheScoreOfTheLinearProgram) {
    const Islands islands = detail::shipped_islands("nine-city.json");
    const StreamedCase& known = GetParam();
    const Streamed made = streamed(islands, known.name, known.memory_gb);
    EXPECT_NEAR(made.interval_ms, known.interval_ms, 0.06);
    EXPECT_NEAR(made.score_ms, known.score_ms, 0.06);
    const auto run = simulate(made.schedule, islands);
    ASSERT_TRUE(run);
    EXPECT_NEAR(run->score_ms, made.score_ms, 0.005 * made.score_ms);
    EXPECT_EQ(run->split, 0U);
    EXPECT_EQ(run->contributions.missing, 0U);
    EXPECT_LT(run->bias, 1e-6);
    EXPECT_LE(std::ranges::max(run->egress_peak), 1 + 1e-9);
    for (const AggregatorUse& use : run->aggregators) {
        EXPECT_LE(use.peak_gb, known.memory_gb + 0.0011);
    }
}

INSTANTIATE_TEST_SUITE_P(NineCities,
                         SimulateStreamed,
                         testing::Values(StreamedCase{"triangles", 0, 477.0, 644.06},
                                         StreamedCase{"triangles", 0.05, 450.3, 616.6},
                                         StreamedCase{"triangles", 0.2, 412.13, 589.94},
                                         StreamedCase{"triangles", 32, 400, 578.9},
                                         StreamedCase{"all_to_all", 32, 560, 373.07}));

}  // namespace
}  // namespace longhaul::schedule
