// simulate: one training step of a plan, replayed on a simulated network.
#include <algorithm>
#include <array>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/fabric/names.hpp"
#include "longhaul/options.hpp"
#include "longhaul/report/gantt.hpp"
#include "longhaul/step_inputs.hpp"
#include "longhaul/study/step_report.hpp"
#include "longhaul/study/trace.hpp"
#include "longhaul/topology/artifact.hpp"

namespace longhaul::app {
namespace {

using study::StepReport;

struct SimulateOptions {
    std::string plan;
    StepInputs step;
    std::string trace;
    std::string picture;
    int links = 5;
    bool json = false;
};

double share(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

std::string shares_text(const study::DeviceReport& device, double step) {
    return fmt::format(
        "computing {:5.1f} %, waiting for compute {:5.1f} %, the network {:5.1f} %, "
        "stragglers {:5.1f} %",
        share(device.computing_s, step),
        share(device.waiting_compute_s, step),
        share(device.waiting_network_s, step),
        share(device.waiting_stragglers_s, step));
}

/// Sum over the devices with a rank, as one device.
study::DeviceReport mean_of(const StepReport& report) {
    study::DeviceReport mean;
    double used = 0;
    for (const study::DeviceReport& device : report.devices) {
        used += device.used ? 1 : 0;
    }
    for (const study::DeviceReport& device : report.devices) {
        if (device.used) {
            mean.computing_s += device.computing_s / used;
            mean.waiting_compute_s += device.waiting_compute_s / used;
            mean.waiting_network_s += device.waiting_network_s / used;
            mean.waiting_stragglers_s += device.waiting_stragglers_s / used;
        }
    }
    return mean;
}

std::string devices_text(const StepReport& report, const std::vector<std::string>& names) {
    const auto fewest = std::ranges::min_element(report.devices, {}, [](const auto& device) {
        return device.used ? device.computing_s : 1e300;
    });
    return fmt::format(
        "devices    {}\n"
        "least busy {}  {}\n",
        shares_text(mean_of(report), report.total_s),
        shares_text(*fewest, report.total_s),
        names[static_cast<std::size_t>(fewest->device)]);
}

std::string critical_text(const StepReport& report, const std::vector<std::string>& names) {
    std::array<double, 8> of_kind{};
    for (const study::CriticalPart& part : report.critical) {
        of_kind.at(static_cast<std::size_t>(part.kind)) += part.end_s - part.begin_s;
    }
    std::vector<std::pair<double, study::TaskKind>> kinds;
    for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
        if (of_kind.at(kind) > 0) {
            kinds.emplace_back(of_kind.at(kind), static_cast<study::TaskKind>(kind));
        }
    }
    std::ranges::stable_sort(kinds, std::ranges::greater{}, [](const auto& k) { return k.first; });
    std::string text = "critical   ";
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        text += fmt::format("{}{} {:.6f} s ({:.1f} %)",
                            k > 0 ? ", " : "",
                            study::name_of(kinds[k].second),
                            kinds[k].first,
                            share(kinds[k].first, report.total_s));
    }
    const auto longest = std::ranges::max_element(
        report.critical, {}, [](const auto& part) { return part.end_s - part.begin_s; });
    if (longest != report.critical.end()) {
        text += fmt::format(
            "\n  longest: {} {}{}, {:.6f} s from {:.6f} s on",
            study::name_of(longest->kind),
            longest->peer >= 0 ? "from " : "on ",
            names[static_cast<std::size_t>(longest->device)] +
                (longest->peer >= 0 ? " to " + names[static_cast<std::size_t>(longest->peer)] : ""),
            longest->end_s - longest->begin_s,
            longest->begin_s);
    }
    return text + "\n";
}

std::string links_text(const StepReport& report, int most) {
    if (report.links.empty() || most == 0) {
        return "";
    }
    std::string text = fmt::format(
        "links      {} carry something; the busiest\n"
        "              busy   limits           GB\n",
        report.links.size());
    const std::size_t shown = std::min(report.links.size(), static_cast<std::size_t>(most));
    for (std::size_t i = 0; i < shown; ++i) {
        const study::LinkReport& link = report.links[i];
        text += fmt::format("           {:5.1f} %  {:5.1f} %  {:11.6f}  {}\n",
                            share(link.busy_s, report.total_s),
                            share(link.limiting_s, report.total_s),
                            link.gb,
                            link.name);
    }
    return text;
}

std::string step_text(const StepReport& report) {
    return report.steps == 1 ? fmt::format(": pipeline {:.6f} s, then exchange and update {:.6f} s",
                                           report.pipeline_s,
                                           report.step_s - report.pipeline_s)
                             : fmt::format(": mean of {} after the first; {} take {:.6f} s",
                                           report.steps - 1,
                                           report.steps,
                                           report.total_s);
}

/// Whether stages take time; without it a step is its transfers alone.
bool computes(const PlayedPlan& played) {
    return placement::has_compute(played.read.loaded.problem);
}

std::string text_of(const PlayedPlan& played,
                    const StepReport& report,
                    const std::vector<std::string>& names,
                    int links) {
    const placement::Problem& problem = played.read.loaded.problem;
    return fmt::format(
               "step       {:.6f} s{}\n"
               "model      {:.6f} s ({}), {:+.1f} % from the step\n"
               "schedule   {}, {} stages x {} replicas, {} micro-batches, {} exchange\n",
               report.step_s,
               step_text(report),
               played.score,
               placement::name_of(problem.terms.objective),
               report.step_s > 0 ? 100 * (played.score / report.step_s - 1) : 0.0,
               study::name_of(played.options.order),
               problem.shape.pp,
               problem.shape.dp,
               study::micro_batches_of(problem.workload),
               placement::name_of(problem.terms.exchange)) +
           (computes(played) ? std::string()
                             : "compute    not given: --stage-seconds S here, or "
                               "--sequence-seconds S with place --job\n") +
           devices_text(report, names) + critical_text(report, names) + links_text(report, links);
}

std::string json_of(const PlayedPlan& played,
                    const StepReport& report,
                    const std::vector<std::string>& names,
                    const std::optional<topology::Routes>& routes) {
    core::Value value = study::to_value(report, names);
    core::Value root = core::Value::object();
    root.set("schedule", std::string(study::name_of(played.options.order)))
        .set("microbatches", study::micro_batches_of(played.read.loaded.problem.workload))
        .set("score", played.score)
        .set("fabric_sha256", played.read.loaded.fabric_sha256);
    if (routes) {
        root.set("routes_sha256", topology::tables_hash(*routes));
    }
    for (core::Member& member : value.members) {
        root.set(member.key, std::move(member.value));
    }
    return core::write_json(root);
}

core::Result<void> write_files(const SimulateOptions& options,
                               const PlayedPlan& played,
                               const std::vector<std::string>& names) {
    if (!options.trace.empty()) {
        auto written = write_file(options.trace,
                                  study::chrome_trace(played.graph, played.replay.times, names));
        if (!written) {
            return written;
        }
    }
    if (options.picture.empty()) {
        return {};
    }
    report::Gantt gantt = study::gantt_of(played.graph, played.replay.times, names);
    const placement::Problem& problem = played.read.loaded.problem;
    gantt.title = fmt::format(
        "{} of {:.3f} s", played.options.steps == 1 ? "A step" : "Steps", played.seconds());
    gantt.subtitle =
        fmt::format("{}, {} stages x {} replicas, {} micro-batches; s stage, r replica",
                    study::name_of(played.options.order),
                    problem.shape.pp,
                    problem.shape.dp,
                    study::micro_batches_of(problem.workload));
    if (!computes(played)) {
        gantt.subtitle += "; compute is not given";
    }
    return write_file(options.picture, report::draw(gantt));
}

core::Result<void> simulate(const SimulateOptions& options) {
    const std::vector<std::string> written{options.trace, options.picture};
    const StepInputs& step = options.step;
    if (auto apart = check_apart(written, {options.plan, step.fabric, step.topology}); !apart) {
        return apart;
    }
    if (auto alone = check_json_alone(options.json, written); !alone) {
        return alone;
    }
    for (const std::string& path : written) {
        if (!path.empty()) {
            if (auto writable = check_writable(path); !writable) {
                return writable;
            }
        }
    }
    if (auto once = read_once({options.plan, step.fabric, step.topology}); !once) {
        return once;
    }
    const auto routes = load_step_routes(step);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    const auto text = read_file(options.plan);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto played = play_plan(*text, input_name(options.plan), step, *routes);
    if (!played) {
        return tl::unexpected(played.error());
    }
    const std::vector<std::string> names = fabric::device_names(played->read.loaded.fabric);
    if (auto done = write_files(options, *played, names); !done) {
        return done;
    }
    const StepReport report = study::report_step(played->graph, played->network, played->replay);
    if (!on_stdout(written)) {
        print(options.json ? json_of(*played, report, names, *routes)
                           : text_of(*played, report, names, options.links));
    }
    return {};
}

}  // namespace

void add_simulate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "simulate", "Replays one training step of a plan: how long, and where the time goes");
    example(*command, "longhaul simulate plan.json --trace step.json --picture step.svg");
    auto options = std::make_shared<SimulateOptions>();
    command->add_option("PLAN", options->plan, "plan of place; - for standard input")
        ->required()
        ->type_name("FILE");
    add_step_options(*command, options->step);
    command
        ->add_option("--trace",
                     options->trace,
                     "trace to write, for ui.perfetto.dev or chrome://tracing (JSON)")
        ->type_name("FILE");
    command->add_option("--picture", options->picture, "picture of the step to write (SVG)")
        ->type_name("FILE");
    command->add_option("--links", options->links, "links to show")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = simulate(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
