// place --from: the best plan within some moves from an old one, and what each move is worth.
#include <algorithm>
#include <map>

#include "longhaul/fabric/names.hpp"
#include "longhaul/place.hpp"
#include "longhaul/place_from.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/plan_inputs.hpp"

namespace longhaul::app {
namespace {

core::Result<Plan> load_old_plan(const std::string& path) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return placement::read_plan(*text, input_name(path));
}

core::Result<Match> match_devices(const Plan& plan,
                                  const std::string& plan_path,
                                  const LoadedFabric& fabric) {
    const placement::Shape shape = plan.placement.shape();
    const std::vector<int> ranks = plan.placement.rank_map();
    Match match;
    match.names = fabric::device_names(fabric.fabric);
    std::map<std::string, std::size_t> old_index;
    if (!plan.devices.empty()) {
        match.by = "name";
        for (std::size_t i = 0; i < plan.devices.size(); ++i) {
            old_index.emplace(plan.devices[i], i);
        }
    } else if (plan.fabric_sha256 == fabric.sha256 || ranks.size() == fabric.fabric.size()) {
        match.by = "index";
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            old_index.emplace(match.names[i], i);
        }
    } else {
        return core::fail(
            {input_name(plan_path),
             "devices",
             fmt::format("the plan does not name its {} devices, and the fabric has {}",
                         ranks.size(),
                         fabric.fabric.size()),
             "make the plan again with this version, which writes `devices`; without names a "
             "fabric must have as many devices, in the same order"});
    }
    for (const std::string& name : match.names) {
        const auto known = old_index.find(name);
        const int rank = known == old_index.end() ? -1 : ranks[known->second];
        match.places.push_back(rank < 0 ? placement::OldPlace{}
                                        : placement::OldPlace{rank / shape.tp % shape.pp,
                                                              rank / shape.tp / shape.pp,
                                                              rank % shape.tp});
        match.known.push_back(known == old_index.end() ? 0 : 1);
        ++(known == old_index.end() ? match.joined : match.stayed);
    }
    match.left = static_cast<int>(ranks.size()) - match.stayed;
    return match;
}

/// "1 x 13, 13 x 1, or with devices left out: 3 x 4 (1)": every pp with as many replicas as fit,
/// those that leave out fewest first; that of `stages` always.
std::string shapes_of(std::size_t cells, int stages) {
    constexpr std::size_t kShown = 6;
    std::vector<placement::Shape> shapes;
    for (std::size_t pp = 1; pp <= cells; ++pp) {
        shapes.push_back({static_cast<int>(pp), static_cast<int>(cells / pp), 1});
    }
    std::ranges::stable_sort(
        shapes, {}, [&](const placement::Shape& shape) { return cells - shape.devices(); });
    std::string all;
    std::string some;
    std::size_t listed = 0;
    for (const placement::Shape& shape : shapes) {
        const std::size_t left = cells - shape.devices();
        if (left == 0) {
            all += fmt::format("{}{} x {}", all.empty() ? "" : ", ", shape.pp, shape.dp);
        } else if (++listed <= kShown || shape.pp == stages) {
            some +=
                fmt::format("{}{} x {} ({})", some.empty() ? "" : ", ", shape.pp, shape.dp, left);
        }
    }
    return all + (some.empty() ? "" : "; with some left out: " + some);
}

/// Devices, or tensor groups of devices of one host.
std::size_t cells_of(const fabric::Fabric& fabric, int tp) {
    return tp == 1 ? fabric.size()
                   : placement::make_tensor_groups(fabric.host_of_device(), tp).members.size();
}

/// Payloads are those of a shape: with other stages a stage has other gradients, with other
/// replicas a pipeline other activations, and a replica other sequences to compute. Those of the
/// old plan hold for its own shape only, unless they are typed.
core::Result<void> check_payloads(const Plan& old,
                                  const std::string& path,
                                  const PlacementInputs& inputs) {
    const placement::Shape shape = old.placement.shape();
    if (!inputs.job.empty()) {
        return {};
    }
    std::string names;
    std::string options;
    const auto need_option = [&](std::string_view name, const std::string& was) {
        const std::string_view join = names.empty() ? "" : " and ";
        names += fmt::format("{}{}", join, name);
        options += fmt::format("{}--{}{}", join, name, was);
    };
    const auto need = [&](std::string_view name, double gb) {
        need_option(name, fmt::format(" (it was {} GB)", gb));
    };
    if (inputs.dp != shape.dp && !inputs.has("--c-pp")) {
        need("c-pp", old.workload.c_pp.value());
    }
    if (inputs.dp != shape.dp && old.workload.c_pp_backward && !inputs.has("--c-pp-backward")) {
        need("c-pp-backward", old.workload.c_pp_backward->value());
    }
    if (inputs.pp != shape.pp && !inputs.has("--c-dp")) {
        need("c-dp", old.workload.c_dp.value());
    }
    const bool typed = inputs.has("--stage-seconds") || inputs.has("--layers");
    if (inputs.dp != shape.dp && !old.workload.layers.empty() && !typed) {
        need_option("layers", "");
    }
    if ((inputs.dp != shape.dp || inputs.pp != shape.pp) && !old.workload.stage_seconds.empty() &&
        !typed) {
        need_option("stage-seconds", "");
    }
    if (names.empty()) {
        return {};
    }
    return core::fail({input_name(path),
                       "workload",
                       fmt::format("holds {} for pp {} x dp {}, and the new plan has pp {} x dp {}",
                                   names,
                                   shape.pp,
                                   shape.dp,
                                   inputs.pp,
                                   inputs.dp),
                       fmt::format("give {}, or --job", options)});
}

/// The answer is no: what was asked for cannot be.
int refuse(const std::string& file, const std::string& what, const std::string& fix) {
    (void)report({{file, "", what, fix}});
    return kNo;
}

/// Old work of the devices, or of the tensor groups that are made of them.
void set_old_work(const LoadedProblem& loaded, FromRun& run) {
    const placement::Shape old = run.old_plan.placement.shape();
    const int tp = loaded.problem.shape.tp;
    if (tp > 1) {
        placement::Regrouped made = placement::regroup(
            loaded.fabric.host_of_device(), run.match.places, old.pp, old.tp, tp);
        run.groups = std::move(made.groups);
        run.old = std::move(made.old);
        return;
    }
    run.old.pp = old.pp;
    for (const placement::OldPlace& place : run.match.places) {
        // One device that held a part of a stage does not have the whole.
        run.old.stage_of.push_back(old.tp == 1 ? place.stage : -1);
    }
}

/// The best plan regardless of moves, and replanning around it.
core::Result<void> search_from(const PlaceOptions& options,
                               const LoadedProblem& loaded,
                               FromRun& run) {
    const placement::Problem& problem = loaded.problem;
    const std::vector<int> hosts = loaded.fabric.host_of_device();
    const int tp = problem.shape.tp;
    core::Result<Plan> best =
        tp == 1 ? placement::solve(problem, loaded.fabric, options.solve)
                : placement::solve_groups(
                      problem, run.groups, hosts, loaded.fabric.labels(), options.solve);
    if (!best) {
        return tl::unexpected(best.error());
    }
    placement::ReplanOptions replan{options.solve.search, options.moves};
    replan.search.budget = std::max<std::uint64_t>(1, replan.search.budget / 8);
    if (tp == 1) {
        core::Result<Replan> result =
            placement::replan(problem, run.old, best->placement.stages(), hosts, replan);
        if (!result) {
            return tl::unexpected(result.error());
        }
        run.replan = std::move(*result);
    } else {
        const placement::Problem unit = placement::grouped(problem, run.groups);
        std::map<int, int> unit_of;  // of its first device
        std::vector<int> unit_hosts;
        for (const std::vector<int>& group : run.groups.members) {
            unit_of.emplace(group.front(), static_cast<int>(unit_hosts.size()));
            unit_hosts.push_back(hosts[static_cast<std::size_t>(group.front())]);
        }
        placement::Stages stages;
        for (const std::vector<int>& devices : best->placement.stages()) {
            std::vector<int>& stage = stages.emplace_back();
            for (std::size_t i = 0; i < devices.size(); i += static_cast<std::size_t>(tp)) {
                stage.push_back(unit_of.at(devices[i]));
            }
        }
        core::Result<Replan> result = placement::replan(unit, run.old, stages, unit_hosts, replan);
        if (!result) {
            return tl::unexpected(result.error());
        }
        run.replan = std::move(*result);
        placement::expand_points(run.replan, run.groups, tp, problem.devices());
    }
    run.plan = std::move(*best);
    return {};
}

/// Takes a point of the curve as the plan.
void adopt(const placement::Problem& problem, const ReplanPoint& point, int threads, FromRun& run) {
    run.plan.placement = point.placement;
    run.plan.score = point.score;
    placement::describe_placement(
        problem, run.old.members.empty() ? nullptr : &run.groups, threads, run.plan);
    run.plan.bound.value = std::min(run.plan.bound.value, run.plan.score.total());
    run.plan.search.evaluations += run.replan.evaluations;
    run.plan.search.found_by =
        fmt::format("replanning with {} move{}", point.moves, point.moves == 1 ? "" : "s");
}

core::Result<FromRun> run_from(PlaceOptions& options, Plan old_plan, LoadedFabric fabric) {
    FromRun run{{}, std::move(fabric), {}, {}, {}, {}, {}};
    run.old_plan = std::move(old_plan);
    core::Result<Match> match = match_devices(run.old_plan, options.from, run.fabric);
    if (!match) {
        return tl::unexpected(match.error());
    }
    run.match = std::move(*match);
    const core::Result<LoadedProblem> loaded = load_problem(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const Watch watch(options, "searching and proving");
    set_old_work(*loaded, run);
    if (auto searched = search_from(options, *loaded, run); !searched) {
        return tl::unexpected(searched.error());
    }
    if (run.replan.chosen) {
        adopt(loaded->problem, *run.replan.chosen, options.solve.search.threads, run);
    }
    run.plan.devices = run.match.names;
    run.plan.places = placement::places_of(run.fabric.fabric);
    run.plan.fabric_path = loaded->fabric_path;
    run.plan.fabric_sha256 = loaded->fabric_sha256;
    run.plan.search.wall_s = watch.elapsed_s();
    return run;
}

}  // namespace

core::Result<int> place_from(const Session& session, PlaceOptions options) {
    if (auto alone = check_json_alone(options.json, {options.output}); !alone) {
        return tl::unexpected(alone.error());
    }
    if (core::Result<void> writable = check_writable(options.output); !writable) {
        return tl::unexpected(writable.error());
    }
    if (auto once = read_once({options.from, options.inputs.fabric, options.inputs.job}); !once) {
        return tl::unexpected(once.error());
    }
    core::Result<Plan> old_plan = load_old_plan(options.from);
    if (!old_plan) {
        return tl::unexpected(old_plan.error());
    }
    core::Result<LoadedFabric> fabric = load_fabric(options.inputs.fabric);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    const core::Result<std::string> time = utc_now();
    if (!time) {
        return tl::unexpected(time.error());
    }
    const bool shape_given =
        options.inputs.pp != 0 || options.inputs.dp != 0 || !options.inputs.job.empty();
    fill_from_plan(*old_plan, options.inputs);
    const placement::Shape shape{options.inputs.pp, options.inputs.dp, options.inputs.tp};
    if (!shape_given && shape.devices() > fabric->fabric.size()) {
        return refuse(input_name(options.inputs.fabric),
                      fmt::format("has {} devices, and the plan's pp {} x dp {}{} places {}",
                                  fabric->fabric.size(),
                                  shape.pp,
                                  shape.dp,
                                  shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : "",
                                  shape.devices()),
                      "give --pp and --dp; pp x dp that fit: " +
                          shapes_of(cells_of(fabric->fabric, shape.tp), shape.pp));
    }
    if (auto payloads = check_payloads(*old_plan, options.from, options.inputs); !payloads) {
        return tl::unexpected(payloads.error());
    }
    core::Result<FromRun> run = run_from(options, std::move(*old_plan), std::move(*fabric));
    if (!run) {
        return tl::unexpected(run.error());
    }
    if (!run->replan.chosen) {
        return refuse(input_name(options.from),
                      fmt::format("{} device{} must load state in any plan",
                                  run->replan.forced,
                                  run->replan.forced == 1 ? "" : "s"),
                      fmt::format("--moves {} or more", run->replan.forced));
    }
    if (!run->plan.misfit.empty()) {
        return refuse(input_name(options.inputs.fabric),
                      "found no plan within these moves that fits the memory of the devices: " +
                          run->plan.misfit,
                      "give more --moves, or devices with more memory");
    }
    run->plan.version = LONGHAUL_VERSION;
    run->plan.command = command_line(session);
    run->plan.time = *time;
    const std::string file = core::write_json(placement::to_value(run->plan));
    if (!options.output.empty()) {
        if (auto written = write_file(options.output, file); !written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.output != "-") {
        print(options.json ? core::write_json(from_value(*run, options.from))
                           : from_text(*run, options.from));
    }
    return kDone;
}

void add_from_options(CLI::App& command, PlaceOptions& options) {
    auto* from = command
                     .add_option("--from",
                                 options.from,
                                 "old plan: the best plan within --moves from it, and what each "
                                 "move is worth; shape and payloads are its own unless given")
                     ->type_name("PLAN");
    command
        .add_option("--moves",
                    options.moves,
                    "devices that may load other state, those that joined included; default: any")
        ->check(CLI::Range(0, 1'000'000'000))
        ->needs(from);
}

}  // namespace longhaul::app
