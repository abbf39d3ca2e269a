#include "longhaul/measure/links_file.hpp"

#include <gtest/gtest.h>

#include "longhaul/measure/detail/test_samples.hpp"
#include "longhaul/measure/fit.hpp"

namespace longhaul::measure {
namespace {

/// Something of everything.
LinkFits all_kinds() {
    Raw raw;
    raw.runs.push_back({1, "campaign", "2026-01-02T03:04:05Z", "test", "", core::Value::object()});
    raw.hosts.resize(3);
    raw.hosts[0].id = "a";
    raw.hosts[0].site = "east";
    raw.hosts[0].groups = {"rack"};
    raw.hosts[0].facts.set("mtu", 1500);
    raw.hosts[1].id = "b";
    raw.hosts[2].id = "c";
    const auto sizes = detail::sizes_between(65'536, 16 * detail::kMiB, 2);
    for (const int streams : {1, 4}) {
        const std::size_t first = raw.samples.size();
        detail::add_pair(raw, "a", "b", sizes, 2, [&](double bytes) {
            return detail::affine_seconds(bytes, 80, 0.1 * streams);
        });
        for (std::size_t i = first; i < raw.samples.size(); ++i) {
            raw.samples[i].streams = streams;
            raw.samples[i].path = "inter_site";
            raw.samples[i].tcp.emplace().min_rtt_s = 0.08;
            raw.samples[i].per_stream_s.assign(static_cast<std::size_t>(streams), 1);
        }
    }
    const std::size_t pairs = raw.samples.size();
    for (const Pattern pattern : {Pattern::kBothWays, Pattern::kRelay, Pattern::kLocal}) {
        for (std::size_t i = 0; i < pairs; ++i) {
            Sample sample = raw.samples[i];
            sample.pattern = pattern;
            sample.send_path = pattern == Pattern::kRelay ? "intra_site" : "";
            raw.samples.push_back(sample);
        }
    }
    for (std::size_t i = 0; i < pairs; ++i) {
        Sample cold = raw.samples[i];
        cold.state = State::kCold;
        raw.samples.push_back(cold);
        Sample fan = raw.samples[i];
        fan.pattern = Pattern::kFanOut;
        fan.peers = {"c", "b"};
        fan.root_s = 2 * fan.elapsed_s;
        raw.samples.push_back(fan);
    }
    detail::add_pings(raw, "b", "a", 80);
    LinkFits fits = fit_links(raw, {});
    fits.sources.push_back({"raw.jsonl", "00ff"});
    fits.warnings.emplace_back("something");
    fits.unknown.set("newer", 1.5);
    fits.pairs[0].unknown.set("newest", "kept");
    return fits;
}

TEST(LinksFile, EverythingComesBack) {
    const LinkFits fits = all_kinds();
    for (const std::size_t size : {fits.pairs.size(),
                                   fits.paths.size(),
                                   fits.both_ways.size(),
                                   fits.both_ways_paths.size(),
                                   fits.fans.size(),
                                   fits.relays.size(),
                                   fits.locals.size(),
                                   fits.round_trips.size(),
                                   fits.stream_choices.size(),
                                   fits.cold_checks.size(),
                                   fits.missing.size()}) {
        EXPECT_GT(size, 0U);
    }
    const std::string text = core::write_json(to_value(fits));
    const core::Result<LinkFits> read = read_links(text, "links.json");
    ASSERT_TRUE(read) << core::to_string(read.error().front());
    EXPECT_EQ(core::write_json(to_value(*read)), text);
    // The reader did not only keep what it does not know.
    EXPECT_EQ(read->pairs[0].sizes.size(), fits.pairs[0].sizes.size());
    EXPECT_EQ(read->pairs[0].sizes[3].seconds.p90, fits.pairs[0].sizes[3].seconds.p90);
    EXPECT_EQ(read->pairs[0].unknown.members.size(), 1U);
    EXPECT_EQ(read->pairs[0].alpha_interval.upper, fits.pairs[0].alpha_interval.upper);
    EXPECT_EQ(read->pairs[0].findings.size(), fits.pairs[0].findings.size());
    EXPECT_EQ(read->fans[0].key, "out:a->b,c");
    EXPECT_EQ(read->fans[0].root_fit->beta_gbps, fits.fans[0].root_fit->beta_gbps);
    EXPECT_EQ(read->unknown.members.size(), 1U);
    EXPECT_EQ(read->hosts[0].facts.find("mtu")->number, 1500);
}

core::Diagnostics problems_of(const std::string& text) {
    const core::Result<LinkFits> read = read_links(text, "links.json");
    return read ? core::Diagnostics() : read.error();
}

std::string with_pair(const std::string& pair) {
    return R"({"format": "longhaul.links/1", "hosts": [], "pairs": [)" + pair + "]}";
}

TEST(LinksFile, ProblemsNameThePlace) {
    struct Case {
        std::string text;
        std::string where;
        std::string what;
    };
    const std::string segment =
        R"("segments": [{"from_bytes": 1, "to_bytes": 2, "alpha_ms": 0, "beta_gbps": 1}])";
    const std::string good = R"("alpha_ms": 0, "beta_gbps": 1, )" + segment;
    EXPECT_TRUE(problems_of(with_pair("{" + good + "}")).empty());
    for (const Case& c : std::vector<Case>{
             {R"({"hosts": [], "pairs": []})", "format", ""},
             {R"({"format": "longhaul.links/2", "hosts": [], "pairs": []})", "format", ""},
             {R"({"format": "longhaul.links/1", "hosts": []})", "pairs", ""},
             {with_pair(R"({"alpha_ms": 0, )" + segment + "}"), "pairs[0]", "beta_gbps"},
             {with_pair(R"({"alpha_ms": 0, "beta_gbps": -1, )" + segment + "}"),
              "pairs[0].beta_gbps",
              ""},
             {with_pair(R"({"alpha_ms": 0, "beta_gbps": 1, "segments": []})"),
              "pairs[0].segments",
              "empty"},
             {with_pair(R"({"state": "hot", )" + good + "}"), "pairs[0].state", "hot"},
             {with_pair(R"({"streams": "two", )" + good + "}"), "pairs[0].streams", ""},
             {with_pair("7"), "pairs[0]", ""}}) {
        const core::Diagnostics problems = problems_of(c.text);
        ASSERT_FALSE(problems.empty()) << c.text;
        const std::string line = core::to_string(problems.front());
        EXPECT_NE(line.find(c.where), std::string::npos) << line;
        EXPECT_NE(line.find(c.what), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace longhaul::measure
