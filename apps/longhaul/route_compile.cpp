// route compile: a topology file becomes a file of routes, or the routes of another tool.
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/artifact.hpp"
#include "longhaul/topology/failures.hpp"

namespace longhaul::app {
namespace {

struct CompileCommand {
    std::string file;
    std::string output;
    double fail = 0;
    std::uint64_t seed = 7;
    bool json = false;
};

core::Result<topology::Routes> compiled(const CompileCommand& command) {
    auto routes = load_routes(command.file);
    if (!routes || command.fail == 0) {
        return routes;
    }
    return topology::Routes::compile(
        topology::with_random_failures(routes->topology(), command.fail, command.seed));
}

core::Result<void> compile(const CompileCommand& command) {
    if (auto apart = check_apart({command.output}, {command.file}); !apart) {
        return apart;
    }
    if (auto alone = check_json_alone(command.json, {command.output}); !alone) {
        return alone;
    }
    const auto routes = compiled(command);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    const std::string text = core::write_json_line(topology::to_value(*routes));
    if (!command.output.empty()) {
        if (auto written = write_file(command.output, text); !written || command.output == "-") {
            return written;
        }
    }
    std::size_t patches = 0;
    for (const auto& plane : routes->planes()) {
        for (const topology::Patches& site : plane.sites) {
            patches += site.entries().size();
        }
    }
    const topology::Topology& network = routes->topology();
    if (command.json) {
        print(core::write_json(core::Value::object()
                                   .set("endpoints", static_cast<double>(network.endpoints()))
                                   .set("nodes", static_cast<double>(network.nodes()))
                                   .set("links", static_cast<double>(network.undirected_links()))
                                   .set("patches", static_cast<double>(patches))
                                   .set("bytes", static_cast<double>(text.size()))
                                   .set("sha256", topology::tables_hash(*routes))));
    } else {
        print(fmt::format("{} endpoints, {} switches, {} links: {} bytes, {} patches\nsha256 {}\n",
                          network.endpoints(),
                          network.nodes() - network.endpoints(),
                          network.undirected_links(),
                          text.size(),
                          patches,
                          topology::tables_hash(*routes)));
    }
    return {};
}

}  // namespace

void add_route_compile(CLI::App& parent, Session& session) {
    CLI::App* command =
        parent.add_subcommand("compile", "Compiles a topology file into a small file of routes");
    example(*command, "longhaul route compile topologies/fat-tree-16.toml -o routes.json");
    auto options = std::make_shared<CompileCommand>();
    command->add_option("file", options->file, "a topology; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output", options->output, "file of routes to write; - for stdout")
        ->type_name("FILE");
    auto* fail =
        command
            ->add_option(
                "--fail", options->fail, "share of all links that go down at random, 0 to 1")
            ->check(finite_number(0, 1));
    command->add_option("--seed", options->seed, "seed of --fail")
        ->check(whole_number())
        ->capture_default_str()
        ->needs(fail);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = compile(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
