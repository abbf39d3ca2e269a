#include "longhaul/measure/raw.hpp"

#include <gtest/gtest.h>

namespace longhaul::measure {
namespace {

constexpr std::string_view kRun =
    "{\"record\": \"run\", \"format\": \"longhaul.raw/1\", \"run\": \"r\"}\n";

std::string sample_line(std::string_view more) {
    return "{\"record\": \"sample\", \"pattern\": \"peer\", \"from\": \"a\", \"to\": \"b\", "
           "\"bytes\": 1, \"elapsed_s\": 0.5" +
           std::string(more) + "}\n";
}

Raw everything() {
    Raw raw;
    raw.runs.push_back({1, "r", "2026-01-02T03:04:05Z", "longhaul", "ab", core::Value::object()});
    raw.runs.back().unknown.set("seed", 7);
    raw.hosts.push_back({"a", "eu", "10.0.0.1", {"eu-up"}, core::Value::object()});
    raw.hosts.back().facts.set("mtu", 1500);
    raw.tasks.push_back({"t", 2, 3, Pattern::kFanIn, State::kIdle, "a", {"b", "c"}, {}});
    Sample sample;
    sample.task = "t";
    sample.attempt = 2;
    sample.pattern = Pattern::kFanIn;
    sample.state = State::kIdle;
    sample.idle_s = 1.5;
    sample.transport = "tcp";
    sample.streams = 2;
    sample.from = "b";
    sample.to = "a";
    sample.peers = {"b", "c"};
    sample.path = "inter_site";
    sample.bytes = 4096;
    sample.rep = 1;
    sample.block = 2;
    sample.t = "2026-01-02T03:04:06Z";
    sample.elapsed_s = 0.25;
    sample.receive_s = 0.125;
    sample.connect_s = 0.5;
    sample.root_s = 0.375;
    sample.per_stream_s = {0.25, 0.2};
    sample.cpu_share = 0.9;
    sample.tcp = TcpFacts{0.01, 1448, 0.1, 0.2, 0.3, 1.25, true};
    sample.concurrent = {"u"};
    sample.ok = false;
    sample.unknown.set("later", "x");
    raw.samples.push_back(sample);
    raw.events.push_back({"2026-01-02T03:04:07Z", "t", "peer_lost", "c", "reset"});
    raw.ends.push_back({"t", 2, true});
    raw.ended = true;
    return raw;
}

TEST(Raw, ReadsBackWhatWasWritten) {
    const Raw raw = everything();
    const auto read = read_raw(to_text(raw), "f");
    ASSERT_TRUE(read) << to_string(read.error().front());
    EXPECT_EQ(to_text(*read), to_text(raw));
    const Sample& sample = read->samples.at(0);
    EXPECT_EQ(sample.tcp->retransmitted_bytes, 1448);
    EXPECT_EQ(sample.width(), 2U);
    EXPECT_EQ(sample.unknown.find("later")->string, "x");
    EXPECT_EQ(read->hosts.at(0).facts.find("mtu")->number, 1500);
    EXPECT_TRUE(read->ended);
}

TEST(Raw, PatternsAndStatesHaveNamesOfTheirOwn) {
    for (const std::string name :
         {"local", "ping", "peer", "both_ways", "fan_out", "fan_in", "relay"}) {
        const std::string line =
            "{\"record\": \"task\", \"task\": \"t\", \"pattern\": \"" + name + "\"}\n";
        const auto read = read_raw(std::string(kRun) + line, "f");
        ASSERT_TRUE(read);
        EXPECT_EQ(name_of(read->tasks.at(0).pattern), name);
    }
}

TEST(Raw, ALastLineThatWasCutOffIsAWarning) {
    const std::string text = std::string(kRun) + sample_line("") + "{\"record\": \"sam";
    const auto read = read_raw(text, "f");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->samples.size(), 1U);
    EXPECT_EQ(read->warnings.size(), 1U);
    EXPECT_FALSE(read->ended);
}

TEST(Raw, BadRecordsAreReportedWithTheirLine) {
    const auto problem = [](const std::string& line) {
        const auto read = read_raw(std::string(kRun) + line, "f");
        return read ? std::string("none") : to_string(read.error().front());
    };
    EXPECT_EQ(problem("{\"record\": \"task\", \"task\": \"t\", \"pattern\": \"fan\"}\n"),
              "f: line 2, column 44: pattern: found \"fan\"; known: local, ping, peer, both_ways, "
              "fan_out, fan_in, relay, crossing");
    EXPECT_EQ(problem("{\"record\": \"sample\", \"pattern\": \"peer\", \"from\": \"a\", "
                      "\"to\": \"b\", \"bytes\": -1, \"elapsed_s\": 1}\n"),
              "f: line 2, column 74: bytes: found -1; it must be from 0 to 1000000000000000");
    EXPECT_EQ(problem("{\"record\": \"sample\", \"pattern\": \"fan_in\", \"from\": \"a\", "
                      "\"to\": \"b\", \"peers\": [\"c\"], \"bytes\": 1, \"elapsed_s\": 1}\n"),
              "f: line 2, column 1: the peer \"a\" of the fan is not among its peers; peers lists "
              "all of them");
    const std::string crossing =
        "{\"record\": \"sample\", \"pattern\": \"crossing\", \"from\": \"a\", \"to\": \"b\", "
        "\"bytes\": 1, \"elapsed_s\": 1, \"peers\": ";
    EXPECT_EQ(problem(crossing + "[\"c\", \"d\", \"a\", \"b\"]}\n"), "none");
    for (const char* peers : {"[\"c\", \"a\", \"b\", \"d\"]", "[\"a\", \"b\", \"c\"]", "[]"}) {
        EXPECT_EQ(problem(crossing + peers + "}\n"),
                  "f: line 2, column 1: the transfer \"a\" to \"b\" is not among the peers of the "
                  "crossing; peers lists the ends of all its transfers: from, to, from, to, ...");
    }
    EXPECT_EQ(problem("{\"record\": \"task_end\", \"complete\": true}\n"),
              "f: line 2, column 1: the key \"task\" is missing; it holds the name of the task");
    EXPECT_EQ(problem(sample_line(", \"ok\": 1")),
              "f: line 2, column 101: ok: found a number; it must be a boolean");
}

TEST(Raw, NamesThatWouldBreakTablesAreRefused) {
    const auto read =
        read_raw(std::string(kRun) + "{\"record\": \"host\", \"id\": \"a\\nb\"}\n", "f");
    ASSERT_FALSE(read);
    EXPECT_EQ(to_string(read.error().front()),
              "f: line 2, column 26: id: found \"a\\x0ab\"; a name has no line breaks and control "
              "bytes");
}

TEST(Raw, UnknownRecordsArePassedOver) {
    const auto read = read_raw(std::string(kRun) + "{\"record\": \"weather\"}\n", "f");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->warnings.at(0), "line 2: a record of unknown kind \"weather\" is passed over");
}

TEST(Raw, FilesWithoutARunAreRefused) {
    EXPECT_FALSE(read_raw(sample_line(""), "f"));
    EXPECT_FALSE(read_raw("", "f"));
    EXPECT_FALSE(
        read_raw("{\"record\": \"run\", \"format\": \"longhaul.raw/2\", \"run\": \"r\"}\n", "f"));
}

TEST(UsableSamples, AreThoseOfTheLastCompleteAttempt) {
    Raw raw;
    const auto add = [&](const std::string& task, int attempt, bool ok) {
        Sample sample;
        sample.task = task;
        sample.attempt = attempt;
        sample.ok = ok;
        sample.bytes = static_cast<double>(raw.samples.size());
        raw.samples.push_back(sample);
    };
    for (const std::string task : {"done", "open", "imported"}) {
        add(task, 1, true);
        add(task, 2, true);
        add(task, 2, false);
    }
    add("done", 3, true);
    raw.tasks.push_back({"done", 1, 0, Pattern::kPeer, State::kWarm, "", {}, {}});
    raw.tasks.push_back({"open", 1, 0, Pattern::kPeer, State::kWarm, "", {}, {}});
    raw.ends = {{"done", 1, false}, {"done", 2, true}, {"done", 3, false}, {"open", 1, false}};
    std::vector<double> usable;
    for (const Sample& sample : usable_samples(raw)) {
        usable.push_back(sample.bytes);
    }
    EXPECT_EQ(usable, (std::vector<double>{1, 6, 7}));
}

TEST(Append, KeepsTheLastRecordOfEveryHost) {
    Raw raw = everything();
    Raw more = everything();
    more.hosts[0].site = "us";
    append(raw, more);
    ASSERT_EQ(raw.hosts.size(), 1U);
    EXPECT_EQ(raw.hosts[0].site, "us");
    EXPECT_EQ(raw.samples.size(), 2U);
}

}  // namespace
}  // namespace longhaul::measure
