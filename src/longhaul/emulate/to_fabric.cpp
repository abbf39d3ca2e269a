#include "longhaul/emulate/to_fabric.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kMbpsAGbps = 1e3;

}  // namespace

core::Result<fabric::Fabric> to_fabric(const Wan& wan, const std::string& name) {
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
    return fabric::Fabric::make(std::move(parts), name);
}

}  // namespace longhaul::emulate
