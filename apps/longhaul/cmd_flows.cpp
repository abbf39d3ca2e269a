// flows: runs a list of flows over shared links and says when each arrives.
#include <algorithm>
#include <memory>
#include <span>

#include "longhaul/command.hpp"
#include "longhaul/flowsim/flows_file.hpp"
#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"

namespace longhaul::app {
namespace {

struct FlowsOptions {
    std::string file;
    std::string topology;
    std::string output;
    int rows = 40;
    bool json = false;
};

double ms(flowsim::Time time) {
    return static_cast<double>(time.count()) / 1e9;
}

/// Width of the column of names.
std::size_t name_width(std::span<const std::string> names) {
    std::size_t width = 4;
    for (const std::string& name : names) {
        width = std::max(width, name.size());
    }
    return width;
}

std::string more_text(std::size_t count, std::size_t shown, std::string_view kind) {
    return count > shown
               ? fmt::format("... and {} more {}; --rows 0 shows all\n", count - shown, kind)
               : "";
}

/// Rows in the order of the file; `rows` 0 is all of them.
std::string flows_text(const flowsim::FlowsFile& file,
                       const flowsim::BatchResult& result,
                       std::size_t rows) {
    const std::size_t count = file.flows.size();
    const std::size_t shown = rows == 0 ? count : std::min(rows, count);
    const std::size_t width = name_width(std::span(file.flow_names).first(shown));
    std::string text = fmt::format("{:<{}} {:>11} {:>14} {:>14} {:>14} {:>10}\n",
                                   "flow",
                                   width,
                                   "payload GB",
                                   "start ms",
                                   "sent ms",
                                   "delivered ms",
                                   "Gbit/s");
    for (std::size_t f = 0; f < shown; ++f) {
        const flowsim::FlowTimes& times = result.flows[f];
        const double gigabytes = file.flows[f].payload.value();
        const double seconds = ms(times.sent - times.started) / 1000;
        text += fmt::format("{:<{}} {:>11.6g} {:>14.3f} {:>14.3f} {:>14.3f} {:>10}\n",
                            file.flow_names[f],
                            width,
                            gigabytes,
                            ms(times.started),
                            ms(times.sent),
                            ms(times.delivered),
                            seconds > 0 ? fmt::format("{:.4g}", 8 * gigabytes / seconds) : "-");
    }
    return text + more_text(count, shown, "flows");
}

/// The links to show, the busiest first: all that the file has, and of a topology those that
/// carried something.
std::vector<std::size_t> links_to_show(const flowsim::FlowsFile& file,
                                       const flowsim::BatchResult& result) {
    std::vector<std::size_t> links;
    for (std::size_t l = 0; l < file.links.size(); ++l) {
        if (l >= file.declared_links || result.links[l].carried.value() > 0) {
            links.push_back(l);
        }
    }
    // By their use; all are divided by the same end.
    std::ranges::stable_sort(links, std::ranges::greater{}, [&](std::size_t l) {
        return result.links[l].carried.value() / file.links[l].capacity.value();
    });
    return links;
}

std::string links_text(const flowsim::FlowsFile& file,
                       const flowsim::BatchResult& result,
                       std::size_t rows) {
    const std::vector<std::size_t> links = links_to_show(file, result);
    const std::size_t shown = rows == 0 ? links.size() : std::min(rows, links.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) {
        names.push_back(file.link_names[links[i]]);
    }
    const std::size_t width = name_width(names);
    std::string text = fmt::format("{:<{}} {:>10} {:>12} {:>7} {:>14} {:>14}\n",
                                   "link",
                                   width,
                                   "Gbit/s",
                                   "carried GB",
                                   "use",
                                   "used ms",
                                   "limiting ms");
    const double end_s = flowsim::to_seconds(result.end).value();
    for (std::size_t i = 0; i < shown; ++i) {
        const flowsim::LinkUse& use = result.links[links[i]];
        const double gbps = file.links[links[i]].capacity.value();
        const double most = gbps * end_s / 8;
        text += fmt::format("{:<{}} {:>10.6g} {:>12.6g} {:>6.1f}% {:>14.3f} {:>14.3f}\n",
                            names[i],
                            width,
                            gbps,
                            use.carried.value(),
                            most > 0 ? 100 * use.carried.value() / most : 0.0,
                            ms(use.used),
                            ms(use.limiting));
    }
    return text + more_text(links.size(), shown, "links");
}

/// The flows that the simulation cannot follow to their end.
core::Diagnostic too_long(const FlowsOptions& options,
                          const flowsim::FlowsFile& file,
                          const flowsim::BatchResult& result) {
    const auto first = std::ranges::find_if(result.flows, [](const flowsim::FlowTimes& times) {
        return times.delivered == flowsim::kNever;
    });
    const auto index = static_cast<std::size_t>(first - result.flows.begin());
    return {input_name(options.file),
            fmt::format("flow[{}]", index),
            fmt::format("{} of {} flows do not end within 53 days; the first is {}",
                        result.unfinished,
                        file.flows.size(),
                        core::shown(file.flow_names[index])),
            "use smaller payloads, earlier starts or faster links"};
}

core::Result<void> run_flows(const FlowsOptions& options) {
    if (!options.output.empty()) {
        if (auto apart = check_apart({options.output}, {options.file, options.topology}); !apart) {
            return apart;
        }
    }
    if (auto once = read_once({options.file, options.topology}); !once) {
        return once;
    }
    std::optional<topology::Routes> routes;
    if (!options.topology.empty()) {
        auto loaded = load_routes(options.topology);
        if (!loaded) {
            return tl::unexpected(loaded.error());
        }
        routes = std::move(*loaded);
    }
    const auto text = read_file(options.file);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto file =
        flowsim::read_flows(*text, input_name(options.file), routes ? &*routes : nullptr);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const flowsim::BatchResult result = flowsim::run_batch(file->links, file->flows, file->cold);
    if (result.unfinished > 0) {
        return core::fail(too_long(options, *file, result));
    }
    const std::string json = core::write_json(flowsim::to_value(*file, result));
    if (!options.output.empty()) {
        if (auto written = write_file(options.output, json); !written) {
            return written;
        }
    }
    if (options.output == "-") {
        return {};
    }
    const auto rows = static_cast<std::size_t>(options.rows);
    print(options.json ? json
                       : flows_text(*file, result, rows) + "\n" + links_text(*file, result, rows) +
                             fmt::format("\nall delivered after {:.3f} ms\n", ms(result.end)));
    return {};
}

}  // namespace

void add_flows(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "flows", "Says when flows that share links arrive, and what the links carry");
    const auto options = std::make_shared<FlowsOptions>();
    command
        ->add_option(
            "flows", options->file, "flows file (TOML, or JSON by its name); - for standard input")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--topology",
                     options->topology,
                     "topology or routes file: flows may name endpoints instead of links")
        ->type_name("FILE");
    command->add_option("--rows", options->rows, "flows and links to show; 0 for all")
        ->check(CLI::Range(0, 1'000'000'000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object instead of the tables");
    command->add_option("-o,--output", options->output, "write the JSON object to a file")
        ->type_name("FILE");
    example(*command, "longhaul flows examples/flows/exchange.toml");
    command->callback([&session, options] {
        session.run = [options] {
            const core::Result<void> done = run_flows(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
