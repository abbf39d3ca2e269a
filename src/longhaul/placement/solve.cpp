#include "longhaul/placement/solve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/against_baselines.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/every_placement.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/prove.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/shared_pipeline.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {

namespace {

constexpr double kRoundingOfSums = 1e-9;
constexpr double kRoundingOfScores = 1e-12;  // what differs by less is equal

tl::unexpected<core::Diagnostics> defect(std::string where, std::string what) {
    return core::fail(
        {"", std::move(where), std::move(what), "this is a defect of longhaul; please report it"});
}

// Most problems are proved after a fraction of the search; the rest of it is for those that are
// not.
constexpr std::uint64_t kFirstSearchShare = 24;
constexpr std::uint64_t kFirstProofShare = 20;

constexpr std::uint64_t kMostPlacements = 2'000'000;  // that are tried one by one
constexpr std::uint64_t kBaselineShare = 8;           // of the budget, from a baseline on
constexpr std::uint64_t kBaselineStream = 63;

struct Attempt {
    SearchResult found;
    Bound bound;
    Placement map{};  ///< where there is one, it has the score as it stands
};

/// Searches, then proves; a better placement that the proof comes upon replaces the found one.
Attempt attempt(const Problem& problem,
                SearchKind kind,
                const SearchOptions& search,
                const ProofOptions& proof,
                const SearchResult* known) {
    SearchResult found = find(problem, kind, search);
    if (known != nullptr) {
        found.evaluations += known->evaluations;
        if (known->score <= found.score) {
            found.stages = known->stages;
            found.score = known->score;
            found.origin = known->origin;
        }
    }
    ProofOptions limited = proof;
    if (search.stop && search.stop()) {
        limited.work = 0;  // bounds that need no branching
    }
    Certificate certificate = prove(problem, found.score, limited);
    certificate.bound.incumbent = found.score;
    if (certificate.better) {
        const Solved solved = solve_inner(problem, *certificate.better);
        found.stages = in_order(*certificate.better, solved.order);
        found.score = solved.score.total();
        found.origin = "branch and bound";
    }
    return {std::move(found), std::move(certificate.bound)};
}

/// Tries all placements where they are few; the best of them is then known to be.
bool exhaust(const Problem& problem, const SolveOptions& options, Attempt& attempt) {
    if (options.kind != SearchKind::kPortfolio) {
        return false;
    }
    std::optional<EveryPlacement> every =
        every_placement(problem,
                        attempt.found.score,
                        std::min(kMostPlacements, options.search.budget),
                        options.search.stop);
    if (!every) {
        return false;
    }
    attempt.found.evaluations += every->scored;
    attempt.found.stopped_by = every->complete ? "exhausted" : "time limit";
    if (every->least < attempt.found.score) {
        attempt.found.score = every->least;
        attempt.found.origin = "trying every placement";
        attempt.map = std::move(every->best);
    }
    if (every->complete) {
        attempt.bound.value = attempt.found.score;
        attempt.bound.method = "every placement";
        attempt.bound.incumbent = attempt.found.score;
    }
    return true;
}

Attempt attempt_twice(const Problem& problem, const SolveOptions& options) {
    SearchOptions search = options.search;
    search.budget = std::max<std::uint64_t>(1, search.budget / kFirstSearchShare);
    ProofOptions proof = options.proof;
    proof.work /= kFirstProofShare;
    Attempt first = attempt(problem, options.kind, search, proof, nullptr);
    if (gap_between(first.found.score, first.bound.value).optimal) {
        first.found.stopped_by = "proof";
        return first;
    }
    if (first.found.stopped_by == "time limit") {
        return first;
    }
    search.budget = options.search.budget - std::min(options.search.budget, search.budget);
    ++search.run;
    Attempt second = attempt(problem, options.kind, search, options.proof, &first.found);
    second.bound.nodes += first.bound.nodes;
    if (first.bound.value > second.bound.value) {
        second.bound.value = first.bound.value;
        second.bound.method = first.bound.method;
        second.bound.incumbent = first.bound.incumbent;
    }
    if (second.found.stopped_by != "time limit" &&
        !gap_between(second.found.score, second.bound.value).optimal) {
        (void)exhaust(problem, options, second);
    }
    return second;
}

}  // namespace

namespace {

/// Read backwards the path costs the same unless stages differ: begin at the end that holds the
/// lowest device.
void begin_low(const Problem& problem, Stages& stages) {
    if (problem.workload.stage_seconds.size() <= 1 && problem.workload.layers.empty() &&
        std::ranges::min(stages.back()) < std::ranges::min(stages.front())) {
        std::ranges::reverse(stages);
    }
}

/// What was decided beside the rank map.
void describe_terms(const Problem& problem, Plan& plan) {
    const Stages stages = plan.placement.stages();
    plan.first_layers.clear();
    plan.misfit.clear();
    plan.exchange_orders.clear();
    plan.shared_bottleneck.clear();
    plan.pipeline_bottleneck.clear();
    if (!problem.workload.layers.empty()) {
        plan.first_layers = divide(problem, stages).first;
        plan.misfit = why_nothing_fits(problem, stages);
    }
    if (!problem.exchange) {
        return;
    }
    for (const std::vector<int>& group : stages) {
        const ExchangePlan exchange = problem.exchange->plan(group);
        if (!exchange.order.empty()) {
            plan.exchange_orders.emplace_back();
            for (const int position : exchange.order) {
                plan.exchange_orders.back().push_back(exchange.group[position]);
            }
        }
    }
    const int resource = data_parallel(problem, stages).resource;
    if (resource >= 0) {
        plan.shared_bottleneck = problem.shared.name(resource);
    }
    if (const int busiest = resource_of_interval(problem, stages); busiest >= 0) {
        plan.pipeline_bottleneck = problem.shared.name(busiest);
    }
}

}  // namespace

Placement composed(const Problem& problem, Stages stages, std::span<const int> host_of) {
    Costs costs = problem.costs;
    if (problem.terms.objective == Objective::kPipelined) {
        Solved solved = solve_inner(problem, stages);
        if (!solved.paired.empty()) {
            begin_low(problem, solved.paired);
            return order_replicas(Placement::from_stages(solved.paired, problem.devices()),
                                  host_of);
        }
        stages = in_order(stages, solved.order);
        costs.pipeline =
            capped(problem.costs.pipeline, problem.links.slowness, solved.slowness_cap);
    }
    begin_low(problem, stages);
    if (!problem.shared.empty()) {
        return compose_contended(problem, stages, host_of);
    }
    std::vector<int> path(stages.size());
    std::iota(path.begin(), path.end(), 0);
    return compose(costs, stages, path, host_of);
}

core::Result<Plan> solve(const Problem& problem,
                         const fabric::Fabric& fabric,
                         const SolveOptions& options) {
    return solve(problem, fabric.host_of_device(), fabric.labels(), options);
}

namespace {

core::Result<Plan> solve_grouped(const Problem& problem,
                                 std::span<const int> host_of,
                                 const std::vector<std::string>& labels,
                                 const SolveOptions& options) {
    return solve_groups(
        problem, make_tensor_groups(host_of, problem.shape.tp), host_of, labels, options);
}

}  // namespace

void name_members(const Problem& problem, const TensorGroups& groups, Plan& plan) {
    for (std::vector<int>& order : plan.exchange_orders) {
        for (int& device : order) {
            device = groups.members[device].front();
        }
    }
    plan.placement = expanded(plan.placement, groups, problem.shape.tp, problem.devices());
    plan.misfit = why_nothing_fits(problem, plan.placement.stages());
    std::vector<LeftOut> left_out;
    for (const LeftOut& one : plan.left_out) {
        for (const int device : groups.members[one.device]) {
            left_out.push_back({device, one.score, groups.members[one.instead_of].front()});
        }
    }
    for (const int device : groups.alone) {
        left_out.push_back({device, 0, -1});
    }
    plan.left_out = std::move(left_out);
}

TensorUnits tensor_units_of(TensorGroups groups,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels) {
    TensorUnits units;
    for (const std::vector<int>& group : groups.members) {
        units.host_of.push_back(host_of[group.front()]);
        units.labels.push_back(labels[group.front()]);
    }
    units.groups = std::move(groups);
    return units;
}

void describe_placement(const Problem& problem,
                        const TensorGroups* groups,
                        int threads,
                        Plan& plan) {
    if (groups == nullptr) {
        describe_terms(problem, plan);
        plan.left_out = left_out(problem, plan.placement.stages(), threads);
        return;
    }
    std::map<int, int> unit_of;  // of its first device
    for (const std::vector<int>& group : groups->members) {
        unit_of.emplace(group.front(), static_cast<int>(unit_of.size()));
    }
    const std::vector<int>& devices = plan.placement.device_of_rank();
    std::vector<int> cells;
    for (std::size_t rank = 0; rank < devices.size();
         rank += static_cast<std::size_t>(problem.shape.tp)) {
        cells.push_back(unit_of.at(devices[rank]));
    }
    const Problem unit = grouped(problem, *groups);
    plan.placement = Placement(unit.shape, std::move(cells), groups->members.size());
    describe_placement(unit, nullptr, threads, plan);
    name_members(problem, *groups, plan);
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

namespace {

/// A baseline that is better than the plan becomes the plan, or what the search finds from there.
void start_from_baseline(const Problem& problem,
                         std::span<const int> host_of,
                         const SolveOptions& options,
                         Plan& plan,
                         SearchResult& found) {
    const BestBaseline& best = plan.baselines->best;
    const auto offer = [&](Placement placement, const std::string& origin) {
        const Score score = score_as_mapped(problem, placement);
        if (score.total() < plan.score.total() * (1 - kRoundingOfScores)) {
            plan.placement = std::move(placement);
            plan.score = score;
            found.origin = origin;
        }
    };
    if (best.score >= plan.score.total() * (1 - kRoundingOfScores)) {
        return;
    }
    const Stages stages = best.placement.stages();
    offer(best.solved
              ? composed(problem, in_order(stages, solve_inner(problem, stages).order), host_of)
              : order_replicas(best.placement, host_of),
          best.name);
    if (options.search.stop && options.search.stop()) {
        return;
    }
    const SearchResult walked = anneal_terms(problem,
                                             plan.placement.stages(),
                                             options.search.budget / kBaselineShare,
                                             options.search.run * 64 + kBaselineStream,
                                             options.search);
    found.evaluations += walked.evaluations;
    offer(composed(problem, walked.stages, host_of), walked.origin);
}

}  // namespace

core::Result<Plan> solve(const Problem& problem,
                         std::span<const int> host_of,
                         const std::vector<std::string>& labels,
                         const SolveOptions& options) {
    if (problem.shape.tp > 1) {
        return solve_grouped(problem, host_of, labels, options);
    }
    auto [found, bound, map] =
        options.kind == SearchKind::kHostOrder
            ? attempt(problem, options.kind, options.search, options.proof, nullptr)
            : attempt_twice(problem, options);
    Plan plan;
    plan.workload = problem.workload;
    plan.terms = problem.terms;
    plan.placement = map.device_of_rank().empty() ? composed(problem, found.stages, host_of)
                                                  : order_replicas(map, host_of);
    plan.score = score_as_mapped(problem, plan.placement);
    if (std::abs(plan.score.total() - found.score) > kRoundingOfSums * found.score) {
        return defect("search",
                      fmt::format("the rank map realises {} s, the search claimed {} s",
                                  plan.score.total(),
                                  found.score));
    }
    const int samples = options.baseline_samples.value_or(usual_samples(problem));
    if (samples > 0) {
        plan.baselines = make_baselines(problem,
                                        labels,
                                        samples,
                                        options.search.seed,
                                        options.search.threads,
                                        options.baseline_stop);
        start_from_baseline(problem, host_of, options, plan, found);
    }
    describe_terms(problem, plan);
    plan.left_out = left_out(problem, plan.placement.stages(), options.search.threads);
    plan.bound = bound;
    plan.search.seed = options.search.seed;
    plan.search.budget = options.search.budget;
    plan.search.restarts = options.search.restarts;
    plan.search.evaluations = found.evaluations;
    plan.search.threads = options.search.threads;
    plan.search.stopped_by = found.stopped_by;
    plan.search.found_by = found.origin;
    if (samples == 0) {
        compare_with_baselines(problem, host_of, labels, options, plan);
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
