#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/read.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kMbpsPerGbps = 1000;

/// A name that can be a host name: what cannot be in one becomes "-".
std::string host_name(std::string text) {
    for (char& c : text) {
        if (!name_problem(std::string("a") + c).empty()) {
            c = '-';
        }
    }
    constexpr std::size_t kRoom = 50;  // the rest is for numbers
    text.resize(std::min(text.size(), kRoom));
    return name_problem(text).empty() ? text : "host-" + text;
}

/// Hosts with a name each: the host of the file, or label and number.
std::vector<Host> make_hosts(const fabric::Fabric& fabric, const std::vector<int>& host_of) {
    std::vector<Host> hosts(static_cast<std::size_t>(*std::ranges::max_element(host_of)) + 1);
    std::map<std::string, int> labels;
    for (const std::string& label : fabric.labels()) {
        ++labels[label];
    }
    std::map<std::string, int> numbers;
    std::map<std::string, int> taken;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        Host& host = hosts[host_of[i]];
        if (!host.name.empty()) {
            continue;
        }
        const std::string& label = fabric.labels()[i];
        const bool named =
            !fabric.parts().devices.empty() && !fabric.parts().devices[i].host.empty();
        const int number = ++numbers[label];
        const std::string base = named               ? fabric.parts().devices[i].host
                                 : labels[label] > 1 ? fmt::format("{}-{}", label, number)
                                                     : label;
        host.name = host_name(base);
        const int copies = ++taken[host.name];
        host.name += copies > 1 ? fmt::format("-{}", copies) : "";
        host.region = label;
    }
    return hosts;
}

/// The best link between devices of two hosts.
std::vector<Shape> best_pairs(const fabric::Fabric& fabric,
                              const std::vector<int>& host_of,
                              std::size_t hosts,
                              double share) {
    std::vector<Shape> pairs(hosts * hosts);
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        for (std::size_t j = 0; j < fabric.size(); ++j) {
            if (host_of[i] == host_of[j]) {
                continue;
            }
            Shape& pair = pairs[host_of[i] * hosts + host_of[j]];
            const double alpha = fabric.parts().alpha_ms(i, j);
            const double wire = fabric.parts().beta_gbps(i, j) * kMbpsPerGbps / share;
            pair.delay_ms = pair.rate_mbps == 0 ? alpha : std::min(pair.delay_ms, alpha);
            pair.rate_mbps = std::max(pair.rate_mbps, wire);
        }
    }
    return pairs;
}

/// The resources of one shared capacity on the paths that load them: one a direction that has a
/// limit, or one for both (half duplex).
void add_shared(Wan& wan,
                const fabric::SharedCapacity& shared,
                const std::vector<int>& side_of_host,
                double share) {
    const auto add = [&](std::string_view direction, double gbps) {
        if (gbps == fabric::SharedCapacity::kNoLimit) {
            return -1;
        }
        Shape shape;
        shape.rate_mbps = gbps * kMbpsPerGbps / share;
        wan.resources.push_back({fmt::format("shared:{}{}", shared.name, direction), shape});
        return static_cast<int>(wan.resources.size()) - 1;
    };
    const int there = add(shared.duplex ? ">" : "=", shared.there_gbps);
    const int back = shared.duplex ? add("<", shared.back_gbps) : there;
    const std::size_t n = wan.hosts.size();
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            const bool out = side_of_host[a] == 1 && side_of_host[b] == 2;
            const bool in = side_of_host[a] == 2 && side_of_host[b] == 1;
            const int resource = out ? there : in ? back : -1;
            if (resource >= 0) {
                wan.paths[a * n + b].push_back(resource);
            }
        }
    }
}

/// Sides of hosts from those of their devices; nullopt when a host is on both.
std::optional<std::vector<int>> host_sides(const std::vector<int>& side_of_device,
                                           const std::vector<int>& host_of,
                                           std::size_t hosts) {
    std::vector<int> sides(hosts, 0);
    for (std::size_t i = 0; i < side_of_device.size(); ++i) {
        int& side = sides[host_of[i]];
        if (side != 0 && side_of_device[i] != 0 && side != side_of_device[i]) {
            return std::nullopt;
        }
        side = std::max(side, side_of_device[i]);
    }
    return sides;
}

}  // namespace

core::Result<Wan> from_fabric(const fabric::Fabric& fabric, std::string_view name) {
    const std::vector<int> host_of = fabric.host_of_device();
    Wan wan;
    wan.network = kDefaultNetwork;
    wan.prefix = kDefaultPrefix;
    wan.hosts = make_hosts(fabric, host_of);
    const std::size_t n = wan.hosts.size();
    if (n < 2 || n > kMaxHosts) {
        return core::fail({std::string(name),
                           "",
                           fmt::format("the fabric has {} hosts", n),
                           fmt::format("2 to {} can be emulated", kMaxHosts)});
    }
    number_hosts(wan, kDefaultControlNetwork, kDefaultPrefix);
    const double share = payload_share(wan.mtu, wan.ethernet);
    const std::vector<Shape> pairs = best_pairs(fabric, host_of, n, share);
    wan.paths.resize(n * n);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            if (a != b) {
                wan.paths[a * n + b] = {static_cast<int>(wan.resources.size())};
                wan.resources.push_back(
                    {fmt::format("pair:{}>{}", wan.hosts[a].name, wan.hosts[b].name),
                     pairs[a * n + b]});
            }
        }
    }
    const std::vector<std::vector<int>> sides = fabric.shared_sides();
    for (std::size_t r = 0; r < sides.size(); ++r) {
        const auto side_of_host = host_sides(sides[r], host_of, n);
        if (!side_of_host) {
            return core::fail({std::string(name),
                               fmt::format("shared[{}]", r),
                               "a host has devices on both sides",
                               "hosts are emulated as one: name places that are whole hosts"});
        }
        add_shared(wan, fabric.parts().shared[r], *side_of_host, share);
    }
    return wan;
}

}  // namespace longhaul::emulate
