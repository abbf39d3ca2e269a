// SimGrid platform, version 4.1. Formats' facts: SimGrid's reference of the XML platform format.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/interchange/detail/writers.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr std::size_t kMostSimgridDevices = 1024;

/// Bytes a second of Gbit/s, shortest form that reads back equal.
std::string bytes_per_second(double gbps) {
    return fmt::format("{}Bps", gbps * 1e9 / 8);
}

/// Names of the shared links that a transfer loads: one a resource and direction.
std::string shared_links(const std::vector<std::vector<int>>& sides, std::size_t i, std::size_t j) {
    std::string text;
    for (std::size_t r = 0; r < sides.size(); ++r) {
        const int from = sides[r][i];
        const int to = sides[r][j];
        if (from != 0 && to != 0 && from != to) {
            text += fmt::format("<link_ctn id=\"shared-{}-{}\"/>", r, from == 1 ? "out" : "back");
        }
    }
    return text;
}

}  // namespace

core::Result<Exported> write_simgrid(const fabric::Fabric& fabric, const std::string& name) {
    if (auto few = few_enough(fabric, name, kMostSimgridDevices); !few) {
        return tl::unexpected(few.error());
    }
    const fabric::FabricParts& parts = fabric.parts();
    const std::size_t n = fabric.size();
    std::string text =
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n  <zone id=\"fabric\" routing=\"Full\">\n";
    for (std::size_t i = 0; i < n; ++i) {
        text += fmt::format(
            "    <host id=\"device{}\" speed=\"1Gf\"><prop id=\"label\" value=\"{}\"/></host>\n",
            i,
            xml_escaped(parts.labels[i]));
    }
    for (std::size_t r = 0; r < parts.shared.size(); ++r) {
        for (const char* way : {"out", "back"}) {
            text += fmt::format("    <link id=\"shared-{}-{}\" bandwidth=\"{}\" latency=\"0s\"/>\n",
                                r,
                                way,
                                bytes_per_second(parts.shared[r].gbps));
        }
    }
    std::string routes;
    const std::vector<std::vector<int>> sides = fabric.shared_sides();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j) {
                continue;
            }
            text += fmt::format("    <link id=\"l{}-{}\" bandwidth=\"{}\" latency=\"{}s\"/>\n",
                                i,
                                j,
                                bytes_per_second(parts.beta_gbps(i, j)),
                                parts.alpha_ms(i, j) / 1000);
            routes += fmt::format(
                "    <route src=\"device{}\" dst=\"device{}\" symmetrical=\"NO\"><link_ctn "
                "id=\"l{}-{}\"/>{}</route>\n",
                i,
                j,
                i,
                j,
                shared_links(sides, i, j));
        }
    }
    text += routes + "  </zone>\n</platform>\n";
    return Exported{
        std::move(text),
        {"simulate with --cfg=network/model:CM02 --cfg=network/latency-factor:1 "
         "--cfg=network/bandwidth-factor:1 --cfg=network/weight-S:0 --cfg=network/TCP-gamma:0 "
         "--cfg=network/crosstraffic:0, so "
         "that a message takes alpha + size / beta; SimGrid's defaults add its own factors"}};
}

}  // namespace longhaul::interchange::detail
