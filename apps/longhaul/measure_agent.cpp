// measure agent: takes part in the campaigns of whoever has the token.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/measure/agent.hpp"
#include "longhaul/measure/campaign_hosts.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

struct AgentCommand {
    std::string listen;
    std::string token_file;
    std::string id;
    std::vector<std::string> peers;
    std::string task_bytes = "16GB";
    std::string hour_bytes = "400GB";
    double task_seconds = measure::AgentLimits().task_seconds;
    bool any = false;
    bool json = false;
    bool quiet = false;
};

/// Peers of a list, or the hosts of a hosts file.
core::Result<std::vector<measure::Peer>> load_peers(const std::string& text) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(text, ignored)) {
        return measure::parse_peers(text);
    }
    const auto content = read_file(text);
    if (!content) {
        return tl::unexpected(content.error());
    }
    const auto hosts = measure::read_campaign_hosts(*content, text);
    if (!hosts) {
        return tl::unexpected(hosts.error());
    }
    std::vector<measure::Peer> peers;
    for (const measure::CampaignHost& host : hosts->hosts) {
        const auto address = transport::resolve(host.address, 0);
        if (!address) {
            return tl::unexpected(address.error());
        }
        peers.push_back({host.id, transport::Network::parse(address->host()).value()});
    }
    return peers;
}

/// Bytes that leave room for a message.
core::Result<double> limit_of(const std::string& option, const std::string& text) {
    auto bytes = parse_bytes(option, text);
    if (bytes && *bytes < 1) {
        return core::fail({option,
                           "",
                           "found " + core::shown(text) + ": no message could pass",
                           "give 1 or more"});
    }
    return bytes;
}

/// Fails when a name occurs with two addresses: either could be the wrong one.
core::Result<void> named_once(const std::vector<measure::Peer>& peers) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (peers[i].id == peers[j].id && !(peers[i].network == peers[j].network)) {
                return core::fail({"--peers",
                                   "",
                                   fmt::format("{} has two addresses", core::shown(peers[i].id)),
                                   "give one address or network a name"});
            }
        }
    }
    return {};
}

core::Result<measure::AgentOptions> agent_options(const AgentCommand& command) {
    measure::AgentOptions options;
    options.id = command.id;
    options.limits.task_seconds = command.task_seconds;
    const auto task_bytes = limit_of("--max-task-bytes", command.task_bytes);
    const auto hour_bytes = limit_of("--max-hour-bytes", command.hour_bytes);
    if (!task_bytes || !hour_bytes) {
        return tl::unexpected(task_bytes ? hour_bytes.error() : task_bytes.error());
    }
    options.limits.task_bytes = *task_bytes;
    options.limits.hour_bytes = *hour_bytes;
    for (const std::string& text : command.peers) {
        auto peers = load_peers(text);
        if (!peers) {
            return tl::unexpected(peers.error());
        }
        std::ranges::move(*peers, std::back_inserter(options.peers));
    }
    if (const auto once = named_once(options.peers); !once) {
        return tl::unexpected(once.error());
    }
    const auto coordinator =
        std::ranges::count(options.peers, measure::kCoordinatorId, &measure::Peer::id);
    if (coordinator == 0) {
        return core::fail({"",
                           "",
                           "no peer is the coordinator: nobody could start a task",
                           "add --peers coordinator=ADDRESS, where \"measure run\" runs"});
    }
    return options;
}

void say(const AgentCommand& command, const measure::AgentNote& note) {
    if (command.json) {
        print(core::write_json_line(
            core::Value::object().set("event", note.kind).set("detail", note.detail)));
        std::fflush(stdout);
    } else if (!command.quiet) {
        print_error(fmt::format("longhaul: {}: {}\n", note.kind, note.detail));
    }
}

void say_where(const AgentCommand& command, const transport::Address& address) {
    if (command.json) {
        print(core::write_json_line(core::Value::object()
                                        .set("event", "listening")
                                        .set("address", address.host())
                                        .set("port", address.port())));
    } else {
        print(fmt::format("listening on {}\n", address.text()));
    }
    std::fflush(stdout);
}

int run_agent(const AgentCommand& command) {
    const auto token = load_token(command.token_file);
    if (!token) {
        return report(token.error());
    }
    auto options = agent_options(command);
    if (!options) {
        return report(options.error());
    }
    const auto place = transport::listen_address(command.listen, command.any);
    if (!place) {
        return report(place.error());
    }
    auto listener = transport::Listener::open(*place);
    if (!listener) {
        return report(listener.error());
    }
    options->facts = host_facts(place->host());
    catch_interrupts();
    measure::Agent agent(
        std::move(*listener), *token, std::move(*options), [&](const measure::AgentNote& note) {
            say(command, note);
        });
    say_where(command, agent.address());
    while (!interrupted()) {
        agent.step(core::Seconds(0.5));
    }
    return kDone;
}

}  // namespace

void add_measure_agent(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "agent", "Sends and receives test messages for a coordinator that knows the token");
    const auto options = std::make_shared<AgentCommand>();
    command
        ->add_option("--listen", options->listen, "interface or address, and port (0: a free one)")
        ->required()
        ->type_name("IF|ADDRESS:PORT");
    command
        ->add_option("--token-file",
                     options->token_file,
                     "secret of the campaign: a file of mode 0600 with 32 bytes or more")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--peers",
                     options->peers,
                     "who may connect: a hosts file, or ID=ADDRESS[/BITS],...; the coordinator "
                     "has the id \"coordinator\"; may be repeated")
        ->required()
        ->type_name("FILE|LIST");
    command->add_option("--id", options->id, "answer only to this name")->type_name("NAME");
    command
        ->add_option("--max-task-bytes",
                     options->task_bytes,
                     "most bytes received on one connection of a task")
        ->capture_default_str()
        ->type_name("BYTES");
    command->add_option("--max-hour-bytes", options->hour_bytes, "most bytes moved in an hour")
        ->capture_default_str()
        ->type_name("BYTES");
    command->add_option("--max-task-seconds", options->task_seconds, "longest task, seconds")
        ->capture_default_str()
        ->check(finite_number(1, 86400))
        ->type_name("S");
    command->add_flag("--any", options->any, "allow to listen on 0.0.0.0 or ::");
    command->add_flag("--json", options->json, "print one JSON object a line");
    command->add_flag("--quiet", options->quiet, "say only where it listens");
    example(*command,
            "longhaul measure agent --listen eth0:7711 --token-file token "
            "--peers hosts.toml --peers coordinator=10.80.0.9");
    command->callback(
        [&session, options] { session.run = [options] { return run_agent(*options); }; });
}

}  // namespace longhaul::app
