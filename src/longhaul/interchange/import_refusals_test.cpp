// What importers must refuse, each with the words that tell why. Good fixtures with one change.
#include <gtest/gtest.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/detail/test_files.hpp"

namespace longhaul::interchange {
namespace {

struct Refusal {
    const char* format;
    const char* name;  ///< fixture
    std::string from;  ///< text that is replaced; empty: cut the file at `to` bytes
    std::string to;
    const char* expected;  ///< words of the message
};

std::vector<Refusal> refusals() {
    return {
        {"nccl-tests", "nccl-sendrecv.txt", "sendrecv_perf", "all_reduce_perf", "is no link"},
        {"nccl-tests", "nccl-sendrecv.txt", "sendrecv_perf", "alltoall_perf", "is no link"},
        {"nccl-tests",
         "nccl-sendrecv.txt",
         "# Collective test starting: sendrecv_perf",
         "#",
         "--test"},
        {"nccl-tests",
         "nccl-sendrecv.txt",
         "    20.48    0.05",
         "    20.48",
         "size, time and root"},
        {"nccl-tests", "nccl-sendrecv.txt", "20.48", "nan", "line 14: size, time and root"},
        {"nccl-tests", "nccl-sendrecv.txt", "20.48", "0.00", "must be above 0"},
        {"nccl-tests", "nccl-sendrecv.txt", "#       size ", "# no size ", "has no head"},
        {"nccl-tests", "nccl-both-ways.txt", "#  Rank  1", "#", "needs two ranks"},
        {"nccl-tests-json", "nccl-scatter.json", "", "700", "file: line"},
        {"nccl-tests-json", "nccl-scatter.json", "\"version\": 3", "\"version\": 2", "version 3"},
        {"nccl-tests-json", "nccl-scatter.json", "\"config\"", "\"setup\"", "version 3"},
        {"nccl-tests-json", "nccl-scatter.json", "scatter_perf", "all_gather_perf", "is no link"},
        {"nccl-tests-json",
         "nccl-scatter.json",
         "{\"time\": 80.0",
         "{\"cpu_time\": 80.0",
         "without -C"},
        {"nccl-tests-json", "nccl-scatter.json", "\"root\": 1", "\"root\": 9", "root is 9"},
        {"iperf3",
         "iperf3.json",
         "{\n  \"start\"",
         "Connecting to host b, port 5201",
         "with --json"},
        {"iperf3", "iperf3.json", "", "900", "file: line"},
        {"iperf3",
         "iperf3.json",
         "{\n  \"start\"",
         "{\"error\": \"no route\", \"start\"",
         "no route"},
        {"iperf3", "iperf3.json", "\"bytes\": 0", "\"bytes\": 1048576", "times no message"},
        {"iperf3", "iperf3.json", "\"blocks\": 0", "\"blocks\": 10", "times no message"},
        {"iperf3", "iperf3.json", "\"TCP\"", "\"UDP\"", "without -u"},
        {"iperf3", "iperf3.json", "\"sum_received\"", "\"sum_other\"", "sum_received"},
        {"iperf3", "iperf3.json", "250000000", "\"nan\"", "bytes"},
        {"iperf3", "iperf3.json", "\"local_host\": \"10.0.0.1\", ", "", "--from"},
        {"perftest", "ib-write-bw.txt", "BW average[MiB/sec]", "BW average[x]", ""},
        {"perftest", "ib-write-bw.txt", "#bytes     #iterations", "bytes iterations", ""},
        {"perftest", "ib-write-bw.txt", "11700.00", "nan", "line 12: BW average"},
        {"perftest", "ib-write-bw.json", "{", "{", "--unit mib"},
        {"perftest", "ib-read-lat.json", "\"MsgSize\": 2, ", "", "MsgSize"},
        {"osu",
         "osu-latency.txt",
         "OSU MPI Latency",
         "OSU MPI Allreduce Latency",
         "no measurement of one link"},
        {"osu", "osu-latency.txt", "# OSU", "# other", "has no title"},
        {"osu", "osu-latency.txt", "3.25", "nan", "line 5"},
        {"osu",
         "osu-bw.txt",
         "MPI Bandwidth Test",
         "MPI Multiple Bandwidth / Message Rate Test",
         "no measurement"},
        {"ping", "ping.txt", "time=95.8 ms", "", "line 3: has no time"},
        {"ping", "ping.txt", "PING", "GNIP", "has no line"},
        {"ping", "ping-summary.txt", "120.5/124.0/131.0", "nan/nan/nan", "not numbers"},
        {"ping",
         "ping-summary.txt",
         "round-trip min/avg/max = 120.5/124.0/131.0 ms",
         "",
         "answered no ping"},
        {"sockperf", "sockperf.txt", "Summary: Latency is", "Summary: BandWidth is", "iperf3"},
        {"qperf", "qperf.txt", "1.25 GB/sec", "nan GB/sec", "bandwidth is not"},
        {"qperf", "qperf.txt", "us", "fortnights", "latency is not"},
        {"netperf", "netperf.txt", "10^6bits/s", "furlongs", "unit of THROUGHPUT"},
        {"netperf", "netperf.txt", "THROUGHPUT=941.25", "THROUGHPUT=nan", "no THROUGHPUT"},
        {"deepspeed", "deepspeed-calibration.json", "", "600", "file: line"},
        {"deepspeed",
         "deepspeed-calibration.json",
         "\"seconds\": 5.4e-05",
         "\"seconds\": \"nan\"",
         "peer[0].seconds"},
        {"deepspeed",
         "deepspeed-calibration.json",
         "\"seconds\": 5.4e-05",
         "\"seconds\": -1",
         "peer[0].seconds"},
        {"deepspeed", "deepspeed-calibration.json", "\"peers\": [1, 2], ", "", "peers"},
        {"deepspeed",
         "deepspeed-calibration.json",
         "[7.0e-05, 9.0e-05]",
         "[7.0e-05]",
         "one a peer"},
        {"deepspeed",
         "deepspeed-calibration.json",
         "\"from_process\": 1",
         "\"from_process\": 1.5",
         "from_process"},
        {"skyplane",
         "skyplane-throughput.csv",
         "throughput_received",
         "other",
         "throughput_received"},
        {"skyplane", "skyplane-throughput.csv", "dst_region", "other", "no column dst_region"},
        {"skyplane", "skyplane-throughput.csv", ",7.6,True", ",7.6", "line 2: has 12 cells"},
        {"skyplane",
         "skyplane-throughput.csv",
         "4800000000.0",
         "-5",
         "line 2: throughput_received"},
        {"skyplane", "skyplane-latency.csv", "92.548", "inf", "avg_rtt"},
        {"intercloud", "intercloud.csv", "bitrate_Bps", "bitrate", "bitrate_Bps"},
        {"intercloud", "intercloud.csv", "75000000.0", "fast", "bitrate_Bps is"},
        {"dtfm",
         "dtfm-config.py",
         "    \"Alpha-Gamma\": (49, 1.10),\n",
         "",
         "Alpha-Gamma is missing"},
        {"dtfm", "dtfm-config.py", "(67, 0.79)", "(67)", "line 4"},
        {"dtfm", "dtfm-config.py", "}", "", "has no end"},
        {"dtfm", "dtfm-config.py", "0.79", "nan", "line 4"},
        {"dtfm", "dtfm-config.py", "0.79", "0", "beta_gbps"},
        {"dtfm", "dtfm-config.py", "delay_bandwidth_dict", "other", "delay_bandwidth_dict"},
        {"simgrid", "simgrid-platform.xml", "", "900", "well-formed"},
        {"simgrid", "simgrid-platform.xml", "125MBps", "125", ""},
        {"simgrid", "simgrid-platform.xml", "125MBps", "nan", "line 10: bandwidth"},
        {"simgrid", "simgrid-platform.xml", "125MBps", "125 apples", "bandwidth"},
        {"simgrid", "simgrid-platform.xml", "0.5ms", "-1ms", "latency"},
        {"simgrid",
         "simgrid-platform.xml",
         "<link_ctn id=\"la\"/>",
         "<link_ctn id=\"zz\"/>",
         "no link \"zz\""},
        {"simgrid",
         "simgrid-platform.xml",
         "<router id=\"gate\"/>",
         "<peer id=\"gate\"/>",
         "<\"peer\"> is not read"},
        {"simgrid",
         "simgrid-platform.xml",
         "<route src=\"b\" dst=\"gate\"><link_ctn id=\"lb\" direction=\"UP\"/></route>",
         "",
         "no route from"},
        {"simgrid", "simgrid-platform.xml", "routing=\"Floyd\"", "routing=\"Vivaldi\"", "Vivaldi"},
        {"simgrid",
         "simgrid-platform.xml",
         "radical=\"0-1,4\"",
         "radical=\"0-99999999\"",
         "radical"},
        {"simgrid", "simgrid-platform.xml", "<host id=\"b\"", "<host id=\"a\"", "twice"},
        {"simgrid-calibration",
         "simgrid-calibration.json",
         "latency_base",
         "other",
         "latency_base"},
        {"simgrid-calibration", "simgrid-calibration.json", "12500000000.0", "0", "bandwidth_base"},
        {"astra-sim", "astra-sim.yml", "[400.0, 50]", "[400.0]", "bandwidth: has 1 entries"},
        {"astra-sim", "astra-sim.yml", "400.0", ".nan", "bandwidth[0]"},
        {"astra-sim", "astra-sim.yml", "Switch", "Torus", "topology[0]"},
        {"astra-sim", "astra-sim.yml", "latency", "delay", "latency"},
        {"astra-sim", "astra-sim.yml", "[2, 4]", "[2, 4", "well-formed"},
        {"astra-sim", "astra-sim.yml", "[2, 4]", "[2000, 2000]", "devices"},
        {"hpcc", "hpcc-topology.txt", "6 2 6", "6 2 7", "line 1 says 7"},
        {"hpcc", "hpcc-topology.txt", "6 2 6", "6 3 6", "as many switches"},
        {"hpcc", "hpcc-topology.txt", "100Gbps", "nanGbps", "line 4: rate"},
        {"hpcc", "hpcc-topology.txt", "100Gbps", "100", "line 4: rate"},
        {"hpcc", "hpcc-topology.txt", "0 4 100Gbps 0.001ms 0", "0 4", "line 4: has 2 columns"},
        {"hpcc", "hpcc-topology.txt", "0 4 100Gbps", "0 9 100Gbps", "no node"},
        {"hpcc", "hpcc-topology.txt", "0 4 100Gbps", "1 4 100Gbps", "no links lead"},
        {"nccl-topology", "nccl-topology.xml", "", "500", "well-formed"},
        {"nccl-topology",
         "nccl-topology.xml",
         "<system version=\"1\">",
         "<system version=\"1\"><x>",
         "well-formed"},
        {"nvidia-topology", "nvidia-smi-topo.txt", "", "20", "no matrix"},
        {"nvidia-topology", "nvidia-smi-topo.txt", "NV4", "FAR", "FAR"},
    };
}

std::string changed(const Refusal& refusal) {
    std::string text = fixture(refusal.name);
    if (refusal.from.empty()) {
        return text.substr(0, std::stoul(refusal.to));
    }
    const std::size_t at = text.find(refusal.from);
    EXPECT_NE(at, std::string::npos) << refusal.name << ": " << refusal.from;
    return at == std::string::npos ? text : text.replace(at, refusal.from.size(), refusal.to);
}

TEST(ImportRefusals, EachSaysWhatIsWrongAndWhere) {
    for (const Refusal& refusal : refusals()) {
        const std::string change = refusal.from + " -> " + refusal.to;
        const auto imported = import_text(refusal.format, changed(refusal));
        if (std::string(refusal.expected).empty()) {
            continue;  // a change that another test looks at
        }
        EXPECT_FALSE(imported) << refusal.name << ": " << change;
        const std::string problems = problems_of(imported);
        EXPECT_NE(problems.find(refusal.expected), std::string::npos)
            << refusal.name << ": " << change << "\n"
            << problems;
    }
}

/// Every fixture cut anywhere gives a result or problems, never a crash.
TEST(ImportRefusals, FilesThatAreCutOffNeverCrash) {
    std::string seen;
    for (const Refusal& refusal : refusals()) {
        if (seen.find(refusal.name) != std::string::npos) {
            continue;
        }
        seen += refusal.name;
        const std::string text = fixture(refusal.name);
        for (std::size_t size = 0; size < text.size(); size += 37) {
            const auto imported = import_text(refusal.format, text.substr(0, size));
            EXPECT_TRUE(imported || !imported.error().empty());
        }
    }
}

TEST(ImportRefusals, BytesThatAreNoTextAreRefused) {
    for (const ImportFormat& format : import_formats()) {
        const SourceText file{"file", "\xff\xfe\x00text"};
        const auto imported = format.read({&file, 1}, {});
        EXPECT_NE(problems_of(import_files(format, {&file, 1}, {})).find("not UTF-8"),
                  std::string::npos)
            << format.name;
    }
}

TEST(ImportRefusals, EntityBombsStaySmall) {
    std::string bomb = "<!DOCTYPE system [<!ENTITY a0 \"xxxxxxxxxx\">";
    for (int i = 1; i < 30; ++i) {
        const std::string one = "&a" + std::to_string(i - 1) + ";";
        bomb += "<!ENTITY a" + std::to_string(i) + " \"" + one + one + "\">";
    }
    bomb += "]><system><cpu numaid=\"&a29;\"><gpu dev=\"0\"/></cpu></system>";
    const auto imported = import_text("nccl-topology", bomb);
    ASSERT_TRUE(imported) << problems_of(imported);
    EXPECT_EQ(imported->raw.hosts[0].groups[0], "host:numa&a29;");  // left as it stands
}

TEST(ImportRefusals, DeepNestingIsRefused) {
    std::string xml;
    std::string yaml = "topology: ";
    for (int i = 0; i < 100'000; ++i) {
        xml += "<system>";
        yaml += "[";
    }
    EXPECT_NE(problems_of(import_text("nccl-topology", xml)).find("file"), std::string::npos);
    for (int i = 0; i < 100'000; ++i) {
        xml += "</system>";
    }
    EXPECT_NE(problems_of(import_text("nccl-topology", xml)).find("deeper than 64"),
              std::string::npos);
    EXPECT_FALSE(import_text("astra-sim", yaml));
}

TEST(ImportRefusals, YamlAliasesDoNotMultiply) {
    std::string yaml = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string one = "*a" + std::to_string(i - 1);
        yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) {
            yaml += (j == 0 ? "" : ", ") + one;
        }
        yaml += "]\n";
    }
    EXPECT_NE(problems_of(import_text("astra-sim", yaml)).find("too large"), std::string::npos);
}

TEST(ImportRefusals, FabricsComeFromOneFile) {
    const std::vector<SourceText> files(2, {"file", fixture("astra-sim.yml")});
    EXPECT_NE(
        problems_of(import_files(*find_import_format("astra-sim"), files, {})).find("one file"),
        std::string::npos);
}

/// Places of numbers in a text: first character and length.
std::vector<std::pair<std::size_t, std::size_t>> numbers_in(const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    const auto part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && part(text[end])) {
            ++end;
        }
        if (end > i) {
            places.emplace_back(i, end - i);
        }
        i = std::max(end, i + 1);
    }
    return places;
}

/// Each number of each fixture in turn becomes one that overflows when its unit is applied: the
/// file is refused, or what comes of it can be written and read again.
TEST(ImportRefusals, NumbersThatOverflowNeverGetThrough) {
    const std::vector<std::pair<std::string, std::string>> files = {
        {"astra-sim", "astra-sim.yml"},
        {"deepspeed", "deepspeed-calibration.json"},
        {"dtfm", "dtfm-config.py"},
        {"hpcc", "hpcc-topology.txt"},
        {"perftest", "ib-read-lat.json"},
        {"perftest", "ib-send-lat.txt"},
        {"perftest", "ib-write-bw.json"},
        {"perftest", "ib-write-bw.txt"},
        {"intercloud", "intercloud.csv"},
        {"iperf3", "iperf3.json"},
        {"nccl-tests", "nccl-sendrecv.txt"},
        {"nccl-tests-json", "nccl-scatter.json"},
        {"nccl-topology", "nccl-topology.xml"},
        {"netperf", "netperf.txt"},
        {"nvidia-topology", "nvidia-smi-topo.txt"},
        {"osu", "osu-bibw.txt"},
        {"osu", "osu-latency.txt"},
        {"ping", "ping-summary.txt"},
        {"ping", "ping.txt"},
        {"qperf", "qperf.txt"},
        {"simgrid-calibration", "simgrid-calibration.json"},
        {"simgrid", "simgrid-platform.xml"},
        {"skyplane", "skyplane-throughput.csv"},
        {"sockperf", "sockperf.txt"}};
    for (const auto& [format, name] : files) {
        const std::string text = fixture(name);
        ImportOptions options;
        options.unit = name == "ib-write-bw.json" ? "gbit" : "";
        for (const auto& [start, size] : numbers_in(text)) {
            for (const std::string number : {"1e308", "1e-308", "99999999999999999999"}) {
                std::string changed = text;
                changed.replace(start, size, number);
                const auto imported = import_text(format, changed, options);
                if (imported && imported->fabric) {
                    const std::string json = core::write_json(fabric::to_value(*imported->fabric));
                    EXPECT_TRUE(fabric::read_fabric(json, "f.json")) << name << " at " << start;
                } else if (imported) {
                    const std::string raw = measure::to_text(imported->raw);
                    EXPECT_TRUE(measure::read_raw(raw, "r.jsonl")) << name << " at " << start;
                }
            }
        }
    }
}

TEST(ImportRefusals, OptionsThatAFormatDoesNotUse) {
    const auto problem = [](const std::string& format, const ImportOptions& options) {
        return problems_of(import_text(format, "", options));
    };
    ImportOptions unit;
    unit.unit = "gbit";
    EXPECT_NE(problem("iperf3", unit).find("--unit: the format iperf3 does not use it"),
              std::string::npos);
    ImportOptions devices;
    devices.devices = 1;
    EXPECT_NE(problem("fabric", devices)
                  .find("--devices: the format fabric does not use it; leave "
                        "it out; this format takes --unit"),
              std::string::npos);
    ImportOptions test;
    test.test = "sendrecv";
    EXPECT_NE(problem("ping", test).find("--test"), std::string::npos);
    ImportOptions to;
    to.to = "b";
    EXPECT_NE(problem("nccl-topology", to).find("this format takes --from"), std::string::npos);
    EXPECT_NE(problem("hpcc", to).find("it has no such options"), std::string::npos);
}

}  // namespace
}  // namespace longhaul::interchange
