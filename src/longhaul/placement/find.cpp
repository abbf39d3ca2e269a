#include "longhaul/placement/find.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/spare.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kCaps = 8;
constexpr std::size_t kMinCaps = 3;
constexpr std::uint64_t kCapBudget = 2'000;  // evaluations that a cap is worth trying with
constexpr std::size_t kFinalCaps = 2;
constexpr std::uint64_t kFinalBudget = 100;  // that the best caps are worth trying again with

/// One cap after another, then the best of them with the rest of the budget.
class CappedSearch {
public:
    CappedSearch(const Problem& problem, SearchKind kind, const SearchOptions& options)
        : problem_(problem),
          kind_(kind),
          options_(options),
          passes_(passes_of(problem.workload, problem.terms)),
          compute_(least_compute(problem)) {}

    SearchResult run() && {
        struct Tried {
            double cap;
            double score;
        };
        std::vector<Tried> tried;
        const std::vector<double> caps = slowness_levels(
            problem_, std::clamp<std::size_t>(options_.budget / kCapBudget, kMinCaps, kCaps));
        for (const double cap : caps) {
            if (tried.empty() || !stopped()) {
                tried.push_back({cap, search(cap, options_.budget / 2 / caps.size())});
            }
        }
        std::ranges::stable_sort(tried, {}, &Tried::score);
        const std::size_t finals = options_.budget / 2 / kFinalCaps < kFinalBudget
                                       ? 0
                                       : std::min(tried.size(), kFinalCaps);
        for (std::size_t i = 0; i < finals && !stopped(); ++i) {
            search(tried[i].cap, options_.budget / 2 / finals);
        }
        if (stopped()) {
            best_.stopped_by = "time limit";
        }
        rescore(problem_, best_);
        return std::move(best_);
    }

private:
    [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

    double search(double cap, std::uint64_t budget) {
        Problem additive = problem_;
        additive.terms.objective = Objective::kAdditive;
        additive.costs.pipeline =
            softly_capped(problem_.costs.pipeline, problem_.links.slowness, cap, passes_, compute_);
        SearchOptions options = options_;
        options.budget = std::max<std::uint64_t>(1, budget);
        options.run = options_.run * 64 + runs_++;
        SearchResult found = make_search(kind_)->run(additive, options);
        const Solved solved = solve_inner_quickly(problem_, found.stages);
        const double score = solved.score.total();
        found.evaluations += best_.evaluations;
        if (best_.stages.empty() || score < best_.score) {
            best_ = std::move(found);
            best_.stages = in_order(best_.stages, solved.order);
            best_.score = score;
        } else {
            best_.evaluations = found.evaluations;
            best_.stopped_by = found.stopped_by;
        }
        return score;
    }

    const Problem& problem_;
    SearchKind kind_;
    const SearchOptions& options_;
    Passes passes_;
    StageCompute compute_;
    SearchResult best_;
    std::uint64_t runs_ = 0;
};

}  // namespace

SearchResult find(const Problem& problem, SearchKind kind, const SearchOptions& options) {
    const bool spare = problem.devices() > problem.shape.devices();
    if (!spare || !problem.exchange || kind != SearchKind::kPortfolio) {
        return find_anew(problem, kind, options);
    }
    SearchResult start = find(without_exchange(problem), kind, options);
    rescore(problem, start);
    start.origin += ", as if exchanges were sharded and nothing shared";
    return find_with_spare(problem, kind, options, &start);
}

SearchResult find_anew(const Problem& problem, SearchKind kind, const SearchOptions& options) {
    if (problem.devices() > problem.shape.devices()) {
        return find_with_spare(problem, kind, options);
    }
    if (has_other_terms(problem) && kind == SearchKind::kPortfolio) {
        return search_terms(
            problem, options, [kind](const Problem& plain, const SearchOptions& share) {
                return find(plain, kind, share);
            });
    }
    if (problem.terms.objective == Objective::kPipelined && problem.devices() > 1 &&
        kind == SearchKind::kPortfolio) {
        return CappedSearch(problem, kind, options).run();
    }
    SearchResult found = make_search(kind)->run(problem, options);
    if (kind == SearchKind::kPortfolio && problem.shape.pp > 2) {
        const Solved solved = solve_inner(problem, found.stages);
        if (solved.score.total() < found.score) {
            found.stages = in_order(found.stages, solved.order);
            found.score = solved.score.total();
        }
    }
    return found;
}

}  // namespace longhaul::placement
