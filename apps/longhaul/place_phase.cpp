// place --phase: which structure of placement wins at which payloads.
#include <algorithm>

#include "longhaul/place.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/memory_fit.hpp"
#include "longhaul/placement/phase.hpp"
#include "longhaul/placement/units.hpp"
#include "longhaul/report/phase_map.hpp"

namespace longhaul::app {
namespace {

using placement::PhaseAxisValues;
using placement::PhaseResult;

constexpr std::size_t kMaxCells = 250'000;
constexpr std::size_t kShownStructures = 12;  // of the picture; the others share a grey

struct PhaseAxes {
    std::optional<PhaseAxisValues> c_pp;
    std::optional<PhaseAxisValues> c_dp;
};

core::Result<PhaseAxes> parse_axes(const std::vector<std::string>& texts) {
    PhaseAxes axes;
    for (const std::string& text : texts) {
        const std::size_t at = text.find('=');
        const std::string name = text.substr(0, at);
        auto& axis = name == "c_dp" ? axes.c_dp : axes.c_pp;
        if (at == std::string::npos || (name != "c_pp" && name != "c_dp")) {
            return core::fail({"",
                               "--phase",
                               "found " + core::shown(text),
                               "it must be c_pp=LOW:HIGH:N or c_dp=LOW:HIGH:N, in GB"});
        }
        if (axis) {
            return core::fail({"", "--phase", name + " is given twice", "give each payload once"});
        }
        auto values = placement::parse_axis(text.substr(at + 1), "--phase " + name);
        if (!values) {
            return tl::unexpected(values.error());
        }
        axis = std::move(*values);
    }
    return axes;
}

/// A payload with an axis need not be given as an option, and must not.
core::Result<void> fill_payloads(const PhaseAxes& axes, PlacementInputs& inputs) {
    const auto fill = [&](const std::optional<PhaseAxisValues>& axis,
                          std::optional<double>& payload,
                          const std::string& option) -> core::Result<void> {
        if (axis && payload) {
            return core::fail({"",
                               option,
                               "is given, and --phase varies the same payload",
                               "leave one of them out"});
        }
        if (axis && inputs.job.empty()) {
            payload = axis->gigabytes.front();
        }
        return {};
    };
    if (core::Result<void> done = fill(axes.c_pp, inputs.c_pp, "--c-pp"); !done) {
        return done;
    }
    return fill(axes.c_dp, inputs.c_dp, "--c-dp");
}

struct PhaseRun {
    LoadedProblem loaded;
    std::string job;  // file; empty without
    PhaseAxisValues c_pp;
    PhaseAxisValues c_dp;
    PhaseResult result;
};

/// Labels are hosts where every host is one label, regions elsewhere.
std::string word_of(const fabric::Fabric& fabric) {
    const std::vector<int> hosts = fabric.host_of_device();
    const bool equal = hosts == fabric::index_of_labels(fabric.labels());
    return equal && !fabric.parts().devices.empty() ? "host" : "region";
}

core::Result<PhaseRun> run_phase(PlaceOptions& options) {
    const core::Result<PhaseAxes> axes = parse_axes(options.phase);
    if (!axes) {
        return tl::unexpected(axes.error());
    }
    if (core::Result<void> filled = fill_payloads(*axes, options.inputs); !filled) {
        return tl::unexpected(filled.error());
    }
    core::Result<LoadedProblem> loaded = load_problem(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const auto fixed = [](core::Gigabytes payload) {
        return PhaseAxisValues{{payload.value()}, true};
    };
    PhaseRun run{std::move(*loaded),
                 options.inputs.job.empty() ? "" : input_name(options.inputs.job),
                 axes->c_pp.value_or(fixed(loaded->workload.c_pp)),
                 axes->c_dp.value_or(fixed(loaded->workload.c_dp)),
                 {}};
    const std::size_t cells = run.c_pp.gigabytes.size() * run.c_dp.gigabytes.size();
    if (cells > kMaxCells) {
        return core::fail({"",
                           "--phase",
                           fmt::format("asks for {} cells", cells),
                           fmt::format("at most {} can be mapped", kMaxCells)});
    }
    const placement::ProblemAt problem_at = [&run](core::Gigabytes c_pp, core::Gigabytes c_dp) {
        workload::Workload workload = run.loaded.workload;
        if (workload.c_pp_backward && workload.c_pp.value() > 0) {  // keeps its ratio
            *workload.c_pp_backward = (c_pp / workload.c_pp) * *workload.c_pp_backward;
        }
        workload.c_pp = c_pp;
        workload.c_dp = c_dp;
        return *placement::make_problem(run.loaded.fabric,
                                        run.loaded.fabric_path,
                                        workload,
                                        run.loaded.problem.shape,
                                        run.loaded.problem.terms);
    };
    const Watch watch(options, "mapping");
    core::Result<PhaseResult> result =
        placement::phase_map(problem_at,
                             run.loaded.fabric,
                             run.c_pp.gigabytes,
                             run.c_dp.gigabytes,
                             {options.solve, word_of(run.loaded.fabric)});
    if (!result) {
        return tl::unexpected(result.error());
    }
    run.result = std::move(*result);
    return run;
}

bool proved(const placement::PhaseCell& cell) {
    return placement::gap_between(cell.score.total(), cell.bound.value).optimal;
}

/// Structures of one kind get their number in brackets: "pairs of regions, two stages each (2)".
std::vector<std::string> numbered_names(const PhaseResult& result) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < result.structures.size(); ++k) {
        const auto alike = [&](const placement::Structure& other) {
            return other.name == result.structures[k].name;
        };
        const auto at = result.structures.begin() + static_cast<std::ptrdiff_t>(k);
        const auto all = std::count_if(result.structures.begin(), result.structures.end(), alike);
        const auto before = std::count_if(result.structures.begin(), at, alike);
        names.push_back(all > 1 ? fmt::format("{} ({})", at->name, before + 1) : at->name);
    }
    return names;
}

std::string number_text(int messages) {
    return fmt::format("{} message{}", messages, messages == 1 ? "" : "s");
}

/// "pp 4 x dp 6", with "x tp 2" where it is not 1.
std::string shape_text(placement::Shape shape) {
    return fmt::format("pp {} x dp {}{}",
                       shape.pp,
                       shape.dp,
                       shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : std::string());
}

/// "c_pp in 32 messages, c_dp in 1 message; additive objective; job job.toml"; other exchanges and
/// compute where they count.
std::string what_is_sent(const PhaseRun& run) {
    const workload::Workload& workload = run.loaded.workload;
    const placement::Terms& terms = run.loaded.problem.terms;
    return fmt::format("c_pp in {}, c_dp in {}; {} objective{}{}{}",
                       number_text(workload.pp_messages),
                       number_text(workload.dp_messages),
                       placement::name_of(terms.objective),
                       terms.exchange == placement::Exchange::kSharded
                           ? std::string()
                           : fmt::format("; {} exchange", placement::name_of(terms.exchange)),
                       placement::has_compute(run.loaded.problem) ? "; compute counted" : "",
                       run.job.empty() ? "" : "; job " + run.job);
}

std::string phase_picture(const PhaseRun& run) {
    const auto axis = [](const char* title, const PhaseAxisValues& values) {
        return report::Axis{title, values.gigabytes, values.logarithmic};
    };
    report::PhaseMap map;
    map.title = "Which placement wins";
    map.subtitle = fmt::format("{}: {} devices, {}",
                               run.loaded.fabric_path,
                               run.loaded.fabric.size(),
                               shape_text(run.loaded.problem.shape));
    map.second_subtitle = what_is_sent(run);
    map.x = axis("activations across a stage boundary, c_pp in GB", run.c_pp);
    map.y = axis("gradients of a stage, c_dp in GB", run.c_dp);
    map.structures = numbered_names(run.result);
    for (const placement::Structure& structure : run.result.structures) {
        map.details.push_back(structure.signature);
    }
    const std::size_t others =
        map.structures.size() - std::min(map.structures.size(), kShownStructures);
    if (others > 1) {
        map.structures.resize(kShownStructures);
        map.structures.push_back(fmt::format("{} others", others));
        map.details.resize(kShownStructures);
    }
    map.structure = {run.c_dp.gigabytes.size(), run.c_pp.gigabytes.size()};
    map.proved = {run.c_dp.gigabytes.size(), run.c_pp.gigabytes.size()};
    for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
        map.structure.cells()[i] =
            static_cast<int>(std::min(run.result.cells[i].structure, map.structures.size() - 1));
        map.proved.cells()[i] = proved(run.result.cells[i]) ? 1 : 0;
    }
    return report::draw(map);
}

/// "0.03 to 1 GB in 20 steps".
std::string axis_text(const PhaseAxisValues& axis) {
    return axis.gigabytes.size() == 1 ? fmt::format("{} GB", axis.gigabytes.front())
                                      : fmt::format("{} to {} GB, {} values, {}",
                                                    axis.gigabytes.front(),
                                                    axis.gigabytes.back(),
                                                    axis.gigabytes.size(),
                                                    axis.logarithmic ? "logarithmic" : "linear");
}

double largest_gap(const PhaseResult& result) {
    double largest = 0;
    for (const placement::PhaseCell& cell : result.cells) {
        const placement::Gap gap = placement::gap_between(cell.score.total(), cell.bound.value);
        largest = std::max(largest, gap.known ? gap.value : 0);
    }
    return largest;
}

std::string phase_text(const PhaseRun& run) {
    const PhaseResult& result = run.result;
    const auto closed = std::ranges::count_if(result.cells, proved);
    std::string text = fmt::format("fabric       {}: {} devices\nshape        {}\n",
                                   run.loaded.fabric_path,
                                   run.loaded.fabric.size(),
                                   shape_text(run.loaded.problem.shape));
    text +=
        fmt::format("c_pp         {}\nc_dp         {}\n", axis_text(run.c_pp), axis_text(run.c_dp));
    text += "terms        " + what_is_sent(run) + "\n";
    text += fmt::format("cells        {}, {} proved optimal, largest gap {:.2f} %\n",
                        result.cells.size(),
                        closed,
                        100 * largest_gap(result));
    text += "structures   where each wins: c_pp and c_dp from least to most, in GB\n";
    const std::vector<std::string> names = numbered_names(result);
    for (std::size_t k = 0; k < names.size(); ++k) {
        std::vector<double> c_pp;
        std::vector<double> c_dp;
        for (const placement::PhaseCell& cell : result.cells) {
            if (cell.structure == k) {
                c_pp.push_back(cell.c_pp_gb);
                c_dp.push_back(cell.c_dp_gb);
            }
        }
        text +=
            fmt::format("  {:>3} {:>6} cells  c_pp {:.3g} to {:.3g}, c_dp {:.3g} to {:.3g}: {}\n",
                        k + 1,
                        result.share[k],
                        std::ranges::min(c_pp),
                        std::ranges::max(c_pp),
                        std::ranges::min(c_dp),
                        std::ranges::max(c_dp),
                        names[k]);
        text += fmt::format("      {}\n", result.structures[k].signature);
    }
    return text;
}

core::Value phase_value(const PhaseRun& run) {
    const std::vector<std::string> names = numbered_names(run.result);
    core::Value structures = core::Value::array();
    for (std::size_t k = 0; k < names.size(); ++k) {
        structures.append(core::Value::object()
                              .set("id", static_cast<double>(k + 1))
                              .set("name", names[k])
                              .set("signature", run.result.structures[k].signature)
                              .set("cells", static_cast<double>(run.result.share[k])));
    }
    core::Value cells = core::Value::array();
    for (const placement::PhaseCell& cell : run.result.cells) {
        const placement::Gap gap = placement::gap_between(cell.score.total(), cell.bound.value);
        cells.append(core::Value::object()
                         .set("c_pp_gb", cell.c_pp_gb)
                         .set("c_dp_gb", cell.c_dp_gb)
                         .set("score", cell.score.total())
                         .set("bound", cell.bound.value)
                         .set("gap", gap.known ? core::Value(gap.value) : core::Value())
                         .set("structure", static_cast<double>(cell.structure + 1)));
    }
    core::Value root = core::Value::object();
    root.set("c_pp_gb", run.c_pp.gigabytes)
        .set("c_dp_gb", run.c_dp.gigabytes)
        .set("structures", std::move(structures))
        .set("cells", std::move(cells));
    return root;
}

}  // namespace

core::Result<int> place_phase(PlaceOptions options) {
    for (const std::string& file : {options.output, options.picture}) {
        if (core::Result<void> writable = check_writable(file); !writable) {
            return tl::unexpected(writable.error());
        }
    }
    if (auto alone = check_json_alone(options.json, {options.output}); !alone) {
        return tl::unexpected(alone.error());
    }
    const core::Result<PhaseRun> run = run_phase(options);
    if (!run) {
        return tl::unexpected(run.error());
    }
    // Layers and devices are the same in all cells.
    const placement::PhaseCell& first = run->result.cells.front();
    const placement::Problem unit =
        placement::units_to_place(run->loaded.problem, run->loaded.fabric.host_of_device());
    const std::string misfit = placement::why_nothing_fits(unit, first.stages);
    if (!misfit.empty()) {
        warn(
            placement::none_fits(run->loaded.problem, run->loaded.fabric.host_of_device(), misfit));
        return kNo;
    }
    const auto write = [](const std::string& file, const std::string& text) {
        return file.empty() ? core::Result<void>() : write_file(file, text);
    };
    if (auto done = write(options.output, placement::phase_csv(run->result)); !done) {
        return tl::unexpected(done.error());
    }
    if (options.picture.empty()) {
    } else if (auto done = write(options.picture, phase_picture(*run)); !done) {
        return tl::unexpected(done.error());
    }
    if (options.output != "-" && options.picture != "-") {
        print(options.json ? core::write_json(phase_value(*run)) : phase_text(*run));
    }
    return kDone;
}

void add_phase_options(CLI::App& command, PlaceOptions& options) {
    auto* phase =
        command
            .add_option("--phase",
                        options.phase,
                        "c_pp=LOW:HIGH:N and c_dp=LOW:HIGH:N in GB (:lin behind: even steps): maps "
                        "which structure wins where; -o is then a CSV file")
            ->type_name("AXIS")
            ->expected(1, 2);
    command.add_option("--picture", options.picture, "picture of the map to write (SVG)")
        ->type_name("FILE")
        ->needs(phase);
}

}  // namespace longhaul::app
