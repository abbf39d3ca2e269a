#include "longhaul/placement/plan.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

Plan small_plan() {
    const fabric::Fabric fabric =
        fabric::read_fabric(R"({"regions": ["x", "y"], "gpus_per_region": 2,
        "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
        "pairs": [{"a": "x", "b": "y", "delay_ms": 30, "bandwidth_gbps": 0.5}]})",
                            "f")
            .value();
    workload::Workload workload = testing::payloads(0.1, 0.2);
    workload.pp_messages = 3;
    workload.c_pp_backward = core::Gigabytes(0.05);
    SolveOptions options;
    options.search.budget = 500;
    const Problem problem = make_problem(fabric, "f", workload, {2, 2}).value();
    Plan plan = solve(problem, fabric, options).value();
    plan.workload = workload;
    plan.fabric_path = "fabrics/\"x\".json";
    plan.fabric_sha256 = "abc";
    plan.devices = {"h/0", "h/1", "y#0", "y#1"};
    plan.version = "1.2.3";
    plan.command = "longhaul place";
    plan.time = "2030-01-01T00:00:00Z";
    plan.unknown.set("later", core::Value::object().set("deep", 1));
    return plan;
}

std::string plan_refusal(std::string_view text) {
    const core::Result<Plan> plan = read_plan(text, "p.json");
    std::string all;
    for (const core::Diagnostic& problem : plan ? core::Diagnostics{} : plan.error()) {
        all += core::to_string(problem) + "\n";
    }
    return all;
}

TEST(Plan, RoundTripKeepsTheDecisionAndItsProvenance) {
    const Plan plan = small_plan();
    const Plan again = read_plan(core::write_json(to_value(plan)), "p.json").value();
    EXPECT_EQ(again.placement, plan.placement);
    EXPECT_EQ(again.fabric_path, plan.fabric_path);
    EXPECT_EQ(again.fabric_sha256, plan.fabric_sha256);
    EXPECT_EQ(again.workload.c_pp.value(), 0.1);
    EXPECT_EQ(again.workload.pp_messages, 3);
    EXPECT_EQ(again.workload.c_pp_backward->value(), 0.05);
    EXPECT_FALSE(again.workload.pp_backward_messages);
    EXPECT_EQ(again.terms.objective, Objective::kAdditive);
    EXPECT_EQ(again.score.data_parallel, plan.score.data_parallel);
    EXPECT_EQ(again.score.pipeline, plan.score.pipeline);
    EXPECT_EQ(again.bound.value, plan.bound.value);
    EXPECT_EQ(again.bound.method, plan.bound.method);
    EXPECT_EQ(again.devices, plan.devices);
    EXPECT_EQ(again.version, "1.2.3");
    EXPECT_EQ(again.command, "longhaul place");
    EXPECT_EQ(again.time, "2030-01-01T00:00:00Z");
    EXPECT_EQ(again.unknown.find("later")->find("deep")->number, 1);
}

TEST(Plan, RoundTripKeepsTerms) {
    Plan plan = small_plan();
    plan.terms.exchange = Exchange::kHierarchical;
    plan.terms.count_shared = false;
    plan.terms.schedule = Schedule::kGpipe;
    plan.terms.forward_share = 0.25;
    plan.first_layers = {0, 5};
    plan.exchange_orders = {{0, 1}, {3, 2}};
    plan.shared_bottleneck = "cable";
    const Plan again = read_plan(core::write_json(to_value(plan)), "p.json").value();
    EXPECT_EQ(again.terms, plan.terms);
    EXPECT_EQ(again.first_layers, plan.first_layers);
    EXPECT_EQ(again.exchange_orders, plan.exchange_orders);
    EXPECT_EQ(again.shared_bottleneck, "cable");
}

TEST(ReadPlan, RefusesTermsThatItDoesNotKnow) {
    const std::string head = R"({"format": "longhaul.plan/1", "shape": {"pp": 1, "dp": 1},
        "workload": {"c_pp_gb": 1, "c_dp_gb": 1}, "rank_map": [0], "terms": )";
    EXPECT_NE(plan_refusal(head + R"({"exchange": "gossip"}})").find("terms.exchange: found"),
              std::string::npos);
    EXPECT_NE(plan_refusal(head + R"({"schedule": 1}})").find("terms.schedule: found a number"),
              std::string::npos);
    EXPECT_NE(plan_refusal(head + R"({"count_shared": "no"}})").find("terms.count_shared"),
              std::string::npos);
    EXPECT_EQ(plan_refusal(head + R"({"exchange": "tree"}})"), "");
}

TEST(Plan, HoldsWhatTheContractLists) {
    const Plan plan = small_plan();
    const core::Value value = to_value(plan);
    for (const char* key : {"format",
                            "fabric",
                            "workload",
                            "shape",
                            "objective",
                            "score",
                            "bound",
                            "gap",
                            "optimal",
                            "rank_map",
                            "stages",
                            "pipelines",
                            "unused_devices",
                            "baseline",
                            "search",
                            "pipeline",
                            "provenance",
                            "data_parallel"}) {
        EXPECT_NE(value.find(key), nullptr) << key;
    }
    EXPECT_EQ(value.find("score")->number, plan.score.total());
    EXPECT_EQ(value.find("fabric")->find("n")->number, 4);
    EXPECT_EQ(value.find("baseline")->find("samples")->number, 200);
    for (const char* key : {"partitions", "maps"}) {
        EXPECT_NE(value.find("baseline")->find(key)->find("p10"), nullptr) << key;
    }
    for (const char* key : {"seed", "budget", "restarts", "evaluations", "wall_s", "threads"}) {
        EXPECT_NE(value.find("search")->find(key), nullptr) << key;
    }
    // rank = replica * pp + stage, in each of the three tables.
    for (std::size_t stage = 0; stage < 2; ++stage) {
        for (std::size_t replica = 0; replica < 2; ++replica) {
            const double device = value.find("stages")->items[stage].numbers[replica];
            EXPECT_EQ(value.find("pipelines")->items[replica].numbers[stage], device);
            EXPECT_EQ(value.find("rank_map")->numbers[static_cast<std::size_t>(device)],
                      static_cast<double>(replica * 2 + stage));
        }
    }
}

TEST(Plan, GapIsNullWhenTheBoundSaysNothing) {
    Plan plan = small_plan();
    plan.bound = {};
    EXPECT_EQ(to_value(plan).find("gap")->kind, core::Value::Kind::kNull);
    EXPECT_FALSE(to_value(plan).find("optimal")->boolean);
    EXPECT_TRUE(read_plan(core::write_json(to_value(plan)), "p.json"));
}

/// The least plan, with one of its parts replaced.
struct PlanText {
    std::string format = R"("format": "longhaul.plan/1")";
    std::string workload = R"({"c_pp_gb": 1, "c_dp_gb": 2})";
    std::string shape = R"({"pp": 2, "dp": 2})";
    std::string rank_map = "[0, 1, 2, 3]";
    std::string more = {};
    [[nodiscard]] std::string json() const {
        return "{" + format + R"(, "workload": )" + workload + R"(, "shape": )" + shape +
               R"(, "rank_map": )" + rank_map + more + "}";
    }
};

TEST(ReadPlan, NeedsNoMoreThanWorkloadShapeAndMap) {
    const Plan plan = read_plan(PlanText{}.json(), "p.json").value();
    EXPECT_EQ(plan.placement.shape(), (Shape{2, 2}));
    EXPECT_EQ(plan.workload.pp_messages, 1);
    EXPECT_EQ(plan.terms.objective, Objective::kAdditive);
}

void expect_plan_refused(const PlanText& text, std::string_view where, std::string_view what) {
    const std::string found = plan_refusal(text.json());
    EXPECT_EQ(found.find("p.json: "), 0U) << text.json();
    EXPECT_NE(found.find(where), std::string::npos) << where << " is not in: " << found;
    EXPECT_NE(found.find(what), std::string::npos) << what << " is not in: " << found;
}

TEST(ReadPlan, RefusesOtherFormatsAndBrokenText) {
    for (const char* text : {"", "[]", "7", "{", "{\"format\": ", "\xff", "null"}) {
        EXPECT_NE(plan_refusal(text), "") << text;
    }
    expect_plan_refused({.format = R"("form": 1)"}, "", "\"format\" is missing");
    expect_plan_refused({.format = R"("format": "longhaul.fabric/1")"}, "format", "fabric/1");
    expect_plan_refused({.format = R"("format": "longhaul.plan/2")"}, "format", "plan/2");
    expect_plan_refused({.format = R"("format": 1)"}, "format", "found a number");
    const std::string whole = PlanText{}.json();
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        EXPECT_NE(plan_refusal(whole.substr(0, length)), "") << length;
    }
    EXPECT_NE(plan_refusal("{}").find("\"shape\" is missing"), std::string::npos);
    EXPECT_NE(plan_refusal("{}").find("\"workload\" is missing"), std::string::npos);
    EXPECT_NE(plan_refusal("{}").find("\"rank_map\" is missing"), std::string::npos);
}

TEST(ReadPlan, RefusesBadShapesAndMaps) {
    expect_plan_refused({.shape = "4"}, "shape", "found a number");
    expect_plan_refused({.shape = R"({"pp": 2})"}, "shape", "\"dp\" is missing");
    for (const char* degree : {"0", "-1", "1.5", "1e9", "\"2\"", "null", "[2]"}) {
        expect_plan_refused(
            {.shape = R"({"pp": 2, "dp": )" + std::string(degree) + "}"}, "shape.dp", "found ");
    }
    expect_plan_refused({.shape = R"({"pp": 1000000, "dp": 1000000})"}, "rank_map", "4 ranks");
    expect_plan_refused({.rank_map = "7"}, "rank_map", "found a number");
    expect_plan_refused({.rank_map = "[0, 1, 2]"}, "rank_map", "holds 3 ranks");
    expect_plan_refused({.rank_map = "[]"}, "rank_map", "holds 0 ranks");
    expect_plan_refused({.rank_map = "[0, 1, 1, 3]"}, "rank_map[2]", "taken by device 1");
    expect_plan_refused({.rank_map = "[0, 1, 2, 4]"}, "rank_map[3]", "found rank 4");
    expect_plan_refused({.rank_map = "[0, 1, 2, -3]"}, "rank_map[3]", "found -3");
    expect_plan_refused({.rank_map = "[0, 1, 2, 2.5]"}, "rank_map[3]", "found 2.5");
    expect_plan_refused({.rank_map = "[0, 1, 2, \"3\"]"}, "rank_map[3]", "found a string");
    expect_plan_refused({.rank_map = "[0, 1, 2, null]"}, "rank_map[3]", "found null");
    expect_plan_refused({.rank_map = "[[0, 1], [2, 3]]"}, "rank_map[0]", "found an array");
}

TEST(ReadPlan, RefusesBadWorkloads) {
    expect_plan_refused({.workload = "1"}, "workload", "found a number");
    expect_plan_refused({.workload = R"({"c_pp_gb": 1})"}, "workload", "\"c_dp_gb\" is missing");
    expect_plan_refused(
        {.workload = R"({"c_pp_gb": -1, "c_dp_gb": 1})"}, "workload.c_pp_gb", "found -1");
    expect_plan_refused(
        {.workload = R"({"c_pp_gb": "1", "c_dp_gb": 1})"}, "workload.c_pp_gb", "found a string");
    for (const char* key : {"pp_messages", "dp_messages", "pp_backward_messages", "microbatches"}) {
        expect_plan_refused(
            {.workload = R"({"c_pp_gb": 1, "c_dp_gb": 1, ")" + std::string(key) + "\": 0}"},
            "workload." + std::string(key),
            "found 0");
    }
    expect_plan_refused({.workload = R"({"c_pp_gb": 1, "c_dp_gb": 1, "stage_seconds": [1, -1]})"},
                        "workload.stage_seconds[1]",
                        "found -1");
}

TEST(ReadPlan, RefusesBadRecords) {
    expect_plan_refused({.more = R"(, "fabric": "f.json")"}, "fabric", "found a string");
    expect_plan_refused({.more = R"(, "fabric": {"path": 7})"}, "fabric.path", "found a number");
    expect_plan_refused({.more = R"(, "fabric": {"n": 5})"}, "fabric.n", "found 5");
    expect_plan_refused({.more = R"(, "objective": 7)"}, "objective", "found a number");
    for (const char* key : {"score",
                            "data_parallel",
                            "pipeline",
                            "bound",
                            "bound_data_parallel",
                            "bound_pipeline",
                            "bound_nodes"}) {
        expect_plan_refused({.more = R"(, ")" + std::string(key) + R"(": "x")"}, key, "a string");
        expect_plan_refused({.more = R"(, ")" + std::string(key) + R"(": -1)"}, key, "found -1");
    }
    for (const char* key : {"score", "data_parallel", "pipeline", "bound", "bound_nodes"}) {
        expect_plan_refused(
            {.more = R"(, ")" + std::string(key) + R"(": 1e300)"}, key, "found 1e+300");
    }
    expect_plan_refused({.more = R"(, "score": 3.1, "data_parallel": 1, "pipeline": 2)"},
                        "score",
                        "data_parallel + pipeline is 3");
    EXPECT_EQ(
        plan_refusal(
            PlanText{.more = R"(, "score": 3.0000001, "data_parallel": 1, "pipeline": 2)"}.json()),
        "");
    EXPECT_EQ(plan_refusal(PlanText{.more = R"(, "score": 3.1, "pipeline": 2)"}.json()), "");
    expect_plan_refused({.more = R"(, "provenance": [])"}, "provenance", "found an array");
    expect_plan_refused(
        {.more = R"(, "provenance": {"time": 3})"}, "provenance.time", "found a number");
}

TEST(ReadPlan, ReportsSeveralProblemsAtOnce) {
    const std::string found = plan_refusal(
        PlanText{.workload = "3", .shape = R"({"pp": 0, "dp": 2})", .more = R"(, "score": "x")"}
            .json());
    for (const char* part : {"workload", "shape.pp", "score"}) {
        EXPECT_NE(found.find(part), std::string::npos) << part << " is not in: " << found;
    }
}

}  // namespace
}  // namespace longhaul::placement
