#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/schedule/detail/simulation.hpp"
#include "longhaul/schedule/detail/test_simulation.hpp"

namespace longhaul::schedule {
namespace {

using detail::slot;

struct Scenario {
    Islands islands;
    TimedSchedule schedule;
    SimulationOptions options;
};

Scenario random_scenario(std::uint64_t seed) {
    core::Random random(seed, 77);
    Scenario scenario;
    scenario.islands = detail::ring_islands(3 + static_cast<int>(random.below(4)), random);
    for (Island& island : scenario.islands.islands) {
        island.ingress_gbps = random.below(2) == 0 ? 90 : 8000;  // 80 Gbit/s come in
    }
    scenario.schedule = detail::random_schedule(scenario.islands, random);
    scenario.options = detail::random_options(scenario.islands, random);
    return scenario;
}

// Every copy of a contribution ends in one place, no contribution counts twice, and every sum that
// a receiver merged is, to the last bit, that of the contributors it names.
TEST(SimulateFailures, TenThousandRandomFailuresConserveWeight) {
    Simulation total;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
        const Scenario scenario = random_scenario(seed);
        const auto run = simulate(scenario.schedule, scenario.islands, scenario.options);
        ASSERT_TRUE(run) << core::to_string(run.error().front());
        const CopyCounts& copies = run->copies;
        ASSERT_EQ(copies.created,
                  copies.lost_on_links + copies.lost_at_island + copies.merged + copies.duplicate +
                      copies.overlapping + copies.stale)
            << seed;
        const ContributionCounts& all = run->contributions;
        ASSERT_EQ(copies.merged, all.merged) << seed;
        ASSERT_EQ(all.planned, all.absent + all.merged + all.missing) << seed;
        ASSERT_LE(all.merged + all.absent, all.planned) << seed;
        ASSERT_GE(copies.created, all.planned - all.absent) << seed;
        ASSERT_EQ(run->wrong_sums, 0U) << seed;
        total.copies.lost_on_links += copies.lost_on_links;
        total.copies.lost_at_island += copies.lost_at_island;
        total.copies.merged += copies.merged;
        total.copies.duplicate += copies.duplicate;
        total.copies.overlapping += copies.overlapping;
        total.copies.stale += copies.stale;
        total.contributions.absent += all.absent;
        total.resends += run->resends;
        for (std::size_t why = 0; why < kEvictions; ++why) {
            total.evictions[why] += run->evictions[why];
        }
    }
    // Everything that can happen did, often.
    for (const std::uint64_t count : {total.copies.lost_on_links,
                                      total.copies.lost_at_island,
                                      total.copies.merged,
                                      total.copies.duplicate,
                                      total.copies.overlapping,
                                      total.copies.stale,
                                      total.contributions.absent,
                                      total.resends,
                                      total.evictions[0],
                                      total.evictions[1],
                                      total.evictions[2],
                                      total.evictions[3]}) {
        EXPECT_GT(count, 300U);
    }
}

/// The births of a run, followed one event after the other over vectors of all islands: what was
/// taken when, what was mixed when, nothing folded and nothing cut off early.
struct PlainEvent {
    double time_ms = 0;
    bool takes = false;
    int round = 0;
    int island = 0;
};

class PlainBirths {
public:
    PlainBirths(const Scenario& scenario)
        : options_(scenario.options),
          plan_(scenario.schedule, scenario.islands, options_),
          world_(options_.outages, scenario.islands.network.links.size(), scenario.islands.size()) {
        Simulation scratch;
        carried_ =
            detail::carry(plan_, world_, scenario.schedule, scenario.islands, options_, scratch);
    }

    [[nodiscard]] const detail::Plan& plan() const { return plan_; }

    /// Disagreement of `measured` islands over time, until the rounds are over: distance from what
    /// they agree on in the end.
    double follow(double born, int island, int block, Clique measured, int rounds) {
        double agreed = 0;
        (void)follow(born, island, block, measured, rounds, agreed);
        return follow(born, island, block, measured, rounds, agreed);
    }

private:
    /// `agreed` in: what to compare with; out: the mean in the end.
    double follow(
        double born, int island, int block, Clique measured, int rounds, double& agreed) const {
        std::vector<PlainEvent> events = {{born, false, -1, island}};
        for (int k = 0; k < rounds; ++k) {
            for (int i = 0; i < plan_.islands; ++i) {
                if (plan_.round(k).clique_of[slot(i)] < 0) {
                    continue;
                }
                events.push_back({plan_.taken_ms(k, i, block) + detail::kSameMs, true, k, i});
                if (plan_.expected(k, i) != 0) {
                    events.push_back({mix_time(k, i, block), false, k, i});
                }
            }
        }
        std::ranges::stable_sort(events, {}, &PlainEvent::time_ms);
        std::vector<double> now(slot(plan_.islands), 0);
        std::vector<std::vector<double>> taken(slot(rounds), now);
        double area = 0;
        double since = born;
        for (const PlainEvent& event : events) {
            area += event.time_ms <= born
                        ? 0
                        : (event.time_ms - since) * disagreement(now, measured, agreed);
            since = event.time_ms;
            if (event.round < 0) {
                now[slot(event.island)] += 1;
            } else if (event.takes) {
                taken[slot(event.round)][slot(event.island)] = now[slot(event.island)];
            } else {
                now[slot(event.island)] += mix(event, block, taken[slot(event.round)]);
            }
        }
        agreed = 0;
        for (const int i : members_of(measured)) {
            agreed += now[slot(i)] / clique_size(measured);
        }
        return area;
    }

    [[nodiscard]] Clique merged(int k, int r, int block) const {
        return k < plan_.rounds ? carried_.cells[detail::Carried::at(plan_, k, r, block)].merged
                                : plan_.expected(k, r);
    }

    [[nodiscard]] double mix_time(int k, int r, int block) const {
        double complete = plan_.arrived_ms(k, r, block);
        if (k < plan_.rounds) {
            complete = merged(k, r, block) == plan_.expected(k, r)
                           ? carried_.cells[detail::Carried::at(plan_, k, r, block)].time_ms
                           : plan_.closed_ms(k, r, block);
        }
        return plan_.mixed_ms(k, r, block, complete) +
               2 * detail::kSameMs * (plan_.pace == Pace::kStreamed ? 1 : 0);
    }

    [[nodiscard]] double mix(const PlainEvent& event,
                             int block,
                             const std::vector<double>& taken) const {
        const int r = event.island;
        const detail::RoundPlan& round = plan_.round(event.round);
        const detail::CliquePlan& clique = round.cliques[slot(round.clique_of[slot(r)])];
        const Clique arrived = merged(event.round, r, block);
        if (arrived == 0 || (event.round < plan_.rounds && world_.island_down(r, event.time_ms))) {
            return 0;
        }
        const auto row = detail::row_of(clique,
                                        r,
                                        clique.members & plan_.presence(event.round).senders,
                                        arrived,
                                        options_.missing);
        double change = -taken[slot(r)];
        for (std::size_t j = 0; j < row.size(); ++j) {
            change += row[j] * taken[slot(clique.list[j])];
        }
        return change;
    }

    static double disagreement(const std::vector<double>& now, Clique measured, double agreed) {
        double sum = 0;
        for (const int i : members_of(measured)) {
            sum += std::abs(now[slot(i)] - agreed) / clique_size(measured);
        }
        return sum;
    }

    SimulationOptions options_;
    detail::Plan plan_;
    detail::World world_;
    detail::Carried carried_;
};

TEST(SimulateFailures, BirthsFollowThePlainTwin) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Scenario scenario = random_scenario(seed);
        scenario.options.births = 1;  // one an island that is there all the time
        const auto run = simulate(scenario.schedule, scenario.islands, scenario.options);
        ASSERT_TRUE(run);
        EXPECT_LT(run->worst_row_error, 1e-12);
        if (run->births == 0 || run->unsettled > 0) {
            continue;
        }
        PlainBirths plain(scenario);
        Clique measured = plain.plan().presence(scenario.options.rounds).members;
        for (const Change& change : scenario.options.changes) {
            measured &= ~(Clique{1} << change.island);
        }
        const double m = clique_size(measured);
        const detail::World world(scenario.options.outages,
                                  scenario.islands.network.links.size(),
                                  scenario.islands.size());
        detail::Births draws(plain.plan(), 1, scenario.options.seed);
        double sum = 0;
        int births = 0;
        for (const int island : members_of(measured)) {
            const auto [time, block] = draws.draw(0, island);
            if (world.island_down(island, time)) {
                continue;
            }
            sum += plain.follow(time, island, block, measured, scenario.options.rounds + 150);
            ++births;
        }
        ASSERT_EQ(births, run->births) << seed;
        const double normal = 2 * (m - 1) / (m * m);
        ASSERT_NEAR(run->score_ms, sum / normal / births, 2e-3) << seed;
        ++compared;
    }
    EXPECT_GT(compared, 150);
}

}  // namespace
}  // namespace longhaul::schedule
