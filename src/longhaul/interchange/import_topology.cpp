// Simulators' descriptions: ASTRA-sim's network YAML and the topology.txt of ns-3/HPCC.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/routes.hpp"
#include "longhaul/interchange/detail/yaml.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using core::Grid;

constexpr int kMostTopologyNodes = 2048;
constexpr double kGbitOfGibibyte = 8 * 1.073741824;

// ---- ASTRA-sim
// -----------------------------------------------------------------------------------

/// One dimension of the network: `npus` devices joined by one building block.
struct Dimension {
    std::string block;  ///< "ring", "switch", "fullyconnected"
    int npus = 1;
    double gbps = 1;
    double latency_ms = 0;  ///< of a link
};

/// Entry i of a list, or nothing after a report.
std::optional<Cursor> astra_entry(const Cursor& root,
                                  std::string_view key,
                                  std::size_t i,
                                  std::size_t count) {
    const auto list = root.find(key);
    if (!list || list->value().kind != core::Value::Kind::kArray) {
        return std::nullopt;
    }
    if (list->value().size() != count) {
        if (i == 0) {
            list->report(
                fmt::format("has {} entries, topology has {}", list->value().size(), count),
                "give one entry a dimension");
        }
        return std::nullopt;
    }
    return list->item(i);
}

std::vector<Dimension> astra_dimensions(const Cursor& root, double gbit_of_unit) {
    std::vector<Dimension> dimensions;
    const auto topology = root.require("topology", "one building block a dimension");
    for (const std::string_view key : {"npus_count", "bandwidth", "latency"}) {
        if (const auto list = root.require(key, "one number a dimension")) {
            static_cast<void>(list->is_array());
        }
    }
    if (!topology || !topology->is_array()) {
        return dimensions;
    }
    const std::size_t count = topology->value().size();
    for (std::size_t i = 0; i < count; ++i) {
        Dimension dimension;
        dimension.block = lower(topology->item(i).string().value_or(""));
        if (dimension.block != "ring" && dimension.block != "switch" &&
            dimension.block != "fullyconnected") {
            topology->item(i).report("is no building block that is known",
                                     "Ring, Switch and FullyConnected are read");
        }
        const auto npus = astra_entry(root, "npus_count", i, count);
        const auto rate = astra_entry(root, "bandwidth", i, count);
        const auto latency = astra_entry(root, "latency", i, count);
        dimension.npus = npus ? npus->integer(1, kMostTopologyNodes).value_or(1) : 1;
        dimension.gbps = rate ? rate->positive_number().value_or(1) * gbit_of_unit : 1;
        dimension.latency_ms = latency ? latency->number_at_least(0).value_or(0) * 1e-6 : 0;
        dimensions.push_back(dimension);
    }
    return dimensions;
}

/// Links between two places of a building block. Sources: ASTRA-sim's analytical back end; a switch
/// is two links away, a ring goes the shorter way round.
int hops(const Dimension& dimension, int a, int b) {
    if (dimension.block == "ring") {
        const int distance = std::abs(a - b);
        return std::min(distance, dimension.npus - distance);
    }
    return dimension.block == "switch" ? 2 : 1;
}

/// Device numbers count through the first dimension fastest.
Way astra_way(const std::vector<Dimension>& dimensions, int a, int b) {
    Way way;
    for (const Dimension& dimension : dimensions) {
        const int x = a % dimension.npus;
        const int y = b % dimension.npus;
        if (x != y) {
            const int links = hops(dimension, x, y);
            way.add({links * dimension.latency_ms, dimension.gbps, links, {}});
        }
        a /= dimension.npus;
        b /= dimension.npus;
    }
    return way;
}

// ---- HPCC
// ----------------------------------------------------------------------------------------

struct HpccNetwork {
    int nodes = 0;
    std::vector<char> is_switch;
    std::vector<std::vector<Edge>> graph;
};

std::optional<int> node_of(std::string_view word,
                           int nodes,
                           const Line& line,
                           const Report& report) {
    const auto number = number_of(word);
    if (!number || *number < 0 || *number >= nodes || *number != std::floor(*number)) {
        report.at(line.number,
                  fmt::format("{} is no node", core::shown(word)),
                  fmt::format("nodes are whole numbers from 0 to {}", nodes - 1));
        return std::nullopt;
    }
    return static_cast<int>(*number);
}

/// "src dst 100Gbps 0.001ms 0": a link that carries both directions at once.
void read_link_line(const Line& line, HpccNetwork& network, const Report& report) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.size() < 4) {
        report.at(
            line.number,
            fmt::format("has {} columns", words.size()),
            "a link is 'source destination rate delay error', such as '0 4 100Gbps 0.001ms 0'");
        return;
    }
    const auto a = node_of(words[0], network.nodes, line, report);
    const auto b = node_of(words[1], network.nodes, line, report);
    const auto rate = measure_of(words[2]);
    const auto delay = measure_of(words[3]);
    const auto rate_unit = rate ? gbps_of_rate_unit(rate->unit) : std::nullopt;
    const auto delay_unit = delay ? seconds_of_unit(delay->unit) : std::nullopt;
    if (!rate_unit || rate->value <= 0 || !delay_unit || delay->value < 0) {
        report.at(line.number,
                  fmt::format("rate {} or delay {} has no number or unit",
                              core::shown(words[2]),
                              core::shown(words[3])),
                  "write them like 100Gbps and 0.001ms");
        return;
    }
    if (a && b && *a != *b) {
        const Way way{delay->value * *delay_unit * 1000, rate->value * *rate_unit, 1, {}};
        network.graph[*a].push_back({*b, way});
        network.graph[*b].push_back({*a, way});
    }
}

/// Counts on line 1, switches on line 2, then one link a line.
HpccNetwork read_network(const SourceText& file, const Report& report) {
    HpccNetwork network;
    std::vector<Line> lines = lines_of(file.text);
    std::erase_if(lines, [](const Line& line) { return trimmed(line.text).empty(); });
    const std::vector<std::string_view> counts =
        lines.empty() ? std::vector<std::string_view>() : words_of(lines[0].text);
    const auto nodes = counts.size() == 3 ? number_of(counts[0]) : std::nullopt;
    const auto switches = counts.size() == 3 ? number_of(counts[1]) : std::nullopt;
    const auto links = counts.size() == 3 ? number_of(counts[2]) : std::nullopt;
    if (!nodes || !switches || !links || *nodes < 1 || *nodes > kMostTopologyNodes ||
        *switches < 0 || *switches > *nodes || *links < 0 || *links > 1e7) {
        report.at(
            1,
            "is not 'nodes switches links'",
            fmt::format("line 1 holds three whole numbers, at most {} nodes", kMostTopologyNodes));
        return network;
    }
    network.nodes = static_cast<int>(*nodes);
    network.is_switch.assign(network.nodes, 0);
    network.graph.resize(network.nodes);
    std::size_t next = 1;
    if (*switches > 0 && lines.size() > 1) {
        for (const std::string_view word : words_of(lines[next].text)) {
            if (const auto node = node_of(word, network.nodes, lines[next], report)) {
                network.is_switch[*node] = 1;
            }
        }
        ++next;
    }
    const auto stated = static_cast<std::size_t>(*links);
    if (std::ranges::count(network.is_switch, 1) != static_cast<int>(*switches)) {
        report.at(2, "does not list as many switches as line 1 says", "list every switch once");
    }
    if (lines.size() - std::min(next, lines.size()) != stated) {
        report.whole(fmt::format("has {} links, line 1 says {}",
                                 lines.size() - std::min(next, lines.size()),
                                 stated),
                     "give the whole file");
    }
    for (std::size_t i = next; i < lines.size(); ++i) {
        read_link_line(lines[i], network, report);
    }
    return network;
}

fabric::FabricParts hpcc_parts(const HpccNetwork& network, const Report& report) {
    std::vector<int> hosts;
    std::vector<char> forwards(network.nodes, 0);
    for (int node = 0; node < network.nodes; ++node) {
        forwards[node] = network.is_switch[node];
        if (network.is_switch[node] == 0) {
            hosts.push_back(node);
        }
    }
    const std::size_t n = hosts.size();
    Grid<double> alpha(n, n, 0);
    Grid<double> beta(n, n, 0);
    fabric::FabricParts parts;
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<Way> ways = ways_from(network.graph, forwards, hosts[i]);
        parts.labels.push_back(fmt::format("node{}", hosts[i]));
        for (std::size_t j = 0; j < n; ++j) {
            const Way& way = ways[hosts[j]];
            if (way.links < 0) {
                report.whole(
                    fmt::format("no links lead from node {} to node {}", hosts[i], hosts[j]),
                    "join all nodes that are no switches");
            } else if (i != j) {
                alpha(i, j) = way.alpha_ms;
                beta(i, j) = way.beta_gbps;
            }
        }
    }
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    return parts;
}

}  // namespace

core::Result<Imported> read_astra(const SourceText& file, const ImportOptions& options) {
    const auto document = parse_yaml(file.text, file.name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    if (!options.unit.empty() && options.unit != "gb" && options.unit != "gib") {
        root.report("--unit is " + core::shown(options.unit),
                    "it must be gb or gib bytes a second");
    }
    const bool decimal = options.unit == "gb";
    const std::vector<Dimension> dimensions = astra_dimensions(root, decimal ? 8 : kGbitOfGibibyte);
    double count = 1;
    for (const Dimension& dimension : dimensions) {
        count *= dimension.npus;
    }
    if (problems.empty() && (dimensions.empty() || count > kMostTopologyNodes)) {
        root.report(fmt::format("has {} devices", dimensions.empty() ? 0 : count),
                    fmt::format("from 1 to {} can be read", kMostTopologyNodes));
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const auto n = static_cast<std::size_t>(count);
    Grid<double> alpha(n, n, 0);
    Grid<double> beta(n, n, 0);
    fabric::FabricParts parts;
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back(fmt::format("npu{}", static_cast<int>(i) / dimensions[0].npus));
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                const Way way = astra_way(dimensions, static_cast<int>(i), static_cast<int>(j));
                alpha(i, j) = way.alpha_ms;
                beta(i, j) = way.beta_gbps;
            }
        }
    }
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    parts.provenance = "ASTRA-sim network " + file.name;
    return as_fabric(
        std::move(parts),
        file.name,
        {fmt::format("a GB/s of ASTRA-sim is taken as {} bytes a second; --unit {} "
                     "takes the other",
                     decimal ? "10^9" : "2^30 (what its analytical back end computes with)",
                     decimal ? "gib" : "gb"),
         "a switch is two links away: latencies of Switch count twice"});
}

core::Result<Imported> read_hpcc(const SourceText& file, const ImportOptions& /*options*/) {
    core::Diagnostics problems;
    const Report report(file.name, problems);
    const HpccNetwork network = read_network(file, report);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    fabric::FabricParts parts = hpcc_parts(network, report);
    if (problems.empty() && parts.labels.empty()) {
        report.whole("all nodes are switches", "at least one node must be a host");
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    parts.provenance = "HPCC topology " + file.name;
    return as_fabric(std::move(parts),
                     file.name,
                     {"links are the same in both directions; of equally short ways one is taken",
                      "links that several pairs share are not kept as shared capacity"});
}

}  // namespace longhaul::interchange::detail
