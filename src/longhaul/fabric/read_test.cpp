#include "longhaul/fabric/read.hpp"

#include <gtest/gtest.h>

#include "longhaul/fabric/detail/test_support.hpp"

namespace longhaul::fabric {
namespace {

using testing::refusal;

/// The plain form of the geo-placement page, with one part of it replaced.
struct Text {
    std::string labels = R"(["a", "b"])";
    std::string alpha = "[[0, 10], [30, 0]]";
    std::string beta = "[[0, 1], [3, 0]]";
    std::string more = {};
    [[nodiscard]] std::string json() const {
        return R"({"labels": )" + labels + R"(, "alpha_ms": )" + alpha + R"(, "beta_gbps": )" +
               beta + more + "}";
    }
};

void expect_refused(const Text& text, std::string_view where, std::string_view what) {
    const std::string found = refusal(text.json());
    EXPECT_NE(found.find(where), std::string::npos) << where << " is not in: " << found;
    EXPECT_NE(found.find(what), std::string::npos) << what << " is not in: " << found;
    EXPECT_EQ(found.find("f.json: "), 0U) << found;
}

TEST(ReadFabric, AcceptsThePlainForm) {
    const Fabric fabric = read_fabric(Text{}.json(), "f.json").value();
    EXPECT_EQ(fabric.labels(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(fabric.parts().alpha_ms(0, 1), 10);
    EXPECT_EQ(fabric.parts().alpha_ms(1, 0), 30);
    EXPECT_EQ(fabric.parts().beta_gbps(1, 0), 3);
    EXPECT_TRUE(fabric.parts().devices.empty());
    EXPECT_TRUE(fabric.parts().estimated.empty());
}

TEST(ReadFabric, AcceptsTomlByItsName) {
    const Fabric fabric = read_fabric(
                              "labels = [\"a\", \"b\"]\nalpha_ms = [[0, 10], [30.0, 0]]\n"
                              "beta_gbps = [[0, 1], [3, 0]]\n",
                              "f.toml")
                              .value();
    EXPECT_EQ(fabric.parts().alpha_ms(1, 0), 30);
}

TEST(ReadFabric, RefusesWhatIsNoMatrix) {
    expect_refused({.alpha = "[[0, 10], [30]]"}, "alpha_ms[1]", "has 1 entries");
    expect_refused({.alpha = "[[0, 10]]"}, "alpha_ms", "is 1 x 2");
    expect_refused({.alpha = "[[0], [30]]"}, "alpha_ms", "is 2 x 1");
    expect_refused({.alpha = "[0, 10]"}, "alpha_ms[0]", "found a number");
    expect_refused({.alpha = "7"}, "alpha_ms", "found a number");
    expect_refused({.alpha = "[]"}, "alpha_ms", "is 0 x 0");
    expect_refused({.alpha = "[[], []]"}, "alpha_ms", "is 2 x 0");
    expect_refused({.alpha = R"({"0": 1})"}, "alpha_ms", "found an object");
    expect_refused({.alpha = "[[0, [1]], [30, 0]]"}, "alpha_ms[0][1]", "found an array");
    expect_refused({.labels = R"(["a", "b", "c"])"}, "alpha_ms", "is 2 x 2; labels has 3");
}

TEST(ReadFabric, RefusesWhatIsNoNumber) {
    for (const char* text : {"null", "\"10\"", "\"NaN\"", "true", "[]", "{}"}) {
        const std::string cell = "[[0, " + std::string(text) + "], [3, 0]]";
        expect_refused({.alpha = cell}, "alpha_ms[0][1]", "found ");
        expect_refused({.beta = cell}, "beta_gbps[0][1]", "found ");
    }
    for (const char* text : {"NaN", "Infinity", "-Infinity", "nan", "1e999"}) {
        const std::string cell = "[[0, " + std::string(text) + "], [3, 0]]";
        expect_refused({.beta = cell}, "line 1, column", "");
    }
    EXPECT_NE(refusal("labels = [\"a\", \"b\"]\nalpha_ms = [[0, nan], [1, 0]]\n"
                      "beta_gbps = [[0, 1], [1, 0]]\n",
                      "f.toml"),
              "");
}

TEST(ReadFabric, RefusesValuesOutOfRange) {
    expect_refused({.alpha = "[[0, -1], [3, 0]]"}, "alpha_ms[0][1]", "found -1");
    expect_refused({.beta = "[[0, 0], [3, 0]]"}, "beta_gbps[0][1]", "found 0");
    expect_refused({.beta = "[[0, 1], [-3, 0]]"}, "beta_gbps[1][0]", "found -3");
}

TEST(ReadFabric, RefusesMissingKeysAndWrongKinds) {
    EXPECT_NE(refusal(R"({"labels": ["a"]})").find("\"alpha_ms\" is missing"), std::string::npos);
    EXPECT_NE(refusal(R"({"labels": ["a"]})").find("\"beta_gbps\" is missing"), std::string::npos);
    EXPECT_NE(refusal(R"({"alpha_ms": [[0]], "beta_gbps": [[0]]})").find("\"labels\" is missing"),
              std::string::npos);
    EXPECT_NE(refusal("{}").find("neither matrices nor a table"), std::string::npos);
    EXPECT_NE(refusal("[]"), "");
    EXPECT_NE(refusal(""), "");
    expect_refused({.labels = "[\"a\", 7]"}, "labels[1]", "found a number");
    expect_refused({.labels = "\"ab\""}, "labels", "found a string");
    expect_refused({.labels = "[]"}, "labels", "no devices");
    expect_refused({.more = R"(, "format": "longhaul.plan/1")"}, "format", "longhaul.plan/1");
    expect_refused({.more = R"(, "format": "longhaul.fabric/2")"}, "format", "longhaul.fabric/2");
    expect_refused({.more = R"(, "labels": ["c", "d"])"}, "labels", "");  // the key occurs twice
}

TEST(ReadFabric, RefusesBadOptionalParts) {
    expect_refused({.more = R"(, "devices": [{}])"}, "devices", "has 1 entries");
    expect_refused({.more = R"(, "devices": 3)"}, "devices", "found a number");
    expect_refused({.more = R"(, "devices": [{}, 3])"}, "devices[1]", "found a number");
    expect_refused(
        {.more = R"(, "devices": [{"local_rank": -1}, {}])"}, "devices[0].local_rank", "found -1");
    expect_refused({.more = R"(, "devices": [{"speed": 0}, {}])"}, "devices[0].speed", "found 0");
    expect_refused({.more = R"(, "devices": [{}, {"memory_gb": "80"}])"},
                   "devices[1].memory_gb",
                   "found a string");
    expect_refused({.more = R"(, "devices": [{"groups": [1]}, {}])"},
                   "devices[0].groups[0]",
                   "found a number");
    expect_refused({.more = R"(, "estimated": [[true, false]])"}, "estimated", "is not n x n");
    expect_refused(
        {.more = R"(, "estimated": [[true], [false]])"}, "estimated[0]", "has 1 entries");
    expect_refused({.more = R"(, "estimated": [[true, 1], [false, true]])"},
                   "estimated[0][1]",
                   "found a number");
    expect_refused({.more = R"(, "interval": {"alpha_ms": {"lower": [[0, 1], [1, 0]]}})"},
                   "interval.alpha_ms",
                   "\"upper\" is missing");
    expect_refused({.more = R"(, "interval": {"alpha_ms": {"lower": [[0, 2], [1, 0]],
                                                           "upper": [[0, 1], [1, 0]]}})"},
                   "interval.alpha_ms[0][1]",
                   "lower is above upper");
    expect_refused({.more = R"(, "suspect": -1)"}, "suspect", "found -1");
    expect_refused({.more = R"(, "suspect": "two")"}, "suspect", "found a string");
}

TEST(ReadFabric, ReportsAWrongKindOnce) {
    EXPECT_EQ(refusal(Text{.more = R"(, "interval": 3)"}.json()),
              "f.json: line 1, column 99: interval: found a number; it must be an object\n");
    EXPECT_EQ(refusal(Text{.more = R"(, "estimated": 3)"}.json()),
              "f.json: line 1, column 100: estimated: found a number; it must be an array\n");
}

TEST(ReadFabric, ReportsSeveralProblemsAtOnce) {
    const std::string found =
        refusal(Text{.labels = "[1, \"b\"]", .alpha = "[[0, null], [true, 0]]"}.json());
    EXPECT_NE(found.find("labels[0]"), std::string::npos) << found;
    EXPECT_NE(found.find("alpha_ms[0][1]"), std::string::npos) << found;
    EXPECT_NE(found.find("alpha_ms[1][0]"), std::string::npos) << found;
}

TEST(ToValue, RoundTripsEverythingAndKeepsUnknownKeys) {
    const Text text{.more = R"(, "devices": [
            {"host": "h1", "address": "10.0.0.1", "local_rank": 3, "gpu": "A100", "memory_gb": 80,
             "speed": 0.5, "groups": ["rack 1", "row 2"], "colour": {"r": 1}}, {}],
        "estimated": [[false, true], [false, false]],
        "interval": {"alpha_ms": {"lower": [[0, 9], [29, 0]], "upper": [[0, 11], [31, 0]]},
                     "beta_gbps": {"lower": [[0, 0.5], [2, 0]], "upper": [[0, 2], [4, 0]]}},
        "suspect": 2, "provenance": "by hand", "later": [1, "two", null])"};
    const Fabric first = read_fabric(text.json(), "f.json").value();
    EXPECT_EQ(first.parts().devices[0].groups, (std::vector<std::string>{"rack 1", "row 2"}));
    EXPECT_EQ(first.parts().devices[0].speed, 0.5);
    EXPECT_EQ(first.parts().devices[0].local_rank, 3);
    EXPECT_EQ(first.parts().estimated(0, 1), 1);
    EXPECT_EQ(first.parts().beta_interval->upper(1, 0), 4);
    EXPECT_EQ(first.parts().suspect, 2);
    const std::string written = core::write_json(to_value(first));
    for (const char* kept : {"colour", "later", "two", "by hand", "longhaul.fabric/1"}) {
        EXPECT_NE(written.find(kept), std::string::npos) << kept;
    }
    const Fabric second = read_fabric(written, "f.json").value();
    EXPECT_EQ(second.parts().alpha_ms, first.parts().alpha_ms);
    EXPECT_EQ(second.parts().beta_gbps, first.parts().beta_gbps);
    EXPECT_EQ(second.parts().estimated, first.parts().estimated);
    EXPECT_EQ(second.parts().suspect, 2);
    EXPECT_EQ(second.parts().alpha_interval->lower, first.parts().alpha_interval->lower);
    EXPECT_EQ(core::write_json(to_value(second)), written);
}

/// Three devices of two kinds; the table in the file is that of the kinds.
constexpr const char* kByKind = R"({"labels": ["a", "b", "a"], "kinds": [1, 0, 1],
    "alpha_ms": [[7, 2], [3, 4]], "beta_gbps": [[0, 5], [6, 8]],
    "estimated": [[false, true], [false, true]],
    "interval": {"alpha_ms": {"lower": [[9, 1], [2, 3]], "upper": [[0, 3], [4, 5]]}}})";

TEST(ReadFabric, KindsStandForTheirDevices) {
    const Fabric fabric = read_fabric(kByKind, "f.json").value();
    const FabricParts& parts = fabric.parts();
    EXPECT_EQ(fabric.size(), 3U);
    EXPECT_EQ(parts.alpha_ms.kinds(), 2U);
    // Written out by hand. Device 1 alone is of kind 0, whose inside (7, 0 and 9 > 0) counts for
    // nothing.
    core::Grid<double> alpha(3, 3, 0.0);
    alpha(0, 1) = alpha(2, 1) = 3;
    alpha(1, 0) = alpha(1, 2) = 2;
    alpha(0, 2) = alpha(2, 0) = 4;
    EXPECT_EQ(parts.alpha_ms.full(), alpha);
    EXPECT_EQ(parts.beta_gbps(2, 0), 8);
    EXPECT_EQ(parts.beta_gbps(1, 2), 5);
    EXPECT_EQ(parts.estimated(0, 2), 1);
    EXPECT_EQ(parts.alpha_interval->upper(0, 2), 5);
    EXPECT_EQ(make_links(fabric).latency_s(0, 1), (3.0 + 2.0) / 2 / 1000);
}

TEST(ReadFabric, KindsAreRefusedAtTheirPlace) {
    const auto table = [](const std::string& kinds, const std::string& alpha) {
        return R"({"labels": ["a", "b", "a"], "kinds": )" + kinds + R"(, "alpha_ms": )" + alpha +
               R"(, "beta_gbps": [[1, 1], [1, 1]]})";
    };
    const auto expect_refused = [&](const std::string& text, const char* part) {
        EXPECT_NE(refusal(text).find(part), std::string::npos) << refusal(text);
    };
    expect_refused(table("[0, 1]", "[[0, 1], [1, 0]]"), "kinds: has 2 entries; labels has 3");
    expect_refused(table("[0, -1, 1]", "[[0, 1], [1, 0]]"), "kinds[1]: found -1");
    expect_refused(table("[0, 1, 2]", "[[0, 1], [1, 0]]"),
                   "alpha_ms: is 2 x 2; labels has 3 entries, so it must be 3 x 3");
    expect_refused(table("[0, 0, 0]", "[[0, 1], [1, 0]]"),
                   "alpha_ms: is 2 x 2; kinds goes up to 0, so it must be 1 x 1");
    expect_refused(table("[0, 1, 1]", "[[0, 1], [1, -5]]"), "alpha_ms[1][1]: found -5");
    EXPECT_EQ(refusal(table("[0, 1, 1]", "[[-5, 1], [1, 0]]")), "");
}

TEST(ToValue, ManyDevicesAreWrittenByKind) {
    for (const std::size_t devices : {1'024U, 1'025U}) {
        FabricParts parts;
        parts.labels.assign(devices, "x");
        std::vector<int> kinds(devices, 0);
        kinds.back() = 1;
        core::Grid<double> table(2, 2, 3.0);
        table(0, 1) = 2;
        parts.alpha_ms = PairMatrix(kinds, table);
        parts.beta_gbps = PairMatrix(kinds, table);
        parts.estimated = PairTable<char>(kinds, core::Grid<char>(2, 2, 1));
        const core::Value written = to_value(Fabric::make(parts, "f").value());
        const core::Value* rows = written.find("alpha_ms");
        ASSERT_NE(rows, nullptr);
        EXPECT_EQ(rows->size(), devices == 1'024 ? devices : 2U);
        EXPECT_EQ(written.find("kinds") != nullptr, devices > 1'024);
        if (devices > 1'024) {
            const Fabric again = read_fabric(core::write_json(written), "f.json").value();
            EXPECT_EQ(again.parts().alpha_ms, parts.alpha_ms);
            EXPECT_EQ(again.parts().estimated, parts.estimated);
        }
    }
}

}  // namespace
}  // namespace longhaul::fabric
