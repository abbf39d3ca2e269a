// measure template: prints the script that measures on the training's own transport.
#include <algorithm>
#include <set>

#include "longhaul/command.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"
#include "embedded_template.hpp"

namespace longhaul::app {
namespace {

struct TemplateCommand {
    std::string patterns;
    std::string sizes;
    std::string fan_widths;
    std::string group;
    int repeats = 0;
    int blocks = 0;
    std::string output = "-";
};

/// Only what may stand in a list between commas: the text goes into a program.
CLI::Validator list_of(std::string_view more) {
    return {[more = std::string(more)](std::string& text) -> std::string {
                const bool good = std::ranges::all_of(text, [&](char c) {
                    return (c >= '0' && c <= '9') || c == ',' || more.find(c) != std::string::npos;
                });
                return good && !text.empty() ? "" : "found " + core::shown(text);
            },
            ""};
}

CLI::Validator patterns_check() {
    return {[](std::string& text) -> std::string {
                const std::set<std::string, std::less<>> known = {
                    "local", "ping", "peer", "both_ways", "fan_out", "fan_in", "relay"};
                std::size_t start = 0;
                while (start <= text.size()) {
                    const std::size_t end = std::min(text.find(',', start), text.size());
                    const std::string name = text.substr(start, end - start);
                    if (!known.contains(name)) {
                        return "unknown pattern " + core::shown(name) +
                               "; known: local, ping, peer, both_ways, fan_out, fan_in, relay";
                    }
                    start = end + 1;
                }
                return "";
            },
            ""};
}

/// The script with another value behind "NAME = ".
void set_default(std::string& script, const std::string& name, const std::string& value) {
    const std::size_t start = script.find("\n" + name + " = ");
    if (value.empty() || start == std::string::npos) {
        return;
    }
    const std::size_t first = start + name.size() + 4;
    script.replace(first, script.find('\n', first) - first, value);
}

std::string quoted(const std::string& text) {
    return text.empty() ? "" : '"' + text + '"';
}

std::string number(int value) {
    return value == 0 ? "" : std::to_string(value);
}

std::string script_with(const TemplateCommand& command) {
    std::string script(kMeasureTemplate);
    set_default(script, "DEFAULT_PATTERNS", quoted(command.patterns));
    set_default(script, "DEFAULT_SIZES", quoted(command.sizes));
    set_default(script, "DEFAULT_REPEATS", number(command.repeats));
    set_default(script, "DEFAULT_BLOCKS", number(command.blocks));
    set_default(script, "DEFAULT_FAN_WIDTHS", quoted(command.fan_widths));
    set_default(script, "DEFAULT_GROUP", quoted(command.group));
    return script;
}

}  // namespace

void add_measure_template(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "template", "Prints a Python script for torchrun that measures on NCCL or Gloo");
    example(*command, "longhaul measure template --patterns ping,peer,fan_in -o measure_links.py");
    auto options = std::make_shared<TemplateCommand>();
    command
        ->add_option("--patterns",
                     options->patterns,
                     "what to time, between commas: local, ping, peer, both_ways, fan_out, fan_in, "
                     "relay; default all")
        ->type_name("LIST")
        ->check(patterns_check());
    command
        ->add_option(
            "--sizes", options->sizes, "bytes of messages, with K, M, G; default 4K to 256M")
        ->type_name("LIST")
        ->check(list_of("KMG"));
    command->add_option("--repeats", options->repeats, "messages of a size; default 10")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--blocks", options->blocks, "passes over everything; default 1")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--fan-widths", options->fan_widths, "peers of fans; default 1, 2, 4, all")
        ->type_name("LIST")
        ->check(list_of(""));
    command->add_option("--group", options->group, "ranks that take part; default all")
        ->type_name("LIST")
        ->check(list_of(""));
    command->add_option("-o,--output", options->output, "file to write; default standard output")
        ->type_name("FILE");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = write_file(options->output, script_with(*options));
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
