#include "longhaul/interchange/export_routes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/interchange/detail/writers.hpp"

namespace longhaul::interchange {
namespace {

using topology::Link;
using topology::LinkId;
using topology::NodeId;
using topology::Routes;
using topology::Topology;

constexpr std::uint64_t kMostRows = 2'000'000;
constexpr NodeId kMostSimgridHosts = 512;
constexpr std::size_t kMostPaths = 16;

/// Fails when a format with a line a pair would grow too large.
core::Result<void> few_rows(std::uint64_t rows, std::uint64_t most, const std::string& name) {
    if (rows <= most) {
        return {};
    }
    return core::fail({name,
                       "",
                       fmt::format("needs {} lines", rows),
                       fmt::format("at most {}: export a smaller network", most)});
}

std::vector<std::string> node_names(const Topology& network) {
    std::vector<std::string> names;
    for (NodeId node = 0; node < network.nodes(); ++node) {
        names.push_back(network.name(node));
    }
    return names;
}

core::Result<Exported> write_next_hops(const Routes& routes, const std::string& name) {
    const Topology& network = routes.topology();
    const std::uint64_t rows = std::uint64_t{network.nodes()} * network.endpoints();
    if (auto few = few_rows(rows, kMostRows, name); !few) {
        return tl::unexpected(few.error());
    }
    const std::vector<std::string> names = node_names(network);
    const std::vector<Link> links = network.links();
    Exported exported{"node,destination,next\n", {}};
    for (NodeId node = 0; node < network.nodes(); ++node) {
        for (NodeId to = 0; to < network.endpoints(); ++to) {
            if (node == to) {
                continue;
            }
            std::string next;
            for (const LinkId link : routes.next_links(node, to)) {
                next += (next.empty() ? "" : " ") + names[links[link].to];
            }
            exported.text += fmt::format("{},{},{}\n", names[node], names[to], next);
        }
    }
    if (!network.declaration().policies.empty()) {
        exported.notes.emplace_back("next hops are those of ECMP: policies are not in the table");
    }
    return exported;
}

core::Result<Exported> write_route_paths(const Routes& routes, const std::string& name) {
    const Topology& network = routes.topology();
    const std::uint64_t pairs = std::uint64_t{network.endpoints()} * network.endpoints();
    if (auto few = few_rows(pairs, kMostRows / kMostPaths, name); !few) {
        return tl::unexpected(few.error());
    }
    const std::vector<std::string> names = node_names(network);
    const std::vector<Link> links = network.links();
    Exported exported{"from,to,latency_ms,gbps,path\n", {}};
    bool cut = false;
    for (NodeId from = 0; from < network.endpoints(); ++from) {
        for (NodeId to = 0; to < network.endpoints(); ++to) {
            const Routes::PathList list =
                from == to ? Routes::PathList() : routes.paths(from, to, kMostPaths);
            cut = cut || list.routes.size() == kMostPaths;
            for (const topology::Route& route : list.routes) {
                std::string path = names[from];
                double latency = 0;
                double rate = links[route.links.front()].gbps;
                for (const LinkId link : route.links) {
                    path += " " + names[links[link].to];
                    latency += links[link].latency_ms;
                    rate = std::min(rate, links[link].gbps);
                }
                exported.text += fmt::format(
                    "{},{},{:.9g},{:.9g},{}\n", names[from], names[to], latency, rate, path);
            }
        }
    }
    if (cut) {
        exported.notes.push_back(fmt::format("at most {} paths a pair are listed", kMostPaths));
    }
    return exported;
}

std::string simgrid_route(const Routes& routes, NodeId from, NodeId to) {
    const topology::Route route = routes.path(from, to, topology::pair_flow(from, to));
    if (!route.reachable) {
        return "";
    }
    std::string text =
        fmt::format("    <route src=\"h{}\" dst=\"h{}\" symmetrical=\"NO\">", from, to);
    for (const LinkId link : route.links) {
        text += fmt::format("<link_ctn id=\"l{}\"/>", link);
    }
    return text + "</route>\n";
}

core::Result<Exported> write_route_simgrid(const Routes& routes, const std::string& name) {
    const Topology& network = routes.topology();
    if (network.endpoints() > kMostSimgridHosts) {
        return core::fail({name,
                           "",
                           fmt::format("has {} endpoints", network.endpoints()),
                           fmt::format("at most {} for a route a pair", kMostSimgridHosts)});
    }
    std::string text =
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"Full\">\n";
    for (NodeId host = 0; host < network.endpoints(); ++host) {
        text += fmt::format(
            "    <host id=\"h{}\" speed=\"1Gf\"><prop id=\"label\" value=\"{}\"/></host>\n",
            host,
            detail::xml_escaped(network.name(host)));
    }
    const std::vector<Link> links = network.links();
    for (LinkId link = 0; link < links.size(); ++link) {
        if (!links[link].down) {
            text += fmt::format("    <link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n",
                                link,
                                links[link].gbps * 1e9 / 8,
                                links[link].latency_ms / 1000);
        }
    }
    for (NodeId from = 0; from < network.endpoints(); ++from) {
        for (NodeId to = 0; to < network.endpoints(); ++to) {
            text += from == to ? "" : simgrid_route(routes, from, to);
        }
    }
    Exported exported{text + "  </zone>\n</platform>\n", {}};
    exported.notes.emplace_back(
        "SimGrid has one path a pair: that of one flow; other flows may take others");
    return exported;
}

core::Result<Exported> write_route_hpcc(const Routes& routes, const std::string& name) {
    const Topology& network = routes.topology();
    if (auto few = few_rows(network.undirected_links(), kMostRows, name); !few) {
        return tl::unexpected(few.error());
    }
    const std::vector<Link> links = network.links();
    std::string lines;
    std::size_t up = 0;
    bool directions = false;
    for (std::size_t id = 0; id < links.size(); id += 2) {
        const Link& forth = links[id];
        const Link& back = links[id + 1];
        if (forth.down) {
            continue;
        }
        ++up;
        directions = directions || forth.gbps != back.gbps || forth.latency_ms != back.latency_ms;
        lines += fmt::format("{} {} {}Gbps {}ms 0\n",
                             forth.from,
                             forth.to,
                             2 / (1 / forth.gbps + 1 / back.gbps),
                             (forth.latency_ms + back.latency_ms) / 2);
    }
    std::string switches;
    for (NodeId node = network.endpoints(); node < network.nodes(); ++node) {
        switches += fmt::format("{}{}", switches.empty() ? "" : " ", node);
    }
    Exported exported{fmt::format("{} {} {}\n{}\n{}",
                                  network.nodes(),
                                  network.nodes() - network.endpoints(),
                                  up,
                                  switches,
                                  lines),
                      {}};
    if (directions) {
        exported.notes.emplace_back("HPCC's links are the same in both directions: the mean");
    }
    exported.notes.emplace_back(
        "HPCC routes by hops itself: costs and policies are not in the file");
    return exported;
}

constexpr std::array<RouteFormat, 4> kRouteFormats = {{
    {"table",
     "CSV of next hops: node, destination, all next nodes of ECMP",
     "policies",
     &write_next_hops},
    {"paths",
     "CSV of paths: up to 16 a pair, with latency and slowest link",
     "",
     &write_route_paths},
    {"simgrid",
     "SimGrid platform XML, version 4.1: every link and direction, a route a pair",
     "all paths of a pair but one",
     &write_route_simgrid},
    {"hpcc",
     "topology.txt of ns-3 HPCC, with its switches",
     "directions, costs and policies",
     &write_route_hpcc},
}};

}  // namespace

std::span<const RouteFormat> route_formats() {
    return kRouteFormats;
}

const RouteFormat* find_route_format(std::string_view name) {
    const auto* const found = std::ranges::find(kRouteFormats, name, &RouteFormat::name);
    return found == kRouteFormats.end() ? nullptr : &*found;
}

}  // namespace longhaul::interchange
