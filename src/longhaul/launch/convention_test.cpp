#include "longhaul/launch/convention.hpp"

#include <functional>
#include <map>

#include <gtest/gtest.h>

namespace longhaul::launch {
namespace {

/// p, r, t, c and their sizes, as the closed forms below use them.
struct Place {
    int p, r, t, c, P, D, T, C;
};

/// The formulas as the frameworks state them, written out once more by hand and not from the
/// table: the sources are in the table.
const std::map<std::string, std::function<int(const Place&)>> kClosedForms = {
    {"dt-fm", [](const Place& x) { return x.r * x.P + x.p; }},
    {"varuna", [](const Place& x) { return x.p + x.r * x.P; }},
    {"megatron", [](const Place& x) { return x.t + x.T * (x.c + x.C * (x.r + x.D * x.p)); }},
    {"megatron-tp-pp-dp",
     [](const Place& x) { return x.t + x.T * (x.c + x.C * (x.p + x.P * x.r)); }},
    {"deepspeed-pipe-data", [](const Place& x) { return x.p * x.D + x.r; }},
    {"deepspeed-pipe-model-data", [](const Place& x) { return (x.p * x.D + x.r) * x.T + x.t; }},
    {"amp", [](const Place& x) { return x.t + x.T * (x.r + x.D * x.p); }},
    {"torchtitan", [](const Place& x) { return ((x.p * x.D + x.r) * x.C + x.c) * x.T + x.t; }},
    {"picotron", [](const Place& x) { return ((x.r * x.P + x.p) * x.C + x.c) * x.T + x.t; }},
};

TEST(Conventions, EqualTheirClosedForms) {
    ASSERT_EQ(conventions().size(), kClosedForms.size());
    for (const Convention& convention : conventions()) {
        const auto& form = kClosedForms.at(std::string(convention.name));
        for (const AxisValues sizes :
             {AxisValues{3, 4, 1, 1}, AxisValues{3, 2, 4, 1}, AxisValues{2, 3, 2, 5}}) {
            if (!refuses(convention, sizes).empty()) {
                continue;
            }
            for (int rank = 0; rank < sizes[0] * sizes[1] * sizes[2] * sizes[3]; ++rank) {
                const AxisValues at = coordinates(convention, sizes, rank);
                EXPECT_EQ(
                    form({at[0], at[1], at[2], at[3], sizes[0], sizes[1], sizes[2], sizes[3]}),
                    rank)
                    << convention.name;
                EXPECT_EQ(rank_of(convention, sizes, at), rank);
            }
        }
    }
}

// torchtitan splits the replicas: rank = (((p*R + repl)*S + shard)*C + c)*T + t with D = R*S.
/// What people are told is what the ranks are: replica 1 of 3, stage 2 of 4.
TEST(PlanFormula, IsTheRankOfAPlan) {
    const AxisValues sizes = axis_sizes({4, 3});
    for (const Convention& convention : conventions()) {
        const int rank = rank_of(convention, sizes, {2, 1, 0, 0});
        const std::string_view formula = plan_formula(convention, {4, 3});
        ASSERT_TRUE(formula == "replica * pp + stage" || formula == "stage * dp + replica");
        EXPECT_EQ(rank, formula == "replica * pp + stage" ? 1 * 4 + 2 : 2 * 3 + 1)
            << convention.name;
    }
}

TEST(Conventions, TorchtitanReplicasAreReplicateTimesShard) {
    const Convention& titan = *find_convention("torchtitan");
    const AxisValues sizes{2, 3 * 4, 2, 1};
    for (int p = 0; p < 2; ++p) {
        for (int repl = 0; repl < 3; ++repl) {
            for (int shard = 0; shard < 4; ++shard) {
                EXPECT_EQ(rank_of(titan, sizes, {p, repl * 4 + shard, 1, 0}),
                          ((p * 3 + repl) * 4 + shard) * 2 + 1);
            }
        }
    }
}

// With T = C = 1 a DT-FM rank m has r = m div P, p = m mod P, and Megatron's default is r + D*p.
TEST(Translate, DtfmToMegatron) {
    const placement::Shape shape{4, 2};
    const std::vector<int> map = {0, 1, 2, 3, 4, 5, 6, 7};
    const auto megatron =
        translate(map, axis_sizes(shape), plan_convention(), *find_convention("megatron"));
    EXPECT_EQ(*megatron, (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
    EXPECT_EQ(*translate(
                  map, axis_sizes(shape), plan_convention(), *find_convention("megatron-tp-pp-dp")),
              map);
}

TEST(EqualOn, TellsOrdersApartOnlyWhereTheyDiffer) {
    const Convention& dtfm = *find_convention("dt-fm");
    const Convention& megatron = *find_convention("megatron");
    EXPECT_FALSE(equal_on({4, 2, 1, 1}, dtfm, megatron));
    EXPECT_TRUE(equal_on({4, 1, 1, 1}, dtfm, megatron));
    EXPECT_TRUE(equal_on({1, 4, 1, 1}, dtfm, megatron));
    EXPECT_TRUE(equal_on({4, 2, 1, 1}, dtfm, *find_convention("picotron")));
    EXPECT_FALSE(equal_on({4, 2, 2, 1}, dtfm, *find_convention("picotron")));
}

TEST(Refuses, AxesThatAConventionDoesNotHave) {
    EXPECT_NE(refuses(*find_convention("dt-fm"), {2, 2, 2, 1}), "");
    EXPECT_NE(refuses(*find_convention("amp"), {2, 2, 1, 2}), "");
    EXPECT_NE(refuses(*find_convention("megatron"), {1 << 16, 1 << 16, 1, 1}), "");
    EXPECT_NE(refuses(*find_convention("megatron"), {0, 1, 1, 1}), "");
    EXPECT_EQ(refuses(*find_convention("megatron"), {2, 2, 2, 2}), "");
    const auto failed = translate(
        std::vector<int>(8), {2, 2, 2, 1}, plan_convention(), *find_convention("megatron"));
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().front().what.find("axis \"t\""), std::string::npos);
}

TEST(FindConvention, KnowsAllNames) {
    EXPECT_EQ(find_convention("nothing"), nullptr);
    EXPECT_EQ(&plan_convention(), find_convention("dt-fm"));
    const std::string table = conventions_table();
    for (const Convention& convention : conventions()) {
        EXPECT_EQ(find_convention(convention.name), &convention);
        EXPECT_NE(table.find(convention.name), std::string::npos);
        EXPECT_NE(table.find(convention.source), std::string::npos);
    }
}

}  // namespace
}  // namespace longhaul::launch
