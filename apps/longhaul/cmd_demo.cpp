// demo: the shipped examples, from a region table to a rank map.
#include "longhaul/command.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/plan_text.hpp"
#include "embedded_fabrics.hpp"

namespace longhaul::app {
namespace {

struct Example {
    std::string_view title;
    std::string_view path;
    std::string_view text;
    placement::Shape shape;
    double c_pp;
    double c_dp;
};

/// What a person wants to know first; a gain over random alone would flatter.
std::string headline(const Example& example, const placement::Plan& plan) {
    const double score = plan.score.total();
    const placement::Baselines& baselines = *plan.baselines;
    const placement::Gap gap = placement::gap_between(score, plan.bound.value);
    const double host = baselines.host_order.total();
    const double random = baselines.partitions.median;
    return fmt::format(
        "{}\n  {:.2f} s a step for communication, {}\n"
        "  {:.2f} s in host order ({:.2f}x), {:.2f} s in a random partition ({:.2f}x, median of "
        "{})\n\n",
        example.title,
        score,
        gap.optimal ? std::string("proved optimal")
                    : fmt::format("at most {:.1f} % above the optimum", 100 * gap.value),
        host,
        host / score,
        random,
        random / score,
        baselines.samples);
}

const std::vector<Example>& examples() {
    static const std::vector<Example> all{
        {"World-wide: 64 devices in eight regions, Table 2 of the DT-FM paper",
         "fabrics/dtfm-table2-worldwide.json",
         kWorldwideTable2,
         {8, 8},
         0.512,
         0.650},
        {"The same devices, a quarter of the activations: host order is no longer best",
         "fabrics/dtfm-table2-worldwide.json",
         kWorldwideTable2,
         {8, 8},
         0.128,
         0.650},
        {"Two data centres: 32 devices (synthetic values, not measured)",
         "fabrics/two-datacenters-synthetic.toml",
         kTwoDatacenters,
         {4, 8},
         0.256,
         0.650}};
    return all;
}

core::Result<void> run_example(const Example& example, const placement::SolveOptions& options) {
    const core::Result<fabric::Fabric> fabric = fabric::read_fabric(example.text, example.path);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(example.c_pp);
    workload.c_dp = core::Gigabytes(example.c_dp);
    const core::Result<placement::Problem> problem =
        placement::make_problem(*fabric, std::string(example.path), workload, example.shape);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    core::Result<placement::Plan> plan = placement::solve(*problem, *fabric, options);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    plan->fabric_path = example.path;
    plan->workload = workload;
    print(headline(example, *plan));
    print(plan_text(*plan, *fabric) + "\n");
    return {};
}

}  // namespace

void add_demo(CLI::App& parent, Session& session) {
    CLI::App* command =
        parent.add_subcommand("demo", "Places the shipped examples and compares with baselines");
    example(*command, "longhaul demo --baseline-samples 200");
    auto options = std::make_shared<placement::SolveOptions>();
    command
        ->add_option(
            "--baseline-samples", options->baseline_samples, "random placements to compare with")
        ->check(CLI::Range(1, 1'000'000))
        ->default_str("200");
    add_seed(*command, options->search.seed);
    add_threads(*command, options->search.threads);
    command->callback([options, &session] {
        session.run = [options] {
            for (const Example& shipped : examples()) {
                const core::Result<void> done = run_example(shipped, *options);
                if (!done) {
                    return report(done.error());
                }
            }
            print("Place your own:  longhaul place --help\n");
            return kDone;
        };
    });
}

}  // namespace longhaul::app
