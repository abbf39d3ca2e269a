// evaluate: what a given rank map costs.
#include <algorithm>
#include <numeric>

#include "longhaul/certificates.hpp"
#include "longhaul/command.hpp"
#include "longhaul/fabric/names.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/place.hpp"
#include "longhaul/placement/best_arrangement.hpp"
#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/tensor.hpp"
#include "longhaul/plan_fabric.hpp"
#include "longhaul/plan_inputs.hpp"
#include "longhaul/plan_text.hpp"
#include "longhaul/rank_map.hpp"

namespace longhaul::app {
namespace {

constexpr std::uint64_t kMostCheckWork = 1'000'000'000'000;

struct EvaluateOptions {
    PlacementInputs inputs;
    bool demand_typed = false;  // workload, shape or terms: then a plan's own do not count
    std::string rank_map;
    CertificateQuestion question;
    std::string output;
    bool json = false;
};

/// A bound, and the least compute of all placements, which is a part of it.
using BoundParts = std::pair<placement::Bound, double>;

std::string json_of(const LoadedProblem& loaded,
                    const placement::Score& solved,
                    const placement::Score& mapped,
                    const placement::Bound& bound) {
    core::Value root = core::Value::object();
    root.set("data_parallel", solved.data_parallel).set("pipeline", solved.pipeline);
    if (placement::has_compute(loaded.problem)) {
        root.set("compute", solved.compute).set("compute_mapped", mapped.compute);
    }
    root.set("score", solved.total())
        .set("data_parallel_mapped", mapped.data_parallel)
        .set("pipeline_mapped", mapped.pipeline)
        .set("score_mapped", mapped.total())
        .set("bound", bound.value)
        .set("bound_method", bound.method)
        .set("objective", placement::name_of(loaded.problem.terms.objective))
        .set("fabric_sha256", loaded.fabric_sha256);
    return core::write_json(root);
}

std::string text_of(const LoadedProblem& loaded,
                    const placement::Score& solved,
                    const placement::Score& mapped,
                    const BoundParts& parts) {
    const auto& [bound, least_compute] = parts;
    const bool compute = placement::has_compute(loaded.problem);
    const std::string note =
        additive_note(loaded.problem.terms, loaded.problem.workload, loaded.problem.shape.pp);
    const auto row = [&](const std::string& name, const placement::Score& score, double total) {
        return fmt::format("{:<24} {:>14.6f} {:>14.6f} {}{:>14.6f}\n",
                           name,
                           score.data_parallel,
                           score.pipeline,
                           compute ? fmt::format("{:>14.6f} ", score.compute) : std::string(),
                           total);
    };
    return fmt::format("{:<24} {:>14} {:>14} {}{:>14}\n",
                       "seconds",
                       "data_parallel",
                       "pipeline",
                       compute ? fmt::format("{:>14} ", "compute") : std::string(),
                       "score") +
           row("best pairs and order", solved, solved.total()) +
           row("as mapped", mapped, mapped.total()) +
           row("bound (" + bound.method + ")",
               {bound.data_parallel, bound.pipeline, least_compute},
               bound.value) +
           fmt::format("{:<24} {}{}\n",
                       "objective",
                       placement::name_of(loaded.problem.terms.objective),
                       note.empty() ? "" : ": " + note);
}

/// A placement and the problem that it is scored on.
struct Scored {
    LoadedProblem loaded;
    placement::Placement placement;
};

/// Whether the text is a plan file, which says what it was made for.
bool is_plan(std::string_view text) {
    const core::Result<core::Document> document = core::parse_json(text, "");
    const core::Value* format = document ? document->root.find("format") : nullptr;
    return format != nullptr && format->string.starts_with("longhaul.plan/");
}

/// Fails on JSON that cannot be read, and on an empty file, where the rank map itself is what is
/// wrong: without a workload nobody would come to read it.
core::Result<void> check_readable(std::string_view text, const std::string& name) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8
    const std::string_view rest = text.starts_with(kMark) ? text.substr(kMark.size()) : text;
    const std::size_t first = rest.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return core::fail(
            {name, "", "holds no ranks", "give one rank a device, such as 0 1 2 3, or a plan"});
    }
    if (rest[first] != '{') {
        return {};
    }
    const core::Result<core::Document> document = core::parse_json(text, name);
    return document ? core::Result<void>() : tl::unexpected(document.error());
}

/// Whether the options say a whole workload and shape, so that nothing of a plan is needed.
bool says_all(const PlacementInputs& inputs) {
    return !inputs.job.empty() || (inputs.pp > 0 && inputs.dp > 0 && inputs.c_pp && inputs.c_dp);
}

/// A rank map, or that of a plan, for the workload of the options.
core::Result<Scored> score_of_ranks(const PlacementInputs& inputs,
                                    std::string_view text,
                                    const std::string& name) {
    if (inputs.fabric.empty()) {
        return core::fail({"", "--fabric", "is missing", "give the fabric file"});
    }
    core::Result<LoadedProblem> loaded = load_problem(inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const core::Result<std::vector<int>> ranks = parse_rank_map(text, name);
    if (!ranks) {
        return tl::unexpected(ranks.error());
    }
    core::Result<placement::Placement> placement =
        placement::Placement::from_rank_map(loaded->problem.shape, *ranks);
    if (!placement) {
        for (core::Diagnostic& problem : placement.error()) {
            problem.file = name;
        }
        return tl::unexpected(placement.error());
    }
    if (ranks->size() != loaded->problem.devices()) {
        return core::fail({name,
                           "rank_map",
                           fmt::format("has {} ranks", ranks->size()),
                           fmt::format("the fabric has {} devices", loaded->problem.devices())});
    }
    return Scored{std::move(*loaded), std::move(*placement)};
}

/// A plan whose workload, shape and terms hold but for what was typed.
core::Result<Scored> score_of_changed_plan(PlacementInputs inputs,
                                           std::string_view text,
                                           const std::string& name) {
    const core::Result<placement::Plan> plan = placement::read_plan(text, name);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    const core::Result<FoundFabric> found =
        fabric_of_plan({plan->fabric_path, plan->fabric_sha256, name}, inputs.fabric);
    if (!found) {
        return tl::unexpected(found.error());
    }
    warn_of_other_devices(*plan, found->loaded.fabric, name);
    inputs.fabric = found->path;
    fill_from_plan(*plan, inputs);
    return score_of_ranks(inputs, text, name);
}

core::Result<Scored> load_scored(const EvaluateOptions& options) {
    const PlacementInputs& inputs = options.inputs;
    if (auto once = read_once({inputs.fabric, inputs.job, inputs.layers, options.rank_map});
        !once) {
        return tl::unexpected(once.error());
    }
    const std::string name = input_name(options.rank_map);
    const core::Result<std::string> text = read_file(options.rank_map);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (auto readable = check_readable(*text, name); !readable) {
        return tl::unexpected(readable.error());
    }
    if (is_plan(*text) && !says_all(inputs)) {
        if (options.demand_typed) {
            return score_of_changed_plan(inputs, *text, name);
        }
        core::Result<LoadedPlan> read = load_plan(inputs.fabric, *text, name);
        return read ? core::Result<Scored>(
                          Scored{std::move(read->loaded), std::move(read->plan.placement)})
                    : tl::unexpected(read.error());
    }
    if (options.demand_typed) {
        return score_of_ranks(inputs, *text, name);
    }
    const auto ranks = parse_rank_map(*text, name);
    if (!ranks && text->at(text->find_first_not_of(" \t\r\n")) != '{') {  // objects can be read
        return tl::unexpected(ranks.error());
    }
    return core::fail({"",
                       "--pp",
                       "is missing",
                       "give --pp, --dp, --c-pp and --c-dp, or --job, or a plan as the rank map"});
}

/// Elementary where that is a bound of the problem, else what needs no branching.
BoundParts simple_bound(const placement::Problem& problem, double score) {
    placement::ProofOptions none;
    none.work = 0;
    const bool elementary =
        placement::pairs_make_the_score(problem) && problem.devices() == problem.shape.devices();
    return {elementary ? placement::elementary_bound(problem)
                       : placement::prove(problem, score, none).bound,
            placement::has_compute(problem) ? placement::least_compute_seconds(problem) : 0};
}

/// The bound over everything that `place` may choose; of tensor groups, those that it forms.
BoundParts bound_of(const LoadedProblem& loaded, double score) {
    const placement::Problem& problem = loaded.problem;
    if (problem.shape.tp == 1) {
        return simple_bound(problem, score);
    }
    const placement::TensorGroups groups =
        placement::make_tensor_groups(loaded.fabric.host_of_device(), problem.shape.tp);
    if (groups.members.size() < problem.shape.cells()) {
        return {{0, "none: the hosts hold too few tensor groups", 0, 0, 0}, 0};
    }
    return simple_bound(placement::grouped(problem, groups), score);
}

/// The problem and the placement with every tensor group as one device.
std::pair<placement::Problem, placement::Placement> by_cells(
    const placement::Problem& problem, const placement::Placement& placement) {
    if (problem.shape.tp == 1) {
        return {problem, placement};
    }
    placement::Problem unit = placement::grouped(problem, placement::groups_of(placement));
    std::vector<int> cells(unit.shape.cells());
    std::iota(cells.begin(), cells.end(), 0);
    placement::Placement units(unit.shape, std::move(cells));
    return {std::move(unit), std::move(units)};
}

/// The rank map as a plan file: scored as it stands, nothing claimed of other maps.
core::Result<void> write_plan(const Session& session,
                              const EvaluateOptions& options,
                              const Scored& scored,
                              const placement::Score& mapped) {
    const core::Result<std::string> time = utc_now();
    if (!time) {
        return tl::unexpected(time.error());
    }
    const LoadedProblem& loaded = scored.loaded;
    placement::Plan plan;
    plan.fabric_path = loaded.fabric_path;
    plan.fabric_sha256 = loaded.fabric_sha256;
    plan.devices = fabric::device_names(loaded.fabric);
    plan.places = placement::places_of(loaded.fabric);
    plan.workload = loaded.problem.workload;
    plan.terms = loaded.problem.terms;
    plan.placement = scored.placement;
    plan.score = mapped;
    if (loaded.problem.shape.tp == 1) {
        placement::describe_placement(loaded.problem, nullptr, 1, plan);
    } else {
        const placement::TensorGroups groups = placement::groups_of(scored.placement);
        placement::describe_placement(loaded.problem, &groups, 1, plan);
    }
    plan.bound = {0, "none: the rank map was given", 0, 0, 0};
    plan.search.stopped_by = "nothing: no search";
    plan.search.found_by = "rank map of " + input_name(options.rank_map);
    plan.version = LONGHAUL_VERSION;
    plan.command = command_line(session);
    plan.time = *time;
    return write_file(options.output, core::write_json(placement::to_value(plan)));
}

core::Result<int> evaluate(const Session& session, const EvaluateOptions& options) {
    if (auto alone = check_json_alone(options.json, {options.output}); !alone) {
        return tl::unexpected(alone.error());
    }
    if (core::Result<void> writable = check_writable(options.output); !writable) {
        return tl::unexpected(writable.error());
    }
    const core::Result<Scored> scored = load_scored(options);
    if (!scored) {
        return tl::unexpected(scored.error());
    }
    const LoadedProblem* loaded = &scored->loaded;
    const placement::Placement* placement = &scored->placement;
    const placement::Score mapped = placement::score_as_mapped(loaded->problem, *placement);
    const auto [unit, units] = by_cells(loaded->problem, *placement);
    const placement::Score solved = placement::best_arrangement(unit, units);
    const std::string misfit = placement::why_nothing_fits(unit, units.stages());
    if (!misfit.empty()) {
        warn("the layers do not fit the memory of the devices: " + misfit);
        return kNo;
    }
    if (!options.output.empty()) {
        if (auto written = write_plan(session, options, *scored, mapped); !written) {
            return tl::unexpected(written.error());
        }
        if (options.output == "-") {
            return kDone;
        }
    }
    const BoundParts parts = bound_of(*loaded, solved.total());
    print(options.json ? json_of(*loaded, solved, mapped, parts.first)
                       : text_of(*loaded, solved, mapped, parts));
    return kDone;
}

int run(const Session& session, EvaluateOptions& options) {
    if (!options.question.certificate.empty()) {
        if (options.demand_typed) {
            return report({{"",
                            "--certificate",
                            "comes with options of a workload",
                            "leave them out: the certificate holds its own"}});
        }
        options.question.fabric = options.inputs.fabric;
        options.question.json = options.json;
        const core::Result<int> answered = answer(options.question);
        return answered ? *answered : report(answered.error());
    }
    if (options.rank_map.empty()) {
        return report({{"", "--rank-map", "is missing", "give a rank map, or --certificate"}});
    }
    if (auto apart = check_apart(
            {options.output},
            {options.rank_map, options.inputs.fabric, options.inputs.job, options.inputs.layers});
        !apart) {
        return report(apart.error());
    }
    const core::Result<int> done = evaluate(session, options);
    return done ? *done : report(done.error());
}

}  // namespace

void add_evaluate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "evaluate", "Scores a rank map: as it stands, and with best pairs and order of stages");
    example(*command,
            "seq 0 63 | longhaul evaluate --fabric fabrics/dtfm-table2-worldwide.json "
            "--pp 8 --dp 8 --c-pp 0.512 --c-dp 0.650 --rank-map -");
    auto options = std::make_shared<EvaluateOptions>();
    add_placement_inputs(*command, options->inputs, false);
    auto* fabric = command->get_option("--fabric")->required(false);
    auto* rank_map =
        command
            ->add_option("--rank-map",
                         options->rank_map,
                         "ranks in device order: text, JSON list, or a plan; - for standard input")
            ->type_name("FILE");
    auto* certificate = command
                            ->add_option("--certificate",
                                         options->question.certificate,
                                         "certificate of place to check, instead of a rank map")
                            ->type_name("FILE")
                            ->excludes(rank_map);
    auto* work = command
                     ->add_option("--check-budget",
                                  options->question.work,
                                  "work of that check, units of about 20 ns")
                     ->check(CLI::Range(std::uint64_t{1}, kMostCheckWork))
                     ->default_val(placement::ReplayLimits().work)
                     ->needs(certificate);
    auto* output = command
                       ->add_option("-o,--output",
                                    options->output,
                                    "plan file to write (JSON) of the rank map as it stands; - for "
                                    "stdout")
                       ->type_name("FILE")
                       ->excludes(certificate);
    auto* json = command->add_flag("--json", options->json, "print one JSON object");
    command->callback([=, &session] {
        for (const CLI::Option* option : command->get_options()) {
            options->demand_typed |= option->count() > 0 && option != fabric &&
                                     option != rank_map && option != certificate &&
                                     option != work && option != json && option != output;
        }
        note_given(*command, options->inputs);
        session.run = [options, &session] { return run(session, *options); };
    });
}

}  // namespace longhaul::app
