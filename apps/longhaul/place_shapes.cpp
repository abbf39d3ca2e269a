#include "longhaul/place_shapes.hpp"

#include <algorithm>

#include "longhaul/command.hpp"
#include "longhaul/placement/tensor.hpp"
#include "longhaul/workload/reshape.hpp"

namespace longhaul::app {
namespace {

/// Trials that can run by score, then the others in their order.
std::vector<placement::ShapeTrial> by_score(std::vector<placement::ShapeTrial> trials) {
    std::ranges::stable_sort(trials, {}, [](const placement::ShapeTrial& trial) {
        return trial.reason.empty() ? trial.score.total() : std::numeric_limits<double>::infinity();
    });
    return trials;
}

}  // namespace

bool automatic_shape(const PlacementInputs& inputs) {
    return !inputs.job.empty() && (inputs.pp == kAuto || inputs.dp == kAuto);
}

core::Result<PlacedShapes> place_best_shape(const PlacementInputs& inputs,
                                            const placement::SolveOptions& options) {
    if (auto once = read_once({inputs.fabric, inputs.job, inputs.layers}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<std::string> text = read_file(inputs.job);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const core::Result<workload::Job> job = workload::read_job(*text, input_name(inputs.job));
    if (!job) {
        return tl::unexpected(job.error());
    }
    core::Result<LoadedFabric> loaded = load_fabric(inputs.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
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
                              inputs.sequence_seconds == 0);
    const auto problem_of = [&](placement::Shape shape) -> core::Result<placement::Problem> {
        const auto shaped = workload::reshaped(*job, shape.pp, shape.dp, shape.tp);
        if (!shaped) {
            return tl::unexpected(shaped.error());
        }
        workload::Workload workload = workload::size(*shaped).workload;
        workload.stage_seconds = stage_seconds_of(inputs, *shaped);
        if (auto applied = apply_options(inputs, workload); !applied) {
            return tl::unexpected(applied.error());
        }
        return placement::make_problem(
            loaded->fabric, input_name(inputs.fabric), workload, shape, terms_of(inputs));
    };
    core::Result<placement::BestShape> best =
        placement::solve_best_shape(shapes, problem_of, host_of, loaded->fabric.labels(), options);
    if (!best) {
        return tl::unexpected(best.error());
    }
    return PlacedShapes{std::move(*loaded), std::move(*best)};
}

std::string shapes_text(const std::vector<placement::ShapeTrial>& trials) {
    std::string text = fmt::format("{:<12} {:>5} {:>5} {:>9} {:>14} {:>14}\n",
                                   "shapes",
                                   "pp",
                                   "dp",
                                   "devices",
                                   "score s",
                                   "bound s");
    for (const placement::ShapeTrial& trial : by_score(trials)) {
        const std::string head = fmt::format(
            "{:<12} {:>5} {:>5} {:>9}", "", trial.shape.pp, trial.shape.dp, trial.shape.devices());
        text += trial.reason.empty()
                    ? fmt::format(
                          "{} {:>14.6f} {:>14.6f}\n", head, trial.score.total(), trial.bound.value)
                    : fmt::format("{}   {}\n", head, trial.reason);
    }
    return text;
}

core::Value shapes_value(const std::vector<placement::ShapeTrial>& trials) {
    core::Value list = core::Value::array();
    for (const placement::ShapeTrial& trial : by_score(trials)) {
        core::Value entry = core::Value::object();
        entry.set("pp", trial.shape.pp).set("dp", trial.shape.dp).set("tp", trial.shape.tp);
        if (trial.reason.empty()) {
            entry.set("score", trial.score.total()).set("bound", trial.bound.value);
        } else {
            entry.set("reason", trial.reason);
        }
        list.append(std::move(entry));
    }
    return list;
}

}  // namespace longhaul::app
