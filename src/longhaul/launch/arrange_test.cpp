#include "longhaul/launch/arrange.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/compose.hpp"

namespace longhaul::launch {
namespace {

constexpr std::string_view kThreeHosts = R"(
[[host]]
name = "a"
devices = 2
[[host]]
name = "b"
devices = 4
[[host]]
name = "c"
devices = 2
)";

Options arrange_options() {
    Options options;
    options.command = {"train"};
    return options;
}

// Two stages, four replicas: pipelines (0,1) on a, (2,3) and (4,5) on b, (6,7) on c. With the
// second pipeline of b last, b holds ranks 2, 3, 6, 7; putting it third mends that.
TEST(Arrange, TakesTheCandidateWithTheFewestSplitHosts) {
    const auto hosts = read_hosts(kThreeHosts, "hosts");
    ASSERT_TRUE(hosts);
    const placement::Placement split({2, 4}, {0, 1, 2, 3, 6, 7, 4, 5});
    const std::vector<int> host_of = host_of_devices(*hosts);
    EXPECT_EQ(host_of, std::vector<int>({0, 0, 1, 1, 1, 1, 2, 2}));
    const std::vector<placement::Placement> candidates{split,
                                                       placement::order_replicas(split, host_of)};
    const auto arranged = arrange(candidates, *hosts, arrange_options());
    ASSERT_TRUE(arranged);
    EXPECT_EQ(arranged->chosen, 1U);
    EXPECT_EQ(split_hosts(arranged->job), 0);
    const auto alone = arrange(std::vector{split}, *hosts, arrange_options());
    ASSERT_TRUE(alone);
    EXPECT_EQ(split_hosts(alone->job), 1);
}

TEST(Arrange, KeepsThePlanWhenNothingIsGained) {
    const auto hosts = read_hosts(kThreeHosts, "hosts");
    const placement::Placement whole({2, 4}, {6, 7, 0, 1, 2, 3, 4, 5});
    const std::vector<placement::Placement> candidates{
        whole, placement::Placement({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7})};
    const auto arranged = arrange(candidates, *hosts, arrange_options());
    ASSERT_TRUE(arranged);
    EXPECT_EQ(arranged->chosen, 0U);
}

}  // namespace
}  // namespace longhaul::launch
