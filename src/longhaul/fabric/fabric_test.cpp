#include "longhaul/fabric/fabric.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace longhaul::fabric {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Two devices with a slow way back: the example of the geo-placement page.
FabricParts two_devices() {
    FabricParts parts;
    parts.labels = {"a", "b"};
    parts.alpha_ms = core::Grid<double>(2, 2, 0);
    parts.beta_gbps = core::Grid<double>(2, 2, 0);
    parts.alpha_ms.table()(0, 1) = 10;
    parts.alpha_ms.table()(1, 0) = 30;
    parts.beta_gbps.table()(0, 1) = 1;
    parts.beta_gbps.table()(1, 0) = 3;
    return parts;
}

std::vector<std::string> problems_of(FabricParts parts) {
    const core::Result<Fabric> fabric = Fabric::make(std::move(parts), "f");
    std::vector<std::string> problems;
    if (!fabric) {
        for (const core::Diagnostic& problem : fabric.error()) {
            problems.push_back(problem.where);
        }
    }
    return problems;
}

using Places = std::vector<std::string>;

TEST(TransferSeconds, KeepsTheSumOfBothDirections) {
    // By hand: (0.010 + 0.25 * 8 / 1) + (0.030 + 0.25 * 8 / 3) is twice the symmetric time.
    const Fabric fabric = Fabric::make(two_devices(), "f").value();
    const PairMatrix seconds = transfer_seconds(make_links(fabric), core::Gigabytes(0.25), 1);
    const double both = 0.010 + 0.25 * 8 / 1.0 + 0.030 + 0.25 * 8 / 3.0;
    EXPECT_NEAR(2 * seconds(0, 1), both, 1e-12);
    EXPECT_EQ(seconds(0, 1), seconds(1, 0));
    EXPECT_EQ(seconds(0, 0), 0);
    EXPECT_EQ(seconds(1, 1), 0);
}

TEST(TransferSeconds, MessagesMultiplyTheLatencyOnly) {
    // By hand: 7 messages of (10 + 30) / 2 = 20 ms, and no payload.
    const Fabric fabric = Fabric::make(two_devices(), "f").value();
    EXPECT_NEAR(
        transfer_seconds(make_links(fabric), core::Gigabytes(0), 7)(0, 1), 7 * 0.020, 1e-15);
    EXPECT_EQ(transfer_seconds(make_links(fabric), core::Gigabytes(0), 0)(0, 1), 0);
}

TEST(Fabric, DiagonalsAreIgnored) {
    for (const double value : {0.0, -1.0, kNan, kInf}) {
        FabricParts parts = two_devices();
        parts.alpha_ms.table()(0, 0) = parts.beta_gbps.table()(1, 1) = value;
        const core::Result<Fabric> fabric = Fabric::make(std::move(parts), "f");
        ASSERT_TRUE(fabric);
        EXPECT_EQ(transfer_seconds(make_links(*fabric), core::Gigabytes(1), 1)(0, 0), 0);
    }
}

TEST(Fabric, RefusesValuesOutOfRangeAtTheirPlace) {
    for (const double value : {-1.0, -1e-300, kNan, kInf, -kInf, 1e10}) {
        FabricParts parts = two_devices();
        parts.alpha_ms.table()(0, 1) = value;
        EXPECT_EQ(problems_of(std::move(parts)), Places{"alpha_ms[0][1]"}) << value;
    }
    for (const double value : {0.0, -0.0, -1.0, kNan, kInf, 1e-10, 1e10}) {
        FabricParts parts = two_devices();
        parts.beta_gbps.table()(1, 0) = value;
        EXPECT_EQ(problems_of(std::move(parts)), Places{"beta_gbps[1][0]"}) << value;
    }
}

TEST(Fabric, ReportsAllProblemsAtOnce) {
    FabricParts parts = two_devices();
    parts.alpha_ms.table()(0, 1) = -1;
    parts.alpha_ms.table()(1, 0) = kNan;
    parts.beta_gbps.table()(0, 1) = 0;
    parts.devices.resize(3);
    parts.estimated = core::Grid<char>(1, 2);
    EXPECT_EQ(
        problems_of(std::move(parts)),
        (Places{"alpha_ms[0][1]", "alpha_ms[1][0]", "beta_gbps[0][1]", "devices", "estimated"}));
}

TEST(Fabric, RefusesMatricesOfTheWrongSize) {
    FabricParts parts = two_devices();
    parts.alpha_ms = core::Grid<double>(2, 3);
    parts.beta_gbps = core::Grid<double>(3, 3);
    EXPECT_EQ(problems_of(std::move(parts)), (Places{"alpha_ms", "beta_gbps"}));
    EXPECT_EQ(problems_of({}), Places{"labels"});
}

TEST(Fabric, RefusesIntervalsThatAreUpsideDown) {
    FabricParts parts = two_devices();
    parts.alpha_interval = Interval{core::Grid<double>(2, 2, 1), core::Grid<double>(2, 2, 2)};
    parts.beta_interval = Interval{core::Grid<double>(2, 2, 2), core::Grid<double>(2, 2, 1)};
    EXPECT_EQ(problems_of(parts), (Places{"interval.beta_gbps[0][1]", "interval.beta_gbps[1][0]"}));
    parts.beta_interval = Interval{core::Grid<double>(2, 2, 1), core::Grid<double>(2, 1, 2)};
    EXPECT_EQ(problems_of(parts), Places{"interval.beta_gbps.upper"});
}

TEST(Fabric, HostsAreNumberedAndStrangersStandAlone) {
    FabricParts parts = two_devices();
    EXPECT_EQ(Fabric::make(parts, "f")->host_of_device(), (std::vector<int>{0, 1}));
    parts.devices.resize(2);
    EXPECT_EQ(Fabric::make(parts, "f")->host_of_device(), (std::vector<int>{0, 1}));
    parts.devices[0].host = parts.devices[1].host = "node-1";
    EXPECT_EQ(Fabric::make(parts, "f")->host_of_device(), (std::vector<int>{0, 0}));
    // A host that is called like the name given to a stranger is still another host.
    parts.devices[0].host = "device 1";
    parts.devices[1].host = "";
    EXPECT_EQ(Fabric::make(parts, "f")->host_of_device(), (std::vector<int>{0, 1}));
}

TEST(IndexOfLabels, CountsInOrderOfFirstOccurrence) {
    EXPECT_EQ(index_of_labels({"b", "a", "b", "c", "a"}), (std::vector<int>{0, 1, 0, 2, 1}));
    EXPECT_TRUE(index_of_labels({}).empty());
}

}  // namespace
}  // namespace longhaul::fabric
