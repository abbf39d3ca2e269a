#include "longhaul/schedule/schedule_file.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "longhaul/core/hash.hpp"

namespace longhaul::schedule {
namespace {

// A path of three islands, A - B - C, 10 ms and 20 ms, and D beyond C.
constexpr const char* kNetwork = R"({
  "name": "path", "payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20, "memory_gb": 1,
  "nodes": ["A", "B", "C", "D"],
  "links": [{"a": "A", "b": "B", "latency_ms": 10, "gbps": 100},
            {"a": "B", "b": "C", "latency_ms": 20, "gbps": 100},
            {"a": "C", "b": "D", "latency_ms": 5, "gbps": 100}]})";

Islands path_islands() {
    return read_islands(*core::parse_json(kNetwork, "path.json")).value();
}

// Directed links: 0 A>B, 1 B>A, 2 B>C, 3 C>B, 4 C>D, 5 D>C. Star metric: w = 10, 0, 20.
TimedSchedule path_schedule() {
    TimedClique three{.members = 0b0111,
                      .sending_ms = 400,
                      .time_ms = 440,
                      .offset_ms = {10, 20, 0},
                      .sender_ms = {},
                      .trees = {{{0, 2}}, {{1, 2}}, {{3, 1}}},
                      .weights = {}};
    TimedClique alone{.members = 0b1000,
                      .sending_ms = 0,
                      .time_ms = 0,
                      .offset_ms = {0},
                      .sender_ms = {},
                      .trees = {},
                      .weights = {}};
    TimedClique left = alone;
    left.members = 0b0011;
    left.sending_ms = 400.1;
    left.time_ms = 430.0 + 1.0 / 3.0;
    left.offset_ms = {0, 20.2};
    left.sender_ms = {400.1, 399};
    left.trees = {{{0}}, {{1}}};
    left.weights = core::Grid<double>(2, 2, 0.25);
    left.weights(0, 0) = left.weights(1, 1) = 0.75;
    TimedClique right = left;
    right.members = 0b1100;
    right.offset_ms = {0, 1};
    right.trees = {{{4}}, {{5}}};
    right.weights = {};
    return {.network_name = "path",
            .network_sha256 = core::sha256_hex(kNetwork),
            .pace = Pace::kOwn,
            .payload_gb = 1,
            .forgetting = 0.9,
            .guard_ms = 0.125,
            .timeout_ms = 50,
            .slot_elements = 1024,
            .memory_gb = {1, 0, 0.1, 32},
            .rounds = {{440, {three, alone}}, {431, {left, right}}}};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

core::Result<TimedSchedule> read_text(const std::string& text,
                                      const ScheduleFileOptions& options = {}) {
    return read_schedule(core::parse_json(text, "s.json").value(), path_islands(), options);
}

/// All problems, a line each.
std::string problems_of(const std::string& text, const ScheduleFileOptions& options = {}) {
    const auto read = read_text(text, options);
    std::string lines;
    if (!read) {
        for (const core::Diagnostic& problem : read.error()) {
            lines += core::to_string(problem) + "\n";
        }
    }
    return lines;
}

void expect_equal(const TimedClique& a, const TimedClique& b) {
    EXPECT_EQ(a.members, b.members);
    EXPECT_EQ(a.sending_ms, b.sending_ms);
    EXPECT_EQ(a.time_ms, b.time_ms);
    EXPECT_EQ(a.offset_ms, b.offset_ms);
    EXPECT_EQ(a.sender_ms, b.sender_ms);
    EXPECT_EQ(a.trees, b.trees);
    EXPECT_EQ(a.weights, b.weights);
}

TEST(ScheduleFile, ReadsBackWhatItWrote) {
    const TimedSchedule schedule = path_schedule();
    const std::string text = write_schedule(schedule, path_islands());
    const auto read = read_text(text, {schedule.network_sha256, false});
    ASSERT_TRUE(read) << problems_of(text);
    EXPECT_EQ(read->network_name, "path");
    EXPECT_EQ(read->network_sha256, schedule.network_sha256);
    EXPECT_EQ(read->pace, Pace::kOwn);
    EXPECT_EQ(read->payload_gb, 1);
    EXPECT_EQ(read->guard_ms, 0.125);
    EXPECT_EQ(read->forgetting, 0.9);
    EXPECT_EQ(read_text(replaced(text, "\"forgetting\": 0.9,", ""))->forgetting, 1);
    EXPECT_NE(problems_of(replaced(text, "\"forgetting\": 0.9", "\"forgetting\": 1.5"))
                  .find("forgetting"),
              std::string::npos);
    EXPECT_EQ(read->timeout_ms, 50);
    EXPECT_EQ(read->slot_elements, 1024U);
    EXPECT_EQ(read->memory_gb, schedule.memory_gb);
    ASSERT_EQ(read->rounds.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(read->rounds[k].length_ms, schedule.rounds[k].length_ms);
        ASSERT_EQ(read->rounds[k].cliques.size(), schedule.rounds[k].cliques.size());
        for (std::size_t c = 0; c < read->rounds[k].cliques.size(); ++c) {
            expect_equal(read->rounds[k].cliques[c], schedule.rounds[k].cliques[c]);
        }
    }
    EXPECT_EQ(write_schedule(*read, path_islands()), text);
}

TEST(ScheduleFile, RoundsOfCliquesAreKept) {
    const Schedule schedule = path_schedule().schedule();
    EXPECT_EQ(schedule.rounds[0], make_round({0b0111}, 4));
    EXPECT_EQ(schedule.rounds[1], make_round({0b0011, 0b1100}, 4));
}

// Lists follow the members as the file has them; in memory members ascend.
TEST(ScheduleFile, MembersMayStandInAnyOrder) {
    std::string text = write_schedule(path_schedule(), path_islands());
    text = replaced(text, R"(["A", "B"])", R"(["B", "A"])");
    text = replaced(text, R"("offset_ms": [0, 20.2])", R"("offset_ms": [20.2, 0])");
    text = replaced(text, R"([400.1, 399])", R"([399, 400.1])");
    const std::string trees = "[\"A>B\"],";
    const std::size_t first = text.find(trees);
    ASSERT_NE(first, std::string::npos);
    text.replace(first, trees.size(), "[\"B>A\"],");
    text = text.substr(0, first + 8) + replaced(text.substr(first + 8), "[\"B>A\"]", "[\"A>B\"]");
    const auto read = read_text(text);
    ASSERT_TRUE(read) << problems_of(text);
    expect_equal(read->rounds[1].cliques[0], path_schedule().rounds[1].cliques[0]);
}

TEST(ScheduleFile, AnotherNetworkIsRefusedUnlessAllowed) {
    const std::string text = write_schedule(path_schedule(), path_islands());
    const std::string other = core::sha256_hex("other");
    EXPECT_NE(problems_of(text, {other, false})
                  .find("network.sha256: made for another network than \"path.json\""),
              std::string::npos);
    const auto read = read_text(text, {other, true});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->network_sha256, core::sha256_hex(kNetwork));
    // Latencies may differ there: times are not compared with them.
    EXPECT_TRUE(read_text(replaced(text, R"("time_ms": 440)", R"("time_ms": 439)"), {other, true}));
}

TEST(ScheduleFile, OneNumberOfMemoryIsForAll) {
    std::string text = write_schedule(path_schedule(), path_islands());
    const std::size_t from = text.find("\"memory_gb\": {");
    ASSERT_NE(from, std::string::npos);
    text.replace(from, text.find('}', from) + 1 - from, "\"memory_gb\": 3");
    const auto read = read_text(text);
    ASSERT_TRUE(read) << problems_of(text);
    EXPECT_EQ(read->memory_gb, std::vector<double>(4, 3));
}

TEST(ScheduleFile, LinksThatShareANameAreCounted) {
    Islands islands = path_islands();
    islands.network.links.push_back(islands.network.links[0]);
    EXPECT_EQ(link_names(islands),
              (std::vector<std::string>{"A>B", "B>A", "B>C", "C>B", "C>D", "D>C", "A>B#2"}));
}

// The example of docs/formats/schedule.md, on the network that it speaks of.
TEST(ScheduleFile, TheExampleOfTheDocumentationIsRead) {
    std::ifstream page(LONGHAUL_SOURCE_DIR "/docs/formats/schedule.md");
    std::stringstream text;
    text << page.rdbuf();
    const std::string all = text.str();
    const std::size_t from = all.find("```json\n") + 8;
    std::string example = all.substr(from, all.find("```", from) - from);
    example =
        replaced(example, R"({"members": ["C"]})", R"({"members": ["C"]}, {"members": ["D"]})");
    const auto read = read_text(example);
    ASSERT_TRUE(read) << problems_of(example);
    EXPECT_EQ(read->rounds[0].cliques[2].members, Clique{0b1000});
    EXPECT_EQ(read->rounds[0].cliques[2].offset_ms, std::vector<double>{0});
    EXPECT_TRUE(read->rounds[0].cliques[2].trees.empty());
}

struct Fault {
    const char* from;
    const char* to;
    const char* message;
};

class ScheduleFileFaults : public testing::TestWithParam<Fault> {};

TEST_P(ScheduleFileFaults, AreReportedWithTheirPlace) {
    const std::string text = write_schedule(path_schedule(), path_islands());
    const std::string lines = problems_of(replaced(text, GetParam().from, GetParam().to));
    EXPECT_NE(lines.find(GetParam().message), std::string::npos) << lines;
    EXPECT_EQ(lines.rfind("s.json: ", 0), 0U) << lines;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ScheduleFileFaults,
    testing::Values(
        Fault{"longhaul.schedule/1", "longhaul.plan/1", "longhaul.schedule/1"},
        Fault{"longhaul.schedule/1", "longhaul.schedule/2", "format"},
        Fault{R"("own")", R"("fast")", R"(pace: "fast"; "uniform", "own" or "streamed")"},
        Fault{R"("own")", R"("uniform")", "equal lengths: the pace is uniform"},
        Fault{R"("payload_gb": 1)", R"("payload_gb": 0)", "payload_gb: 0; a positive number"},
        Fault{R"("slot_elements": 1024)", R"("slot_elements": 0)", "slot_elements: found 0"},
        Fault{R"("guard_ms": 0.125)", R"("guard_ms": -1)", "guard_ms: found -1"},
        Fault{R"("timeout_ms": 50)", R"("timeout_ms": "50")", "timeout_ms: found a string"},
        Fault{R"("D": 32)", R"("E": 32)", "memory_gb.E: \"E\" is no island"},
        Fault{R"("D": 32)", R"("E": 32)", "memory_gb: nothing of \"D\""},
        Fault{R"("sha256": ")", R"("sha256": "x)", "64 lower-case hexadecimal digits"},
        Fault{R"("length_ms": 440)", R"("length_ms": 0)", "rounds[0].length_ms: 0"},
        Fault{R"("length_ms": 440)", R"("length_ms": 430)", "takes 440 ms in a round of 430"},
        Fault{R"("length_ms": 440)", R"("lenght_ms": 440)", "did you mean \"length_ms\"?"},
        Fault{R"(["A", "B", "C"])", R"(["A", "B", "X"])", "members[2]: \"X\" is no island"},
        Fault{R"(["A", "B", "C"])", R"(["A", "B", "A"])", "\"A\" is in the round already"},
        Fault{R"(["A", "B"])", R"(["A", "C"])", "\"C\" is in the round already"},
        Fault{R"(["A", "B"])", R"(["A", "C"])", "cliques: \"B\" is in no clique"},
        Fault{R"(["A", "B"])", R"([])", "members: no member"},
        Fault{R"("time_ms": 440)", R"("time_ms": 439)", "arrives after 440 ms, time_ms is 439"},
        Fault{R"("rate_gbps": 20)", R"("rate_gbps": 21)", "20: the payload over sending_ms"},
        Fault{"[10, 20, 0]", "[10, 20]", "offset_ms: 2 entries; 3: one a member"},
        Fault{"[10, 20, 0]", "[10, 20, -1]", "offset_ms[2]: -1 ms; at least 0"},
        Fault{"[10, 20, 0]", "[10, 20, 1e10]", "offset_ms[2]: found 1"},
        Fault{"[400.1, 399]", "[400, 399]", "sender_ms: 399 to 400 ms"},
        Fault{"[400.1, 399]", "[400.1, 0]", "sender_ms: 0 to 400.1 ms"},
        Fault{"[0.25, 0.75]", "[0.25, 0.751]", "weights[1]: sums to 1.001"},
        Fault{"[0.25, 0.75]", "[-0.25, 1.25]", "weights[1][0]: found -0.25"},
        Fault{R"(["A>B", "B>C"])", R"(["A>B", "A>C"])", "trees[0][1]: \"A>C\" is no link"},
        Fault{R"(["A>B", "B>C"])", R"(["B>C", "A>B"])", "starts where the tree is not"},
        Fault{R"(["A>B", "B>C"])", R"(["A>B", "B>A"])", "\"B>A\" closes a circle"},
        Fault{R"(["A>B", "B>C"])", R"(["A>B"])", "trees[0]: does not lead to \"C\""}));

TEST(ScheduleFile, ReportsAllProblemsAtOnce) {
    std::string text = write_schedule(path_schedule(), path_islands());
    text = replaced(text, R"("payload_gb": 1)", R"("payload_gb": -1)");
    text = replaced(text, R"(["A>B", "B>C"])", R"(["A>B"])");
    text = replaced(text, "[0.25, 0.75]", "[0.25, 0.5]");
    const std::string lines = problems_of(text);
    for (const char* part : {"payload_gb", "trees[0]", "weights[1]"}) {
        EXPECT_NE(lines.find(part), std::string::npos) << lines;
    }
}

TEST(ScheduleFile, MissingKeysAreReported) {
    const std::string lines = problems_of("{}");
    for (const char* key :
         {"format", "network", "pace", "payload_gb", "slot_elements", "memory_gb", "rounds"}) {
        EXPECT_NE(lines.find(std::string("the key \"") + key + "\" is missing"), std::string::npos)
            << lines;
    }
}

// What a streamed schedule may have and others may not: offsets before the start of the round, and
// cliques that end in a later one.
TEST(ScheduleFile, StreamedRoundsOverlap) {
    TimedSchedule schedule = path_schedule();
    for (TimedRound& round : schedule.rounds) {
        round.length_ms = 400;
        for (TimedClique& clique : round.cliques) {
            clique.offset_ms[0] -= 5;
        }
    }
    schedule.pace = Pace::kStreamed;
    EXPECT_TRUE(read_text(write_schedule(schedule, path_islands())));
    schedule.pace = Pace::kUniform;
    EXPECT_FALSE(read_text(write_schedule(schedule, path_islands())));
}

}  // namespace
}  // namespace longhaul::schedule
