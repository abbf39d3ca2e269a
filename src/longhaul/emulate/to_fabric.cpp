#include "longhaul/emulate/to_fabric.hpp"

#include "longhaul/fabric/shared_links.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kMbpsAGbps = 1e3;

/// Resources that several pairs cross, with the rate that their payload has.
std::vector<fabric::SharedLink> links_of(const Wan& wan, double payload) {
    std::vector<fabric::SharedLink> links;
    for (const Resource& resource : wan.resources) {
        links.push_back({resource.name, resource.shape.rate_mbps / kMbpsAGbps * payload, {}});
    }
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        for (std::size_t j = 0; j < wan.hosts.size(); ++j) {
            for (const int resource : i == j ? Path() : wan.path(i, j)) {
                links[resource].pairs.emplace_back(i, j);
            }
        }
    }
    std::erase_if(links, [](const fabric::SharedLink& link) { return link.gbps <= 0; });
    return links;
}

}  // namespace

core::Result<WanFabric> to_fabric(const Wan& wan, const std::string& name) {
    const std::size_t n = wan.hosts.size();
    const double payload = payload_share(wan.mtu, wan.ethernet);
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, kUnlimitedGbps);
    fabric::FabricParts parts;
    for (std::size_t i = 0; i < n; ++i) {
        const Host& host = wan.hosts[i];
        parts.labels.push_back(host.region.empty() ? host.name : host.region);
        fabric::Device device;
        device.host = host.name;
        device.address = address_text(host.address);
        parts.devices.push_back(std::move(device));
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j) {
                continue;
            }
            alpha(i, j) = (delay_ms(wan, wan.path(i, j)) + delay_ms(wan, wan.path(j, i))) / 2;
            if (const double rate = rate_mbps(wan, wan.path(i, j)); rate > 0) {
                beta(i, j) = rate / kMbpsAGbps * payload;
            }
        }
    }
    parts.alpha_ms = alpha;
    parts.beta_gbps = beta;
    parts.provenance = "what the emulated WAN " + name + " says";
    std::vector<std::string> hosts;
    for (const Host& host : wan.hosts) {
        hosts.push_back(host.name);
    }
    fabric::SharedLinks shared =
        fabric::shared_links_of(links_of(wan, payload), parts.labels, hosts);
    parts.shared = std::move(shared.capacities);
    auto made = fabric::Fabric::make(std::move(parts), name);
    if (!made) {
        return tl::unexpected(std::move(made.error()));
    }
    return WanFabric{*std::move(made), shared.left_out};
}

}  // namespace longhaul::emulate
