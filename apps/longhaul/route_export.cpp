// route export: compiled routes in the formats of other tools.
#include "longhaul/interchange/export_routes.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"

namespace longhaul::app {
namespace {

struct RouteExport {
    std::string format;
    std::string file;
    std::string output = "-";
};

core::Result<void> export_routes(const RouteExport& command) {
    const interchange::RouteFormat* format = interchange::find_route_format(command.format);
    if (format == nullptr) {
        std::string names;
        for (const interchange::RouteFormat& each : interchange::route_formats()) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
        }
        return core::fail(
            {"", "FORMAT", "found " + core::shown(command.format), "known: " + names});
    }
    if (auto apart = check_apart({command.output}, {command.file}); !apart) {
        return apart;
    }
    const auto routes = load_routes(command.file);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    const auto exported = format->write(*routes, input_name(command.file));
    if (!exported) {
        return tl::unexpected(exported.error());
    }
    print_notes(exported->notes);
    return write_file(command.output, exported->text);
}

std::string formats_footer() {
    std::string text = "Formats:\n";
    for (const interchange::RouteFormat& format : interchange::route_formats()) {
        text += fmt::format("  {:<10} {}; {}{}\n",
                            format.name,
                            format.files,
                            format.loss.empty() ? "nothing is lost" : "lost: ",
                            format.loss);
    }
    return text +
           "\nExample:\n  longhaul route export hpcc topologies/fat-tree-4.toml -o topology.txt\n";
}

}  // namespace

void add_route_export(CLI::App& parent, Session& session) {
    CLI::App* command =
        parent.add_subcommand("export", "Writes routes in the format of another tool");
    command->footer(formats_footer());
    auto options = std::make_shared<RouteExport>();
    command->add_option("format", options->format, "one of the formats below")
        ->type_name("FORMAT")
        ->required();
    command->add_option("file", options->file, "a topology or a file of routes; - for stdin")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output", options->output, "file to write; default standard output")
        ->type_name("FILE");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = export_routes(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
