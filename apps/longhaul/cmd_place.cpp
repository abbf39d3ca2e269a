// place: from a fabric and a workload to a plan.
#include <chrono>
#include <optional>

#include "longhaul/certificates.hpp"
#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/place_shapes.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/plan_text.hpp"
#include "longhaul/progress.hpp"

namespace longhaul::app {
namespace {

constexpr std::uint64_t kMaxBudget = 1'000'000'000'000;
constexpr double kSearchTimeShare = 0.9;  // of the time limit; the rest is for baselines

struct PlaceOptions {
    PlacementInputs inputs;
    placement::SolveOptions solve;
    double time_limit_s = 0;
    std::string output;
    std::string certificate;
    std::size_t certificate_nodes = placement::CertificateOptions().most_nodes;
    bool json = false;
    bool quiet = false;
};

std::string command_line(const Session& session) {
    std::string line = "longhaul";
    for (std::size_t i = 1; i < session.arguments.size(); ++i) {
        line += " " + session.arguments[i];
    }
    return line;
}

struct Placed {
    placement::Plan plan;
    LoadedFabric fabric;
    std::vector<placement::ShapeTrial> shapes;  // when the shape was chosen
    std::string misfit;                         // why no plan fits the memory of the devices
};

core::Result<Placed> find_plan(const PlaceOptions& options) {
    if (automatic_shape(options.inputs)) {
        core::Result<PlacedShapes> placed = place_best_shape(options.inputs, options.solve);
        if (!placed) {
            return tl::unexpected(placed.error());
        }
        return Placed{std::move(placed->best.plan),
                      std::move(placed->fabric),
                      std::move(placed->best.trials),
                      {}};
    }
    core::Result<LoadedProblem> loaded = load_problem(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    if (!options.certificate.empty()) {
        if (auto good = check_certifiable(options.certificate, loaded->problem); !good) {
            return tl::unexpected(good.error());
        }
    }
    core::Result<placement::Plan> plan =
        placement::solve(loaded->problem, loaded->fabric, options.solve);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    std::string misfit = placement::why_nothing_fits(loaded->problem, plan->placement.stages());
    return Placed{std::move(*plan),
                  {std::move(loaded->fabric), std::move(loaded->fabric_sha256)},
                  {},
                  std::move(misfit)};
}

/// Writes the certificate, where one is asked for.
core::Result<void> certify(const PlaceOptions& options, const Placed& placed) {
    if (options.certificate.empty()) {
        return {};
    }
    const placement::Plan& plan = placed.plan;
    const core::Result<placement::Problem> problem =
        placement::make_problem(placed.fabric.fabric,
                                input_name(options.inputs.fabric),
                                plan.workload,
                                plan.placement.shape(),
                                plan.terms);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    if (auto good = check_certifiable(options.certificate, *problem); !good) {
        return good;
    }
    return write_certificate(
        options.certificate, *problem, plan, {options.solve.proof, options.certificate_nodes});
}

core::Result<int> place(const Session& session, PlaceOptions options) {
    if (core::Result<void> writable = check_writable(options.output); !writable) {
        return tl::unexpected(writable.error());
    }
    const core::Result<std::string> time = utc_now();
    if (!time) {
        return tl::unexpected(time.error());
    }
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::optional<Progress> progress(std::in_place, "searching and proving", !options.quiet);
    const auto time_is_up = [&](double share) {
        const double seconds = elapsed();
        progress->show(seconds);
        return options.time_limit_s > 0 && seconds > share * options.time_limit_s;
    };
    options.solve.search.stop = [&] { return time_is_up(kSearchTimeShare); };
    options.solve.baseline_stop = [&] { return time_is_up(1); };
    options.solve.proof.stop = options.solve.search.stop;
    core::Result<Placed> placed = find_plan(options);
    if (!placed) {
        return tl::unexpected(placed.error());
    }
    if (!placed->misfit.empty()) {
        progress.reset();
        if (options.json) {
            print(core::write_json(
                core::Value::object().set("feasible", false).set("reason", placed->misfit)));
        }
        warn("no plan fits the memory of the devices: " + placed->misfit);
        return kNo;
    }
    placement::Plan& plan = placed->plan;
    plan.fabric_path = options.inputs.fabric;
    plan.fabric_sha256 = placed->fabric.sha256;
    plan.search.wall_s = elapsed();
    plan.version = LONGHAUL_VERSION;
    plan.command = command_line(session);
    plan.time = *time;
    if (!placed->shapes.empty()) {
        plan.unknown.set("shapes", shapes_value(placed->shapes));
    }
    if (auto written = certify(options, *placed); !written) {
        return tl::unexpected(written.error());
    }
    progress.reset();
    const std::string file = core::write_json(placement::to_value(plan));
    if (!options.output.empty()) {
        const core::Result<void> written = write_file(options.output, file);
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.output != "-") {
        const std::string shapes =
            placed->shapes.empty() ? std::string() : shapes_text(placed->shapes);
        print(options.json ? file : shapes + plan_text(plan, placed->fabric.fabric));
    }
    return kDone;
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
    add_placement_inputs(*command, options->inputs);
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
                     "seconds after which search, proof and baselines stop; 0: none")
        ->check(finite_number(0, 1e9))
        ->capture_default_str();
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
    command->callback([options, &session] {
        session.run = [options, &session] {
            const core::Result<int> done = place(session, *options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
