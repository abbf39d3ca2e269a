#include "longhaul/core/own_formats.hpp"

#include <string>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

std::string refusal(std::string_view text, std::initializer_list<std::string_view> wanted) {
    const auto result = refuse_other_format(text, "x", wanted);
    return result ? "" : to_string(result.error().front());
}

TEST(RefuseOtherFormat, SaysWhatTheFileIsAndWhatIsNeeded) {
    EXPECT_EQ(refusal("{\"format\": \"longhaul.links/1\"}", {"longhaul.fabric"}),
              "x: format: this is longhaul.links/1, the fits of a campaign, written by measure fit "
              "-o; measure check reads it; needed is longhaul.fabric/1: a fabric, written by "
              "measure fit --fabric or measure import");
    EXPECT_EQ(refusal("{\"format\": \"longhaul.schedule/1\"}", {"longhaul.islands"}),
              "x: format: this is longhaul.schedule/1, a schedule of cliques, written by schedule "
              "optimise -o; schedule simulate and schedule run read it; needed is "
              "longhaul.islands/1: a network of islands, written by a person");
    EXPECT_NE(refusal("{\"format\": \"longhaul.islands/1\"}", {"longhaul.schedule"}), "");
    EXPECT_NE(refusal("# hosts\nformat = \"longhaul.measure-hosts/1\"\n", {"longhaul.job"}), "");
    EXPECT_NE(refusal("{\"record\":\"run\",\"format\":\"longhaul.raw/1\"}\n{", {"longhaul.links"}),
              "");
}

TEST(RefuseOtherFormat, LeavesTheRestToTheReader) {
    EXPECT_EQ(refusal("{\"format\": \"longhaul.fabric/9\"}", {"longhaul.plan", "longhaul.fabric"}),
              "");
    EXPECT_EQ(refusal("{\"format\": \"acme/1\"}", {"longhaul.plan"}), "");
    EXPECT_EQ(refusal("{\"format\": 3, \"labels\": [\"longhaul.plan/1\"]}", {"longhaul.fabric"}),
              "");
    EXPECT_EQ(refusal("# format = \"longhaul.plan/1\"\n", {"longhaul.job"}), "");
    EXPECT_EQ(refusal("", {"longhaul.job"}), "");
    // No version: whatever stands there is not for a message.
    EXPECT_EQ(
        refusal("{\"format\": \"longhaul.plan/" + std::string(2000, '1') + "\"}", {"longhaul.job"}),
        "");
    EXPECT_EQ(refusal("{\"format\": \"longhaul.plan/1\n\"}", {"longhaul.job"}), "");
    EXPECT_EQ(refusal("{\"format\": \"", {"longhaul.job"}), "");
}

}  // namespace
}  // namespace longhaul::core
