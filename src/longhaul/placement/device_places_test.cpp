#include "longhaul/placement/device_places.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"

namespace longhaul::placement {
namespace {

struct ReadBack {
    std::vector<DevicePlace> places;
    core::Diagnostics problems;
};

ReadBack read_back(const std::string& text, const std::vector<std::string>& names = {}) {
    const auto document = core::parse_json(text, "plan.json");
    ReadBack result;
    if (document) {
        result.places = read_places(core::Cursor(*document, result.problems), names);
    }
    return result;
}

TEST(DevicePlaces, ComeBackFromTheirFile) {
    const std::vector<DevicePlace> places{{"a", "10.0.0.1", 0}, {"b", "", std::nullopt}, {}};
    core::Value root = core::Value::object();
    root.set("device_hosts", to_value(places));
    const ReadBack back = read_back(core::write_json(root));
    EXPECT_TRUE(back.problems.empty());
    EXPECT_EQ(back.places, places);
}

TEST(DevicePlaces, OfAnOlderPlanStandInItsNames) {
    const ReadBack back = read_back("{\"rank_map\": [0, 1]}", {"a/0", "dc/b/12"});
    EXPECT_EQ(back.places, (std::vector<DevicePlace>{{"a", "", 0}, {"dc/b", "", 12}}));
    // Names that count devices may be labels; "a/1#0" is the label "a/1".
    EXPECT_TRUE(read_back("{}", {"Oregon#0", "a/1#0", "/1", "x/"}).places.empty());
}

TEST(DevicePlaces, ReportWhatIsWrong) {
    const ReadBack back = read_back(
        "{\"rank_map\": [0], \"device_hosts\": [{\"host\": 3}, {\"host\": \"a\", \"local_rank\": "
        "-1}]}");
    EXPECT_EQ(back.problems.size(), 3U);
}

}  // namespace
}  // namespace longhaul::placement
