// route show: what was compiled, and the paths of a pair.
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/artifact.hpp"

namespace longhaul::app {
namespace {

using topology::NodeId;
using topology::Route;
using topology::Routes;
using topology::Topology;

struct ShowOptions {
    std::string file;
    std::string from;
    std::string to;
    std::string role;
    int most = 16;
    std::optional<std::uint64_t> flow;
    bool json = false;
};

struct PathFacts {
    double latency_ms = 0;
    double gbps = 0;  ///< of the slowest link; 0 without links
};

PathFacts facts_of(const Topology& network, const Route& route) {
    PathFacts facts;
    for (const topology::LinkId id : route.links) {
        const topology::Link link = network.link(id);
        facts.latency_ms += link.latency_ms;
        facts.gbps = facts.gbps == 0 ? link.gbps : std::min(facts.gbps, link.gbps);
    }
    return facts;
}

std::string_view use_name(const topology::Policy* policy) {
    constexpr std::array<std::string_view, 8> kNames = {
        "shortest", "ecmp", "wecmp", "rail-local", "avoid", "via", "k-disjoint", "relay"};
    return policy == nullptr ? "ecmp" : kNames[static_cast<std::size_t>(policy->use)];
}

/// Names of the nodes of a path, both ends included.
std::vector<std::string> names_of(const Topology& network, NodeId from, const Route& route) {
    std::vector<std::string> names{network.name(from)};
    for (const topology::LinkId id : route.links) {
        names.push_back(network.name(network.link(id).to));
    }
    return names;
}

std::string path_line(const Topology& network, NodeId from, const Route& route) {
    const PathFacts facts = facts_of(network, route);
    return fmt::format("{:>2} links {:>10.6g} ms {:>8.6g} Gbit/s  {}\n",
                       route.links.size(),
                       facts.latency_ms,
                       facts.gbps,
                       fmt::join(names_of(network, from, route), " > "));
}

core::Value path_value(const Topology& network, NodeId from, const Route& route) {
    const PathFacts facts = facts_of(network, route);
    core::Value nodes = core::Value::array();
    for (std::string& name : names_of(network, from, route)) {
        nodes.append(core::Value(std::move(name)));
    }
    core::Value relays = core::Value::array();
    for (const NodeId relay : route.relays) {
        relays.append(core::Value(network.name(relay)));
    }
    std::vector<double> links;
    for (const topology::LinkId id : route.links) {
        links.push_back(id);
    }
    return core::Value::object()
        .set("latency_ms", facts.latency_ms)
        .set("gbps", facts.gbps)
        .set("nodes", std::move(nodes))
        .set("links", core::Value(std::move(links)))
        .set("relays", std::move(relays));
}

core::Result<int> show_pair(const Routes& routes, const ShowOptions& options) {
    const Topology& network = routes.topology();
    const std::string file = input_name(options.file);
    const auto from = node_of(network, options.from, file);
    const auto to = node_of(network, options.to, file);
    if (!from || !to) {
        return tl::unexpected(!from ? from.error() : to.error());
    }
    Routes::PathList list;
    if (options.flow) {
        list.routes.push_back(routes.path(*from, *to, *options.flow));
        if (!list.routes.front().reachable) {
            list.routes.clear();
        }
    } else {
        list = routes.paths(*from, *to, static_cast<std::size_t>(options.most));
    }
    const std::string_view policy = use_name(routes.policy(*from, *to));
    if (options.json) {
        core::Value paths = core::Value::array();
        for (const Route& route : list.routes) {
            paths.append(path_value(network, *from, route));
        }
        print(core::write_json(core::Value::object()
                                   .set("from", network.name(*from))
                                   .set("to", network.name(*to))
                                   .set("policy", policy)
                                   .set("reachable", !list.routes.empty())
                                   .set("complete", list.complete)
                                   .set("paths", std::move(paths))));
    } else {
        print(fmt::format("{} to {}, {}: {}\n",
                          network.name(*from),
                          network.name(*to),
                          policy,
                          list.routes.empty()
                              ? "no path"
                              : fmt::format("{}{} path{}",
                                            list.routes.size(),
                                            list.complete || options.flow ? "" : " of more",
                                            list.routes.size() == 1 ? "" : "s")));
        for (const Route& route : list.routes) {
            print(path_line(network, *from, route));
        }
    }
    return list.routes.empty() ? kNo : kDone;
}

std::size_t rule_count(const topology::RuleTable& table) {
    std::size_t count = 0;
    for (const auto& rules : table.roles) {
        count += rules.size();
    }
    return count;
}

/// The rule lists of one chain, or of one role of it.
std::string rules_text(const topology::Shape& shape,
                       const topology::ChainRoutes& routes,
                       const std::string& role_wanted,
                       bool& found) {
    std::string text;
    const auto add = [&](std::string_view title, const topology::RuleTable& table) {
        for (std::size_t r = 0; r < table.roles.size(); ++r) {
            const int role = static_cast<int>(r);
            const std::string name = topology::role_name(shape, role);
            if (!role_wanted.empty() && name != role_wanted) {
                continue;
            }
            found = true;
            text += fmt::format("  {} {} ({} nodes)\n", name, title, shape.roles()[r].count);
            for (const std::string& line : topology::rule_lines(shape, table, role)) {
                text += "    " + line + "\n";
            }
        }
    };
    add("to an endpoint", routes.to_endpoint());
    if (routes.to_port() != nullptr) {
        add("to the port of a global cable", *routes.to_port());
    }
    if (routes.to_exit() != nullptr && shape.levels() > 0) {
        add("to the border", *routes.to_exit());
    }
    return text;
}

core::Value summary_value(const Routes& routes, std::size_t bytes, std::size_t patches) {
    const Topology& network = routes.topology();
    std::size_t rules = 0;
    for (std::size_t c = 0; c < network.declaration().chains.size(); ++c) {
        const topology::ChainRoutes& chain = routes.chain(static_cast<int>(c));
        rules += rule_count(chain.to_endpoint());
        rules += chain.to_port() != nullptr ? rule_count(*chain.to_port()) : 0;
        rules += chain.to_exit() != nullptr ? rule_count(*chain.to_exit()) : 0;
    }
    return core::Value::object()
        .set("name", network.declaration().name)
        .set("endpoints", static_cast<double>(network.endpoints()))
        .set("switches", static_cast<double>(network.nodes() - network.endpoints()))
        .set("links", static_cast<double>(network.undirected_links()))
        .set("sites", static_cast<double>(network.wan() ? network.sites().size() : 0))
        .set("wan_links", static_cast<double>(network.declaration().wan.size()))
        .set("exceptions", static_cast<double>(network.declaration().exceptions.size()))
        .set("policies", static_cast<double>(network.declaration().policies.size()))
        .set("rules", static_cast<double>(rules))
        .set("patches", static_cast<double>(patches))
        .set("bytes", static_cast<double>(bytes))
        .set("sha256", topology::tables_hash(routes));
}

core::Result<int> show_all(const Routes& routes, const ShowOptions& options) {
    const Topology& network = routes.topology();
    std::size_t patches = 0;
    for (const Routes::Plane& plane : routes.planes()) {
        for (const topology::Patches& site : plane.sites) {
            patches += site.entries().size();
        }
    }
    const std::size_t bytes = core::write_json_line(topology::to_value(routes)).size();
    const core::Value summary = summary_value(routes, bytes, patches);
    if (options.json) {
        print(core::write_json(summary));
        return kDone;
    }
    std::string text;
    bool found = false;
    for (std::size_t c = 0; c < network.declaration().chains.size(); ++c) {
        const topology::Shape shape(network.declaration().chains[c]);
        const std::string rules =
            rules_text(shape, routes.chain(static_cast<int>(c)), options.role, found);
        text += shape.levels() == 0 || rules.empty()
                    ? ""
                    : fmt::format("rules of {}\n{}", shape.chain().levels.back().group, rules);
    }
    if (!options.role.empty() && !found) {
        return core::fail({input_name(options.file),
                           "--role",
                           "no role " + core::shown(options.role),
                           "roles are the names of endpoints and switches"});
    }
    for (const core::Member& member : summary.members) {
        print(member.value.kind == core::Value::Kind::kString
                  ? fmt::format("{:<11} {}\n", member.key, member.value.string)
                  : fmt::format("{:<11} {:.0f}\n", member.key, member.value.number));
    }
    print(text);
    return kDone;
}

core::Result<int> show(const ShowOptions& options) {
    const auto routes = load_routes(options.file);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    if (options.from.empty() != options.to.empty()) {
        return core::fail({"route show", "", "found one node", "name both ends, or none"});
    }
    return options.from.empty() ? show_all(*routes, options) : show_pair(*routes, options);
}

}  // namespace

void add_route_show(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "show", "Shows compiled rules and their size, or the paths of a pair");
    example(*command, "longhaul route show topologies/nine-city.toml FRA SIN");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("file", options->file, "a topology or a file of routes; - for stdin")
        ->type_name("FILE")
        ->required();
    auto* from =
        command->add_option("from", options->from, "name of an endpoint")->type_name("FROM");
    command->add_option("to", options->to, "name of another")->type_name("TO");
    command->add_option("--role", options->role, "only the rules of this role, such as agg")
        ->type_name("NAME")
        ->excludes(from);
    auto* paths = command->add_option("--paths", options->most, "most paths to list")
                      ->check(CLI::Range(1, 100'000))
                      ->capture_default_str()
                      ->needs(from);
    command->add_option("--flow", options->flow, "only the path of the flow with this hash")
        ->type_name("N")
        ->check(whole_number())
        ->needs(from)
        ->excludes(paths);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = show(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
