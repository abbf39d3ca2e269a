// measure fit: from raw measurements to costs of links, and to a fabric.
#include <algorithm>

#include "longhaul/command.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/measure/fabric_of.hpp"
#include "longhaul/measure/fit.hpp"
#include "longhaul/measure/links_file.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/measure_sharing.hpp"
#include "longhaul/measure_text.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

constexpr double kMostBytes = 1e15;  // of a message
constexpr int kMostDevices = 1024;   // of a host
constexpr int kMostStreams = 100'000;
constexpr int kMostResamples = 1'000'000;

struct FitCommand {
    std::vector<std::string> files;
    std::string output;
    std::string fabric;
    std::string state = "warm";
    std::string message_size;
    measure::FabricOptions options;
    measure::FitOptions fit;
    bool complete = false;
    bool json = false;
};

measure::State state_of(const std::string& name) {
    for (const measure::State state : {measure::State::kIdle, measure::State::kCold}) {
        if (name == measure::name_of(state)) {
            return state;
        }
    }
    return measure::State::kWarm;
}

/// Bytes of --message-size; 0 when it was not given.
core::Result<double> message_bytes(const FitCommand& command) {
    if (command.message_size.empty()) {
        return 0.0;
    }
    const core::Result<double> bytes = parse_bytes("--message-size", command.message_size);
    if (bytes && (*bytes < 1 || *bytes > kMostBytes)) {
        return core::fail(
            {"--message-size", "", "found " + core::shown(command.message_size), "1 byte to 1PB"});
    }
    return bytes;
}

/// Nothing is computed before the outputs are known to be good.
core::Result<void> check_outputs(const FitCommand& command) {
    for (const std::string& path : {command.output, command.fabric}) {
        if (path.empty()) {
            continue;
        }
        if (const core::Result<void> writable = check_writable(path); !writable) {
            return writable;
        }
    }
    if (auto apart = check_apart({command.output, command.fabric}, command.files); !apart) {
        return apart;
    }
    return check_json_alone(command.json, {command.fabric});
}

/// Fits, and the shared resources that are trusted.
struct Fitted {
    measure::LinkFits links;
    FoundSharing sharing;
};

/// A fabric says how many pairs are suspect, but not which: who writes one hears of them.
void warn_suspects(int suspects) {
    if (suspects > 0) {
        warn(
            fmt::format("{} {} of the fabric {} a suspect fit; see the reasons above, or keep the "
                        "links file (-o), which says which",
                        suspects,
                        suspects == 1 ? "pair" : "pairs",
                        suspects == 1 ? "has" : "have"));
    }
}

/// Whether a campaign was begun and did not come to its end. Files of other programs say neither.
bool campaign_goes_on(const measure::Raw& raw) {
    return !raw.runs.empty() && !raw.tasks.empty() && !raw.ended;
}

/// The fabric as text. Pairs that were not measured are estimated when asked for, else problems.
core::Result<std::string> fabric_text(const FitCommand& command, const Fitted& fitted) {
    measure::FabricOptions options = command.options;
    if (command.complete && !fitted.links.missing.empty()) {
        if (const core::Result<void> done = add_completion(fitted.links, options); !done) {
            return tl::unexpected(done.error());
        }
    }
    core::Result<fabric::FabricParts> parts = measure::to_fabric(fitted.links, options);
    if (!parts) {
        return tl::unexpected(std::move(parts.error()));
    }
    parts->shared = fitted.sharing.capacities;
    const core::Result<fabric::Fabric> fabric =
        fabric::Fabric::make(*std::move(parts), input_name(command.files.front()));
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    warn_suspects(fabric->parts().suspect.value_or(0));
    warn_left_out(fitted.sharing);
    return core::write_json(fabric::to_value(*fabric));
}

core::Result<Fitted> fit_files(const FitCommand& command) {
    if (const core::Result<void> good = check_outputs(command); !good) {
        return tl::unexpected(good.error());
    }
    const core::Result<LoadedRaw> loaded = load_raw_files(command.files);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    measure::LinkFits fits = measure::fit_links(loaded->raw, command.fit);
    for (std::size_t i = loaded->raw.warnings.size(); i < fits.warnings.size(); ++i) {
        warn(fits.warnings[i]);
    }
    fits.sources = loaded->sources;
    if (fits.pairs.empty() && fits.fans.empty() && fits.relays.empty() && fits.locals.empty() &&
        fits.both_ways.empty()) {
        return core::fail({input_name(command.files.front()),
                           "",
                           "holds no samples that can be fitted",
                           "give files of timed messages; longhaul measure show says what is in "
                           "them"});
    }
    if (campaign_goes_on(loaded->raw)) {
        warn(fmt::format(
            "{}: the campaign has not ended (no record \"end\"), so pairs or repetitions may be "
            "missing; longhaul measure run --resume completes it",
            input_name(command.files.front())));
    }
    FoundSharing sharing = add_shared(loaded->raw, command.options, fits);
    return Fitted{std::move(fits), std::move(sharing)};
}

int run_fit(FitCommand command) {
    const core::Result<double> bytes = message_bytes(command);
    if (!bytes) {
        return report(bytes.error());
    }
    command.options.message_bytes = *bytes;
    const core::Result<Fitted> fitted = fit_files(command);
    if (!fitted) {
        return report(fitted.error());
    }
    const measure::LinkFits& fits = fitted->links;
    const core::Result<std::string> fabric =
        command.fabric.empty() ? core::Result<std::string>() : fabric_text(command, *fitted);
    if (!fabric && fits.missing.empty()) {
        return report(fabric.error());  // before anything is written
    }
    const std::string json = core::write_json(measure::to_value(fits));
    if (!command.output.empty()) {
        if (const core::Result<void> written = write_file(command.output, json); !written) {
            return report(written.error());
        }
    }
    if (!on_stdout({command.output, command.fabric})) {
        print(command.json ? json : fits_text(fits) + sharing_text(fits, fitted->sharing));
    }
    if (!command.fabric.empty()) {
        const core::Result<void> written = fabric
                                               ? write_file(command.fabric, *fabric)
                                               : core::Result<void>(tl::unexpected(fabric.error()));
        if (!written) {
            const int code = report(written.error());
            return fabric ? code : kPartial;
        }
    }
    return fits.missing.empty() ? kDone : kPartial;
}

void add_fabric_options(CLI::App& app, FitCommand& command) {
    measure::FabricOptions& options = command.options;
    app.add_option("--fabric", command.fabric, "write a fabric for place (longhaul.fabric/1)")
        ->type_name("FILE");
    app.add_flag("--complete",
                 command.complete,
                 "of the fabric: estimate pairs that were not measured, with intervals");
    app.add_option("--message-size",
                   command.message_size,
                   "of the fabric: size of a message, such as 2.5MB, which chooses the segment; "
                   "without it the largest measured")
        ->type_name("BYTES");
    app.add_option("--state", command.state, "of the fabric: warm, idle or cold connections")
        ->check(CLI::IsMember({"warm", "idle", "cold"}))
        ->capture_default_str();
    app.add_option("--transport", options.transport, "of the fabric, where several were measured")
        ->type_name("NAME");
    app.add_option("--streams",
                   options.streams,
                   "of the fabric: connections of a message; 0: the fewest measured")
        ->check(CLI::Range(0, kMostStreams))
        ->capture_default_str();
    app.add_option("--devices-per-host",
                   options.devices_per_host,
                   "of the fabric, where the file does not say (host fact \"devices\")")
        ->check(CLI::Range(1, kMostDevices))
        ->capture_default_str();
    app.add_option("--inside-alpha-ms",
                   options.inside_alpha_ms,
                   "between devices of one host: latency in ms, an estimate")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    app.add_option("--inside-gbps",
                   options.inside_beta_gbps,
                   "between devices of one host: rate in Gbit/s, an estimate")
        ->check(finite_number(1e-6, 1e6))
        ->capture_default_str();
}

}  // namespace

void add_measure_fit(CLI::App& parent, Session& session) {
    CLI::App* app = parent.add_subcommand(
        "fit", "Fits what messages cost on every link, and says which fits to trust");
    example(*app, "longhaul measure fit tests/data/measure/two-hosts.jsonl --fabric fabric.json");
    auto command = std::make_shared<FitCommand>();
    app->add_option("files", command->files, "raw measurements (longhaul.raw/1); - for stdin")
        ->type_name("FILE")
        ->required();
    app->add_option("-o,--output", command->output, "write all fits (longhaul.links/1)")
        ->type_name("FILE");
    add_fabric_options(*app, *command);
    app->add_option("--resamples", command->fit.resamples, "of the bootstrap for intervals")
        ->check(CLI::Range(1, kMostResamples))
        ->capture_default_str();
    add_seed(*app, command->fit.seed);
    add_threads(*app, command->fit.threads);
    app->add_flag("--json", command->json, "print one JSON object, as -o writes it");
    app->callback([command, &session] {
        command->options.state = state_of(command->state);
        session.run = [command] { return run_fit(*command); };
    });
}

}  // namespace longhaul::app
