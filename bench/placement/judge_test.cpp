#include "judge.hpp"

#include <gtest/gtest.h>

namespace longhaul::bench {
namespace {

Measurement run_of(double score, double bound) {
    Measurement run;
    run.score = run.early_score = score;
    run.bound = bound;
    run.optimal = score == bound ? 1 : 0;
    run.first_cpu_s = 0.2;
    run.final_cpu_s = 5;
    run.seed_score = 11;
    run.peak_mb = 900;
    return run;
}

bool passes(const Bar& bar, const std::vector<Measurement>& runs, const BestKnownTable& table) {
    Instance row;
    row.id = "row";
    row.bar = bar;
    return judge(row, runs, table).passed();
}

TEST(Judge, PublishedOptimumBindsBothWays) {
    Bar bar;
    bar.optimum = 10;
    EXPECT_TRUE(passes(bar, {run_of(10.0000004, 10)}, {}));
    EXPECT_FALSE(passes(bar, {run_of(10.00001, 10)}, {}));
    EXPECT_FALSE(passes(bar, {run_of(9.99999, 9)}, {}));
    EXPECT_FALSE(passes(bar, {run_of(10, 10), run_of(10.1, 10)}, {}));
}

TEST(Judge, BestKnownMayBeBeatenUnlessProved) {
    Bar bar;
    bar.best_known = true;
    const BestKnownTable open{{"row", {10, false, 20}}};
    const BestKnownTable proved{{"row", {10, true, 0}}};
    EXPECT_TRUE(passes(bar, {run_of(10, 9)}, open));
    EXPECT_TRUE(passes(bar, {run_of(9.5, 9)}, open));
    EXPECT_FALSE(passes(bar, {run_of(9.5, 9)}, proved));
    EXPECT_FALSE(passes(bar, {run_of(10.1, 9)}, open));
    EXPECT_FALSE(passes(bar, {run_of(9.5, 9), run_of(10.1, 9)}, open));
    EXPECT_FALSE(passes(bar, {run_of(10, 9)}, {})) << "a row without an entry is compared with 0";
}

TEST(Judge, ProofGapTimeAndMemory) {
    Bar proof;
    proof.proved = true;
    EXPECT_TRUE(passes(proof, {run_of(10, 10)}, {}));
    EXPECT_FALSE(passes(proof, {run_of(10, 10), run_of(10, 9)}, {}));
    Bar gap;
    gap.gap = 0.10;
    EXPECT_TRUE(passes(gap, {run_of(11, 10)}, {}));
    EXPECT_FALSE(passes(gap, {run_of(11.1, 10)}, {}));
    EXPECT_FALSE(passes(gap, {run_of(11.1, 0)}, {})) << "no bound, no gap";
    for (const double factor : {0.9, 1.1}) {
        Bar first;
        first.first_s = 0.2 * factor;
        Bar final;
        final.final_s = 5 * factor;
        Bar memory;
        memory.memory_gb = 0.9 * factor;
        EXPECT_EQ(passes(first, {run_of(10, 10)}, {}), factor > 1);
        EXPECT_EQ(passes(final, {run_of(10, 10)}, {}), factor > 1);
        EXPECT_EQ(passes(memory, {run_of(10, 10)}, {}), factor > 1);
    }
    Bar seeds;
    seeds.beats_seeds = true;
    EXPECT_TRUE(passes(seeds, {run_of(10, 10)}, {}));
    EXPECT_FALSE(passes(seeds, {run_of(11, 10)}, {}));
}

TEST(BestKnown, FileFormReadsBackEqual) {
    const BestKnownTable table{{"a b", {51.500424, true, 0}}, {"c", {0.1 + 0.2, false, 20}}};
    const auto read = read_best_known(best_known_text(table), "file");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ(read->at("c").score, 0.1 + 0.2);
    EXPECT_EQ(read->at("c").runs, 20);
    EXPECT_TRUE(read->at("a b").proved);
    EXPECT_FALSE(read_best_known(R"({"format": "longhaul.best-known/1"})", "file"));
    EXPECT_FALSE(read_best_known(
        R"({"format": "longhaul.best-known/1", "rows": {"a": {"score": -1, "proved": true,
            "runs": 0}}})",
        "file"));
}

TEST(Measurement, LineReadsBackEqual) {
    Measurement run = run_of(10, 1.0 / 3);
    run.found_by = "line\none";
    const std::string line = one_line(to_value(run));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto document = core::parse_json(line, "line");
    ASSERT_TRUE(document);
    const auto read = read_measurement(document->root);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->bound, 1.0 / 3);
    EXPECT_EQ(read->found_by, "line\none");
    EXPECT_FALSE(read_measurement(core::Value::object()));
}

TEST(Instances, NamesAreUnique) {
    std::map<std::string, int> names;
    for (const Instance& row : all_instances()) {
        EXPECT_EQ(++names[row.id], 1) << row.id;
    }
}

TEST(Child, ReturnsValuesErrorsAndCrashes) {
    double peak_mb = 0;
    const auto good = in_child([] { return core::Value(4.5); }, 10, peak_mb);
    ASSERT_TRUE(good);
    EXPECT_EQ(good->number, 4.5);
    EXPECT_GT(peak_mb, 0.5);
    const auto bad = in_child(
        []() -> core::Result<core::Value> { return core::fail({"f", "", "is wrong", ""}); },
        10,
        peak_mb);
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().front().what.find("is wrong"), std::string::npos);
    const auto dead = in_child([]() -> core::Result<core::Value> { std::_Exit(3); }, 10, peak_mb);
    ASSERT_FALSE(dead);
    EXPECT_NE(dead.error().front().what.find("exit code 3"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::bench
