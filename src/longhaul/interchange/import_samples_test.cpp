// Fixtures that carry samples. They were written by hand from what the programs print; the expected
// values are those of the fixtures, converted by hand.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/interchange/detail/test_files.hpp"
#include "longhaul/measure/fabric_of.hpp"
#include "longhaul/measure/fit.hpp"

namespace longhaul::interchange {
namespace {

using measure::Pattern;
using measure::Sample;

/// Gbit/s of a sample.
double rate(const Sample& sample) {
    return sample.bytes * 8 / sample.elapsed_s / 1e9;
}

std::string ends(const Sample& sample) {
    return sample.from + ">" + sample.to;
}

TEST(ImportNccl, SendrecvOfThreeRanksIsARelay) {
    const Imported imported = good("nccl-tests", "nccl-sendrecv.txt");
    ASSERT_EQ(imported.raw.samples.size(), 9U);  // 3 sizes (0 bytes left out) x 3 ranks
    const Sample& last = imported.raw.samples.back();
    EXPECT_EQ(last.pattern, Pattern::kRelay);
    EXPECT_EQ(ends(last), "node0/1>node1/0");
    EXPECT_EQ(last.path, "inter_node");
    EXPECT_EQ(last.send_path, "inter_node");  // rank 2 sends to rank 0 of the other node
    EXPECT_NEAR(rate(last), 80, 0.01);        // algbw 10.00 GB/s in the log
    EXPECT_EQ(imported.raw.samples[7].path, "intra_node");
    EXPECT_EQ(imported.raw.hosts.size(), 3U);
}

TEST(ImportNccl, SendrecvOfTwoRanksGoesBothWays) {
    const Imported imported = good("nccl-tests", "nccl-both-ways.txt");
    ASSERT_EQ(imported.raw.samples.size(), 6U);
    EXPECT_EQ(imported.raw.samples[0].pattern, Pattern::kBothWays);
    EXPECT_EQ(ends(imported.raw.samples[0]), "node0/1>node0/0");
    EXPECT_EQ(ends(imported.raw.samples[1]), "node0/0>node0/1");
    EXPECT_DOUBLE_EQ(imported.raw.samples[0].elapsed_s, 20.48e-6);
}

TEST(ImportNccl, OldGatherWithTagsIsAFanIn) {
    ImportOptions options;
    options.test = "gather";  // old logs do not name the test
    const Imported imported = good("nccl-tests", "nccl-gather-old.txt", options);
    ASSERT_EQ(imported.raw.samples.size(), 6U);
    const Sample& first = imported.raw.samples[0];
    EXPECT_EQ(first.pattern, Pattern::kFanIn);
    EXPECT_EQ(ends(first), "box/3>box/2");  // root 2, peers 3, 0, 1
    EXPECT_EQ(first.peers, (std::vector<std::string>{"box/3", "box/0", "box/1"}));
    EXPECT_EQ(first.bytes, 1024);  // a quarter of 4096
    EXPECT_DOUBLE_EQ(*first.root_s, 30e-6);
}

TEST(ImportNccl, JsonKeepsIterations) {
    const Imported imported = good("nccl-tests-json", "nccl-scatter.json");
    ASSERT_EQ(imported.raw.samples.size(), 12U);  // 3 peers x (3 iterations + 1 mean)
    EXPECT_EQ(imported.raw.samples[0].pattern, Pattern::kFanOut);
    EXPECT_EQ(ends(imported.raw.samples[0]), "node0/1>node1/0");
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 12e-6);
    EXPECT_EQ(imported.raw.samples[1].rep, 1);
    EXPECT_DOUBLE_EQ(imported.raw.samples.back().elapsed_s, 80e-6);
    EXPECT_NE(imported.raw.hosts[0].facts.find("nccl"), nullptr);
}

TEST(ImportIperf3, RateOfTheReceiverAndLeastRoundTrip) {
    const Imported imported = good("iperf3", "iperf3.json");
    ASSERT_EQ(imported.raw.samples.size(), 2U);
    const Sample& sample = imported.raw.samples[0];
    EXPECT_EQ(sample.pattern, Pattern::kPeer);
    EXPECT_EQ(ends(sample), "10.0.0.1>10.0.0.2");
    EXPECT_DOUBLE_EQ(rate(sample), 0.2);  // 250 MB in 10 s, not the 252 MB that were sent
    EXPECT_EQ(sample.streams, 2);
    EXPECT_DOUBLE_EQ(*sample.cpu_share, 0.3);
    EXPECT_EQ(imported.raw.samples[1].pattern, Pattern::kPing);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 0.0202);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ImportIperf3, ReverseSwapsTheEnds) {
    const auto imported =
        import_text("iperf3", replaced(fixture("iperf3.json"), "\"reverse\": 0", "\"reverse\": 1"));
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_EQ(ends(imported->raw.samples[0]), "10.0.0.2>10.0.0.1");
}

TEST(ImportIperf3, NamesOfTheOptionsWin) {
    ImportOptions options;
    options.from = "oregon";
    options.to = "tokyo";
    EXPECT_EQ(ends(good("iperf3", "iperf3.json", options).raw.samples[0]), "oregon>tokyo");
}

TEST(ImportPerftest, BandwidthIsThatOfTheLargestSizeInMebibytes) {
    const Imported imported = good("perftest", "ib-write-bw.txt");
    ASSERT_EQ(imported.raw.samples.size(), 1U);
    EXPECT_EQ(imported.raw.samples[0].bytes, 1048576);
    EXPECT_NEAR(rate(imported.raw.samples[0]), 11800 * 8 * 1.048576e-3, 1e-9);
}

TEST(ImportPerftest, GbitHeadsAreDecimal) {
    std::string text = fixture("ib-write-bw.txt");
    while (text.find("[MiB/sec]") != std::string::npos) {
        text = replaced(text, "[MiB/sec]", "[Gb/sec]");
    }
    const auto imported = import_text("perftest", text);
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_DOUBLE_EQ(rate(imported->raw.samples[0]), 11800);
}

TEST(ImportPerftest, SendLatencyIsHalfARoundTripBothWays) {
    const Imported imported = good("perftest", "ib-send-lat.txt");
    ASSERT_EQ(imported.raw.samples.size(), 12U);  // 2 sizes x 2 directions x (min, typical, max)
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 1.1e-6);
    EXPECT_DOUBLE_EQ(imported.raw.samples[0].elapsed_s, 1.0e-6);
    EXPECT_DOUBLE_EQ(imported.raw.samples[2].elapsed_s, 5.0e-6);
    EXPECT_EQ(ends(imported.raw.samples[3]), "server>client");
}

TEST(ImportPerftest, ReadLatencyIsAWholeRoundTrip) {
    const Imported imported = good("perftest", "ib-read-lat.json");
    ASSERT_EQ(imported.raw.samples.size(), 3U);
    EXPECT_EQ(imported.raw.samples[1].pattern, Pattern::kPing);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 2e-6);
}

TEST(ImportPerftest, JsonBandwidthNeedsItsUnit) {
    ImportOptions options;
    options.unit = "gbit";
    const Imported imported = good("perftest", "ib-write-bw.json", options);
    ASSERT_EQ(imported.raw.samples.size(), 2U);
    EXPECT_EQ(imported.raw.samples[0].pattern, Pattern::kBothWays);
    EXPECT_DOUBLE_EQ(rate(imported.raw.samples[0]), 95);  // half of the sum of both directions
}

TEST(ImportOsu, LatencyGivesBothDirections) {
    const Imported imported = good("osu", "osu-latency.txt");
    ASSERT_EQ(imported.raw.samples.size(), 6U);
    EXPECT_EQ(ends(imported.raw.samples[2]), "rank0>rank1");
    EXPECT_DOUBLE_EQ(imported.raw.samples[2].elapsed_s, 3.25e-6);
    EXPECT_EQ(imported.raw.samples[0].unknown.find("timing")->string, "one_way");
}

TEST(ImportOsu, BandwidthIsDecimalMegabytes) {
    const Imported one = good("osu", "osu-bw.txt");
    ASSERT_EQ(one.raw.samples.size(), 1U);
    EXPECT_DOUBLE_EQ(rate(one.raw.samples[0]), 96);  // 12000 MB/s
    const Imported both = good("osu", "osu-bibw.txt");
    ASSERT_EQ(both.raw.samples.size(), 2U);
    EXPECT_DOUBLE_EQ(rate(both.raw.samples[1]), 80);  // 20000 MB/s in both directions together
}

TEST(ImportPing, RepliesAreRoundTrips) {
    const Imported imported = good("ping", "ping.txt");
    ASSERT_EQ(imported.raw.samples.size(), 3U);
    EXPECT_EQ(ends(imported.raw.samples[0]), "local>tokyo.example");
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 0.0958);
    EXPECT_EQ(imported.raw.samples[2].rep, 2);
}

TEST(ImportPing, SummaryKeepsLeastMeanAndMost) {
    const Imported imported = good("ping", "ping-summary.txt");
    ASSERT_EQ(imported.raw.samples.size(), 3U);
    EXPECT_DOUBLE_EQ(imported.raw.samples[0].elapsed_s, 0.1205);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 0.124);
    EXPECT_DOUBLE_EQ(imported.raw.samples[2].elapsed_s, 0.131);
}

TEST(ImportSockperf, HalfRoundTripsAreDoubled) {
    const Imported imported = good("sockperf", "sockperf.txt");
    ASSERT_EQ(imported.raw.samples.size(), 3U);
    EXPECT_EQ(imported.raw.samples[0].to, "10.0.0.2");
    EXPECT_DOUBLE_EQ(imported.raw.samples[0].elapsed_s, 2 * 5.573e-6);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 2 * 6.204e-6);
}

TEST(ImportQperf, RateAndRoundTrip) {
    const Imported imported = good("qperf", "qperf.txt");
    ASSERT_EQ(imported.raw.samples.size(), 2U);
    EXPECT_DOUBLE_EQ(rate(imported.raw.samples[0]), 10);  // 1.25 GB/s
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 31.2e-6);
}

TEST(ImportNetperf, StreamAndRequestResponse) {
    EXPECT_NEAR(rate(good("netperf", "netperf.txt").raw.samples[0]), 0.94125, 1e-12);
    const auto ping = import_text("netperf", "THROUGHPUT=50\nTHROUGHPUT_UNITS=Trans/s\n");
    ASSERT_TRUE(ping) << problems_of(ping);
    EXPECT_EQ(ping->raw.samples[0].pattern, Pattern::kPing);
    EXPECT_DOUBLE_EQ(ping->raw.samples[0].elapsed_s, 0.02);  // 50 a second
}

TEST(ImportDeepspeed, EveryPatternIsKept) {
    const Imported imported = good("deepspeed", "deepspeed-calibration.json");
    std::map<Pattern, int> counts;
    for (const Sample& sample : imported.raw.samples) {
        ++counts[sample.pattern];
    }
    const std::map<Pattern, int> expected = {{Pattern::kLocal, 2},
                                             {Pattern::kPeer, 2},
                                             {Pattern::kBothWays, 1},
                                             {Pattern::kFanOut, 2},
                                             {Pattern::kFanIn, 2},
                                             {Pattern::kRelay, 1}};
    EXPECT_EQ(counts, expected);
}

TEST(ImportDeepspeed, FansNameTheirPeersAndRelaysBothPaths) {
    const Imported imported = good("deepspeed", "deepspeed-calibration.json");
    const auto of = [&](Pattern pattern) {
        return *std::ranges::find(imported.raw.samples, pattern, &Sample::pattern);
    };
    const Sample in = of(Pattern::kFanIn);
    EXPECT_EQ(in.peers, (std::vector<std::string>{"process0", "process1"}));
    EXPECT_EQ(ends(in), "process0>process3");
    EXPECT_DOUBLE_EQ(*in.root_s, 1e-4);
    const Sample relay = of(Pattern::kRelay);
    EXPECT_EQ(ends(relay), "process0>process1");
    EXPECT_EQ(relay.path, "intra_node");
    EXPECT_EQ(relay.send_path, "inter_node");
    EXPECT_EQ(imported.raw.samples[1].rep, 1);  // the second local copy of 4096 bytes
}

TEST(ImportSkyplane, BothSpellingsOfTheColumn) {
    for (const char* name : {"skyplane-throughput.csv", "skyplane-throughput-recieved.csv"}) {
        const Imported imported = good("skyplane", name);
        ASSERT_EQ(imported.raw.samples.size(), 2U) << name;  // nan is left out
        EXPECT_EQ(ends(imported.raw.samples[0]), "aws:one-1>gcp:two-a:STANDARD");
        EXPECT_DOUBLE_EQ(rate(imported.raw.samples[0]), 4.8);
        EXPECT_EQ(imported.raw.samples[0].streams, 64);
    }
}

TEST(ImportSkyplane, LatencyIsARoundTripInMilliseconds) {
    const Imported imported = good("skyplane", "skyplane-latency.csv");
    ASSERT_EQ(imported.raw.samples.size(), 3U);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 0.092548);
}

TEST(ImportIntercloud, BytesASecond) {
    const Imported imported = good("intercloud", "intercloud.csv");
    ASSERT_EQ(imported.raw.samples.size(), 4U);  // a region with itself is no link
    EXPECT_DOUBLE_EQ(rate(imported.raw.samples[0]), 0.6);
    EXPECT_DOUBLE_EQ(imported.raw.samples[1].elapsed_s, 0.051775);
}

/// iputils with a loss and with an error; BusyBox.
TEST(ImportPing, LossIsANoteAndAnEvent) {
    const std::string counts = "20 packets transmitted, 20 packets received, 0% packet loss";
    const std::string text = fixture("ping-summary.txt");
    EXPECT_TRUE(good("ping", "ping-summary.txt").raw.events.empty());
    for (const char* lossy : {"20 packets transmitted, 15 packets received, 25% packet loss",
                              "20 packets transmitted, 15 received, 25% packet loss, time 9ms",
                              "20 packets transmitted, 15 received, +1 errors, 25% packet loss"}) {
        const auto imported = import_text("ping", replaced(text, counts, lossy));
        ASSERT_TRUE(imported) << problems_of(imported);
        ASSERT_EQ(imported->raw.events.size(), 1U) << lossy;
        EXPECT_EQ(imported->raw.events[0].kind, "packet_loss");
        EXPECT_EQ(imported->raw.events[0].host, "seoul.example");
        EXPECT_EQ(imported->raw.events[0].detail, "5 of 20 pings had no answer (25 % lost)");
        EXPECT_NE(imported->notes[0].find("25 % lost"), std::string::npos);
    }
}

/// iperf3 3.12 with --bidir writes sock_bufsize twice.
TEST(ImportIperf3, KeysThatStandTwice) {
    const auto imported = import_text(
        "iperf3",
        replaced(fixture("iperf3.json"),
                 "\"tcp_mss_default\": 1448,",
                 "\"sock_bufsize\": 0, \"sock_bufsize\": 0, \"tcp_mss_default\": 1448,"));
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_DOUBLE_EQ(rate(imported->raw.samples[0]), 0.2);
}

/// iperf3 3.12 --bidir: no flag in test_start, only a total of the other direction.
TEST(ImportIperf3, BothWaysAreToldByTheirTotals) {
    const auto imported = import_text(
        "iperf3",
        replaced(fixture("iperf3.json"),
                 "\"sum_received\":",
                 "\"sum_received_bidir_reverse\": {\"seconds\": 10.0, \"bytes\": 125000000},\n"
                 "    \"sum_received\":"));
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_EQ(imported->raw.samples[0].pattern, Pattern::kBothWays);
    EXPECT_EQ(imported->raw.samples[1].pattern, Pattern::kBothWays);
    EXPECT_DOUBLE_EQ(rate(imported->raw.samples[1]), 0.1);
}

TEST(ImportNccl, TestsAreNamedWithAndWithoutTheirEnding) {
    const std::string nameless = replaced(fixture("nccl-sendrecv.txt"), "sendrecv_perf", "");
    for (const char* test : {"sendrecv", "sendrecv_perf"}) {
        ImportOptions options;
        options.test = test;
        const auto imported = import_text("nccl-tests", nameless, options);
        ASSERT_TRUE(imported) << test << problems_of(imported);
        EXPECT_EQ(imported->raw.samples.size(), 9U);
        EXPECT_NE(imported->notes[1].find("no --fabric from it alone"), std::string::npos);
        const auto fabric = measure::to_fabric(measure::fit_links(imported->raw, {}), {});
        EXPECT_FALSE(fabric);  // as the note says
    }
}

TEST(ImportGroups, NcclTopologyNamesSocketsSwitchesAndNics) {
    ImportOptions options;
    options.from = "big";
    const Imported imported = good("nccl-topology", "nccl-topology.xml", options);
    ASSERT_EQ(imported.raw.hosts.size(), 3U);
    EXPECT_EQ(imported.raw.hosts[1].id, "big/1");
    EXPECT_EQ(imported.raw.hosts[1].groups,
              (std::vector<std::string>{"big:numa0", "big:pci-0000:10:00.0", "big:nic-mlx5_0"}));
    EXPECT_EQ(imported.raw.hosts[0].groups.back(), "big:nic-mlx5_0");
    // The NVLink of GPU 0 leads to the bus of GPU 2, and GPU 1 has none.
    EXPECT_EQ(imported.raw.hosts[2].groups.back(), "big:nvlink-of-GPU0");
    EXPECT_EQ(imported.raw.hosts[0].groups[2], "big:nvlink-of-GPU0");
    EXPECT_TRUE(imported.raw.samples.empty());
}

/// Groups of GPU `dev` of a host whose GPUs are at bus 1, 2, ... with these <nvlink> elements.
std::vector<std::vector<std::string>> nvlink_groups(const std::vector<std::string>& links) {
    std::string text = "<system><cpu numaid=\"0\">";
    for (std::size_t i = 0; i < links.size(); ++i) {
        text += "<pci busid=\"0000:0" + std::to_string(i + 1) +
                ":00.0\" class=\"0x030200\"><gpu dev=\"" + std::to_string(i) + "\">" + links[i] +
                "</gpu></pci>";
    }
    const auto imported = import_text("nccl-topology", text + "</cpu></system>");
    EXPECT_TRUE(imported) << problems_of(imported);
    std::vector<std::vector<std::string>> groups;
    for (const measure::HostRecord& host : imported->raw.hosts) {
        groups.emplace_back(host.groups.begin() + 1, host.groups.end());  // without numa0
    }
    return groups;
}

std::string nvlink(const std::string& target, const std::string& kind) {
    return "<nvlink target=\"" + target + "\" count=\"1\" tclass=\"" + kind + "\"/>";
}

TEST(ImportGroups, NvlinksJoinWhatTheyLeadTo) {
    using Groups = std::vector<std::vector<std::string>>;
    const std::vector<std::string> none;
    // Pairs 0-1 and 2-3, each link named once; upper case is the same bus.
    EXPECT_EQ(nvlink_groups(
                  {nvlink("0000:02:00.0", "0x030200"), "", "", nvlink("0000:03:00.0", "0x030200")}),
              (Groups{{"host:nvlink-of-GPU0"},
                      {"host:nvlink-of-GPU0"},
                      {"host:nvlink-of-GPU2"},
                      {"host:nvlink-of-GPU2"}}));
    // Switches join all that lead to one, whichever; a CPU and a GPU out of sight join nothing.
    EXPECT_EQ(nvlink_groups({nvlink("0000:a1:00.0", "0x068000"),
                             nvlink("0000:A2:00.0", "0x068000"),
                             nvlink("0000:b0:00.0", "0x068001"),
                             nvlink("0000:c0:00.0", "0x030200")}),
              (Groups{{"host:nvlink-of-GPU0"}, {"host:nvlink-of-GPU0"}, none, none}));
}

TEST(ImportGroups, NvidiaTopologyJoinsWhatIsNear) {
    const Imported imported = good("nvidia-topology", "nvidia-smi-topo.txt");
    ASSERT_EQ(imported.raw.hosts.size(), 3U);
    EXPECT_EQ(imported.raw.hosts[1].groups,
              (std::vector<std::string>{"host:socket-of-GPU0",
                                        "host:switch-of-GPU0",
                                        "host:nic-mlx5_0",
                                        "host:nvlink-of-GPU0"}));
    EXPECT_EQ(imported.raw.hosts[2].groups,
              (std::vector<std::string>{"host:socket-of-GPU2", "host:switch-of-GPU2"}));
}

/// NVLink between 0-1 and 2-3; the cores near them say that all four are on one socket, 4 on
/// another.
TEST(ImportGroups, NvlinkIslandsStayApartAndAffinityJoinsSockets) {
    const auto imported =
        import_text("nvidia-topology",
                    "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tCPU Affinity\tNUMA Affinity\n"
                    "GPU0\t X \tNV4\tSYS\tSYS\tSYS\t0-15\t0\n"
                    "GPU1\tNV4\t X \tSYS\tSYS\tSYS\t0-15\t0\n"
                    "GPU2\tSYS\tSYS\t X \tNV4\tSYS\t0-15\t0\n"
                    "GPU3\tSYS\tSYS\tNV4\t X \tSYS\t0-15\t0\n"
                    "GPU4\tSYS\tSYS\tSYS\tSYS\t X \t16-31\t1\n");
    ASSERT_TRUE(imported) << problems_of(imported);
    const std::vector<measure::HostRecord>& hosts = imported->raw.hosts;
    ASSERT_EQ(hosts.size(), 5U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(hosts[i].groups[0], "host:socket-of-GPU0") << i;
        EXPECT_EQ(hosts[i].groups.back(), i < 2 ? "host:nvlink-of-GPU0" : "host:nvlink-of-GPU2")
            << i;
    }
    EXPECT_EQ(hosts[4].groups,
              (std::vector<std::string>{"host:socket-of-GPU4", "host:switch-of-GPU4"}));
}

TEST(ImportFiles, PingAndIperf3TogetherGiveAFabric) {
    ImportOptions options;
    options.from = "here";
    options.to = "there";
    measure::Raw raw = good("iperf3", "iperf3.json", options).raw;
    std::erase_if(raw.samples,
                  [](const Sample& sample) { return sample.pattern == Pattern::kPing; });
    measure::append(raw, good("ping", "ping.txt", options).raw);
    Sample back = raw.samples[0];
    std::swap(back.from, back.to);
    raw.samples.push_back(back);
    const auto fabric = measure::to_fabric(measure::fit_links(raw, {}), {});
    ASSERT_TRUE(fabric);
    EXPECT_NEAR(fabric->alpha_ms(0, 1), 96.2 / 2, 1e-9);  // the median round trip, halved
    EXPECT_NEAR(fabric->beta_gbps(0, 1), 0.2, 1e-9);
}

TEST(ImportFiles, SeveralFilesAreOneCampaignThatReadsBack) {
    const std::vector<SourceText> files = {{"one", fixture("osu-latency.txt")},
                                           {"two", fixture("osu-bw.txt")}};
    const auto imported = import_files(*find_import_format("osu"), files, {});
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_EQ(imported->raw.samples.size(), 7U);
    EXPECT_NE(imported->raw.samples.front().task, imported->raw.samples.back().task);
    const auto back = measure::read_raw(measure::to_text(imported->raw), "raw");
    ASSERT_TRUE(back);
    EXPECT_EQ(back->samples.size(), 7U);
    EXPECT_TRUE(back->ended);
    EXPECT_EQ(measure::usable_samples(*back).size(), 7U);
}

}  // namespace
}  // namespace longhaul::interchange
