// measure next: which pairs to measure so that the cost of plans is known well enough.
#include <algorithm>

#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/measure/design.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {
namespace {

struct NextOptions {
    std::string fabric;
    std::vector<std::string> plans;
    std::size_t count = 10;
    double tolerance = 0.1;
    bool json = false;
};

/// Devices beyond this number make the matrices too large.
constexpr std::size_t kMostListedDevices = 2000;

/// What a fabric says of its pairs, in the form of a completion.
measure::Completion completion_of(const fabric::Fabric& fabric) {
    const fabric::FabricParts& parts = fabric.parts();
    measure::Completion known;
    known.beta_gbps = parts.beta_gbps.full();
    known.lower = parts.beta_interval ? parts.beta_interval->lower.full() : known.beta_gbps;
    known.upper = parts.beta_interval ? parts.beta_interval->upper.full() : known.beta_gbps;
    known.estimated = parts.estimated.empty() ? core::Grid<char>(fabric.size(), fabric.size(), 0)
                                              : parts.estimated.full();
    return known;
}

void add_both(core::Grid<double>& importance, int a, int b, double gigabytes) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    importance(i, j) += gigabytes;
    importance(j, i) += gigabytes;
}

/// Gigabytes that a plan sends over each pair: activations and their gradients along pipelines, and
/// a share of the gradients between any two replicas of a stage.
void add_plan(const placement::Plan& plan, core::Grid<double>& importance) {
    const double activations = plan.workload.c_pp.value();
    for (const std::vector<int>& pipeline : plan.placement.pipelines()) {
        for (std::size_t stage = 0; stage + 1 < pipeline.size(); ++stage) {
            add_both(importance, pipeline[stage], pipeline[stage + 1], activations);
        }
    }
    for (const std::vector<int>& group : plan.placement.stages()) {
        const double share = 2 * plan.workload.c_dp.value() / static_cast<double>(group.size());
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                add_both(importance, group[i], group[j], share);
            }
        }
    }
}

core::Result<core::Grid<double>> importance_of(const NextOptions& options,
                                               const fabric::Fabric& fabric) {
    core::Grid<double> importance(fabric.size(), fabric.size(), 0.0);
    for (const std::string& path : options.plans) {
        const core::Result<std::string> text = read_file(path);
        const core::Result<placement::Plan> plan =
            text ? placement::read_plan(*text, input_name(path))
                 : core::Result<placement::Plan>(tl::unexpected(text.error()));
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        if (plan->placement.devices() != fabric.size()) {
            return core::fail(
                {input_name(path),
                 "rank_map",
                 fmt::format("is of {} devices", plan->placement.devices()),
                 fmt::format("give plans on the same fabric, which has {}", fabric.size())});
        }
        add_plan(*plan, importance);
    }
    return importance;
}

core::Value value_of(const measure::NextPairs& next,
                     const measure::Completion& known,
                     const fabric::Fabric& fabric) {
    core::Value pairs = core::Value::array();
    for (const measure::SitePair& pair : next.pairs) {
        pairs.append(core::Value::object()
                         .set("from", static_cast<double>(pair.from))
                         .set("to", static_cast<double>(pair.to))
                         .set("from_label", fabric.labels()[pair.from])
                         .set("to_label", fabric.labels()[pair.to])
                         .set("beta_gbps", known.beta_gbps(pair.from, pair.to))
                         .set("lower_gbps", known.lower(pair.from, pair.to))
                         .set("upper_gbps", known.upper(pair.from, pair.to)));
    }
    const std::optional<int> suspect = fabric.parts().suspect;
    return core::Value::object()
        .set("enough", next.enough)
        .set("relative_width", next.relative_width)
        .set("suspect", suspect ? core::Value(*suspect) : core::Value())
        .set("pairs", std::move(pairs));
}

std::string text_of(const measure::NextPairs& next,
                    const measure::Completion& known,
                    const fabric::Fabric& fabric,
                    bool with_plans) {
    std::string text;
    for (const measure::SitePair& pair : next.pairs) {
        text += fmt::format("{} > {}: {:.3g} Gbit/s, {:.3g} to {:.3g}\n",
                            device_name(fabric, static_cast<int>(pair.from)),
                            device_name(fabric, static_cast<int>(pair.to)),
                            known.beta_gbps(pair.from, pair.to),
                            known.lower(pair.from, pair.to),
                            known.upper(pair.from, pair.to));
    }
    if (const int suspect = fabric.parts().suspect.value_or(0); suspect > 0) {
        text += fmt::format(
            "{} measured {} a suspect fit, of which intervals say nothing; longhaul measure check "
            "of the links file says which to measure again\n",
            suspect,
            suspect == 1 ? "pair has" : "pairs have");
    }
    return text + fmt::format("{} known to {:.2g} %: {}\n",
                              with_plans ? "what the plans send is" : "all pairs together are",
                              100 * next.relative_width,
                              next.enough ? "enough" : "measure the pairs above");
}

core::Result<int> run_next(const NextOptions& options) {
    const core::Result<LoadedFabric> loaded = load_fabric(options.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const fabric::Fabric& fabric = loaded->fabric;
    if (fabric.size() > kMostListedDevices) {
        return core::fail(
            {input_name(options.fabric),
             "labels",
             fmt::format("{} devices", fabric.size()),
             fmt::format("{} at most; keep one device of each host", kMostListedDevices)});
    }
    const core::Result<core::Grid<double>> importance = importance_of(options, fabric);
    if (!importance) {
        return tl::unexpected(importance.error());
    }
    const measure::Completion known = completion_of(fabric);
    const measure::NextPairs next =
        measure::next_pairs(known, *importance, options.count, options.tolerance);
    print(options.json ? core::write_json(value_of(next, known, fabric))
                       : text_of(next, known, fabric, !options.plans.empty()));
    return next.enough ? kDone : kNo;
}

}  // namespace

void add_measure_next(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "next", "Says which pairs to measure so that the cost of plans is known well enough");
    example(*command, "longhaul measure next fabric.json --plan plan.json --count 10");
    auto options = std::make_shared<NextOptions>();
    command->add_option("fabric", options->fabric, "fabric with estimated pairs and intervals")
        ->type_name("FILE")
        ->required();
    command
        ->add_option(
            "--plan",
            options->plans,
            "plans on this fabric, such as the best few; without any all pairs count alike")
        ->type_name("FILE...");
    command->add_option("--count", options->count, "pairs to list at most")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        ->add_option("--tolerance",
                     options->tolerance,
                     "half the width of the cost's interval that is enough, relative")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> code = run_next(*options);
            return code ? *code : report(code.error());
        };
    });
}

}  // namespace longhaul::app
