// explain: why a plan costs what it costs.
#include <algorithm>
#include <cmath>

#include "longhaul/command.hpp"
#include "longhaul/explain_terms.hpp"
#include "longhaul/explain_upgrades.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/placement/explain.hpp"
#include "longhaul/placement/plan.hpp"
#include "longhaul/plan_fabric.hpp"

namespace longhaul::app {
namespace {

constexpr double kLeastFactor = 1.001;
constexpr double kMostFactor = 1000;

struct ExplainOptions {
    std::string plan;
    std::string fabric;
    int threads = 1;
    int changes = 5;
    int upgrades = 5;
    double factor = 2;
    std::uint64_t budget = 20'000;
    std::uint64_t proof = 5'000'000;
    bool json = false;
};

struct Explained {
    placement::Plan plan;
    fabric::Fabric fabric;
    placement::Explanation explanation;
    Verdict verdict;
    std::vector<placement::Upgrade> upgrades;
    UpgradeNames names;
};

core::Result<std::vector<placement::Upgrade>> upgrades_of(const ExplainOptions& options,
                                                          const placement::Plan& plan,
                                                          const std::string& path,
                                                          const fabric::Fabric& fabric) {
    if (options.upgrades == 0) {
        return std::vector<placement::Upgrade>();
    }
    const placement::ProblemOfFabric problem_of = [&](const fabric::Fabric& changed) {
        return *placement::make_problem(
            changed, path, plan.workload, plan.placement.shape(), plan.terms);
    };
    placement::SolveOptions solve;
    solve.search.budget = options.budget;
    solve.search.threads = options.threads;
    solve.proof.work = options.proof;
    return placement::upgrades(problem_of,
                               fabric,
                               plan.placement,
                               static_cast<std::size_t>(options.upgrades),
                               solve,
                               options.factor);
}

core::Result<Explained> load(const ExplainOptions& options) {
    if (auto once = read_once({options.plan, options.fabric}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<std::string> text = read_file(options.plan);
    if (!text) {
        return tl::unexpected(text.error());
    }
    core::Result<placement::Plan> plan = placement::read_plan(*text, input_name(options.plan));
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    core::Result<FoundFabric> found = fabric_of_plan(
        {plan->fabric_path, plan->fabric_sha256, input_name(options.plan)}, options.fabric);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const std::string path = found->path;
    LoadedFabric* fabric = &found->loaded;
    if (fabric->fabric.size() != plan->placement.devices()) {
        return core::fail({input_name(options.plan),
                           "rank_map",
                           fmt::format("has {} ranks", plan->placement.devices()),
                           fmt::format("the fabric has {} devices", fabric->fabric.size())});
    }
    const core::Result<placement::Problem> problem = placement::make_problem(
        fabric->fabric, path, plan->workload, plan->placement.shape(), plan->terms);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    const std::vector<int> hosts = fabric->fabric.host_of_device();
    placement::Explanation explanation =
        placement::explain(*problem,
                           plan->placement,
                           hosts,
                           static_cast<std::size_t>(options.changes),
                           options.threads);
    if (!explanation.misfit.empty()) {
        return Explained{
            std::move(*plan), std::move(fabric->fabric), std::move(explanation), {}, {}, {}};
    }
    core::Result<std::vector<placement::Upgrade>> upgrades =
        upgrades_of(options, *plan, path, fabric->fabric);
    if (!upgrades) {
        return tl::unexpected(upgrades.error());
    }
    placement::ProofOptions proof;
    proof.work = options.proof;
    Verdict verdict = verdict_on(*problem, plan->placement, hosts, proof);
    if (plan->fabric_sha256 == fabric->sha256) {
        take_stated_bound(plan->bound, explanation.score.total(), verdict);
    }
    UpgradeNames names = upgrade_names(fabric->fabric);
    return Explained{std::move(*plan),
                     std::move(fabric->fabric),
                     std::move(explanation),
                     std::move(verdict),
                     std::move(*upgrades),
                     std::move(names)};
}

/// A plan that was changed by hand, or made by another program, may claim another score than that
/// of its rank map.
void warn_of_other_score(const Explained& all) {
    const double claimed = all.plan.score.total();
    const double found = all.explanation.score.total();
    if (claimed > 0 && std::abs(claimed - found) > 1e-6 * std::max(claimed, found)) {
        warn(fmt::format("the plan says {:.6f} s, but its rank map takes {:.6f} s on this fabric",
                         claimed,
                         found));
    }
}

/// Whether a value is the largest one, or equal to it but for the order in which sums were taken.
bool as_large(double seconds, double largest) {
    return seconds >= largest * (1 - 1e-12);
}

std::string explain_text(const Explained& all, const ExplainOptions& options) {
    const placement::Explanation& why = all.explanation;
    const auto name = [&](int device) { return device_name(all.fabric, device); };
    std::string text = score_line(why, all.plan) + verdict_text(all.verdict);
    text += exchange_header(all.plan);
    for (const placement::StageReason& stage : why.stages) {
        text += fmt::format(
            "  stage {:<3} {:>12.6f} s  {}", stage.stage, stage.seconds, name(stage.device));
        if (stage.worst_peer >= 0) {
            text += fmt::format(
                ", costliest peer {} {:.6f} s", name(stage.worst_peer), stage.worst_peer_seconds);
        }
        text += as_large(stage.seconds, why.score.data_parallel) ? "  <- binds\n" : "\n";
    }
    if (!why.edges.empty()) {
        text += edges_header(all.plan);
    }
    for (const placement::EdgeReason& edge : why.edges) {
        text += fmt::format(
            "  {:>2} -> {:<3} {:>12.6f} s  {}{}\n",
            edge.stage,
            edge.stage + 1,
            edge.seconds,
            edge.resource >= 0 ? waits_for(all.fabric, edge)
                               : fmt::format("{} -> {}, replica {}",
                                             name(edge.device),
                                             name(edge.next_device),
                                             edge.replica),
            as_large(edge.seconds, why.edges[why.binding_edge].seconds) ? "  <- largest" : "");
    }
    text += terms_text(why, all.fabric);
    text += fmt::format("\nchanges: the best of {} exchanges of two devices around what binds\n",
                        why.changes_tried);
    if (!why.changes.empty() && why.changes.front().score.total() >= why.score.total()) {
        text += "  none of them is better; the cheapest are\n";
    }
    for (const placement::Change& change : why.changes) {
        text +=
            fmt::format("  {:>12.6f} s  {:+.6f}  {} with {}{}\n",
                        change.score.total(),
                        change.score.total() - why.score.total(),
                        name(change.device),
                        name(change.other),
                        change.alike > 0 ? fmt::format(" (and {} of the same score)", change.alike)
                                         : std::string());
    }
    if (!all.upgrades.empty()) {
        text += upgrades_text(all.upgrades,
                              all.names,
                              why.score.total(),
                              {static_cast<std::size_t>(options.upgrades), options.factor});
    }
    return text;
}

core::Value explain_value(const Explained& all, double factor) {
    const placement::Explanation& why = all.explanation;
    core::Value stages = core::Value::array();
    for (const placement::StageReason& stage : why.stages) {
        core::Value one = core::Value::object();
        one.set("stage", stage.stage)
            .set("seconds", stage.seconds)
            .set("device", stage.device)
            .set("worst_peer", stage.worst_peer)
            .set("worst_peer_seconds", stage.worst_peer_seconds);
        add_compute_keys(stage, one);
        stages.append(std::move(one));
    }
    core::Value edges = core::Value::array();
    for (const placement::EdgeReason& edge : why.edges) {
        edges.append(core::Value::object()
                         .set("stage", edge.stage)
                         .set("seconds", edge.seconds)
                         .set("device", edge.device)
                         .set("next_device", edge.next_device)
                         .set("replica", edge.replica)
                         .set("shared", shared_name(all.fabric, edge)));
    }
    core::Value changes = core::Value::array();
    for (const placement::Change& change : why.changes) {
        changes.append(core::Value::object()
                           .set("device", change.device)
                           .set("other", change.other)
                           .set("score", change.score.total())
                           .set("alike", static_cast<double>(change.alike))
                           .set("difference", change.score.total() - why.score.total()));
    }
    core::Value root = core::Value::object();
    root.set("score", why.score.total())
        .set("data_parallel", why.score.data_parallel)
        .set("pipeline", why.score.pipeline)
        .set("compute", why.score.compute)
        .set("stages", std::move(stages))
        .set("binding_stage", static_cast<double>(why.binding_stage))
        .set("edges", std::move(edges))
        .set("binding_edge",
             why.edges.empty() ? core::Value() : core::Value(static_cast<double>(why.binding_edge)))
        .set("shared", resources_value(why))
        .set("repeats", repeats_value(why))
        .set("changes_tried", static_cast<double>(why.changes_tried))
        .set("changes", std::move(changes))
        .set("proof", verdict_value(all.verdict))
        .set("factor", factor)
        .set("upgrades", upgrades_value(all.upgrades, all.names));
    return root;
}

}  // namespace

void add_explain(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "explain", "Names what binds each term of a plan, and what better links would be worth");
    example(*command, "longhaul explain plan.json");
    auto options = std::make_shared<ExplainOptions>();
    command->add_option("plan", options->plan, "plan file of place; - for standard input")
        ->type_name("PLAN")
        ->required();
    command
        ->add_option("--fabric",
                     options->fabric,
                     "fabric to explain the plan on; default: the one of the plan")
        ->type_name("FILE");
    command->add_option("--changes", options->changes, "exchanges of two devices to show")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command
        ->add_option(
            "--upgrades", options->upgrades, "links that bind to show and to solve anew; 0: none")
        ->check(CLI::Range(0, 1'000))
        ->capture_default_str();
    command
        ->add_option("--factor",
                     options->factor,
                     "how much better: so many times the bandwidth, capacity or speed, and latency "
                     "divided by it")
        ->check(finite_number(kLeastFactor, kMostFactor))
        ->capture_default_str();
    command->add_option("--budget", options->budget, "scored candidates of each solution anew")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
        ->capture_default_str();
    command
        ->add_option("--proof-budget",
                     options->proof,
                     "work of each proof, units of about 20 ns; 0: simple bounds")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000'000}))
        ->capture_default_str();
    add_threads(*command, options->threads);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<Explained> all = load(*options);
            if (!all) {
                return report(all.error());
            }
            if (!all->explanation.misfit.empty()) {
                warn("the layers do not fit the memory of the devices: " + all->explanation.misfit);
                return kNo;
            }
            warn_of_other_score(*all);
            print(options->json ? core::write_json(explain_value(*all, options->factor))
                                : explain_text(*all, *options));
            return kDone;
        };
    });
}

}  // namespace longhaul::app
