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

/// Name of the link of a shared capacity that a transfer from side 1 loads, or one from side 2; ""
/// where that direction has no limit.
std::string shared_link(const fabric::SharedCapacity& resource, std::size_t number, bool there) {
    const double gbps = there ? resource.there_gbps : resource.back_gbps;
    if (gbps == fabric::SharedCapacity::kNoLimit) {
        return "";
    }
    return fmt::format("shared-{}-{}", number, !resource.duplex ? "both" : there ? "out" : "back");
}

/// The links of shared capacities: one a direction, or one for both (half duplex), whose traffic
/// adds up. The name and the places are kept for longhaul.
std::string shared_link_elements(const std::vector<fabric::SharedCapacity>& shared) {
    std::string text;
    for (std::size_t r = 0; r < shared.size(); ++r) {
        for (const bool there : {true, false}) {
            const std::string id = shared_link(shared[r], r, there);
            if (!id.empty() && (there || shared[r].duplex)) {
                text += fmt::format(
                    "    <link id=\"{}\" bandwidth=\"{}\" latency=\"0s\"><prop id=\"shared\" "
                    "value=\"{}\"/></link>\n",
                    id,
                    bytes_per_second(there ? shared[r].there_gbps : shared[r].back_gbps),
                    xml_escaped(shared[r].name));
            }
        }
    }
    return text;
}

/// Names of the shared links that a transfer loads.
std::string shared_links(const std::vector<fabric::SharedCapacity>& shared,
                         const std::vector<std::vector<int>>& sides,
                         std::size_t i,
                         std::size_t j) {
    std::string text;
    for (std::size_t r = 0; r < sides.size(); ++r) {
        const int from = sides[r][i];
        const int to = sides[r][j];
        const std::string id = shared_link(shared[r], r, from == 1);
        if (from != 0 && to != 0 && from != to && !id.empty()) {
            text += fmt::format("<link_ctn id=\"{}\"/>", id);
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
        const std::string host = parts.devices.empty() ? "" : parts.devices[i].host;
        text += fmt::format(
            "    <host id=\"device{}\" speed=\"1Gf\"><prop id=\"label\" value=\"{}\"/>{}</host>\n",
            i,
            xml_escaped(parts.labels[i]),
            host.empty() ? "" : fmt::format("<prop id=\"host\" value=\"{}\"/>", xml_escaped(host)));
    }
    text += shared_link_elements(parts.shared);
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
                shared_links(parts.shared, sides, i, j));
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
