#include "longhaul/placement/against_baselines.hpp"

#include <numeric>

#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/describe.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRoundingOfScores = 1e-12;  // what differs by less is equal
constexpr std::uint64_t kBaselineShare = 8;  // of the budget, from a baseline on
constexpr std::uint64_t kBaselineStream = 63;

/// Host order alone, with the best pairs and order or as it stands.
BestBaseline best_of_host_order(const Problem& problem) {
    std::vector<int> devices(problem.shape.devices());
    std::iota(devices.begin(), devices.end(), 0);
    Placement host(problem.shape, std::move(devices), problem.devices());
    const double mapped = score_as_mapped(problem, host).total();
    const double solved = solve_inner(problem, host.stages()).score.total();
    return {std::move(host), std::min(mapped, solved), solved <= mapped, "host order"};
}

BestBaseline best_baseline(const Problem& problem,
                           const std::vector<std::string>& labels,
                           const SolveOptions& options,
                           Plan& plan) {
    const int samples = options.baseline_samples.value_or(usual_samples(problem));
    if (samples <= 0) {
        return best_of_host_order(problem);
    }
    plan.baselines = make_baselines(problem,
                                    labels,
                                    samples,
                                    options.search.seed,
                                    options.search.threads,
                                    options.baseline_stop);
    return plan.baselines->best;
}

}  // namespace

void compare_with_baselines(const Problem& problem,
                            std::span<const int> host_of,
                            const std::vector<std::string>& labels,
                            const SolveOptions& options,
                            Plan& plan) {
    const BestBaseline best = best_baseline(problem, labels, options, plan);
    if (best.score >= plan.score.total() * (1 - kRoundingOfScores)) {
        return;
    }
    const auto offer = [&](Placement placement, const std::string& origin) {
        const Score score = score_as_mapped(problem, placement);
        if (score.total() < plan.score.total() * (1 - kRoundingOfScores)) {
            plan.placement = std::move(placement);
            plan.score = score;
            plan.search.found_by = origin;
        }
    };
    const Stages stages = best.placement.stages();
    offer(best.solved
              ? composed(problem, in_order(stages, solve_inner(problem, stages).order), host_of)
              : order_replicas(best.placement, host_of),
          "baseline: " + best.name);
    if (options.kind == SearchKind::kHostOrder || (options.search.stop && options.search.stop())) {
        return;
    }
    const SearchResult walked = anneal_terms(problem,
                                             plan.placement.stages(),
                                             options.search.budget / kBaselineShare,
                                             options.search.run * 64 + kBaselineStream,
                                             options.search);
    plan.search.evaluations += walked.evaluations;
    offer(composed(problem, walked.stages, host_of), walked.origin);
}

}  // namespace longhaul::placement
