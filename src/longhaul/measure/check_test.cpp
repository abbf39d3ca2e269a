#include "longhaul/measure/check.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/measure/compare.hpp"
#include "longhaul/measure/outliers.hpp"
#include "longhaul/measure/utc.hpp"

namespace longhaul::measure {
namespace {

/// Two sites of four hosts: 10 Gbit/s and 0.1 ms inside, 1 Gbit/s and 20 ms between.
PairFacts two_sites() {
    PairFacts facts;
    for (std::size_t i = 0; i < 8; ++i) {
        facts.names.push_back(std::string(1, static_cast<char>('a' + i)));
        facts.sites.emplace_back(i < 4 ? "x" : "y");
    }
    facts.alpha_ms = facts.beta_gbps = core::Grid<double>(8, 8, 0.0);
    facts.estimated = core::Grid<char>(8, 8, 0);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            const bool inside = (i < 4) == (j < 4);
            facts.alpha_ms(i, j) = inside ? 0.1 : 20;
            facts.beta_gbps(i, j) = inside ? 10 : 1;
        }
    }
    facts.alpha_lower = facts.alpha_upper = facts.alpha_ms;
    facts.beta_lower = facts.beta_upper = facts.beta_gbps;
    return facts;
}

bool has(const CheckReport& report,
         const std::string& kind,
         Severity severity,
         const std::string& where = "") {
    return std::ranges::any_of(report.remarks, [&](const Remark& remark) {
        return remark.kind == kind && remark.severity == severity &&
               (where.empty() || remark.where == where);
    });
}

TEST(Check, AFabricWithStructureIsWorthIt) {
    const CheckReport report = check(two_sites(), {}, {});
    EXPECT_TRUE(report.worth);
    EXPECT_TRUE(report.remarks.empty());
    EXPECT_EQ(report.hosts, 8U);
    EXPECT_EQ(report.pairs, 56U);
    // 0.1 GB: 0.1 ms + 0.08 s inside, 20 ms + 0.8 s between.
    EXPECT_NEAR(report.least_s, 0.0801, 1e-12);
    EXPECT_NEAR(report.most_s, 0.82, 1e-12);
}

TEST(Check, AUniformFabricIsNot) {
    PairFacts facts = two_sites();
    std::ranges::fill(facts.alpha_ms.cells(), 1.0);
    std::ranges::fill(facts.beta_gbps.cells(), 10.0);
    EXPECT_TRUE(has(check(facts, {}, {}), "uniform", Severity::kNo));
    facts.beta_gbps(2, 5) = 1;  // one bad pair is worth avoiding
    EXPECT_TRUE(check(facts, {}, {}).worth);
}

TEST(Check, StaleAndSharedAndMissing) {
    CheckContext context;
    context.age_days = 30.5;
    EXPECT_TRUE(has(check(two_sites(), {}, context), "stale", Severity::kNo));
    context.age_days = 29.5;
    EXPECT_TRUE(check(two_sites(), {}, context).worth);
    context.events.push_back({"", "", "peer_lost", "a", ""});
    EXPECT_TRUE(check(two_sites(), {}, context).worth);
    context.events.push_back({"", "", "busy", "", "a>e beside b>f"});
    EXPECT_TRUE(check(two_sites(), {}, context).worth);
    EXPECT_TRUE(has(check(two_sites(), {}, context), "busy", Severity::kWarning));
    context.events.push_back({"", "", "hidden_sharing", "a", "a>e and b>f"});
    EXPECT_TRUE(has(check(two_sites(), {}, context), "sharing", Severity::kNo, "a"));
    context.events.clear();
    context.shared = SharedSummary{1.4, false, {}};
    EXPECT_TRUE(has(check(two_sites(), {}, context), "shared_model", Severity::kWarning));
    PairFacts facts = two_sites();
    facts.beta_gbps(1, 2) = 0;
    const CheckReport missing = check(facts, {}, {});
    EXPECT_EQ(missing.missing, 1U);
    EXPECT_TRUE(has(missing, "missing", Severity::kNo));
}

TEST(Check, TooManyEstimatesOrSuspects) {
    PairFacts facts = two_sites();
    for (std::size_t k = 0; k < 28; ++k) {
        facts.estimated((k % 7) + (k % 7 >= k / 7 ? 1 : 0), k / 7) = 1;
    }
    const CheckReport half = check(facts, {}, {});
    EXPECT_EQ(half.estimated, 28U);
    EXPECT_TRUE(half.worth);
    facts.estimated(0, 7) = 1;
    EXPECT_TRUE(has(check(facts, {}, {}), "estimated", Severity::kNo));
    facts = two_sites();
    facts.suspects = 5;
    facts.gates.push_back({"a>b", {"spread", "p90 is 2x the median", "measure at night", false}});
    const CheckReport some = check(facts, {}, {});
    EXPECT_TRUE(some.worth);
    EXPECT_TRUE(has(some, "gate", Severity::kWarning, "a>b"));
    facts.suspects = 6;  // 6 of 56 is more than a tenth
    EXPECT_TRUE(has(check(facts, {}, {}), "suspect", Severity::kNo));
}

TEST(Check, AFabricDoesNotSayWhichFitsAreSuspect) {
    const PairFacts facts = two_sites();
    EXPECT_FALSE(check(facts, {}, {}).suspect);
    EXPECT_EQ(to_value(check(facts, {}, {})).find("suspect")->kind, core::Value::Kind::kNull);
    PairFacts none = facts;
    none.suspects = 0;
    EXPECT_EQ(to_value(check(none, {}, {})).find("suspect")->number, 0);
    EXPECT_EQ(to_value(check(none, {}, {})).find("suspect")->kind, core::Value::Kind::kNumber);
}

TEST(Check, TwoHostsHaveNothingToChoose) {
    const auto fabric = fabric::read_fabric(
        R"({"labels": ["x", "y"], "alpha_ms": [[0,1],[1,0]], "beta_gbps": [[0,1],[2,0]]})",
        "f.json");
    ASSERT_TRUE(fabric);
    const CheckReport report = check(facts_of(*fabric), {}, {});
    EXPECT_FALSE(report.suspect);
    ASSERT_EQ(report.remarks.size(), 2U);
    EXPECT_NE(report.remarks[0].what.find("nothing to choose"), std::string::npos);
    EXPECT_EQ(report.remarks[1].severity, Severity::kNote);
}

TEST(Check, DirectionsThatDiffer) {
    PairFacts facts = two_sites();
    facts.beta_gbps(0, 4) = 0.5;
    const CheckReport report = check(facts, {}, {});
    EXPECT_TRUE(has(report, "asymmetric", Severity::kNote));
    EXPECT_DOUBLE_EQ(report.asymmetry_most, 2);
    EXPECT_DOUBLE_EQ(report.asymmetric_share, 1.0 / 28);
}

TEST(Outliers, ASlowHostIsNamedAndItsPairsAreNot) {
    PairFacts facts = two_sites();
    for (std::size_t j = 0; j < 8; ++j) {
        facts.beta_gbps(2, j) *= 0.4;
    }
    const auto hosts = host_effects(facts, 1.5);
    for (const HostEffect& effect : hosts) {
        EXPECT_EQ(effect.outlier, effect.host == 2) << effect.host;
        EXPECT_NEAR(effect.send, effect.host == 2 ? 0.4 : 1, 1e-12);
        EXPECT_NEAR(effect.receive, 1, 1e-12);
    }
    EXPECT_TRUE(pair_outliers(facts, hosts, 1.5).empty());
    EXPECT_TRUE(has(check(facts, {}, {}), "host", Severity::kWarning, "c"));
}

TEST(Outliers, ASlowPairIsNamedAndItsHostsAreNot) {
    PairFacts facts = two_sites();
    facts.beta_gbps(1, 6) = 0.5;
    const auto hosts = host_effects(facts, 1.5);
    EXPECT_EQ(std::ranges::count(hosts, true, &HostEffect::outlier), 0);
    const auto pairs = pair_outliers(facts, hosts, 1.5);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].pair, (SitePair{1, 6}));
    EXPECT_NEAR(pairs[0].ratio, 0.5, 1e-12);
    EXPECT_TRUE(has(check(facts, {}, {}), "pair", Severity::kWarning, "b>g"));
}

TEST(Compare, OnlyWhatIntervalsCannotExplainHasChanged) {
    const PairFacts before = two_sites();
    PairFacts after = two_sites();
    after.beta_gbps(0, 1) = 8;  // within its interval
    after.beta_lower(0, 1) = 7.5;
    after.beta_upper(0, 1) = 10.5;
    after.beta_gbps(1, 0) = after.beta_lower(1, 0) = after.beta_upper(1, 0) = 9.5;  // 5 %
    after.beta_gbps(0, 5) = 0.5;
    after.beta_lower(0, 5) = 0.45;
    after.beta_upper(0, 5) = 0.55;
    after.alpha_ms(5, 0) = after.alpha_lower(5, 0) = after.alpha_upper(5, 0) = 45;
    const Comparison comparison = compare(before, after, {});
    EXPECT_FALSE(comparison.same);
    EXPECT_EQ(comparison.pairs, 56U);
    ASSERT_EQ(comparison.changes.size(), 2U);
    EXPECT_EQ(comparison.changes[0].from, "a");
    EXPECT_EQ(comparison.changes[0].to, "f");
    EXPECT_DOUBLE_EQ(comparison.changes[0].beta_ratio, 0.5);
    EXPECT_TRUE(comparison.changes[1].alpha_changed);
    EXPECT_DOUBLE_EQ(comparison.changes[1].alpha_ratio, 2.25);
    EXPECT_TRUE(comparison.hosts.empty());
    EXPECT_TRUE(compare(before, after, {3, 1}).same);
}

// No ratio to a latency of 0: both values are there.
TEST(Compare, LatenciesFromZeroKeepBothValues) {
    const PairFacts after = two_sites();
    PairFacts before = after;
    before.alpha_ms(0, 5) = before.alpha_lower(0, 5) = before.alpha_upper(0, 5) = 0;
    const Comparison comparison = compare(before, after, {});
    ASSERT_EQ(comparison.changes.size(), 1U);
    EXPECT_EQ(comparison.changes[0].old_alpha_ms, 0);
    EXPECT_EQ(comparison.changes[0].new_alpha_ms, after.alpha_ms(0, 5));
    EXPECT_EQ(comparison.changes[0].alpha_ratio, 1);
}

TEST(Compare, AHostThatSlowedDownAndHostsThatCameAndWent) {
    PairFacts before = two_sites();
    PairFacts after = two_sites();
    for (std::size_t j = 0; j < 8; ++j) {
        for (auto* grid : {&after.beta_gbps, &after.beta_lower, &after.beta_upper}) {
            (*grid)(3, j) *= 0.5;
        }
    }
    before.names[7] = "old";
    after.names[7] = "new";
    const Comparison comparison = compare(before, after, {});
    EXPECT_EQ(comparison.pairs, 42U);
    EXPECT_EQ(comparison.gone, (std::vector<std::string>{"old"}));
    EXPECT_EQ(comparison.added, (std::vector<std::string>{"new"}));
    ASSERT_EQ(comparison.hosts.size(), 1U);
    EXPECT_EQ(comparison.hosts[0].host, "d");
    EXPECT_DOUBLE_EQ(comparison.hosts[0].send_ratio, 0.5);
    EXPECT_DOUBLE_EQ(comparison.hosts[0].receive_ratio, 1);
    EXPECT_DOUBLE_EQ(comparison.median_ratio, 1);
}

TEST(PairFacts, DevicesOfAHostCountOnce) {
    const auto fabric = fabric::read_fabric(
        R"({"labels": ["x", "x", "y", "y"], "alpha_ms": [[0,1,2,3],[1,0,2,3],[2,2,0,3],[3,3,3,0]],
            "beta_gbps": [[0,1,2,3],[1,0,2,3],[2,2,0,3],[3,3,3,0]],
            "devices": [{"host": "a"}, {"host": "a"}, {}, {}]})",
        "f.json");
    ASSERT_TRUE(fabric);
    const PairFacts facts = facts_of(*fabric);
    EXPECT_EQ(facts.names, (std::vector<std::string>{"a", "y", "y #2"}));
    EXPECT_EQ(facts.beta_gbps(0, 1), 2);
    EXPECT_EQ(facts.alpha_ms(1, 2), 3);
    EXPECT_FALSE(facts.intervals);
}

TEST(PairFacts, Days) {
    EXPECT_NEAR(*days_between("2026-11-29T12:00:00Z", "2026-12-01T00:00:00Z"), 1.5, 1e-9);
    EXPECT_NEAR(*days_between("2024-02-28T00:00Z", "2024-03-01T00:00:00Z"), 2, 1e-9);
    EXPECT_FALSE(days_between("yesterday", "2026-12-01T00:00:00Z"));
    EXPECT_FALSE(days_between("2026-02-30T00:00:00Z", "2026-12-01T00:00:00Z"));
    EXPECT_FALSE(days_between("2026-02-20T00:00:00", "2026-12-01T00:00:00Z"));
}

}  // namespace
}  // namespace longhaul::measure
