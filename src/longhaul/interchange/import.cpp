#include "longhaul/interchange/import.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/core/hash.hpp"
#include "longhaul/interchange/detail/readers.hpp"

namespace longhaul::interchange {
namespace {

using Files = std::span<const SourceText>;
using detail::FileReader;

/// A reader of single files as one of a table.
template <FileReader Read>
core::Result<Imported> each(Files files, const ImportOptions& options) {
    return detail::read_each("import", files, options, Read);
}

using FabricReader = core::Result<Imported> (*)(const SourceText&, const ImportOptions&);

template <FabricReader Read>
core::Result<Imported> one(Files files, const ImportOptions& options) {
    if (files.size() != 1) {
        return core::fail({files.empty() ? "" : files[1].name,
                           "",
                           fmt::format("{} files are given", files.size()),
                           "a format that gives a fabric takes one file"});
    }
    return Read(files[0], options);
}

constexpr std::array<ImportFormat, 20> kFormats = {{
    {"nccl-tests",
     "text that sendrecv_perf, gather_perf or scatter_perf of nccl-tests printed",
     "sizes x2",
     "sizes x2",
     "none: ring shift, both ways or fans",
     "--test",
     Gives::kSamples,
     &each<&detail::read_nccl_text>},
    {"nccl-tests-json",
     "the same with -J FILE (version 3)",
     "sizes x2",
     "sizes x2",
     "none: ring shift, both ways or fans",
     "--test",
     Gives::kSamples,
     &each<&detail::read_nccl_json>},
    {"iperf3",
     "iperf3 --json, TCP, run for a time (-t)",
     "half the least round trip under load",
     "bytes that the receiver counted",
     "yes, -R and --bidir too",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_iperf3>},
    {"perftest",
     "ib_*_bw and ib_*_lat, text or --out_json",
     "ib_*_lat",
     "ib_*_bw; ib_*_lat over sizes",
     "bw: client to server; lat: half a round trip",
     "--from --to --unit",
     Gives::kSamples,
     &each<&detail::read_perftest>},
    {"osu",
     "osu_latency, osu_bw, osu_bibw of the OSU micro-benchmarks",
     "osu_latency",
     "osu_bw, osu_bibw; osu_latency over sizes",
     "bw: first rank to second; latency: half a round trip",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_osu>},
    {"ping",
     "ping (iputils, BusyBox), single replies or summary",
     "half the round trip",
     "",
     "no",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_ping>},
    {"sockperf",
     "sockperf ping-pong",
     "half the round trip",
     "",
     "no",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_sockperf>},
    {"qperf",
     "qperf tcp_lat, tcp_bw",
     "tcp_lat",
     "tcp_bw",
     "bw: client to server",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_qperf>},
    {"netperf",
     "netperf omni output, KEY=value lines (-- -k ...)",
     "TCP_RR",
     "TCP_STREAM",
     "yes (DIRECTION)",
     "--from --to",
     Gives::kSamples,
     &each<&detail::read_netperf>},
    {"deepspeed",
     "raw result of DeepSpeed's calibrate_links as JSON",
     "sizes of the file",
     "sizes of the file",
     "yes; both ways, fans and relay too",
     "",
     Gives::kSamples,
     &each<&detail::read_deepspeed>},
    {"skyplane",
     "Skyplane's throughput.csv and latency.csv",
     "half of avg_rtt",
     "throughput_received (or _recieved)",
     "yes",
     "",
     Gives::kSamples,
     &each<&detail::read_skyplane>},
    {"intercloud",
     "results.csv of intercloud-throughput",
     "half of avgrtt",
     "bitrate_Bps (bytes)",
     "yes",
     "",
     Gives::kSamples,
     &each<&detail::read_intercloud>},
    {"fabric",
     "a fabric, plain or longhaul.fabric/1; --unit gibit converts its bandwidths",
     "alpha_ms",
     "beta_gbps",
     "yes",
     "--unit",
     Gives::kFabric,
     &one<&detail::read_plain_fabric>},
    {"dtfm",
     "delay_bandwidth_dict of DT-FM's config.py; --devices N a region, --unit gibit",
     "delay",
     "bandwidth",
     "no",
     "--unit --devices",
     Gives::kFabric,
     &one<&detail::read_dtfm>},
    {"simgrid",
     "SimGrid platform XML (version 4): zones, hosts, links, routes, clusters",
     "latencies of the route",
     "narrowest link of the route",
     "yes",
     "",
     Gives::kFabric,
     &one<&detail::read_simgrid>},
    {"simgrid-calibration",
     "SimGrid's calibration of a link (bandwidth_base, latency_base, seg)",
     "latency_base",
     "bandwidth_base",
     "no",
     "--from --to",
     Gives::kFabric,
     &one<&detail::read_simgrid_calibration>},
    {"astra-sim",
     "ASTRA-sim network YAML (topology, npus_count, bandwidth, latency)",
     "latency of links x links",
     "narrowest dimension",
     "no",
     "--unit",
     Gives::kFabric,
     &one<&detail::read_astra>},
    {"hpcc",
     "topology.txt of ns-3 HPCC",
     "delays of the links",
     "narrowest link",
     "no",
     "",
     Gives::kFabric,
     &one<&detail::read_hpcc>},
    {"nccl-topology",
     "NCCL topology XML (NCCL_TOPO_DUMP_FILE)",
     "",
     "",
     "no",
     "--from",
     Gives::kGroups,
     &each<&detail::read_nccl_topology>},
    {"nvidia-topology",
     "text of nvidia-smi topo -m",
     "",
     "",
     "no",
     "--from",
     Gives::kGroups,
     &each<&detail::read_nvidia_topology>},
}};

/// Names of hosts and paths go into JSON, so they must be text.
core::Diagnostics bad_text(Files files) {
    core::Diagnostics problems;
    for (const SourceText& file : files) {
        const std::size_t at = core::first_invalid_utf8(file.text);
        if (at != std::string_view::npos) {
            problems.push_back({file.name,
                                fmt::format("byte {}", at),
                                "is not UTF-8",
                                "give a text file; binary files are not read"});
        }
    }
    return problems;
}

/// Options that were given although the format does not use them.
core::Diagnostics unused(const ImportFormat& format, const ImportOptions& options) {
    const std::array<std::pair<std::string_view, bool>, 5> given = {
        {{"--from", !options.from.empty()},
         {"--to", !options.to.empty()},
         {"--test", !options.test.empty()},
         {"--unit", !options.unit.empty()},
         {"--devices", options.devices.has_value()}}};
    core::Diagnostics problems;
    for (const auto& [name, set] : given) {
        const bool used = fmt::format(" {} ", format.options).find(fmt::format(" {} ", name)) !=
                          std::string::npos;
        if (set && !used) {
            problems.push_back(
                {std::string(name),
                 "",
                 fmt::format("the format {} does not use it", format.name),
                 format.options.empty()
                     ? std::string("it has no such options: leave it out")
                     : fmt::format("leave it out; this format takes {}", format.options)});
        }
    }
    return problems;
}

/// The same files give the same id.
std::string run_id(const ImportFormat& format, Files files) {
    std::string all;
    for (const SourceText& file : files) {
        all += file.text;
    }
    return fmt::format("{}-{}", format.name, core::sha256_hex(all).substr(0, 12));
}

}  // namespace

std::span<const ImportFormat> import_formats() {
    return kFormats;
}

const ImportFormat* find_import_format(std::string_view name) {
    const auto* const found = std::ranges::find(kFormats, name, &ImportFormat::name);
    return found == kFormats.end() ? nullptr : &*found;
}

core::Result<Imported> import_files(const ImportFormat& format,
                                    Files files,
                                    const ImportOptions& options) {
    if (core::Diagnostics problems = unused(format, options); !problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    if (core::Diagnostics problems = bad_text(files); !problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    core::Result<Imported> imported = format.read(files, options);
    if (imported && !imported->fabric) {
        measure::RunRecord run;
        run.run = run_id(format, files);
        run.tool = fmt::format("longhaul measure import {}", format.name);
        imported->raw.runs.push_back(std::move(run));
        imported->raw.ended = true;
    }
    return imported;
}

}  // namespace longhaul::interchange
