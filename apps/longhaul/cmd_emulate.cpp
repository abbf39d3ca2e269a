// emulate: a WAN between network namespaces of this machine.
#include <algorithm>
#include <memory>

#include <optional>

#include "longhaul/command.hpp"
#include "longhaul/emulate/program.hpp"
#include "longhaul/emulate/read.hpp"
#include "longhaul/emulate/run.hpp"
#include "longhaul/emulate/to_fabric.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

constexpr double kLeastScale = 1e-6;
constexpr double kMostScale = 1e6;
constexpr double kMostMbps = 1e6;
constexpr int kMostPid = 1 << 22;

struct EmulateOptions {
    std::string file;
    std::string on;
    bool each = false;
    double rate_scale = 1;
    double cap_mbps = 0;
    std::string congestion;
    std::optional<std::uint64_t> seed;
    bool check = false;
    bool quiet = false;
    bool json = false;
    std::string output;
    std::string fabric;
    std::string host;
    int pid = 0;
};

core::Result<emulate::Wan> load_wan(const EmulateOptions& options) {
    const auto text = read_file(options.file);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const std::string name = options.file == "-" ? "standard input.toml" : options.file;
    auto wan = emulate::read_network(*text, name);
    if (wan) {
        emulate::limit_rates(*wan, options.rate_scale, options.cap_mbps);
        wan->seed = options.seed.value_or(wan->seed);
        if (!options.congestion.empty()) {
            wan->tcp.congestion = options.congestion;
        }
    }
    return wan;
}

core::Result<emulate::Order> make_order(const EmulateOptions& options,
                                        const std::vector<std::string>& command,
                                        const emulate::Wan& wan) {
    emulate::Order order;
    order.command = command;
    order.each = options.each;
    if (!options.on.empty()) {
        const auto host = std::ranges::find(wan.hosts, options.on, &emulate::Host::name);
        if (host == wan.hosts.end() && options.on != "control") {
            return core::fail({options.file,
                               "--on",
                               "no host " + core::shown(options.on),
                               "it must be one of the hosts, or control"});
        }
        order.on = static_cast<std::size_t>(host - wan.hosts.begin());
    }
    return order;
}

/// Hosts with their addresses.
std::string network_text(const emulate::Wan& wan) {
    std::string text =
        fmt::format("{:<24} {:<16} {:<16} {}\n", "host", "address", "control", "region");
    for (const emulate::Host& host : wan.hosts) {
        text += fmt::format("{:<24} {:<16} {:<16} {}\n",
                            host.name,
                            emulate::address_text(host.address),
                            emulate::address_text(host.control),
                            host.region);
    }
    return text;
}

core::Value network_value(const emulate::Wan& wan) {
    core::Value hosts = core::Value::array();
    for (const emulate::Host& host : wan.hosts) {
        core::Value value = core::Value::object();
        value.set("name", host.name)
            .set("address", emulate::address_text(host.address))
            .set("control", emulate::address_text(host.control))
            .set("region", host.region);
        hosts.append(std::move(value));
    }
    core::Value resources = core::Value::array();
    for (const emulate::Resource& resource : wan.resources) {
        const emulate::Shape& shape = resource.shape;
        core::Value value = core::Value::object();
        value.set("name", resource.name)
            .set("rate_mbps", shape.rate_mbps)
            .set("delay_ms", shape.delay_ms)
            .set("jitter_ms", shape.jitter_ms)
            .set("loss", shape.loss)
            .set("queue_bytes",
                 shape.queue_bytes > 0 ? shape.queue_bytes : emulate::default_queue(shape))
            .set("burst_bytes", shape.burst_bytes);
        resources.append(std::move(value));
    }
    core::Value paths = core::Value::array();
    for (std::size_t a = 0; a < wan.hosts.size(); ++a) {
        for (std::size_t b = 0; b < wan.hosts.size(); ++b) {
            if (a == b) {
                continue;
            }
            const emulate::Path& path = wan.path(a, b);
            core::Value through = core::Value::array();
            for (const int index : path) {
                through.append(wan.resources[index].name);
            }
            core::Value value = core::Value::object();
            value.set("from", wan.hosts[a].name)
                .set("to", wan.hosts[b].name)
                .set("delay_ms", emulate::delay_ms(wan, path))
                .set("rate_mbps", emulate::rate_mbps(wan, path))
                .set("through", std::move(through));
            paths.append(std::move(value));
        }
    }
    core::Value value = core::Value::object();
    value.set("format", "longhaul.network/1")
        .set("mtu", wan.mtu)
        .set("ethernet", wan.ethernet)
        .set("payload_share", emulate::payload_share(wan.mtu, wan.ethernet))
        .set("hosts", std::move(hosts))
        .set("resources", std::move(resources))
        .set("paths", std::move(paths));
    return value;
}

/// One line for all pairs of hosts that have regions, delay and rate in common.
std::string paths_text(const emulate::Wan& wan) {
    std::vector<std::pair<std::string, int>> lines;
    for (std::size_t a = 0; a < wan.hosts.size(); ++a) {
        for (std::size_t b = 0; b < wan.hosts.size(); ++b) {
            if (a == b) {
                continue;
            }
            const double rate = emulate::rate_mbps(wan, wan.path(a, b));
            const std::string line =
                fmt::format("{:<24} {:<24} {:>10.6g} {:>12}",
                            wan.hosts[a].region,
                            wan.hosts[b].region,
                            emulate::delay_ms(wan, wan.path(a, b)),
                            rate > 0 ? fmt::format("{:.6g}", rate) : "no limit");
            const auto known = std::ranges::find(lines, line, &std::pair<std::string, int>::first);
            if (known == lines.end()) {
                lines.emplace_back(line, 1);
            } else {
                ++known->second;
            }
        }
    }
    std::string text = fmt::format("\n{:<24} {:<24} {:>10} {:>12} {:>6}\n",
                                   "from region",
                                   "to region",
                                   "delay ms",
                                   "rate Mbit/s",
                                   "pairs");
    for (const auto& [line, pairs] : lines) {
        text += fmt::format("{} {:>6}\n", line, pairs);
    }
    return text;
}

int show_network(const EmulateOptions& options, const emulate::Wan& wan) {
    const std::string json = core::write_json(network_value(wan));
    if (!options.output.empty()) {
        if (const auto written = write_file(options.output, json); !written) {
            return report(written.error());
        }
    }
    if (!options.fabric.empty()) {
        const auto fabric = emulate::to_fabric(wan, input_name(options.file));
        if (!fabric) {
            return report(fabric.error());
        }
        if (fabric->left_out > 0) {
            warn(fmt::format(
                "{} resources that several pairs cross are not in the fabric: it states "
                "at most 64, each between two sets of places",
                fabric->left_out));
        }
        const std::string text = core::write_json(fabric::to_value(fabric->fabric));
        if (const auto written = write_file(options.fabric, text); !written) {
            return report(written.error());
        }
    }
    if (!on_stdout({options.output, options.fabric})) {
        print(options.json ? json : network_text(wan) + paths_text(wan));
    }
    return kDone;
}

int run_emulate(const EmulateOptions& options, const std::vector<std::string>& command) {
    if (const auto apart = check_apart({options.output, options.fabric}, {options.file}); !apart) {
        return report(apart.error());
    }
    if (const auto alone = check_json_alone(options.json, {options.fabric}); !alone) {
        return report(alone.error());
    }
    const auto wan = load_wan(options);
    if (!wan) {
        return report(wan.error());
    }
    if (options.check && !command.empty()) {
        return report({{"--check", "", "it runs no command", "leave out --check, or the command"}});
    }
    if (options.check) {
        return show_network(options, *wan);
    }
    if (!options.fabric.empty()) {
        return report({{"--fabric", "", "it is given without --check", "add --check"}});
    }
    auto order = make_order(options, command, *wan);
    if (!order) {
        return report(order.error());
    }
    if (const auto writable = check_writable(options.output);
        !options.output.empty() && !writable) {
        return report(writable.error());
    }
    order->ready = [&](int pid, const std::vector<std::string>& warnings) {
        std::ranges::for_each(warnings, [](const std::string& text) { warn(text); });
        if (command.empty() && !options.quiet) {
            print_error(
                fmt::format("{}enter a host:  longhaul emulate exec --pid {} HOST -- COMMAND\n"
                            "Ctrl-C, or a signal, ends the network.\n",
                            network_text(*wan),
                            pid));
        }
    };
    order->asked = [&](const emulate::Traffic& traffic,
                       const std::vector<emulate::Counters>& seen) {
        print_error(emulate::report_text(*wan, traffic, seen));
    };
    const auto outcome = emulate::run(*wan, *order);
    if (!outcome) {
        return report(outcome.error());
    }
    const std::string json =
        core::write_json(emulate::report_value(*wan, outcome->traffic, outcome->counters));
    if (!options.output.empty()) {
        if (const auto written = write_file(options.output, json); !written) {
            return report(written.error());
        }
    }
    if (options.json) {
        print(options.output == "-" ? std::string() : json);
    } else if (!options.quiet) {
        print_error(emulate::report_text(*wan, outcome->traffic, outcome->counters));
    }
    return outcome->exit_code;
}

int run_exec(const EmulateOptions& options, const std::vector<std::string>& command) {
    if (command.empty()) {
        return report(
            {{"emulate exec", "", "no command is given", "longhaul emulate exec HOST -- COMMAND"}});
    }
    const auto code = emulate::enter(options.pid, options.host, command);
    return code ? *code : report(code.error());
}

void add_exec(CLI::App& command, Session& session, const std::shared_ptr<EmulateOptions>& options) {
    CLI::App* exec =
        command.add_subcommand("exec", "Runs the command behind -- on a host of a running network");
    exec->add_option("host", options->host, "name of the host, or control")
        ->required()
        ->type_name("HOST");
    exec->add_option(
            "--pid", options->pid, "from outside of the network: the number that emulate prints")
        ->check(CLI::Range(1, kMostPid))
        ->type_name("PID");
    example(*exec, "longhaul emulate exec east-1 -- ping -c 3 west-1");
    exec->callback([&session, options] {
        session.run = [&session, options] { return run_exec(*options, session.program); };
    });
}

}  // namespace

void add_emulate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "emulate",
        "Builds hosts on this machine, joined by a WAN, and runs the command behind -- in it");
    const auto options = std::make_shared<EmulateOptions>();
    command
        ->add_option(
            "file", options->file, "WAN file, topology or fabric; - reads TOML from standard input")
        ->type_name("FILE");
    CLI::Option* on = command
                          ->add_option("--on",
                                       options->on,
                                       "host that the command runs on (default: control, which "
                                       "reaches every host without delay)")
                          ->type_name("HOST");
    command
        ->add_flag(
            "--each", options->each, "run a copy on every host; lines of output get its name")
        ->excludes(on);
    command->add_option("--rate-scale", options->rate_scale, "factor for every rate")
        ->check(finite_number(kLeastScale, kMostScale))
        ->capture_default_str()
        ->type_name("NUMBER");
    command->add_option("--cap", options->cap_mbps, "most that any resource carries, Mbit/s")
        ->check(finite_number(1e-3, kMostMbps))
        ->type_name("MBPS");
    command
        ->add_option("--congestion",
                     options->congestion,
                     "TCP congestion control of the hosts (default: the file's, else cubic)")
        ->type_name("NAME");
    command->add_option("--seed", options->seed, "of loss and jitter (default: the file's, else 7)")
        ->type_name("N")
        ->check(whole_number());
    command->add_flag(
        "--check", options->check, "read the file, print hosts and paths, build nothing");
    command
        ->add_option("--fabric",
                     options->fabric,
                     "with --check: write what an exact measurement would find (longhaul.fabric/1)")
        ->type_name("FILE");
    command->add_flag("--quiet", options->quiet, "no report of what was carried");
    command->add_flag(
        "--json", options->json, "print the report as one JSON object, on standard output");
    command->add_option("-o,--output", options->output, "write that JSON object to a file")
        ->type_name("FILE");
    example(*command, "longhaul emulate examples/eight-hosts/wan.toml --check");
    add_exec(*command, session, options);
    command->callback([&session, options, command] {
        if (!command->get_subcommands().empty()) {
            return;
        }
        if (options->file.empty()) {
            throw CLI::RequiredError("FILE");
        }
        session.run = [&session, options] { return run_emulate(*options, session.program); };
    });
}

}  // namespace longhaul::app
