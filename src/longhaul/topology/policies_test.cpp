#include <set>

#include <gtest/gtest.h>

#include "longhaul/topology/check.hpp"
#include "longhaul/topology/detail/test_networks.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::topology {
namespace {

using detail::compiled;

/// Names of the nodes of a path after its start.
std::vector<std::string> names(const Topology& net, const Route& route) {
    std::vector<std::string> list;
    for (const LinkId id : route.links) {
        list.push_back(net.name(net.link(id).to));
    }
    return list;
}

/// Four cities in a ring, A-B-C-D, and a dear diagonal A-C.
std::string cities() {
    std::string text;
    for (const char* name : {"A", "B", "C", "D"}) {
        text += "[[site]]\nname = \"" + std::string(name) + "\"\n";
    }
    const auto link = [](const std::string& a,
                         const std::string& b,
                         const std::string& ms,
                         const std::string& gbps) {
        return "[[link]]\na = \"" + a + "\"\nb = \"" + b + "\"\nlatency_ms = " + ms +
               "\ngbps = " + gbps + "\n";
    };
    return text + link("A", "B", "1", "10") + link("B", "C", "1", "30") +
           link("C", "D", "1", "10") + link("D", "A", "1", "10") + link("A", "C", "5", "100");
}

std::string policy(const std::string& rest) {
    return cities() + "[[policy]]\nfrom = \"A\"\nto = \"C\"\n" + rest + "\n";
}

std::set<std::vector<std::string>> all_paths(const Routes& routes) {
    std::set<std::vector<std::string>> found;
    for (std::uint64_t flow = 0; flow < 64; ++flow) {
        found.insert(names(routes.topology(), routes.path(0, 2, flow)));
    }
    return found;
}

using Paths = std::set<std::vector<std::string>>;

TEST(Policies, EcmpTakesBothWays) {
    EXPECT_EQ(all_paths(compiled(cities())), (Paths{{"B", "C"}, {"D", "C"}}));
}

TEST(Policies, ShortestTakesOne) {
    EXPECT_EQ(all_paths(compiled(policy("use = \"shortest\""))), (Paths{{"B", "C"}}));
}

TEST(Policies, WeightsFollowRates) {
    // Two ways out of A, 30 and 10 Gbit/s: three quarters of the flows take the wide one.
    const Routes routes =
        compiled(policy("use = \"wecmp\"") + "[[exception]]\nlink = [\"A\", \"B\"]\ngbps = 30\n");
    int wide = 0;
    for (std::uint64_t flow = 0; flow < 4000; ++flow) {
        wide += names(routes.topology(), routes.path(0, 2, flow)).front() == "B" ? 1 : 0;
    }
    EXPECT_NEAR(wide, 3000, 6 * 28);  // six standard deviations of a binomial: sqrt(4000 3/16)
}

TEST(Policies, AvoidLeavesASiteOut) {
    EXPECT_EQ(all_paths(compiled(policy("use = \"avoid\"\navoid = [\"B\"]"))), (Paths{{"D", "C"}}));
    EXPECT_EQ(all_paths(compiled(policy("use = \"avoid\"\navoid = [\"B\", [\"C\", \"D\"]]"))),
              (Paths{{"C"}}));
}

TEST(Policies, ViaIsTheShortestSimplePathThroughASite) {
    EXPECT_EQ(all_paths(compiled(policy("use = \"via\"\nthrough = \"D\""))), (Paths{{"D", "C"}}));
}

TEST(Policies, DisjointPathsAreTheCheapest) {
    // By hand: 2 + 2 without the diagonal; all three disjoint paths together with it.
    EXPECT_EQ(all_paths(compiled(policy("use = \"k-disjoint\"\npaths = 2"))),
              (Paths{{"B", "C"}, {"D", "C"}}));
    EXPECT_EQ(all_paths(compiled(policy("use = \"k-disjoint\"\npaths = 3"))),
              (Paths{{"B", "C"}, {"D", "C"}, {"C"}}));
}

TEST(Policies, DisjointPathsGiveUpTheShortestWhenTheyMust) {
    // The trap of Suurballe (1974): the shortest path S-A-B-T uses a link of both disjoint paths
    // S-A-T and S-B-T, so that taking it first leaves none.
    std::string text;
    for (const char* name : {"S", "A", "B", "T"}) {
        text += "[[site]]\nname = \"" + std::string(name) + "\"\n";
    }
    for (const auto& [a, b, ms] :
         {std::tuple("S", "A", 1), {"A", "B", 1}, {"B", "T", 1}, {"S", "B", 4}, {"A", "T", 4}}) {
        text += "[[link]]\na = \"" + std::string(a) + "\"\nb = \"" + b +
                "\"\nlatency_ms = " + std::to_string(ms) + "\ngbps = 1\n";
    }
    const Topology net = detail::network(text);
    const auto paths = disjoint_paths(net, 0, 3, 2);
    ASSERT_EQ(paths.size(), 2U);
    for (const WanPath& path : paths) {
        ASSERT_EQ(path.size(), 2U);
    }
    EXPECT_TRUE(disjoint_paths(net, 0, 3, 3).size() == 2);
}

TEST(Policies, RelaysReceiveAndSendOn) {
    const Routes routes = compiled(policy("use = \"relay\"\nthrough = \"D\""));
    const Route route = routes.path(0, 2, 5);
    EXPECT_EQ(route.relays, std::vector<NodeId>{3});
    EXPECT_EQ(names(routes.topology(), route), (std::vector<std::string>{"D", "C"}));
}

TEST(Policies, RailLocalChangesRailsInsideTheNode) {
    const Routes routes = compiled(detail::rails_text() + "[[policy]]\nuse = \"rail-local\"\n");
    const Topology& net = routes.topology();
    const Route route = routes.path(*net.find("pod0/node0/gpu1"), *net.find("pod0/node2/gpu3"), 1);
    EXPECT_EQ(names(net, route),
              (std::vector<std::string>{
                  "pod0/node0/nvswitch0", "pod0/node0/gpu3", "pod0/rail3", "pod0/node2/gpu3"}));
    const CheckReport report = check(routes, {});
    EXPECT_EQ(report.wrong, 0U);
}

TEST(Policies, OfSitesWithClustersHold) {
    for (const char* rest : {"use = \"k-disjoint\"\npaths = 2",
                             "use = \"via\"\nthrough = \"us\"",
                             "use = \"avoid\"\navoid = [[\"eu\", \"asia\"]]",
                             "use = \"relay\"\nthrough = \"us\"",
                             "use = \"shortest\"",
                             "use = \"wecmp\""}) {
        const Routes routes =
            compiled(detail::regions_text() +
                     "[[policy]]\nfrom = \"eu\"\nto = \"asia\"\nboth = true\n" + rest + "\n");
        const CheckReport report = check(routes, {});
        EXPECT_EQ(report.wrong, 0U)
            << rest << ": " << (report.problems.empty() ? "" : report.problems.front());
        EXPECT_EQ(report.unreachable, 0U);
    }
}

TEST(Policies, CheckFindsWhatIsWrong) {
    // Paths that nobody compiled: a gap, a loop, a detour, an avoided site.
    const Routes plain = compiled(cities());
    const LinkId ab = 0;
    const LinkId bc = 2;
    const LinkId ad = 7;
    const LinkId dc = 5;
    const LinkId ac = 8;
    EXPECT_EQ(problem_of(plain, 0, 2, {true, {ab, bc}, {}}, 2000), "");
    EXPECT_NE(problem_of(plain, 0, 2, {true, {ab, dc}, {}}, 2000).find("gap"), std::string::npos);
    EXPECT_NE(problem_of(plain, 0, 2, {true, {ab}, {}}, 2000).find("ends at B"), std::string::npos);
    EXPECT_NE(problem_of(plain, 0, 2, {true, {ac}, {}}, 2000).find("costs 5000"),
              std::string::npos);
    EXPECT_NE(problem_of(plain, 0, 2, {true, {ab, ab ^ 1U, ad, dc}, {}}, 2000).find("twice"),
              std::string::npos);
    const Routes avoiding = compiled(policy("use = \"avoid\"\navoid = [\"B\"]"));
    EXPECT_NE(problem_of(avoiding, 0, 2, {true, {ab, bc}, {}}, 2000).find("avoid"),
              std::string::npos);
    const Routes via = compiled(policy("use = \"via\"\nthrough = \"D\""));
    EXPECT_NE(problem_of(via, 0, 2, {true, {ab, bc}, {}}, 2000).find("through D"),
              std::string::npos);
    const Routes relay = compiled(policy("use = \"relay\"\nthrough = \"D\""));
    EXPECT_NE(problem_of(relay, 0, 2, {true, {ab, bc}, {}}, 2000).find("relay"), std::string::npos);
    const Routes down = compiled(cities() + "[[exception]]\nlink = [\"A\", \"B\"]\ndown = true\n");
    EXPECT_NE(problem_of(down, 0, 2, {true, {ab, bc}, {}}, 2000).find("down"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::topology
