// place: from a fabric and a workload to a plan.
#include "longhaul/certificates.hpp"
#include "longhaul/fabric/names.hpp"
#include "longhaul/place.hpp"
#include "longhaul/place_shapes.hpp"
#include "longhaul/placement/memory_fit.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/plan_text.hpp"

namespace longhaul::app {
namespace {

constexpr std::uint64_t kMaxBudget = 1'000'000'000'000;

struct Placed {
    placement::Plan plan;
    LoadedFabric fabric;
    std::vector<placement::ShapeTrial> shapes;  // when the shape was chosen
    core::Diagnostics too_small;                // instead of a plan: why no shape fits the memory
};

core::Result<Placed> find_plan(const PlaceOptions& options, Watch& watch) {
    if (!options.certificate.empty()) {
        if (auto good = check_certifiable(options.certificate); !good) {
            return tl::unexpected(good.error());
        }
    }
    if (automatic_shape(options.inputs)) {
        core::Result<PlacedShapes> placed =
            place_best_shape(options.inputs, options.solve, watch.of_shapes());
        if (!placed) {
            return tl::unexpected(placed.error());
        }
        return Placed{std::move(placed->best.plan),
                      std::move(placed->fabric),
                      std::move(placed->best.trials),
                      std::move(placed->too_small)};
    }
    core::Result<LoadedProblem> loaded = load_problem(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    core::Result<placement::Plan> plan =
        placement::solve(loaded->problem, loaded->fabric, options.solve);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    return Placed{
        std::move(*plan), {std::move(loaded->fabric), std::move(loaded->fabric_sha256)}, {}, {}};
}

/// The problem that a plan answers.
core::Result<placement::Problem> problem_of(const PlaceOptions& options, const Placed& placed) {
    return placement::make_problem(placed.fabric.fabric,
                                   input_name(options.inputs.fabric),
                                   placed.plan.workload,
                                   placed.plan.placement.shape(),
                                   placed.plan.terms);
}

/// Writes the certificate, where one is asked for.
core::Result<void> certify(const PlaceOptions& options, const Placed& placed) {
    if (options.certificate.empty()) {
        return {};
    }
    const placement::Plan& plan = placed.plan;
    const core::Result<placement::Problem> problem = problem_of(options, placed);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    placement::ProofOptions proof = options.solve.proof;
    const auto start = std::chrono::steady_clock::now();
    const double limit = options.time_limit_s;
    proof.stop = [start, limit] {  // it begins when the time of the plan may be up
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return limit > 0 && spent.count() > limit;
    };
    return write_certificate(options.certificate,
                             *problem,
                             plan,
                             placed.fabric.fabric.host_of_device(),
                             {std::move(proof), options.certificate_nodes});
}

/// The answer is no: nothing fits the memory of the devices.
core::Result<int> refuse_memory(const PlaceOptions& options, const Placed& placed) {
    const auto say = [&](const std::string& reason) {
        if (options.json) {
            print(core::write_json(
                core::Value::object().set("feasible", false).set("reason", reason)));
        }
    };
    if (!placed.too_small.empty()) {
        say(core::to_string(placed.too_small.front()));
        (void)report(placed.too_small);
        return kNo;
    }
    const core::Result<placement::Problem> problem = problem_of(options, placed);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    const placement::Shape shape = problem->shape;
    const std::string why =
        placement::none_fits(*problem, placed.fabric.fabric.host_of_device(), placed.plan.misfit);
    say(placed.plan.misfit);
    warn(
        placed.shapes.empty()
            ? why
            : fmt::format(
                  "with the shape that comes closest, pp {} x dp {}: {}", shape.pp, shape.dp, why));
    return kNo;
}

core::Result<int> place(const Session& session, PlaceOptions options) {
    if (core::Result<void> writable = check_writable(options.output); !writable) {
        return tl::unexpected(writable.error());
    }
    const core::Result<std::string> time = utc_now();
    if (!time) {
        return tl::unexpected(time.error());
    }
    Watch watch(options, "searching and proving");
    core::Result<Placed> placed = find_plan(options, watch);
    if (!placed) {
        return tl::unexpected(placed.error());
    }
    if (!placed->too_small.empty() || !placed->plan.misfit.empty()) {
        watch.end_progress();
        return refuse_memory(options, *placed);
    }
    placement::Plan& plan = placed->plan;
    plan.fabric_path = options.inputs.fabric;
    plan.fabric_sha256 = placed->fabric.sha256;
    plan.devices = fabric::device_names(placed->fabric.fabric);
    plan.places = placement::places_of(placed->fabric.fabric);
    plan.search.wall_s = watch.elapsed_s();
    plan.version = LONGHAUL_VERSION;
    plan.command = command_line(session);
    plan.time = *time;
    if (!placed->shapes.empty()) {
        plan.unknown.set("shapes", shapes_value(placed->shapes));
    }
    if (auto written = certify(options, *placed); !written) {
        return tl::unexpected(written.error());
    }
    watch.end_progress();
    const std::string file = core::write_json(placement::to_value(plan));
    if (!options.output.empty()) {
        const core::Result<void> written = write_file(options.output, file);
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    if (!on_stdout({options.output, options.certificate})) {
        const std::string shapes =
            placed->shapes.empty() ? std::string() : shapes_text(placed->shapes);
        print(options.json ? file : shapes + plan_text(plan, placed->fabric.fabric));
    }
    return kDone;
}

core::Result<int> run_mode(const Session& session, const PlaceOptions& options) {
    const int modes =
        (options.phase.empty() ? 0 : 1) + (options.from.empty() ? 0 : 1) + (options.robust ? 1 : 0);
    if (modes > 1) {
        return core::fail({"",
                           "--phase, --from, --robust",
                           "are given together",
                           "give one of them, or run place several times"});
    }
    if (modes > 0 && !options.certificate.empty()) {
        return core::fail({"",
                           "--certificate",
                           "is given with --phase, --from or --robust",
                           "a certificate is made by place alone"});
    }
    if (!options.phase.empty()) {
        return place_phase(options);
    }
    if (!options.from.empty()) {
        return place_from(session, options);
    }
    return options.robust ? place_robust(session, options) : place(session, options);
}

}  // namespace

void add_place(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "place", "Finds the best rank map for a workload on a fabric, and says how good it is");
    command->alias("solve");
    example(*command,
            "longhaul place --fabric fabrics/dtfm-table2-worldwide.json "
            "--pp 8 --dp 8 --c-pp 0.512 --c-dp 0.650 -o plan.json");
    auto options = std::make_shared<PlaceOptions>();
    placement::SearchOptions& search = options->solve.search;
    add_placement_inputs(*command, options->inputs, true);
    command
        ->add_option("--baseline-samples",
                     options->solve.baseline_samples,
                     "random placements to compare with; 0: none")
        ->check(CLI::Range(0, 1'000'000))
        ->default_str("200, fewer of more than 256 devices");
    add_seed(*command, search.seed);
    command->add_option("--budget", search.budget, "scored candidates over all restarts")
        ->check(CLI::Range(std::uint64_t{1}, kMaxBudget))
        ->capture_default_str();
    command->add_option("--restarts", search.restarts, "independent descents")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command
        ->add_option("--proof-budget",
                     options->solve.proof.work,
                     "work of the proof, units of about 20 ns; 0: simple bounds")
        ->check(CLI::Range(std::uint64_t{0}, kMaxBudget))
        ->capture_default_str();
    add_threads(*command, search.threads);
    command
        ->add_option("--time-limit",
                     options->time_limit_s,
                     "seconds after which search, proof and baselines stop, shared over the shapes "
                     "with --pp auto or --dp auto; 0: none")
        ->check(finite_number(0, 1e9))
        ->capture_default_str();
    add_from_options(*command, *options);
    add_robust_options(*command, *options);
    add_phase_options(*command, *options);
    command->add_option("-o,--output", options->output, "plan file to write (JSON); - for stdout")
        ->type_name("FILE");
    command
        ->add_option("--certificate",
                     options->certificate,
                     "certificate to write (JSON): what evaluate --certificate checks")
        ->type_name("FILE");
    command
        ->add_option("--certificate-nodes",
                     options->certificate_nodes,
                     "nodes of branch and bound that it may log, about 15 bytes each")
        ->check(CLI::Range(0, placement::kMostCertificateNodes))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print the plan as JSON");
    command->add_flag("--quiet", options->quiet, "no progress on the terminal");
    command->callback([command, options, &session] {
        note_given(*command, options->inputs);
        session.run = [options, &session] {
            const core::Result<void> apart =
                check_apart({options->output, options->certificate, options->picture},
                            {options->inputs.fabric,
                             options->inputs.job,
                             options->inputs.layers,
                             options->from});
            if (!apart) {
                return report(apart.error());
            }
            const auto alone =
                check_json_alone(options->json, {options->certificate, options->picture});
            if (!alone) {
                return report(alone.error());
            }
            const core::Result<int> done = run_mode(session, *options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
