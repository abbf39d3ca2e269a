// route: from a declared network to compiled routes. One file a subcommand: route_<name>.cpp.
#include "longhaul/command.hpp"
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/artifact.hpp"

namespace longhaul::app {

core::Result<topology::Routes> load_routes(const std::string& path) {
    const auto text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return topology::read_routes(*text, input_name(path));
}

core::Result<topology::NodeId> node_of(const topology::Topology& topology,
                                       const std::string& name,
                                       const std::string& file) {
    if (const auto node = topology.find(name); node && *node < topology.endpoints()) {
        return *node;
    }
    return core::fail(
        {file,
         "",
         "no endpoint " + core::shown(name),
         fmt::format(
             "endpoints are {} to {}", topology.name(0), topology.name(topology.endpoints() - 1))});
}

void add_route(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "route", "Compiles routes of a declared network, shows, checks and exports them");
    command->require_subcommand(1);
    example(*command,
            "longhaul route show topologies/fat-tree-4.toml pod0/rack0/host0 "
            "pod3/rack1/host1");
    add_route_compile(*command, session);
    add_route_show(*command, session);
    add_route_check(*command, session);
    add_route_fabric(*command, session);
    add_route_multicast(*command, session);
    add_route_export(*command, session);
    for (CLI::App* each : command->get_subcommands({})) {
        each->group("Commands");
    }
}

}  // namespace longhaul::app
