#include "longhaul/placement/robust.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/term_cases.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

/// Random links between n devices.
fabric::Fabric random_fabric(std::size_t n, core::Random& random) {
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n);
    core::Grid<double> beta(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("d" + std::to_string(i));
        for (std::size_t j = 0; j < n; ++j) {
            alpha(i, j) = 1 + 50 * random.uniform();
            beta(i, j) = 0.5 + 5 * random.uniform();
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    return fabric::Fabric::make(std::move(parts), "f").value();
}

ProblemOfFabric small_problem(Shape shape) {
    return [shape](const fabric::Fabric& fabric) {
        return make_problem(fabric, "f", testing::payloads(0.2, 0.5), shape).value();
    };
}

/// The least p90 over all rank maps, straight from the definition: n! evaluations.
double least_p90(const std::vector<Problem>& problems, Shape shape) {
    std::vector<int> devices = testing::counted(shape.devices());
    double least = 1e300;
    do {
        std::vector<double> totals;
        for (const Problem& problem : problems) {
            totals.push_back(score_as_mapped(problem, Placement(shape, devices)).total());
        }
        std::ranges::sort(totals);
        least = std::min(least, core::quantile(totals, 0.9));
    } while (std::next_permutation(devices.begin(), devices.end()));
    return least;
}

TEST(Robust, FindsTheLeastP90OfAllRankMaps) {
    const std::vector<Shape> shapes{{3, 2}, {2, 3}, {6, 1}, {2, 2}};
    for (int i = 0; i < 12; ++i) {
        core::Random random(20221206, 4200 + static_cast<std::uint64_t>(i));
        const Shape shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
        const fabric::Fabric fabric = random_fabric(shape.devices(), random);
        RobustOptions options;
        options.solve.search.budget = 200'000;
        options.solve.baseline_samples = 0;
        options.samples = 5 + i;
        options.noise.relative = 0.4;
        const ProblemOfFabric problem_of = small_problem(shape);
        const RobustResult result = robust(problem_of, fabric, options).value();
        const std::vector<Problem> problems = sample_problems(problem_of, fabric, options);
        EXPECT_NEAR(result.plan.p90, least_p90(problems, shape), 1e-9) << i;
        // What is reported of the plan is what its rank map has.
        std::vector<double> totals;
        for (const Problem& problem : problems) {
            totals.push_back(score_as_mapped(problem, result.plan.placement).total());
        }
        EXPECT_EQ(totals, result.plan.samples);
        EXPECT_LE(result.plan.p90, result.nominal_plan.p90);
        EXPECT_EQ(result.plan.max, std::ranges::max(totals));
        double wins = 0;
        for (std::size_t k = 0; k < totals.size(); ++k) {
            wins += totals[k] < result.nominal_plan.samples[k] * (1 - 1e-12) ? 1 : 0;
        }
        EXPECT_NEAR(result.beats_nominal, wins / static_cast<double>(totals.size()), 1e-12);
        EXPECT_GE(result.stays_best, 0);
        EXPECT_LE(result.stays_best, 1);
        EXPECT_GE(result.max_regret, result.mean_regret);
    }
}

TEST(Robust, EightDevices) {
    core::Random random(20221206, 4300);
    const Shape shape{4, 2};
    const fabric::Fabric fabric = random_fabric(8, random);
    RobustOptions options;
    options.solve.search.budget = 300'000;
    options.solve.baseline_samples = 0;
    options.samples = 8;
    options.noise.relative = 0.3;
    const ProblemOfFabric problem_of = small_problem(shape);
    const RobustResult result = robust(problem_of, fabric, options).value();
    EXPECT_NEAR(
        result.plan.p90, least_p90(sample_problems(problem_of, fabric, options), shape), 1e-9);
}

TEST(Robust, WithoutNoiseItIsTheNominalPlan) {
    const fabric::Fabric fabric = testing::shipped("dtfm-table2-worldwide.json");
    RobustOptions options;
    options.solve.search.budget = 20'000;
    options.solve.baseline_samples = 0;
    options.samples = 3;
    options.noise.relative = 0;
    const ProblemOfFabric problem_of = [](const fabric::Fabric& drawn) {
        return make_problem(drawn, "f", testing::payloads(0.512, 0.650), {8, 8}).value();
    };
    const RobustResult result = robust(problem_of, fabric, options).value();
    EXPECT_NEAR(result.plan.p90, 51.500424, 1e-6);  // docs/mathematics/placement.md
    EXPECT_EQ(result.stays_best, 1);
    EXPECT_EQ(result.beats_nominal, 0);
    EXPECT_NEAR(result.max_regret, 0, 1e-9);
}

TEST(Robust, ThreadsNeverChangeIt) {
    core::Random random(20221206, 4400);
    const fabric::Fabric fabric = random_fabric(12, random);
    RobustOptions options;
    options.solve.search.budget = 3'000;
    options.solve.baseline_samples = 0;
    options.samples = 4;
    const ProblemOfFabric problem_of = small_problem({4, 3});
    const RobustResult one = robust(problem_of, fabric, options).value();
    options.solve.search.threads = 3;
    const RobustResult three = robust(problem_of, fabric, options).value();
    EXPECT_EQ(one.plan.placement, three.plan.placement);
    EXPECT_EQ(one.plan.samples, three.plan.samples);
    EXPECT_EQ(one.mean_regret, three.mean_regret);
    EXPECT_EQ(one.candidates, three.candidates);
    EXPECT_EQ(one.evaluations, three.evaluations);
}

/// The least p90 over all ways to put units on ranks or leave them out, straight from the
/// definition.
double least_p90_of_units(const std::vector<Problem>& problems) {
    const Problem& first = problems.front();
    std::vector<int> units = testing::counted(first.devices());
    double least = 1e300;
    do {
        const std::vector<int> cells(
            units.begin(), units.begin() + static_cast<std::ptrdiff_t>(first.shape.cells()));
        if (!std::is_sorted(units.begin() + static_cast<std::ptrdiff_t>(first.shape.cells()),
                            units.end())) {
            continue;  // the order of what is left out does not matter
        }
        std::vector<double> totals;
        for (const Problem& problem : problems) {
            totals.push_back(
                score_as_mapped(problem, Placement(first.shape, cells, units.size())).total());
        }
        std::ranges::sort(totals);
        least = std::min(least, core::quantile(totals, 0.9));
    } while (std::next_permutation(units.begin(), units.end()));
    return least;
}

// Twin under every term, with spare devices and tensor groups: all placements of tiny cases.
TEST(Robust, FindsTheLeastP90UnderEveryTerm) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        core::Random random(20221206, 4210);
        const testing::TermCase made = testing::term_case(choice, 2, 2, random);
        const ProblemOfFabric problem_of = [&](const fabric::Fabric& fabric) {
            return made.problem_of(fabric);
        };
        RobustOptions options;
        options.solve.search.budget = 100'000;
        options.solve.proof.work = 10'000;
        options.solve.baseline_samples = 0;
        options.samples = 5;
        options.noise.relative = 0.4;
        const RobustResult result = robust(problem_of, made.fabric, options).value();
        std::vector<Problem> units;
        for (const Problem& problem : sample_problems(problem_of, made.fabric, options)) {
            units.push_back(units_to_place(problem, made.fabric.host_of_device()));
        }
        EXPECT_NEAR(result.plan.p90, least_p90_of_units(units), 1e-9 * result.plan.p90)
            << choice.name;
        EXPECT_EQ(result.plan.placement.shape().tp, choice.tp);
        EXPECT_EQ(score_as_mapped(made.problem(), result.plan.placement).total(),
                  result.plan.nominal.total())
            << choice.name;
    }
}

}  // namespace
}  // namespace longhaul::placement
