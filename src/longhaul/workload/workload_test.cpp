#include "longhaul/workload/workload.hpp"

#include <gtest/gtest.h>

namespace longhaul::workload {
namespace {

std::string workload_problems(std::string_view text, Workload* workload = nullptr) {
    const auto document = core::parse_json(text, "f.json").value();
    core::Diagnostics problems;
    const Workload read = read_workload(core::Cursor(document, problems));
    if (workload != nullptr) {
        *workload = read;
    }
    return problems.empty() ? "" : core::to_string(problems.front());
}

TEST(Workload, RoundTrip) {
    const char* full =
        R"({"c_pp_gb": 0.5, "pp_messages": 2, "c_dp_gb": 0.25, "dp_messages": 3,
            "c_pp_backward_gb": 0.75, "pp_backward_messages": 4, "microbatches": 5,
            "stage_seconds": [1.5, 2],
            "layers": [{"seconds": 1, "static_gb": 2, "activation_gb": 0.5, "count": 3},
                       {"seconds": 4, "static_gb": 0, "activation_gb": 0, "count": 1}]})";
    Workload workload;
    EXPECT_EQ(workload_problems(full, &workload), "");
    EXPECT_EQ(workload.c_pp, core::Gigabytes(0.5));
    EXPECT_EQ(workload.pp_messages, 2);
    EXPECT_EQ(workload.c_dp, core::Gigabytes(0.25));
    EXPECT_EQ(workload.dp_messages, 3);
    EXPECT_EQ(workload.c_pp_backward, core::Gigabytes(0.75));
    EXPECT_EQ(workload.pp_backward_messages, 4);
    EXPECT_EQ(workload.microbatches, 5);
    EXPECT_EQ(workload.stage_seconds, (std::vector<double>{1.5, 2}));
    EXPECT_EQ(workload.layers,
              (std::vector<Layer>{{1, 2, 0.5}, {1, 2, 0.5}, {1, 2, 0.5}, {4, 0, 0}}));
    EXPECT_TRUE(core::same_content(to_value(workload), core::parse_json(full, "f").value().root));
}

TEST(Workload, AbsentKeysStayAbsent) {
    Workload workload;
    EXPECT_EQ(workload_problems(R"({"c_pp_gb": 1, "c_dp_gb": 0})", &workload), "");
    EXPECT_EQ(workload.pp_messages, 1);
    EXPECT_FALSE(workload.microbatches);
    EXPECT_EQ(core::write_json(to_value(workload)),
              "{\n  \"c_pp_gb\": 1,\n  \"pp_messages\": 1,\n  \"c_dp_gb\": 0,\n  \"dp_messages\": "
              "1\n}\n");
}

TEST(Workload, BadLayersAreRefused) {
    const auto refused = [](const std::string& layers) {
        return workload_problems(R"({"c_pp_gb": 1, "c_dp_gb": 1, "layers": )" + layers + "}");
    };
    EXPECT_NE(refused("3").find("layers: found a number"), std::string::npos);
    EXPECT_NE(refused("[3]").find("layers[0]: found a number"), std::string::npos);
    EXPECT_NE(refused("[{}]").find("layers[0]: the key \"seconds\" is missing"), std::string::npos);
    EXPECT_NE(refused(R"([{"seconds": -1}])").find("layers[0].seconds: found -1"),
              std::string::npos);
    EXPECT_NE(refused(R"([{"seconds": 1, "count": 0}])").find("layers[0].count: found 0"),
              std::string::npos);
    EXPECT_NE(refused(R"([{"seconds": 1, "count": 9999}, {"seconds": 1, "count": 9999}])")
                  .find("too many layers"),
              std::string::npos);
}

TEST(Workload, Problems) {
    EXPECT_NE(workload_problems(R"({"c_dp_gb": 1})").find("\"c_pp_gb\" is missing"),
              std::string::npos);
    EXPECT_NE(workload_problems(R"({"c_pp_gb": -1, "c_dp_gb": 1})").find("from 0 to 1e+30"),
              std::string::npos);
    EXPECT_NE(workload_problems(R"({"c_pp_gb": 1, "c_dp_gb": 1, "pp_messages": 0})")
                  .find("whole number from 1"),
              std::string::npos);
    // Numbers beyond these would give costs that are not finite.
    for (const char* key : {"c_pp_gb", "c_dp_gb", "c_pp_backward_gb"}) {
        core::Value workload = core::Value::object();
        workload.set("c_pp_gb", 1).set("c_dp_gb", 1).set(key, 1e31);
        const std::string found = workload_problems(core::write_json(workload));
        EXPECT_NE(found.find(key), std::string::npos) << found;
        EXPECT_NE(found.find("found 1e+31; it must be from 0 to 1e+30"), std::string::npos)
            << found;
    }
    EXPECT_NE(workload_problems(R"({"c_pp_gb": 1, "c_dp_gb": 1, "stage_seconds": [1, -1]})")
                  .find("stage_seconds[1]"),
              std::string::npos);
}

}  // namespace
}  // namespace longhaul::workload
