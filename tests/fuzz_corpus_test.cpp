// Replays every input that a fuzzer once found, and the seeds that it starts from.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "fuzz/flows_promise.hpp"
#include "fuzz/import_promise.hpp"
#include "fuzz/job_promise.hpp"
#include "fuzz/measured_steps_promise.hpp"
#include "fuzz/schedule_promise.hpp"
#include "fuzz/topology_promise.hpp"
#include "fuzz/wan_promise.hpp"

namespace longhaul::fuzz {
namespace {

template <class Check>
void replay(const std::string& target, Check check) {
    const std::filesystem::path folder =
        std::filesystem::path(LONGHAUL_SOURCE_DIR) / "fuzz/corpus" / target;
    int inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(check(text), "") << entry.path();
        ++inputs;
    }
    EXPECT_GT(inputs, 0) << folder;
}

TEST(FuzzCorpus, ParseJson) {
    replay("parse_json",
           [](const std::string& text) { return broken_promise(&core::parse_json, text); });
}

TEST(FuzzCorpus, ParseToml) {
    replay("parse_toml",
           [](const std::string& text) { return broken_promise(&core::parse_toml, text); });
}

TEST(FuzzCorpus, Import) {
    replay("import", [](const std::string& text) { return broken_import_promise(text); });
}

TEST(FuzzCorpus, ReadWan) {
    replay("read_wan", [](const std::string& text) { return broken_wan_promise(text); });
}

TEST(FuzzCorpus, ReadJob) {
    replay("read_job", [](const std::string& text) { return broken_job_promise(text); });
}

TEST(FuzzCorpus, ReadTopology) {
    replay("read_topology", [](const std::string& text) { return broken_topology_promise(text); });
}

TEST(FuzzCorpus, ReadIslands) {
    replay("read_islands", [](const std::string& text) { return broken_islands_promise(text); });
}

TEST(FuzzCorpus, ReadSchedule) {
    replay("read_schedule", [](const std::string& text) { return broken_schedule_promise(text); });
}

TEST(FuzzCorpus, ReadFlows) {
    replay("read_flows", [](const std::string& text) { return broken_flows_promise(text); });
}

TEST(FuzzCorpus, ReadMeasuredSteps) {
    replay("read_measured_steps",
           [](const std::string& text) { return broken_measured_steps_promise(text); });
}

}  // namespace
}  // namespace longhaul::fuzz
