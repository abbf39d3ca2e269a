// measure import: files of other tools as raw measurements, fabrics, or groups.
#include <algorithm>
#include <cstdio>

#include "longhaul/command.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/import.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

using interchange::Gives;
using interchange::ImportFormat;

struct ImportCommand {
    std::string format;
    std::vector<std::string> files;
    std::string output;
    std::string fabric;
    interchange::ImportOptions options;
    bool list = false;
    bool json = false;
};

std::string_view name_of(Gives gives) {
    switch (gives) {
        case Gives::kSamples:
            return "raw measurements";
        case Gives::kFabric:
            return "a fabric";
        case Gives::kGroups:
            return "groups of devices";
    }
    return "";
}

std::string format_names() {
    std::string names;
    for (const ImportFormat& format : interchange::import_formats()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
    }
    return names;
}

std::string or_none(std::string_view text) {
    return text.empty() ? "none" : std::string(text);
}

std::string list_text() {
    std::string text;
    for (const ImportFormat& format : interchange::import_formats()) {
        text += fmt::format(
            "{}\n  files      {}\n  gives      {}\n  alpha      {}\n  beta       {}\n"
            "  direction  {}\n  options    {}\n",
            format.name,
            format.files,
            name_of(format.gives),
            or_none(format.alpha),
            or_none(format.beta),
            format.direction,
            or_none(format.options));
    }
    return text;
}

core::Value list_value() {
    core::Value list = core::Value::array();
    for (const ImportFormat& format : interchange::import_formats()) {
        list.append(core::Value::object()
                        .set("name", format.name)
                        .set("files", format.files)
                        .set("gives", name_of(format.gives))
                        .set("alpha", format.alpha)
                        .set("beta", format.beta)
                        .set("direction", format.direction)
                        .set("options", format.options));
    }
    return core::Value::object().set("formats", std::move(list));
}

/// What was read, in a line or as an object.
std::string summary(const interchange::Imported& imported, const ImportFormat& format, bool json) {
    const std::size_t devices = imported.fabric ? imported.fabric->size() : 0;
    if (json) {
        core::Value notes = core::Value::array();
        for (const std::string& text : imported.notes) {
            notes.append(text);
        }
        return core::write_json(
            core::Value::object()
                .set("format", format.name)
                .set("gives", name_of(format.gives))
                .set("samples", static_cast<double>(imported.raw.samples.size()))
                .set("hosts", static_cast<double>(imported.raw.hosts.size()))
                .set("devices", static_cast<double>(devices))
                .set("notes", std::move(notes)));
    }
    return imported.fabric ? fmt::format("{}: a fabric of {} devices\n", format.name, devices)
                           : fmt::format("{}: {} samples between {} hosts\n",
                                         format.name,
                                         imported.raw.samples.size(),
                                         imported.raw.hosts.size());
}

core::Result<std::vector<interchange::SourceText>> read_sources(const ImportCommand& command) {
    std::vector<interchange::SourceText> sources;
    core::Diagnostics problems;
    if (std::ranges::count(command.files, "-") > 1) {
        return core::fail({"", "FILE", "standard input is named twice", "name it once"});
    }
    for (const std::string& path : command.files) {
        core::Result<std::string> text = read_file(path);
        if (text) {
            sources.push_back({input_name(path), *std::move(text)});
        } else {
            problems.insert(problems.end(), text.error().begin(), text.error().end());
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return sources;
}

/// The file to write, and whether the options suit what the format gives.
core::Result<std::string> output_of(const ImportCommand& command, const ImportFormat& format) {
    if (!command.fabric.empty() && !command.output.empty()) {
        return core::fail({"", "--fabric", "is given with -o", "give one of the two"});
    }
    if (!command.fabric.empty() && format.gives != Gives::kFabric) {
        return core::fail({"",
                           "--fabric",
                           fmt::format("{} gives {}", format.name, name_of(format.gives)),
                           "write them with -o raw.jsonl and fit them: longhaul measure fit "
                           "raw.jsonl --fabric fabric.json"});
    }
    return command.fabric.empty() ? command.output : command.fabric;
}

core::Result<void> import_with(const ImportCommand& command) {
    const ImportFormat* format = interchange::find_import_format(command.format);
    if (format == nullptr) {
        return core::fail(
            {"",
             "FORMAT",
             command.format.empty() ? "is missing" : "found " + core::shown(command.format),
             "known: " + format_names()});
    }
    if (command.files.empty()) {
        return core::fail({"", "FILE", "is missing", "name the files, or - for standard input"});
    }
    const core::Result<std::string> output = output_of(command, *format);
    if (!output) {
        return tl::unexpected(output.error());
    }
    if (auto apart = check_apart({*output}, command.files); !apart) {
        return apart;
    }
    if (auto alone = check_json_alone(command.json, {output->empty() ? "-" : *output}); !alone) {
        return alone;
    }
    const auto sources = read_sources(command);
    if (!sources) {
        return tl::unexpected(sources.error());
    }
    const auto imported = interchange::import_files(*format, *sources, command.options);
    if (!imported) {
        return tl::unexpected(imported.error());
    }
    print_notes(imported->notes);
    const std::string text = imported->fabric
                                 ? core::write_json(fabric::to_value(*imported->fabric))
                                 : measure::to_text(imported->raw);
    if (output->empty() || *output == "-") {
        print(text);
        return {};
    }
    if (auto written = write_file(*output, text); !written) {
        return written;
    }
    print(summary(*imported, *format, command.json));
    return {};
}

/// Fails when the list of formats is asked for together with a file to read or to write.
core::Result<void> only_list(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        if (option->count() > 0 && name != "--list" && name != "--json") {
            return core::fail({"--list",
                               "",
                               fmt::format("reads and writes no file, and {} is given", name),
                               "leave out one of the two"});
        }
    }
    return {};
}

std::string import_footer() {
    std::string text = "Formats (--list says more of each):\n";
    for (const ImportFormat& format : interchange::import_formats()) {
        text += fmt::format("  {:<20} {} ({})\n",
                            format.name,
                            format.files,
                            format.gives == Gives::kFabric   ? "fabric"
                            : format.gives == Gives::kGroups ? "groups only"
                            : format.alpha.empty()           ? "beta"
                            : format.beta.empty()            ? "alpha"
                                                             : "alpha, beta");
    }
    return text +
           "\nExample:\n  longhaul measure import iperf3 tests/data/measure/iperf3.json -o "
           "raw.jsonl\n";
}

}  // namespace

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& text : notes) {
        print_error(fmt::format("longhaul: note: {}\n", text));
    }
}

void add_measure_import(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "import", "Reads what other tools measured or describe: raw measurements, or a fabric");
    command->footer(import_footer());
    auto options = std::make_shared<ImportCommand>();
    command->add_option("format", options->format, "one of the formats below")->type_name("FORMAT");
    command->add_option("files", options->files, "files of that format; - for standard input")
        ->type_name("FILE...");
    command
        ->add_option("-o,--output",
                     options->output,
                     "write raw measurements (or the fabric) to a file; default standard output")
        ->type_name("FILE");
    command->add_option("--fabric", options->fabric, "write a fabric (formats that give one)")
        ->type_name("FILE");
    command->add_option("--from", options->options.from, "name of the sending end (or of the host)")
        ->type_name("NAME");
    command->add_option("--to", options->options.to, "name of the receiving end")
        ->type_name("NAME");
    command
        ->add_option("--test",
                     options->options.test,
                     "which program of nccl-tests ran: sendrecv, gather, scatter")
        ->type_name("NAME");
    command
        ->add_option("--unit",
                     options->options.unit,
                     "unit of bandwidths: gbit or gibit (fabric, dtfm), mib or gbit (perftest "
                     "JSON), gib or gb (astra-sim)")
        ->check(CLI::IsMember({"gbit", "gibit", "mib", "gb", "gib"}));
    command->add_option("--devices", options->options.devices, "devices a region (dtfm); default 1")
        ->type_name("N")
        ->check(CLI::Range(1, 10'000));
    command->add_flag("--list", options->list, "print what each format gives");
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session, command] {
        session.run = [options, command] {
            if (options->list) {
                if (const auto alone = only_list(*command); !alone) {
                    return report(alone.error());
                }
                print(options->json ? core::write_json(list_value()) : list_text());
                return kDone;
            }
            const core::Result<void> done = import_with(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
