// Replays every input that a fuzzer once found, and the seeds that it starts from.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "fuzz/round_trip.hpp"

namespace longhaul::fuzz {
namespace {

void replay(const std::string& target, Parser parse) {
    const std::filesystem::path folder =
        std::filesystem::path(LONGHAUL_SOURCE_DIR) / "fuzz/corpus" / target;
    int inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(broken_promise(parse, text), "") << entry.path();
        ++inputs;
    }
    EXPECT_GT(inputs, 0) << folder;
}

TEST(FuzzCorpus, ParseJson) {
    replay("parse_json", &core::parse_json);
}

TEST(FuzzCorpus, ParseToml) {
    replay("parse_toml", &core::parse_toml);
}

}  // namespace
}  // namespace longhaul::fuzz
