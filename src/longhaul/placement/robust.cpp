#include "longhaul/placement/robust.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/robust_walk.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kDrawStream = 9'000'000;
constexpr std::uint64_t kRobustStream = 9'500'000;
constexpr std::size_t kSolvedSamples = 6;
constexpr double kRobustTemperatures[] = {0.02, 0.003};
constexpr std::uint64_t kSolveShare = 8;    // of the budget, for each sample that is solved
constexpr std::uint64_t kAnnealShare = 16;  // of the budget, for all annealing on the p90
constexpr double kEqual = 1e-12;

/// Each link at the tenth worst of its draws: slow and late at once.
fabric::Fabric pessimistic(const fabric::Fabric& fabric, const std::vector<fabric::Fabric>& draws) {
    fabric::FabricParts parts = fabric.parts();
    core::Grid<double> late = parts.alpha_ms.full();
    core::Grid<double> slow = parts.beta_gbps.full();
    std::vector<double> alpha(draws.size());
    std::vector<double> beta(draws.size());
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        for (std::size_t j = 0; j < fabric.size(); ++j) {
            if (i == j) {
                continue;
            }
            for (std::size_t k = 0; k < draws.size(); ++k) {
                alpha[k] = draws[k].parts().alpha_ms(i, j);
                beta[k] = draws[k].parts().beta_gbps(i, j);
            }
            std::ranges::sort(alpha);
            std::ranges::sort(beta);
            late(i, j) = core::quantile(alpha, 0.9);
            slow(i, j) = core::quantile(beta, 0.1);
        }
    }
    parts.alpha_ms = std::move(late);
    parts.beta_gbps = std::move(slow);
    parts.estimated = parts.estimated.full();
    parts.alpha_interval.reset();
    parts.beta_interval.reset();
    core::Result<fabric::Fabric> made = fabric::Fabric::make(std::move(parts), "p90");
    LONGHAUL_ASSERT(made.has_value());
    return std::move(*made);
}

std::vector<fabric::Fabric> draws_of(const fabric::Fabric& fabric, const RobustOptions& options) {
    std::vector<fabric::Fabric> draws;
    for (int k = 0; k < options.samples; ++k) {
        draws.push_back(fabric::draw_links(
            fabric,
            options.noise,
            core::Random(options.solve.search.seed, kDrawStream + static_cast<std::uint64_t>(k))));
    }
    return draws;
}

class RobustSearch {
public:
    RobustSearch(const ProblemOfFabric& problem_of,
                 const fabric::Fabric& fabric,
                 const RobustOptions& options)
        : problem_of_(problem_of), fabric_(fabric), options_(options) {
        const Problem problem = problem_of(fabric);
        hosts_ = fabric.host_of_device();
        labels_ = fabric.labels();
        if (problem.shape.tp > 1) {
            set_groups(problem.shape.tp);
        }
        nominal_ = unit(problem);
    }

    core::Result<RobustResult> run() {
        const std::vector<fabric::Fabric> draws = draws_of(fabric_, options_);
        for (const fabric::Fabric& draw : draws) {
            problems_.push_back(unit(problem_of_(draw)));
        }
        core::Result<Plan> nominal = solve(problem_of_(fabric_), fabric_, options_.solve);
        if (!nominal) {
            return tl::unexpected(nominal.error());
        }
        result_.nominal = std::move(*nominal);
        offer(of_units(result_.nominal.placement), "the fabric itself");
        if (core::Diagnostics failure = solve_others(draws); !failure.empty()) {
            return tl::unexpected(std::move(failure));
        }
        anneal();
        conclude();
        return std::move(result_);
    }

private:
    /// Tensor groups stand for devices from here on; those of solve.
    void set_groups(int tp) {
        groups_ = make_tensor_groups(hosts_, tp);
        std::vector<int> hosts;
        std::vector<std::string> labels;
        for (const std::vector<int>& group : groups_.members) {
            unit_of_.emplace(group.front(), static_cast<int>(hosts.size()));
            hosts.push_back(hosts_[static_cast<std::size_t>(group.front())]);
            labels.push_back(labels_[static_cast<std::size_t>(group.front())]);
        }
        hosts_ = std::move(hosts);
        labels_ = std::move(labels);
    }

    [[nodiscard]] Problem unit(Problem problem) const {
        return problem.shape.tp > 1 && groups_.members.size() >= problem.shape.cells()
                   ? grouped(problem, groups_)
                   : std::move(problem);
    }

    [[nodiscard]] Placement of_units(const Placement& placement) const {
        const auto tp = static_cast<std::size_t>(placement.shape().tp);
        if (tp == 1) {
            return placement;
        }
        std::vector<int> cells;
        for (std::size_t rank = 0; rank < placement.device_of_rank().size(); rank += tp) {
            cells.push_back(unit_of_.at(placement.device_of_rank()[rank]));
        }
        return {nominal_.shape, std::move(cells), groups_.members.size()};
    }

    [[nodiscard]] Placement of_devices(const Placement& placement) const {
        const Shape shape = result_.nominal.placement.shape();
        return shape.tp == 1
                   ? placement
                   : expanded(placement, groups_, shape.tp, result_.nominal.placement.devices());
    }

    void offer(const Placement& placement, const std::string& origin) {
        const bool known = std::ranges::any_of(
            candidates_, [&](const auto& other) { return other.placement == placement; });
        if (!known) {
            candidates_.push_back(sampled(problems_, nominal_, placement, origin));
            ++result_.evaluations;
        }
    }

    /// The best of some samples, and of the pessimistic fabric.
    core::Diagnostics solve_others(const std::vector<fabric::Fabric>& draws) {
        const std::size_t count = std::min(kSolvedSamples, problems_.size());
        SolveOptions options = options_.solve;
        options.baseline_samples = 0;
        options.search.budget = std::max<std::uint64_t>(1, options.search.budget / kSolveShare);
        options.search.threads = 1;
        options.proof.work = 0;
        const Problem worse = unit(problem_of_(pessimistic(fabric_, draws)));
        std::vector<Placement> found(count + 1);
        std::vector<core::Diagnostics> failures(count + 1);
        core::parallel_for(count + 1, options_.solve.search.threads, [&](std::size_t k) {
            if (late()) {
                return;  // even a search that is stopped at once scores some placements
            }
            core::Result<Plan> plan =
                solve(k < count ? problems_[k] : worse, hosts_, labels_, options);
            if (plan) {
                found[k] = std::move(plan->placement);
            } else {
                failures[k] = std::move(plan.error());
            }
        });
        for (std::size_t k = 0; k <= count; ++k) {
            if (!failures[k].empty()) {
                return failures[k];
            }
            if (!found[k].device_of_rank().empty()) {
                offer(found[k], k < count ? fmt::format("sample {}", k) : "slow links");
            }
        }
        return {};
    }

    void anneal() {
        const std::size_t starts = candidates_.size();
        const std::size_t chains = starts * std::size(kRobustTemperatures);
        const std::uint64_t share =
            options_.solve.search.budget / kAnnealShare / chains / evaluation_cost(nominal_) + 1;
        std::vector<AnnealedPlacement> found(chains);
        core::parallel_for(chains, options_.solve.search.threads, [&](std::size_t i) {
            AnnealOptions anneal;
            anneal.evaluations = share;
            anneal.start_temperature = kRobustTemperatures[i / starts];
            anneal.end_temperature = 0.0001;
            anneal.stop = options_.solve.search.stop;
            found[i] = anneal_robust(problems_,
                                     candidates_[i % starts].placement,
                                     anneal,
                                     core::Random(options_.solve.search.seed, kRobustStream + i));
        });
        for (std::size_t i = 0; i < chains; ++i) {
            result_.evaluations += found[i].evaluations;
            offer(found[i].placement,
                  fmt::format("annealing on the p90 from {}", candidates_[i % starts].origin));
        }
    }

    [[nodiscard]] bool late() const {
        return options_.solve.search.stop && options_.solve.search.stop();
    }

    /// The best that is known for each sample; once the time is up, of maps as they stand.
    [[nodiscard]] std::vector<double> best_of_samples() const {
        std::vector<double> best(problems_.size());
        core::parallel_for(best.size(), options_.solve.search.threads, [&](std::size_t k) {
            best[k] = candidates_.front().samples[k];
            for (const SampledPlacement& candidate : candidates_) {
                best[k] = std::min(best[k], candidate.samples[k]);
                if (!late()) {
                    best[k] = std::min(
                        best[k],
                        solve_inner(problems_[k], candidate.placement.stages()).score.total());
                }
            }
        });
        return best;
    }

    void conclude() {
        const auto winner = std::ranges::min_element(candidates_, {}, [](const auto& candidate) {
            return std::pair{candidate.p90, candidate.nominal.total()};
        });
        const std::vector<double> best = best_of_samples();
        for (std::size_t k = 0; k < problems_.size(); ++k) {
            const double mine = winner->samples[k];
            const bool beaten = std::ranges::any_of(candidates_, [&](const auto& other) {
                return other.samples[k] < mine * (1 - kEqual);
            });
            const double regret = best[k] > 0 ? std::max(0.0, mine / best[k] - 1) : 0;
            result_.stays_best += beaten ? 0 : 1;
            result_.beats_nominal += mine < candidates_.front().samples[k] * (1 - kEqual) ? 1 : 0;
            result_.mean_regret += regret;
            result_.max_regret = std::max(result_.max_regret, regret);
        }
        result_.stays_best /= static_cast<double>(problems_.size());
        result_.beats_nominal /= static_cast<double>(problems_.size());
        result_.mean_regret /= static_cast<double>(problems_.size());
        result_.candidates = candidates_.size();
        result_.nominal_plan = candidates_.front();
        result_.plan = *winner;
        result_.nominal_plan.placement = of_devices(candidates_.front().placement);
        result_.plan.placement = of_devices(winner->placement);
    }

    const ProblemOfFabric& problem_of_;
    const fabric::Fabric& fabric_;
    const RobustOptions& options_;
    std::vector<int> hosts_;           // of devices, or of tensor groups
    std::vector<std::string> labels_;  // the same
    TensorGroups groups_;              // with tp > 1
    std::map<int, int> unit_of_;       // group of its first device
    Problem nominal_;
    std::vector<Problem> problems_;
    std::vector<SampledPlacement> candidates_;
    RobustResult result_;
};

}  // namespace

std::vector<Problem> sample_problems(const ProblemOfFabric& problem_of,
                                     const fabric::Fabric& fabric,
                                     const RobustOptions& options) {
    std::vector<Problem> problems;
    for (const fabric::Fabric& draw : draws_of(fabric, options)) {
        problems.push_back(problem_of(draw));
    }
    return problems;
}

SampledPlacement sampled(const std::vector<Problem>& problems,
                         const Problem& nominal,
                         Placement placement,
                         std::string origin) {
    SampledPlacement result;
    result.nominal = score_as_mapped(nominal, placement);
    for (const Problem& problem : problems) {
        result.samples.push_back(score_as_mapped(problem, placement).total());
    }
    std::vector<double> sorted = result.samples;
    std::ranges::sort(sorted);
    result.p50 = core::quantile(sorted, 0.5);
    result.p90 = core::quantile(sorted, 0.9);
    result.max = sorted.back();
    result.placement = std::move(placement);
    result.origin = std::move(origin);
    return result;
}

core::Result<RobustResult> robust(const ProblemOfFabric& problem_of,
                                  const fabric::Fabric& fabric,
                                  const RobustOptions& options) {
    return RobustSearch(problem_of, fabric, options).run();
}

}  // namespace longhaul::placement
