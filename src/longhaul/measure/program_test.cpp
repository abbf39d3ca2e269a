#include "longhaul/measure/program.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/measure/campaign_hosts.hpp"
#include "longhaul/measure/tcp_team.hpp"

namespace longhaul::measure {
namespace {

/// Links with alpha and beta, and a clock that they move.
class FakeTeam : public Team {
public:
    explicit FakeTeam(int flows) : flows_(flows) {}

    tl::expected<RoundTimes, TaskProblem> round(double bytes, bool fresh) override {
        ++rounds;
        fresh_rounds += fresh ? 1 : 0;
        total += bytes;
        if (rounds > fail_after) {
            return tl::unexpected(TaskProblem{"peer_lost", "b"});
        }
        RoundTimes times;
        const double noise = 1 + spread * (random_.uniform() - 0.5);
        for (int i = 0; i < flows_; ++i) {
            FlowTimes flow;
            flow.flow = i;
            flow.elapsed_s = (alpha + cold * std::exp2(1 - rounds) + bytes / beta) * noise;
            times.flows.push_back(flow);
        }
        times.skew_s = skew;
        now += times.flows[0].elapsed_s;
        return times;
    }
    bool pause(double seconds) override {
        now += seconds;
        return true;
    }
    double clock() override { return now; }

    double alpha = 0.02;
    double beta = 12.5e6;  // bytes/s
    double spread = 0;     // relative
    double cold = 0;       // further seconds of the first message, half of them of the next, ...
    double skew = 0;
    double now = 0;
    int rounds = 0;
    int fresh_rounds = 0;
    int fail_after = std::numeric_limits<int>::max();
    double total = 0;

private:
    int flows_;
    core::Random random_{7};
};

TaskOrder an_order(int flows = 1) {
    TaskOrder order;
    order.task = "t";
    order.leader = "a";
    order.seconds = 1000;
    order.smallest_bytes = 1024;
    order.largest_bytes = 4096;
    order.repeats = 2;
    order.most_repeats = 7;
    for (int i = 0; i < flows; ++i) {
        order.flows.push_back({"a", i == 0 ? "b" : "c", ""});
    }
    return order;
}

struct Played {
    ProgramResult result;
    std::vector<Sample> samples;
};

Played play(const TaskOrder& order, FakeTeam& team) {
    Played done;
    done.result =
        run_program(order, team, [&](const Sample& sample) { done.samples.push_back(sample); });
    return done;
}

TEST(Program, AQuietLinkTakesThreeRepetitions) {
    FakeTeam team(1);
    const Played done = play(an_order(), team);
    EXPECT_TRUE(done.result.complete);
    // An interval needs three samples: 3 sizes x 3, and 2 messages to warm up.
    EXPECT_EQ(done.samples.size(), 9U);
    EXPECT_EQ(team.rounds, 11);
    EXPECT_EQ(done.samples[2].bytes, 4096);
    EXPECT_DOUBLE_EQ(done.samples[2].elapsed_s, 0.02 + 4096 / 12.5e6);
    EXPECT_EQ(done.samples[8].rep, 2);
}

TEST(Program, ANoisyLinkTakesAllOfThem) {
    FakeTeam team(1);
    team.spread = 1;
    const Played done = play(an_order(), team);
    EXPECT_TRUE(done.result.complete);
    EXPECT_GT(done.samples.size(), 15U);
    EXPECT_LE(done.samples.size(), 21U);
}

// 20.3 ms, and 20, 10, 5, ... ms more while it warms up: the fifth and the sixth message are the
// first two in a row within 5 % (21.6 and 20.95 ms).
TEST(Program, WarmsUpUntilMessagesTakeTheSame) {
    FakeTeam team(1);
    team.cold = 0.02;
    const Played done = play(an_order(), team);
    EXPECT_EQ(team.rounds - static_cast<int>(done.samples.size()), 6);
    TaskOrder small = an_order();
    small.pair_bytes = 2 * 4096 + 2 * (1024 + 2048 + 4096);  // nothing is left for more than two
    FakeTeam limited(1);
    limited.cold = 0.02;
    const Played few = play(small, limited);
    EXPECT_EQ(few.samples.size(), 6U);
    EXPECT_EQ(limited.rounds, 8);
}

TEST(Program, PingsAreTwentySingleBytes) {
    TaskOrder order = an_order();
    order.pattern = Pattern::kPing;
    FakeTeam team(1);
    const Played done = play(order, team);
    EXPECT_TRUE(done.result.complete);
    EXPECT_EQ(done.samples.size(), 20U);
    EXPECT_EQ(done.samples[19].bytes, 1);
}

TEST(Program, NeverMoreBytesThanAllowed) {
    for (const double limit : {20e3, 30e3, 60e3, 1e6}) {
        TaskOrder order = an_order();
        order.pair_bytes = limit;
        FakeTeam team(1);
        team.spread = 1;
        const Played done = play(order, team);
        EXPECT_LE(team.total, limit);
        EXPECT_TRUE(done.result.complete);
    }
}

TEST(Program, ColdMeansNewConnectionsAndNoWarmUp) {
    TaskOrder order = an_order();
    order.state = State::kCold;
    FakeTeam team(1);
    const Played done = play(order, team);
    EXPECT_EQ(team.fresh_rounds, team.rounds);
    EXPECT_EQ(done.samples.size(), static_cast<std::size_t>(team.rounds));
}

TEST(Program, IdleWaitsBeforeEachMessage) {
    TaskOrder order = an_order();
    order.state = State::kIdle;
    order.idle_s = 3;
    FakeTeam team(1);
    const Played done = play(order, team);
    EXPECT_EQ(done.samples.size(), 9U);
    EXPECT_GE(team.now, 27);
}

// 20 ms round trip: from 64 KiB; four times rate x round trip is 1 MB, so up to 16 MiB.
TEST(Program, ChoosesSizesFromPingAndProbe) {
    TaskOrder order = an_order();
    order.smallest_bytes = order.largest_bytes = 0;
    FakeTeam far(1);
    const Played done = play(order, far);
    EXPECT_EQ(done.samples.front().bytes, 65536);
    EXPECT_EQ(done.samples.back().bytes, 16777216);
    FakeTeam near(1);
    near.alpha = 0.0001;
    near.beta = 1.25e9;
    EXPECT_EQ(play(order, near).samples.front().bytes, 4096);
    FakeTeam long_and_fat(1);
    long_and_fat.alpha = 0.2;
    long_and_fat.beta = 125e6;  // 4 x 25 MB: 64 MiB is the last doubling below
    EXPECT_EQ(play(order, long_and_fat).samples.back().bytes, 67108864);
}

TEST(Program, ALostPeerEndsItIncomplete) {
    FakeTeam team(1);
    team.fail_after = 5;
    const Played done = play(an_order(), team);
    EXPECT_FALSE(done.result.complete);
    EXPECT_EQ(done.samples.size(), 3U);  // 2 of the 5 warmed up
    ASSERT_FALSE(done.result.events.empty());
    EXPECT_EQ(done.result.events.back().kind, "peer_lost");
}

// 1.02 s for the largest size: two to warm up, one of each size (1.81 s), and 80 % of 5 s are over.
TEST(Program, SlowLinksStopAtTheirTime) {
    TaskOrder order = an_order();
    order.seconds = 5;
    FakeTeam team(1);
    team.beta = 4096;
    const Played done = play(order, team);
    EXPECT_LT(team.now, 5);
    EXPECT_TRUE(done.result.complete);
    ASSERT_FALSE(done.result.events.empty());
    EXPECT_EQ(done.result.events.back().kind, "budget");
}

TEST(Program, TransfersOfSeveralHostsLastLongBesideTheirSkew) {
    TaskOrder order = an_order(2);
    order.pattern = Pattern::kFanOut;
    FakeTeam team(2);
    team.alpha = 0;
    team.skew = 0.001;  // 20 x 1 ms at 12.5 MB/s: 250,000 bytes
    const Played done = play(order, team);
    EXPECT_TRUE(done.result.complete);
    ASSERT_FALSE(done.samples.empty());
    for (const Sample& sample : done.samples) {
        EXPECT_EQ(sample.bytes, 262144);
        EXPECT_EQ(sample.peers, (std::vector<std::string>{"b", "c"}));
        EXPECT_TRUE(sample.root_s);
    }
}

TEST(HalfWidth, IsThatOfTheMedian) {
    EXPECT_EQ(relative_half_width({1, 1}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(relative_half_width({2, 2, 2}), 0);
    // Median 10, MAD 1: 2.776 x 1.2533 x 1.4826 / sqrt 5 / 10, Student's t for 4 degrees.
    EXPECT_NEAR(relative_half_width({8, 9, 10, 11, 12}), 0.2307, 0.0001);
    // One stalled sample of five changes little.
    EXPECT_NEAR(relative_half_width({8, 9, 10, 11, 1000}), 0.2307, 0.0001);
}

// A round trip of 10 ms, the other clock 5 s ahead; slower exchanges do not count.
TEST(ClockOffsets, TheQuickestExchangeCounts) {
    const ClockOffset clock = clock_offset({{0, 5.030, 0.050}, {1, 6.005, 1.010}, {2, 7.02, 2.03}});
    EXPECT_NEAR(clock.offset_s, 5, 1e-12);
    EXPECT_NEAR(clock.round_trip_s, 0.010, 1e-12);
    EXPECT_NEAR(clock.uncertainty_s, 0.010, 1e-12);
}

TEST(Orders, ThereAndBack) {
    TaskOrder order = an_order(2);
    order.pattern = Pattern::kFanIn;
    order.state = State::kIdle;
    order.idle_s = 0.5;
    order.congestion_control = "reno";
    order.parties = {{"a", "10.0.0.1", 7, "leave"}};
    const auto back = order_of(object_of(core::write_json_line(to_value(order))));
    ASSERT_TRUE(back);
    EXPECT_EQ(core::write_json_line(to_value(*back)), core::write_json_line(to_value(order)));
    EXPECT_FALSE(order_of(object_of("{}")));
    order.streams = 0;
    EXPECT_FALSE(order_of(to_value(order)));
    const auto hello = data_hello_of(to_payload({"leave", 3, 2, 1}));
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->flow, 3);
    EXPECT_EQ(hello->stream, 2);
    EXPECT_EQ(hello->serial, 1);
    EXPECT_FALSE(data_hello_of("nonsense"));
}

TEST(CampaignHostsFile, ReadsHostsAndGroups) {
    const auto found = read_campaign_hosts(R"(port = 7000
[[host]]
name = "a"
address = "10.0.0.1"
site = "x"
groups = ["up"]
[[host]]
name = "b"
port = 7001
groups = ["up", "other"]
[[group]]
name = "up"
half_duplex = true
)",
                                           "hosts.toml");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->hosts[0].port, 7000);
    EXPECT_EQ(found->hosts[1].port, 7001);
    EXPECT_EQ(found->hosts[1].address, "b");
    ASSERT_EQ(found->groups.size(), 2U);
    EXPECT_TRUE(found->groups[0].half_duplex);
    EXPECT_EQ(found->groups[1].name, "other");
}

TEST(CampaignHostsFile, SaysAllThatIsWrong) {
    const auto problems = [](std::string_view text) {
        const auto found = read_campaign_hosts(text, "h");
        return found ? std::size_t{0} : found.error().size();
    };
    EXPECT_EQ(problems("[[host]]\nname=\"a\"\n[[host]]\nname=\"b\"\n"), 0U);
    EXPECT_EQ(problems(""), 1U);
    EXPECT_EQ(problems("[[host]]\nname=\"a\"\n"), 1U);
    EXPECT_EQ(problems("[[host]]\nname=\"a b\"\n[[host]]\nnome=\"b\"\n"), 3U);
    EXPECT_EQ(problems("[[host]]\nname=\"a\"\n[[host]]\nname=\"a\"\n"), 1U);
    EXPECT_EQ(problems("[[host]]\nname=\"a\"\n[[host]]\nname=\"b\"\n[[group]]\nname=\"g\"\n"), 1U);
}

TEST(PairsFile, NamesHosts) {
    std::vector<CampaignHost> hosts(3);
    hosts[0].id = "a";
    hosts[1].id = "b";
    hosts[2].id = "c";
    const auto pairs = read_pairs("# all\na b\n\nc a # back\n", "p", hosts);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(*pairs, (std::vector<Flow>{{0, 1}, {2, 0}}));
    EXPECT_EQ(read_pairs("a a\nb\na d\na b c\n", "p", hosts).error().size(), 4U);
    EXPECT_FALSE(read_pairs("# nothing\n", "p", hosts));
}

}  // namespace
}  // namespace longhaul::measure
