// measure template: prints the script that measures on the training's own transport.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

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

constexpr double kMostSize = 1e12;  // bytes
constexpr double kMostRank = 1e6;

/// Parts between commas.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

/// What one entry of a list may be.
struct Entries {
    std::string what;  ///< for messages: "a size, such as 64K"
    bool units = false;
    double least = 1;
    double most = kMostRank;
};

/// The whole number that all of the text is, with K, M or G behind it where allowed; -1 else.
double entry_of(std::string text, const Entries& entries) {
    double factor = 1;
    const std::size_t unit = std::string_view("KMG").find(text.empty() ? ' ' : text.back());
    if (entries.units && unit != std::string_view::npos) {
        factor = std::pow(1024.0, static_cast<double>(unit + 1));
        text.pop_back();
    }
    const bool digits = !text.empty() && text.size() <= 15 &&
                        std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? factor * std::stod(text) : -1;
}

/// Only what may stand in a list between commas, every entry once: the text goes into a program.
CLI::Validator list_of(Entries entries) {
    return {[entries = std::move(entries)](std::string& text) -> std::string {
                std::set<double> seen;
                for (const std::string& part : parts_of(text)) {
                    const double value = entry_of(part, entries);
                    if (value < entries.least || value > entries.most) {
                        return fmt::format(
                            "found {}; it must be {}", core::shown(part), entries.what);
                    }
                    if (!seen.insert(value).second) {
                        return core::shown(part) + " is there twice; name it once";
                    }
                }
                return "";
            },
            ""};
}

CLI::Validator patterns_check() {
    return {[](std::string& text) -> std::string {
                const std::set<std::string, std::less<>> known = {
                    "local", "ping", "peer", "both_ways", "fan_out", "fan_in", "relay"};
                for (const std::string& name : parts_of(text)) {
                    if (!known.contains(name)) {
                        return "unknown pattern " + core::shown(name) +
                               "; known: local, ping, peer, both_ways, fan_out, fan_in, relay";
                    }
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
        ->check(list_of({"a size of 1 to 10^12 bytes, such as 65536 or 64K", true, 1, kMostSize}));
    command->add_option("--repeats", options->repeats, "messages of a size; default 10")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--blocks", options->blocks, "passes over everything; default 1")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--fan-widths", options->fan_widths, "peers of fans; default 1, 2, 4, all")
        ->type_name("LIST")
        ->check(list_of({"a number of peers, 1 or more", false, 1, kMostRank}));
    command->add_option("--group", options->group, "ranks that take part; default all")
        ->type_name("LIST")
        ->check(list_of({"a rank, 0 or more", false, 0, kMostRank}));
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
