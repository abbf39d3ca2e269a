// measure export: a fabric in the formats of other tools.
#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/interchange/export.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

using interchange::ExportFormat;

struct ExportCommand {
    std::string format;
    std::string fabric;
    std::string output;
};

core::Result<void> export_with(const ExportCommand& command) {
    const ExportFormat* format = interchange::find_export_format(command.format);
    if (format == nullptr) {
        std::string names;
        for (const ExportFormat& each : interchange::export_formats()) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
        }
        return core::fail(
            {"", "FORMAT", "found " + core::shown(command.format), "known: " + names});
    }
    if (auto apart = check_apart({command.output}, {command.fabric}); !apart) {
        return apart;
    }
    const core::Result<LoadedFabric> loaded = load_fabric(command.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const auto exported = format->write(loaded->fabric, input_name(command.fabric));
    if (!exported) {
        return tl::unexpected(exported.error());
    }
    print_notes(exported->notes);
    return write_file(command.output, exported->text);
}

std::string export_footer() {
    std::string text = "Formats:\n";
    for (const ExportFormat& format : interchange::export_formats()) {
        text += fmt::format("  {:<10} {}; {}{}\n",
                            format.name,
                            format.files,
                            format.loss.empty() ? "nothing is lost" : "lost: ",
                            format.loss);
    }
    return text +
           "\nExample:\n  longhaul measure export simgrid fabrics/dtfm-regional.json -o "
           "platform.xml\n";
}

}  // namespace

void add_measure_export(CLI::App& parent, Session& session) {
    CLI::App* command =
        parent.add_subcommand("export", "Writes a fabric in the format of another tool");
    command->footer(export_footer());
    auto options = std::make_shared<ExportCommand>();
    options->output = "-";
    command->add_option("format", options->format, "one of the formats below")
        ->type_name("FORMAT")
        ->required();
    command->add_option("fabric", options->fabric, "a fabric; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output", options->output, "file to write; default standard output")
        ->type_name("FILE");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = export_with(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
