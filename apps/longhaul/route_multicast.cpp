// route multicast: one tree for each source, and what they load together.
#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/multicast.hpp"

namespace longhaul::app {
namespace {

using topology::Stream;
using topology::StreamNetwork;
using topology::StreamTree;
using topology::Topology;

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr double kMostWork = 4e9;  // minutes

struct MulticastOptions {
    std::string file;
    std::vector<std::string> from;
    std::vector<std::string> to;
    double gbps = 1;
    bool congestion_aware = false;
    topology::TreeOptions trees;
    int links = 40;
    bool json = false;
};

/// What trees run over: the sites of a WAN where only sites are named, else all nodes.
struct Ground {
    StreamNetwork network;
    std::vector<std::string> names;  ///< of nodes
    bool sites = false;
};

bool names_sites(const Topology& network, const MulticastOptions& options) {
    const auto site = [&](const std::string& name) {
        return name == "*" || network.find_site(name) >= 0;
    };
    return network.wan() && std::ranges::all_of(options.from, site) &&
           std::ranges::all_of(options.to, site);
}

Ground ground_of(const Topology& topology, const MulticastOptions& options) {
    Ground ground;
    ground.sites = names_sites(topology, options);
    if (ground.sites) {
        ground.network = topology::site_network(topology);
        for (const topology::Site& site : topology.sites()) {
            ground.names.push_back(site.name);
        }
        return ground;
    }
    ground.network = topology::whole_network(topology);
    for (topology::NodeId node = 0; node < topology.nodes(); ++node) {
        ground.names.push_back(topology.name(node));
    }
    return ground;
}

/// The nodes that names stand for, ascending: sites, or the endpoints of groups.
core::Result<std::vector<int>> nodes_of(const Topology& topology,
                                        const Ground& ground,
                                        const std::vector<std::string>& names,
                                        const std::string& file) {
    std::vector<int> nodes;
    for (const std::string& name : names) {
        const auto group = topology.find_group(name);
        if (!group) {
            return core::fail({file,
                               "",
                               "no site, group or endpoint " + core::shown(name),
                               fmt::format("endpoints are {} to {}",
                                           topology.name(0),
                                           topology.name(topology.endpoints() - 1))});
        }
        const int first =
            ground.sites ? std::max(topology.find_site(name), 0) : static_cast<int>(group->lo);
        const int last = ground.sites
                             ? (name == "*" ? static_cast<int>(topology.sites().size()) : first + 1)
                             : static_cast<int>(group->hi);
        for (int node = first; node < last; ++node) {
            nodes.push_back(node);
        }
    }
    std::ranges::sort(nodes);
    const auto [first, last] = std::ranges::unique(nodes);
    nodes.erase(first, last);
    return nodes;
}

core::Result<std::vector<Stream>> streams_of(const Topology& topology,
                                             const Ground& ground,
                                             const MulticastOptions& options) {
    const std::string file = input_name(options.file);
    const auto sources = nodes_of(topology, ground, options.from, file);
    const auto receivers = nodes_of(topology, ground, options.to, file);
    if (!sources || !receivers) {
        return tl::unexpected(!sources ? sources.error() : receivers.error());
    }
    std::vector<Stream> streams;
    for (const int source : *sources) {
        Stream stream{source, *receivers, options.gbps};
        std::erase(stream.receivers, source);
        if (stream.receivers.empty()) {
            return core::fail(
                {"",
                 "--to",
                 fmt::format("names nobody but {}", ground.names[static_cast<std::size_t>(source)]),
                 "name at least one receiver beside each source"});
        }
        streams.push_back(std::move(stream));
    }
    const double work = static_cast<double>(options.trees.rounds) *
                        static_cast<double>(streams.size() * receivers->size()) *
                        static_cast<double>(ground.network.links.size());
    if (options.congestion_aware && work > kMostWork) {
        return core::fail(
            {"",
             "--congestion-aware",
             fmt::format("would look at {:.1g} links", work),
             fmt::format("at most {:.0g}: name fewer nodes, or give less --rounds", kMostWork)});
    }
    return streams;
}

/// Trees with what they mean.
struct Forest {
    Ground ground;
    std::vector<Stream> streams;
    std::vector<StreamTree> trees;
    std::vector<std::vector<double>> latency_ms;  ///< of each stream, to each receiver
    std::vector<double> gbps;                     ///< on each directed link

    [[nodiscard]] const std::string& name(std::size_t node) const { return ground.names[node]; }
    [[nodiscard]] std::string link_name(std::uint32_t id) const {
        const topology::Link& link = ground.network.links[id];
        return fmt::format("{} > {}", name(link.from), name(link.to));
    }
    [[nodiscard]] double use(std::uint32_t id) const {
        return gbps[id] / ground.network.links[id].gbps;
    }
};

Forest grow(Ground ground, std::vector<Stream> streams, const MulticastOptions& options) {
    Forest forest{std::move(ground), std::move(streams), {}, {}, {}};
    const StreamNetwork& network = forest.ground.network;
    forest.trees = options.congestion_aware
                       ? topology::congestion_aware_trees(network, forest.streams, options.trees)
                       : topology::shortest_trees(network, forest.streams);
    for (std::size_t s = 0; s < forest.trees.size(); ++s) {
        forest.latency_ms.push_back(
            topology::stream_latencies(network, forest.streams[s], forest.trees[s]));
    }
    forest.gbps = topology::stream_loads(network, forest.streams, forest.trees);
    return forest;
}

/// Links that carry something, fullest first.
std::vector<std::uint32_t> loaded_links(const Forest& forest) {
    std::vector<std::uint32_t> links(forest.gbps.size());
    std::iota(links.begin(), links.end(), 0U);
    std::erase_if(links, [&](std::uint32_t id) { return forest.gbps[id] == 0; });
    std::ranges::stable_sort(
        links, std::ranges::greater{}, [&](std::uint32_t id) { return forest.use(id); });
    return links;
}

/// When a stream arrives at each node of its tree, ms.
std::vector<double> arrivals(const Forest& forest, std::size_t s) {
    std::vector<double> at(forest.ground.names.size(), kUnreached);
    at[static_cast<std::size_t>(forest.streams[s].source)] = 0;
    for (const std::uint32_t id : forest.trees[s].links) {
        const topology::Link& link = forest.ground.network.links[id];
        at[link.to] = at[link.from] + link.latency_ms;
    }
    return at;
}

std::string tree_text(const Forest& forest, std::size_t s) {
    const Stream& stream = forest.streams[s];
    const std::vector<double> at = arrivals(forest, s);
    std::string text = fmt::format(
        "from {}: {} links to {} of {} receivers\n",
        forest.name(static_cast<std::size_t>(stream.source)),
        forest.trees[s].links.size(),
        std::ranges::count_if(forest.latency_ms[s], [](double ms) { return ms < kUnreached; }),
        stream.receivers.size());
    for (const std::uint32_t id : forest.trees[s].links) {
        const std::uint32_t to = forest.ground.network.links[id].to;
        const bool receives = std::ranges::binary_search(stream.receivers, static_cast<int>(to));
        text +=
            fmt::format("{:>12.3f} ms {} {}\n", at[to], receives ? "*" : " ", forest.link_name(id));
    }
    for (std::size_t i = 0; i < stream.receivers.size(); ++i) {
        if (forest.latency_ms[s][i] == kUnreached) {
            text += fmt::format("     no way to {}\n",
                                forest.name(static_cast<std::size_t>(stream.receivers[i])));
        }
    }
    return text;
}

std::string text_of(const Forest& forest, int most) {
    std::string text;
    double farthest = 0;
    for (std::size_t s = 0; s < forest.streams.size(); ++s) {
        text += tree_text(forest, s);
        for (const double ms : forest.latency_ms[s]) {
            farthest = ms == kUnreached ? farthest : std::max(farthest, ms);
        }
    }
    const std::vector<std::uint32_t> links = loaded_links(forest);
    text += fmt::format("links      {} carry something; the fullest {:.1f} %\n",
                        links.size(),
                        links.empty() ? 0.0 : 100 * forest.use(links.front()));
    for (std::size_t i = 0; i < std::min(links.size(), static_cast<std::size_t>(most)); ++i) {
        text += fmt::format("{:>8.1f} % {:>10.6g} Gbit/s  {}\n",
                            100 * forest.use(links[i]),
                            forest.gbps[links[i]],
                            forest.link_name(links[i]));
    }
    return text + fmt::format("farthest   {:.3f} ms\n", farthest);
}

core::Value tree_value(const Forest& forest, std::size_t s) {
    const Stream& stream = forest.streams[s];
    core::Value links = core::Value::array();
    for (const std::uint32_t id : forest.trees[s].links) {
        const topology::Link& link = forest.ground.network.links[id];
        links.append(core::Value::object()
                         .set("from", forest.name(link.from))
                         .set("to", forest.name(link.to)));
    }
    core::Value receivers = core::Value::array();
    for (std::size_t i = 0; i < stream.receivers.size(); ++i) {
        core::Value receiver = core::Value::object();
        receiver.set("name", forest.name(static_cast<std::size_t>(stream.receivers[i])));
        if (forest.latency_ms[s][i] < kUnreached) {
            receiver.set("latency_ms", forest.latency_ms[s][i]);
        }
        receivers.append(std::move(receiver));
    }
    return core::Value::object()
        .set("from", forest.name(static_cast<std::size_t>(stream.source)))
        .set("links", std::move(links))
        .set("receivers", std::move(receivers));
}

std::string json_of(const Forest& forest) {
    core::Value trees = core::Value::array();
    for (std::size_t s = 0; s < forest.streams.size(); ++s) {
        trees.append(tree_value(forest, s));
    }
    core::Value links = core::Value::array();
    for (const std::uint32_t id : loaded_links(forest)) {
        const topology::Link& link = forest.ground.network.links[id];
        links.append(core::Value::object()
                         .set("from", forest.name(link.from))
                         .set("to", forest.name(link.to))
                         .set("gbps", forest.gbps[id])
                         .set("use", forest.use(id)));
    }
    return core::write_json(
        core::Value::object().set("trees", std::move(trees)).set("links", std::move(links)));
}

core::Result<int> multicast(const MulticastOptions& options) {
    const auto routes = load_routes(options.file);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    Ground ground = ground_of(routes->topology(), options);
    auto streams = streams_of(routes->topology(), ground, options);
    if (!streams) {
        return tl::unexpected(streams.error());
    }
    const Forest forest = grow(std::move(ground), std::move(*streams), options);
    print(options.json ? json_of(forest) : text_of(forest, options.links));
    const bool reached = std::ranges::all_of(forest.latency_ms, [](const auto& latencies) {
        return std::ranges::max(latencies) < kUnreached;
    });
    return reached ? kDone : kPartial;
}

void add_tree_options(CLI::App& command, MulticastOptions& options) {
    auto* aware = command.add_flag("--congestion-aware",
                                   options.congestion_aware,
                                   "trees that keep the fullest link low, found by search, instead "
                                   "of shortest paths");
    command
        .add_option("--latency-cap-ms",
                    options.trees.latency_cap_ms,
                    "latest arrival at any receiver; default: that of the shortest paths")
        ->check(finite_number(0.000001, 1e9))
        ->needs(aware);
    command.add_option("--rounds", options.trees.rounds, "how often every tree is grown anew")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str()
        ->needs(aware);
    command.add_option("--seed", options.trees.seed, "of the search")
        ->capture_default_str()
        ->needs(aware);
}

}  // namespace

void add_route_multicast(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "multicast", "Trees from sources to many receivers, and what they load together");
    example(*command, "longhaul route multicast topologies/nine-city.toml --from NYC --to FRA SIN");
    auto options = std::make_shared<MulticastOptions>();
    command->add_option("file", options->file, "a topology or a file of routes; - for stdin")
        ->type_name("FILE")
        ->required();
    command
        ->add_option(
            "--from", options->from, "sources, a tree each: sites, endpoints, groups of them, or *")
        ->type_name("NAMES")
        ->required();
    command->add_option("--to", options->to, "receivers, likewise; a source is none of its own")
        ->type_name("NAMES")
        ->required();
    command->add_option("--gbps", options->gbps, "rate of each stream")
        ->check(finite_number(0.000001, 1e6))
        ->capture_default_str();
    add_tree_options(*command, *options);
    command->add_option("--links", options->links, "links to show")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = multicast(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
