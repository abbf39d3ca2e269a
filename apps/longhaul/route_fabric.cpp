// route fabric: what placement needs to know of a declared network.
#include "longhaul/core/hash.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/fabric/shared_links.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/artifact.hpp"
#include "longhaul/topology/cuts.hpp"
#include "longhaul/topology/devices.hpp"

namespace longhaul::app {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr std::uint32_t kMostDevices = 2048;

struct FabricCommand {
    std::string file;
    std::string output = "-";
    double overhead_ms = 0;
    double share = 1;
    int flows = 4;
};

/// Latency and rate of the slowest of the paths that some flows of a pair take.
struct Slowest {
    double latency_ms = 0;
    double gbps = 0;
};

class PairTimes {
public:
    PairTimes(const topology::Routes& routes, int flows)
        : routes_(routes), links_(routes.topology().links()), flows_(flows) {
        const Topology& network = routes.topology();
        const std::vector<topology::WanLink>& wan = network.declaration().wan;
        for (std::size_t i = 0; i < 2 * wan.size(); ++i) {
            const topology::WanLink& cable = wan[i / 2];
            const auto site = [&](int s) {
                return network.sites()[static_cast<std::size_t>(s)].name;
            };
            borders_.push_back({site(cable.a) + " - " + site(cable.b),
                                links_[2 * network.wan_base() + i].gbps,
                                {}});
        }
    }

    /// nullopt: no path. Notes which links of the WAN the pair crosses.
    [[nodiscard]] std::optional<Slowest> of(NodeId from, NodeId to) {
        Slowest slowest{0, links_.empty() ? 1 : std::numeric_limits<double>::infinity()};
        for (int flow = 0; flow < flows_; ++flow) {
            const topology::Route route =
                routes_.path(from, to, topology::pair_flow(from, to) + flow * 0x10001ULL);
            if (!route.reachable) {
                return std::nullopt;
            }
            double latency = 0;
            for (const topology::LinkId id : route.links) {
                latency += links_[id].latency_ms;
                slowest.gbps = std::min(slowest.gbps, links_[id].gbps);
                cross(id, from, to);
            }
            slowest.latency_ms = std::max(slowest.latency_ms, latency);
        }
        return slowest;
    }

    /// Directed links of the WAN with the pairs that crossed them, whichever of their paths did.
    [[nodiscard]] const std::vector<fabric::SharedLink>& borders() const { return borders_; }

private:
    void cross(topology::LinkId id, NodeId from, NodeId to) {
        const std::uint32_t first = 2 * routes_.topology().wan_base();
        if (id < first) {
            return;
        }
        auto& pairs = borders_[id - first].pairs;
        const std::pair<std::size_t, std::size_t> pair{from, to};
        if (pairs.empty() || pairs.back() != pair) {
            pairs.push_back(pair);
        }
    }

    const topology::Routes& routes_;
    std::vector<topology::Link> links_;
    std::vector<fabric::SharedLink> borders_;
    int flows_;
};

void add_devices(const Topology& network, fabric::FabricParts& parts) {
    NodeId i = 0;
    for (topology::EndpointDevice& each : topology::devices_of(network)) {
        parts.labels.push_back(topology::label_of(network, i++));
        fabric::Device device;
        device.host = std::move(each.host);
        device.local_rank = each.local_rank;
        parts.devices.push_back(std::move(device));
    }
}

core::Result<void> add_pairs(const topology::Routes& routes,
                             const FabricCommand& command,
                             PairTimes& times,
                             fabric::FabricParts& parts) {
    const Topology& network = routes.topology();
    const std::uint32_t n = network.endpoints();
    core::Grid<double> alpha(n, n, 0);
    core::Grid<double> beta(n, n, 0);
    for (NodeId i = 0; i < n; ++i) {
        for (NodeId j = 0; j < n; ++j) {
            if (i == j) {
                continue;
            }
            const auto slowest = times.of(i, j);
            if (!slowest) {
                return core::fail(
                    {input_name(command.file),
                     "",
                     fmt::format("no path from {} to {}", network.name(i), network.name(j)),
                     "a fabric needs all pairs; see route check"});
            }
            alpha(i, j) = command.overhead_ms + slowest->latency_ms;
            beta(i, j) = command.share * slowest->gbps;
        }
    }
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    return {};
}

/// Links of the WAN as the routes use them, and narrow ways out of groups.
void add_shared(const topology::Routes& routes,
                const FabricCommand& command,
                const PairTimes& times,
                fabric::FabricParts& parts) {
    std::vector<std::string> hosts;
    for (const fabric::Device& device : parts.devices) {
        hosts.push_back(device.host);
    }
    fabric::SharedLinks links = fabric::shared_links_of(times.borders(), parts.labels, hosts);
    parts.shared = std::move(links.capacities);
    for (const topology::Cut& cut : topology::shared_cuts(routes)) {
        parts.shared.emplace_back(cut.name, cut.gbps, std::vector<std::string>{}, cut.of);
    }
    for (fabric::SharedCapacity& shared : parts.shared) {
        shared.there_gbps *= command.share;
        shared.back_gbps *= command.share;
    }
    if (links.left_out > 0) {
        print_notes({fmt::format(
            "the sharing of {} directed links between sites cannot be stated: the pairs that cross "
            "them are no cut; simulate --topology counts them",
            links.left_out)});
    }
}

core::Result<void> make_fabric(const FabricCommand& command) {
    if (auto apart = check_apart({command.output}, {command.file}); !apart) {
        return apart;
    }
    const auto routes = load_routes(command.file);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    const Topology& network = routes->topology();
    const std::string file = input_name(command.file);
    if (network.endpoints() < 2 || network.endpoints() > kMostDevices) {
        return core::fail({file,
                           "",
                           fmt::format("has {} endpoints", network.endpoints()),
                           fmt::format("a fabric of all pairs has 2 to {}", kMostDevices)});
    }
    fabric::FabricParts parts;
    add_devices(network, parts);
    PairTimes times(*routes, command.flows);
    if (auto pairs = add_pairs(*routes, command, times, parts); !pairs) {
        return pairs;
    }
    add_shared(*routes, command, times, parts);
    parts.provenance =
        fmt::format("route fabric of {}, routes sha256 {}",
                    network.declaration().name.empty() ? "a topology" : network.declaration().name,
                    topology::tables_hash(*routes));
    const auto fabric = fabric::Fabric::make(std::move(parts), file);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    return write_file(command.output, core::write_json(fabric::to_value(*fabric)));
}

}  // namespace

void add_route_fabric(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "fabric", "Derives a fabric: latency and slowest link of every pair, shared capacity");
    example(*command, "longhaul route fabric topologies/three-regions.toml -o fabric.json");
    auto options = std::make_shared<FabricCommand>();
    command->add_option("file", options->file, "a topology or a file of routes; - for stdin")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output", options->output, "fabric to write; default standard output")
        ->type_name("FILE");
    command
        ->add_option("--overhead-ms", options->overhead_ms, "added to every latency: software, ms")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command
        ->add_option("--share", options->share, "share of a link's rate that payload gets, 0 to 1")
        ->check(finite_number(0.001, 1))
        ->capture_default_str();
    command
        ->add_option("--flows", options->flows, "flows a pair; the slowest of their paths counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = make_fabric(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
