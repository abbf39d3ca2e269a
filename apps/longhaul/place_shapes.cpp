#include "longhaul/place_shapes.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/command.hpp"
#include "longhaul/placement/tensor.hpp"
#include "longhaul/workload/reshape.hpp"

namespace longhaul::app {
namespace {

/// Whether it was placed: by a search, or in host order before the time was up.
bool placed(const placement::ShapeTrial& trial) {
    return trial.reason.empty() && (trial.tried || (trial.cut && trial.score.total() > 0));
}

/// Trials that were placed by score, then the others in their order.
std::vector<placement::ShapeTrial> by_score(std::vector<placement::ShapeTrial> trials) {
    std::ranges::stable_sort(trials, {}, [](const placement::ShapeTrial& trial) {
        return placed(trial) ? trial.score.total() : std::numeric_limits<double>::infinity();
    });
    return trials;
}

/// "3.2 %": how far a better plan of this shape could be below this one; "0 %" when proved.
std::string gap_text(const placement::ShapeTrial& trial) {
    const placement::Gap gap = placement::gap_between(trial.score.total(), trial.bound.value);
    return gap.optimal ? "0 %" : gap.known ? fmt::format("{:.1f} %", 100 * gap.value) : "-";
}

/// How many were cut short.
std::string cut_text(const std::vector<placement::ShapeTrial>& trials) {
    const auto cut = std::ranges::count_if(trials, &placement::ShapeTrial::cut);
    const auto can_run = std::ranges::count_if(
        trials, [](const placement::ShapeTrial& trial) { return trial.reason.empty(); });
    return cut == 0 ? std::string()
                    : fmt::format(
                          "{:<12} {} of {} shapes that can run were cut short by the time "
                          "limit: with more time they may do better\n",
                          "",
                          cut,
                          can_run);
}

/// Shapes that cannot run: how many, and why the first of them.
std::string refused_text(const std::vector<placement::ShapeTrial>& trials) {
    const auto refused = [](const placement::ShapeTrial& trial) { return !trial.reason.empty(); };
    const auto first = std::ranges::find_if(trials, refused);
    if (first == trials.end()) {
        return "";
    }
    return fmt::format("{:<12} {} cannot run, such as {} x {}: {}\n",
                       "",
                       std::ranges::count_if(trials, refused),
                       first->shape.pp,
                       first->shape.dp,
                       first->reason);
}

/// What holds for one shape cannot be compared over shapes.
core::Result<void> check_automatic(const PlacementInputs& inputs) {
    if (!inputs.stage_seconds.empty()) {
        return core::fail({"",
                           "--stage-seconds",
                           "is given with auto, and a stage of another shape takes other seconds",
                           "give --sequence-seconds or --layers: both hold for every shape"});
    }
    if (inputs.c_pp_backward && inputs.dp == kAuto) {
        return core::fail({"",
                           "--c-pp-backward",
                           "is given with --dp auto, and it changes with the replicas",
                           "leave it out, or give --dp a number"});
    }
    return {};
}

}  // namespace

bool automatic_shape(const PlacementInputs& inputs) {
    return !inputs.job.empty() && (inputs.pp == kAuto || inputs.dp == kAuto);
}

core::Result<PlacedShapes> place_best_shape(const PlacementInputs& inputs,
                                            const placement::SolveOptions& options,
                                            const placement::ShapeWatch& watch) {
    if (auto good = check_automatic(inputs); !good) {
        return tl::unexpected(good.error());
    }
    if (auto once = read_once({inputs.fabric, inputs.job, inputs.layers}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<std::string> text = read_file(inputs.job);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const core::Result<workload::Job> job =
        workload::read_job(*text, input_name(inputs.job), workload::JobShape::kAny);
    if (!job) {
        return tl::unexpected(job.error());
    }
    core::Result<LoadedFabric> loaded = load_fabric(inputs.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    PlacementInputs read = inputs;  // with the layers, so that their file is read once
    workload::Workload typed;
    if (auto applied = apply_options(inputs, 1, typed); !applied) {
        return tl::unexpected(applied.error());
    }
    read.layers.clear();
    read.old_layers = typed.layers;
    const workload::Job sized = on_devices_of(loaded->fabric, inputs, *job);
    const std::vector<int> host_of = loaded->fabric.host_of_device();
    const std::size_t cells =
        inputs.tp == 1 ? host_of.size()
                       : placement::make_tensor_groups(host_of, inputs.tp).members.size();
    if (cells == 0) {
        return core::fail({input_name(inputs.fabric),
                           "",
                           fmt::format("no host has {} devices", inputs.tp),
                           "lower --tp, or name the host of every device (devices[i].host)"});
    }
    const std::vector<placement::Shape> shapes =
        placement::shapes_for(cells,
                              std::max(0, inputs.pp),
                              std::max(0, inputs.dp),
                              inputs.tp,
                              inputs.sequence_seconds == 0 && inputs.layers.empty());
    bool too_small = false;  // the memory of a device, for some shape
    const auto problem_of = [&](placement::Shape shape) -> core::Result<placement::Problem> {
        const auto shaped = workload::reshaped(sized, shape.pp, shape.dp, shape.tp);
        if (!shaped) {
            workload::Job with_more = sized;
            with_more.memory.reset();
            too_small |= workload::reshaped(with_more, shape.pp, shape.dp, shape.tp).has_value();
            return tl::unexpected(shaped.error());
        }
        if (const auto many = workload::too_many_messages(*shaped); !many.empty()) {
            return core::fail({"", "shape", many.front().what, many.front().fix});
        }
        workload::Workload workload = workload::size(*shaped).workload;
        workload.stage_seconds = stage_seconds_of(inputs, *shaped);
        const double share = shaped->sequences_per_replica / job->sequences_per_replica;
        if (auto applied = apply_options(read, share, workload); !applied) {
            return tl::unexpected(applied.error());
        }
        return placement::make_problem(loaded->fabric,
                                       input_name(inputs.fabric),
                                       workload,
                                       shape,
                                       terms_of(inputs, job->schedule));
    };
    core::Result<placement::BestShape> best = placement::solve_best_shape(
        shapes, problem_of, host_of, loaded->fabric.labels(), options, watch);
    if (!best && too_small) {
        return PlacedShapes{std::move(*loaded), {}, best.error()};
    }
    if (!best) {
        return tl::unexpected(best.error());
    }
    return PlacedShapes{std::move(*loaded), std::move(*best), {}};
}

std::string shapes_text(const std::vector<placement::ShapeTrial>& trials) {
    std::string text = fmt::format("{:<12} {:>5} {:>5} {:>9} {:>14} {:>14} {:>8}\n",
                                   "shapes",
                                   "pp",
                                   "dp",
                                   "devices",
                                   "score s",
                                   "bound s",
                                   "gap");
    constexpr std::size_t kShown = 12;
    std::size_t shown = 0;
    std::size_t behind = 0;
    double least_behind = std::numeric_limits<double>::infinity();
    for (const placement::ShapeTrial& trial : by_score(trials)) {
        if (placed(trial)) {
            if (++shown <= kShown) {
                text += fmt::format("{:<12} {:>5} {:>5} {:>9} {:>14.6f} {:>14.6f} {:>8}{}\n",
                                    "",
                                    trial.shape.pp,
                                    trial.shape.dp,
                                    trial.shape.devices(),
                                    trial.score.total(),
                                    trial.bound.value,
                                    gap_text(trial),
                                    trial.cut ? "  cut short" : "");
            }
        } else if (trial.reason.empty() && !trial.cut) {
            ++behind;
            least_behind = std::min(least_behind, trial.bound.value);
        }
    }
    if (shown > kShown) {
        text += fmt::format("{:<12} {} more that were placed\n", "", shown - kShown);
    }
    if (behind > 0) {
        text += fmt::format("{:<12} {} more cannot be better: no plan of them is below {:.6f} s\n",
                            "",
                            behind,
                            least_behind);
    }
    return text + cut_text(trials) + refused_text(trials);
}

core::Value shapes_value(const std::vector<placement::ShapeTrial>& trials) {
    core::Value list = core::Value::array();
    for (const placement::ShapeTrial& trial : by_score(trials)) {
        core::Value entry = core::Value::object();
        entry.set("pp", trial.shape.pp).set("dp", trial.shape.dp).set("tp", trial.shape.tp);
        if (trial.reason.empty()) {
            if (placed(trial)) {
                entry.set("score", trial.score.total());
            }
            entry.set("bound", trial.bound.value);
            const placement::Gap gap =
                placement::gap_between(trial.score.total(), trial.bound.value);
            if (placed(trial) && gap.known) {
                entry.set("gap", gap.optimal ? 0.0 : gap.value);
            }
            if (trial.cut) {
                entry.set("cut_short", true);
            }
        } else {
            entry.set("reason", trial.reason);
        }
        list.append(std::move(entry));
    }
    return list;
}

}  // namespace longhaul::app
