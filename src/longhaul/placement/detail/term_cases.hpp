// Small problems under every term, for the tests of what works under all of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement::testing {

/// A fabric, and how to make a problem of it or of one like it.
struct TermCase {
    std::string name;
    fabric::Fabric fabric;
    workload::Workload workload;
    Shape shape;
    Terms terms;
    [[nodiscard]] Problem problem_of(const fabric::Fabric& other) const {
        return make_problem(other, "case", workload, shape, terms).value();
    }
    [[nodiscard]] Problem problem() const { return problem_of(fabric); }
};

/// What a case turns on.
struct TermChoice {
    const char* name;
    Objective objective = Objective::kAdditive;
    Exchange exchange = Exchange::kSharded;
    bool speeds = false;
    bool layers = false;
    bool stage_seconds = false;
    bool equal_seconds = false;  ///< one time for all stages
    bool shared = false;
    int tp = 1;
    int spare = 0;  ///< tensor groups more than cells
};

/// How far from the best a search may stay, relative: pairs of the pipelined objective with shared
/// capacity are not always the best (shared_pipeline.hpp), all others are.
inline double slack_of(const TermChoice& choice) {
    return choice.shared && choice.objective == Objective::kPipelined ? 0.1 : 1e-9;
}

/// Each term alone, then several together.
inline const std::vector<TermChoice>& term_choices() {
    static const std::vector<TermChoice> kChoices{
        {.name = "ring", .exchange = Exchange::kRing},
        {.name = "central", .exchange = Exchange::kCentral},
        {.name = "tree", .exchange = Exchange::kTree},
        {.name = "hierarchical", .exchange = Exchange::kHierarchical},
        {.name = "pipelined", .objective = Objective::kPipelined},
        {.name = "speeds", .speeds = true, .stage_seconds = true},
        {.name = "layers", .speeds = true, .layers = true},
        {.name = "shared", .shared = true},
        {.name = "tensor", .tp = 2},
        {.name = "spare", .spare = 2},
        {.name = "pipelined, speeds, ring",
         .objective = Objective::kPipelined,
         .exchange = Exchange::kRing,
         .speeds = true,
         .stage_seconds = true},
        {.name = "layers, shared, central",
         .exchange = Exchange::kCentral,
         .speeds = true,
         .layers = true,
         .shared = true},
        {.name = "pipelined, shared", .objective = Objective::kPipelined, .shared = true},
        {.name = "tensor, pipelined, layers, spare",
         .objective = Objective::kPipelined,
         .speeds = true,
         .layers = true,
         .tp = 2,
         .spare = 1},
    };
    return kChoices;
}

/// Random links of two labels, hosts of 2 tp devices that hold whole tensor groups.
inline TermCase term_case(const TermChoice& choice, int pp, int dp, core::Random& random) {
    TermCase made{choice.name,
                  shipped("two-datacenters-synthetic.toml"),
                  payloads(0.25 + random.uniform(), 0.25 + random.uniform()),
                  {pp, dp, choice.tp},
                  {}};
    made.terms.objective = choice.objective;
    made.terms.exchange = choice.exchange;
    made.workload.pp_messages = choice.objective == Objective::kPipelined ? 4 : 1;
    if (choice.stage_seconds) {
        for (int s = 0; s < pp; ++s) {
            made.workload.stage_seconds.push_back(0.5 + random.uniform());
        }
    }
    if (choice.equal_seconds) {
        made.workload.stage_seconds = {0.5 + random.uniform()};
    }
    if (choice.layers) {
        for (int layer = 0; layer < 2 * pp; ++layer) {
            made.workload.layers.push_back({0.2 + random.uniform(), 1, 0});
        }
        made.workload.microbatches = 4;
    }
    const std::size_t n = made.shape.devices() + static_cast<std::size_t>(choice.spare * choice.tp);
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    parts.devices.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.emplace_back(i % 4 < 2 ? "east" : "west");
        parts.devices[i].host = "h" + std::to_string(i / static_cast<std::size_t>(2 * choice.tp));
        parts.devices[i].speed = choice.speeds && random.below(2) == 0 ? 0.5 : 1;
        parts.devices[i].memory_gb =
            choice.layers ? 2.0 + static_cast<double>(random.below(4)) : 64;
        for (std::size_t j = 0; j < i; ++j) {
            alpha(i, j) = alpha(j, i) = 1 + 50 * random.uniform();
            beta(i, j) = beta(j, i) = 0.5 + 4 * random.uniform();
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    if (choice.shared) {
        parts.shared.push_back({"cable", 2 + 4 * random.uniform(), {"east", "west"}, {}});
    }
    made.fabric = fabric::Fabric::make(std::move(parts), "case").value();
    return made;
}

/// The least score over all ways to fill the stages, or to leave units out.
inline double best_of_all_stages(const Problem& unit) {
    std::vector<std::size_t> stage_of;
    const auto pp = static_cast<std::size_t>(unit.shape.pp);
    for (std::size_t s = 0; s < pp; ++s) {
        stage_of.insert(stage_of.end(), static_cast<std::size_t>(unit.shape.dp), s);
    }
    stage_of.resize(unit.devices(), pp);
    double best = 1e300;
    do {
        Stages stages(pp);
        for (std::size_t u = 0; u < stage_of.size(); ++u) {
            if (stage_of[u] < pp) {
                stages[stage_of[u]].push_back(static_cast<int>(u));
            }
        }
        best = std::min(best, solve_inner(unit, stages).score.total());
    } while (std::next_permutation(stage_of.begin(), stage_of.end()));
    return best;
}

/// Two labels of equal devices: few kinds, so that classes and tables come into play.
inline TermCase few_kinds(const TermChoice& choice, int pp, int dp, core::Random& random) {
    TermCase made = term_case(choice, pp, dp, random);
    fabric::FabricParts parts = made.fabric.parts();
    core::Grid<double> alpha(parts.labels.size(), parts.labels.size(), 0.0);
    core::Grid<double> beta(parts.labels.size(), parts.labels.size(), 1.0);
    const double far = 0.5 + random.uniform();
    for (std::size_t i = 0; i < parts.labels.size(); ++i) {
        for (std::size_t j = 0; j < parts.labels.size(); ++j) {
            const bool near = parts.labels[i] == parts.labels[j];
            alpha(i, j) = i == j ? 0 : near ? 1 : 40;
            beta(i, j) = near ? 8 : far;
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    made.fabric = fabric::Fabric::make(std::move(parts), "case").value();
    return made;
}

}  // namespace longhaul::placement::testing
