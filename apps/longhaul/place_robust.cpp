// place --robust: the plan with the least p90 over samples of the links.
#include "longhaul/fabric/names.hpp"
#include "longhaul/place.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/placement/memory_fit.hpp"
#include "longhaul/placement/robust.hpp"
#include "longhaul/plan_text.hpp"

namespace longhaul::app {
namespace {

using placement::RobustResult;
using placement::SampledPlacement;

constexpr double kMaxSampleCells = 1e8;  // samples x n x n: some GB of memory

struct RobustRun {
    LoadedProblem loaded;
    placement::Plan plan;
    RobustResult result;
};

/// What the samples vary: for people.
std::string variation(const fabric::Fabric& fabric, const fabric::Noise& noise) {
    const bool alpha = fabric.parts().alpha_interval.has_value();
    const bool beta = fabric.parts().beta_interval.has_value();
    const std::string by_noise = fmt::format("within {:g} %{}",
                                             100 * noise.relative,
                                             noise.by_label ? ", alike between two labels" : "");
    return fmt::format("alpha {}, beta {}",
                       alpha ? "within its intervals" : by_noise,
                       beta ? "within its intervals" : by_noise);
}

core::Value sampled_value(const SampledPlacement& sampled) {
    return core::Value::object()
        .set("origin", sampled.origin)
        .set("score", sampled.nominal.total())
        .set("p50", sampled.p50)
        .set("p90", sampled.p90)
        .set("max", sampled.max);
}

core::Value robust_value(const RobustResult& result, const PlaceOptions& options) {
    return core::Value::object()
        .set("samples", options.samples)
        .set("noise", options.noise.relative)
        .set("noise_by_label", options.noise.by_label)
        .set("plan", sampled_value(result.plan))
        .set("nominal_plan", sampled_value(result.nominal_plan))
        .set("candidates", static_cast<double>(result.candidates))
        .set("stays_best", result.stays_best)
        .set("beats_nominal", result.beats_nominal)
        .set("mean_regret", result.mean_regret)
        .set("max_regret", result.max_regret);
}

std::string sampled_line(const char* name, const SampledPlacement& sampled) {
    return fmt::format("  {:<14} {:>12.6f} {:>12.6f} {:>12.6f} {:>12.6f}  {}\n",
                       name,
                       sampled.nominal.total(),
                       sampled.p50,
                       sampled.p90,
                       sampled.max,
                       sampled.origin);
}

std::string robust_text(const RobustRun& run, const PlaceOptions& options) {
    const RobustResult& result = run.result;
    std::string text = fmt::format(
        "samples      {}: {}\n", options.samples, variation(run.loaded.fabric, options.noise));
    text += "seconds             nominal          p50          p90          max  found from\n";
    text += sampled_line("this plan", result.plan);
    text += sampled_line("nominal plan", result.nominal_plan);
    text += fmt::format(
        "compare      better than the nominal plan in {:.1f} % of the samples; beaten by "
        "none of {} candidates in {:.1f} %\n",
        100 * result.beats_nominal,
        result.candidates,
        100 * result.stays_best);
    text += fmt::format(
        "regret       {:.2f} % above the best found for a sample on average, {:.2f} % at "
        "most\n",
        100 * result.mean_regret,
        100 * result.max_regret);
    return text + plan_text(run.plan, run.loaded.fabric);
}

/// What the plan says beside rank map and scores, on the fabric itself.
void describe(RobustRun& run) {
    const placement::Problem& problem = run.loaded.problem;
    const int tp = problem.shape.tp;
    placement::TensorGroups groups;
    if (tp > 1) {
        groups = placement::make_tensor_groups(run.loaded.fabric.host_of_device(), tp);
    }
    placement::describe_placement(problem, tp > 1 ? &groups : nullptr, 1, run.plan);
    run.plan.bound.value = std::min(run.plan.bound.value, run.plan.score.total());
}

core::Result<RobustRun> run_robust(PlaceOptions& options) {
    core::Result<LoadedProblem> loaded = load_problem(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const double n = static_cast<double>(loaded->fabric.size());
    if (options.samples * n * n > kMaxSampleCells) {
        return core::fail({"",
                           "--samples",
                           fmt::format("{} samples of {} devices do not fit", options.samples, n),
                           fmt::format("at most {}", static_cast<int>(kMaxSampleCells / (n * n)))});
    }
    RobustRun run{std::move(*loaded), {}, {}};
    const placement::ProblemOfFabric problem_of = [&run](const fabric::Fabric& fabric) {
        const placement::Problem& given = run.loaded.problem;
        return *placement::make_problem(
            fabric, run.loaded.fabric_path, run.loaded.workload, given.shape, given.terms);
    };
    const Watch watch(options, "searching over samples");
    core::Result<RobustResult> result = placement::robust(
        problem_of, run.loaded.fabric, {options.solve, options.samples, options.noise});
    if (!result) {
        return tl::unexpected(result.error());
    }
    run.result = std::move(*result);
    run.plan = run.result.nominal;
    run.plan.placement = run.result.plan.placement;
    run.plan.score = run.result.plan.nominal;
    run.plan.search.evaluations += run.result.evaluations;
    run.plan.search.found_by = "the p90 over samples, from " + run.result.plan.origin;
    describe(run);
    run.plan.fabric_path = run.loaded.fabric_path;
    run.plan.fabric_sha256 = run.loaded.fabric_sha256;
    run.plan.devices = fabric::device_names(run.loaded.fabric);
    run.plan.places = placement::places_of(run.loaded.fabric);
    run.plan.unknown.set("robust", robust_value(run.result, options));
    run.plan.search.wall_s = watch.elapsed_s();
    return run;
}

}  // namespace

core::Result<int> place_robust(const Session& session, PlaceOptions options) {
    if (core::Result<void> writable = check_writable(options.output); !writable) {
        return tl::unexpected(writable.error());
    }
    const core::Result<std::string> time = utc_now();
    if (!time) {
        return tl::unexpected(time.error());
    }
    core::Result<RobustRun> run = run_robust(options);
    if (!run) {
        return tl::unexpected(run.error());
    }
    if (!run->plan.misfit.empty()) {
        warn(placement::none_fits(
            run->loaded.problem, run->loaded.fabric.host_of_device(), run->plan.misfit));
        return kNo;
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
        print(options.json ? file : robust_text(*run, options));
    }
    return kDone;
}

void add_robust_options(CLI::App& command, PlaceOptions& options) {
    auto* robust = command.add_flag(
        "--robust", options.robust, "the least p90 over samples of the links instead");
    command.add_option("--samples", options.samples, "draws of the links")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str()
        ->needs(robust);
    command
        .add_option("--noise",
                    options.noise.relative,
                    "how far a link without an interval may be off, as a share, 0 to 0.99")
        ->check(finite_number(0, 0.99))
        ->capture_default_str()
        ->needs(robust);
    command
        .add_flag("--noise-by-label",
                  options.noise.by_label,
                  "links between the same two labels are off by the same share")
        ->needs(robust);
}

}  // namespace longhaul::app
