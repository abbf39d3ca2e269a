#include "longhaul/placement/solve.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/against_baselines.hpp"
#include "longhaul/placement/attempt.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/placement/hosts_together.hpp"

namespace longhaul::placement {

namespace {

constexpr double kRoundingOfSums = 1e-9;

tl::unexpected<core::Diagnostics> defect(std::string where, std::string what) {
    return core::fail(
        {"", std::move(where), std::move(what), "this is a defect of longhaul; please report it"});
}

SearchRecord record_of(const SearchOptions& options, const SearchResult& found) {
    SearchRecord record;
    record.seed = options.seed;
    record.budget = options.budget;
    record.restarts = options.restarts;
    record.evaluations = found.evaluations;
    record.threads = options.threads;
    record.stopped_by = found.stopped_by;
    record.found_by = found.origin;
    return record;
}

}  // namespace

core::Result<Plan> solve(const Problem& problem,
                         const fabric::Fabric& fabric,
                         const SolveOptions& options) {
    return solve(problem, fabric.host_of_device(), fabric.labels(), options);
}

/// Places tensor groups as devices, then puts their devices in their place.
core::Result<Plan> solve_groups(const Problem& problem,
                                const TensorGroups& groups,
                                std::span<const int> host_of,
                                const std::vector<std::string>& labels,
                                const SolveOptions& options) {
    const int tp = problem.shape.tp;
    if (groups.members.size() < problem.shape.cells()) {
        return core::fail(
            {"",
             "tp",
             fmt::format("the hosts hold {} groups of {} devices", groups.members.size(), tp),
             fmt::format("pp {} x dp {} needs {}; lower pp, dp or tp, or name the "
                         "host of every device in the fabric",
                         problem.shape.pp,
                         problem.shape.dp,
                         problem.shape.cells())});
    }
    const TensorUnits units = tensor_units_of(groups, host_of, labels);
    core::Result<Plan> plan = solve(grouped(problem, groups), units.host_of, units.labels, options);
    if (!plan) {
        return plan;
    }
    plan->workload = problem.workload;
    name_members(problem, groups, *plan);
    return plan;
}

core::Result<Plan> solve(const Problem& problem,
                         std::span<const int> host_of,
                         const std::vector<std::string>& labels,
                         const SolveOptions& options) {
    if (problem.shape.tp > 1) {
        return solve_groups(
            problem, make_tensor_groups(host_of, problem.shape.tp), host_of, labels, options);
    }
    const Attempt made = attempt(problem, options);
    Plan plan;
    plan.workload = problem.workload;
    plan.terms = problem.terms;
    plan.placement = made.map.device_of_rank().empty()
                         ? composed(problem, made.found.stages, host_of)
                         : order_replicas(made.map, host_of);
    plan.placement = hosts_together(problem, plan.placement, host_of);
    plan.score = score_as_mapped(problem, plan.placement);
    // Orders of many stages are not exact: solved once more they may be better, but not worse.
    if (plan.score.total() > made.found.score * (1 + kRoundingOfSums)) {
        return defect("search",
                      fmt::format("the rank map realises {} s, the search claimed {} s",
                                  plan.score.total(),
                                  made.found.score));
    }
    plan.bound = made.bound;
    plan.search = record_of(options.search, made.found);
    compare_with_baselines(problem, host_of, labels, options, plan);
    if (options.describe) {
        describe_placement(problem, nullptr, options.search.threads, plan, options.baseline_stop);
    }
    if (plan.bound.value > plan.score.total() * (1 + kRoundingOfSums)) {
        return defect("bound",
                      fmt::format("the rank map realises {} s, below the bound of {} s",
                                  plan.score.total(),
                                  plan.bound.value));
    }
    // The same sums in another order may differ in their last digits.
    plan.bound.value = std::min(plan.bound.value, plan.score.total());
    return plan;
}

}  // namespace longhaul::placement
