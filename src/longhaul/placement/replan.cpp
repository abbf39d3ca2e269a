#include "longhaul/placement/replan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/assignment.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/place_path.hpp"
#include "longhaul/placement/replan_walk.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

constexpr double kReplanRounding = 1e-9;
// Prices of a move in the ladder, as shares of the score of the unlimited best.
constexpr double kMovePrices[] = {0, 0.0003, 0.001, 0.002, 0.004, 0.008, 0.016, 0.05};
constexpr double kMoveTemperatures[] = {0.1, 0.03, 0.01};
constexpr std::size_t kRelinkWidth = 400;
constexpr std::uint64_t kReplanStream = 7'000'000;

/// Limits of the curve beyond the forced moves: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, ...
std::vector<int> limits_up_to(int forced, int most) {
    std::vector<int> limits;
    for (int step = 0; forced + step < most;
         step += step < 4 ? 1 : static_cast<int>(std::bit_floor(static_cast<unsigned>(step)) / 2)) {
        limits.push_back(forced + step);
    }
    return limits;
}

class Replanner {
public:
    Replanner(const Problem& problem, const OldWork& old, const ReplanOptions& options)
        : problem_(problem),
          old_(old),
          options_(options),
          pp_(static_cast<std::size_t>(problem.shape.pp)),
          dp_(static_cast<std::size_t>(problem.shape.dp)),
          classes_(classes_of_kinds(unit_kinds(problem))),
          budget_(std::max<std::uint64_t>(1, options.search.budget / evaluation_cost(problem))),
          archive_(most_moves()) {}

    void search(const Stages& best) {
        const Stages base = forced_placement();
        meet(base);  // so that each limit has a placement, however little time is left
        if (try_every_placement()) {
            return;
        }
        const std::vector<Stages> targets = aligned(best);
        for (const Stages& target : targets) {
            meet(target);
        }
        links(base, targets);
        ladder(base, targets);
        limited(budget_ / 2);
    }

    [[nodiscard]] const MoveArchive& archive() const { return archive_; }
    [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
    [[nodiscard]] int unlimited() const { return static_cast<int>(most_moves()); }

    /// Limits worth asking for: below the moves of the unlimited best.
    [[nodiscard]] std::vector<int> limits() const {
        const int most = count_moves(old_, archive_.best_within(unlimited())->stages);
        std::vector<int> limits = limits_up_to(forced_moves(old_, problem_.shape), most);
        if (options_.moves && *options_.moves < most && !limits.empty() &&
            *options_.moves > limits.front()) {
            limits.push_back(*options_.moves);
            std::ranges::sort(limits);
            limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
        }
        return limits;
    }

private:
    [[nodiscard]] std::size_t most_moves() const {
        return problem_.shape.cells() * static_cast<std::size_t>(old_.weight());
    }

    /// Whether a device, or any member of its group, holds what the stage needs.
    [[nodiscard]] bool home(int device, std::size_t stage) const {
        return moves_of(old_, device, static_cast<int>(stage), problem_.shape.pp) < old_.weight();
    }

    void meet(const Stages& stages) {
        const MoveWalk walk(problem_, old_, stages);
        archive_.offer(walk.moves(), walk.score(), walk.stages());
        ++evaluations_;
    }

    /// Meets all placements where they are no more than the budget; false where they are more, or
    /// when time ran out.
    bool try_every_placement() {
        const auto most = static_cast<double>(std::min(budget_, options_.most_placements));
        return placements_of(problem_.shape, problem_.devices()) <= most &&
               seat_every_way(problem_.shape,
                              problem_.devices(),
                              options_.search.stop,
                              [&](const Stages& stages) { meet(stages); });
    }

    /// Devices stay while there is room; the others fill what is left, in order of index.
    [[nodiscard]] Stages forced_placement() const {
        if (!old_.members.empty()) {
            return fewest_moves(old_, problem_.shape);
        }
        Stages stages(pp_);
        std::vector<int> others;
        for (int device = 0; device < static_cast<int>(problem_.devices()); ++device) {
            std::size_t s = 0;
            while (s < pp_ && (!home(device, s) || stages[s].size() == dp_)) {
                ++s;
            }
            if (s < pp_) {
                stages[s].push_back(device);
            } else {
                others.push_back(device);
            }
        }
        std::size_t s = 0;
        for (const int device : others) {
            while (s < pp_ && stages[s].size() == dp_) {
                ++s;
            }
            if (s < pp_) {
                stages[s].push_back(device);
            }
        }
        return stages;
    }

    /// Devices of the groups that can stay when group g comes to place t, by classes: devices of a
    /// class stand for each other.
    [[nodiscard]] core::Grid<double> overlaps(const Counts& counts) const {
        core::Grid<double> overlap(pp_, pp_, 0.0);
        for (std::size_t t = 0; t < pp_; ++t) {
            for (std::size_t k = 0; k < classes_.size(); ++k) {
                const auto homes = std::ranges::count_if(
                    classes_.members[k], [&](int device) { return home(device, t); });
                for (std::size_t g = 0; g < pp_; ++g) {
                    overlap(g, t) +=
                        static_cast<double>(std::min<std::ptrdiff_t>(counts(g, k), homes));
                }
            }
        }
        return overlap;
    }

    /// The counts of the ordered groups with devices that hold the state, as far as they go.
    [[nodiscard]] Stages seated(const Counts& counts, const std::vector<int>& order) const {
        Stages stages(pp_);
        for (std::size_t k = 0; k < classes_.size(); ++k) {
            std::vector<char> used(classes_.members[k].size(), 0);
            for (const bool only_home : {true, false}) {
                for (std::size_t t = 0; t < pp_; ++t) {
                    const auto needed =
                        static_cast<std::size_t>(counts(static_cast<std::size_t>(order[t]), k));
                    std::size_t have =
                        static_cast<std::size_t>(std::ranges::count_if(stages[t], [&](int device) {
                            return classes_.of_device[static_cast<std::size_t>(device)] ==
                                   static_cast<int>(k);
                        }));
                    for (std::size_t m = 0; m < used.size() && have < needed; ++m) {
                        const int device = classes_.members[k][m];
                        if (used[m] == 0 && (!only_home || home(device, t))) {
                            used[m] = 1;
                            stages[t].push_back(device);
                            ++have;
                        }
                    }
                }
            }
        }
        return stages;
    }

    /// The best placement laid over the old one, from the fewest moves to the best order.
    [[nodiscard]] std::vector<Stages> aligned(const Stages& best) {
        const Counts counts = counts_of(best, classes_);
        const core::Grid<double> overlap = overlaps(counts);
        core::Grid<LexCost> moves(pp_, pp_);
        for (std::size_t g = 0; g < pp_; ++g) {
            for (std::size_t t = 0; t < pp_; ++t) {
                moves(g, t).part[0] = -static_cast<std::int64_t>(overlap(g, t));
            }
        }
        const std::vector<int> place_of = least_assignment(moves);
        std::vector<std::vector<int>> orders(3, std::vector<int>(pp_));
        for (std::size_t g = 0; g < pp_; ++g) {
            orders[0][static_cast<std::size_t>(place_of[g])] = static_cast<int>(g);
        }
        std::iota(orders[1].begin(), orders[1].end(), 0);
        std::iota(orders[2].rbegin(), orders[2].rend(), 0);
        if (pp_ <= static_cast<std::size_t>(kMaxExactStages)) {
            const core::Grid<double> edges = edge_matrix(problem_.costs.pipeline, best);
            const double score = scale_of(solve_inner(problem_, best).score.total());
            for (const double share : kMovePrices) {
                core::Grid<double> price(pp_, pp_);
                for (std::size_t c = 0; c < pp_ * pp_; ++c) {
                    price.cells()[c] = -share * score * overlap.cells()[c];
                }
                orders.push_back(path_with_places(edges, price));
            }
        }
        std::ranges::sort(orders);
        orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
        std::vector<Stages> targets;
        for (const std::vector<int>& order : orders) {
            targets.push_back(seated(counts, order));
        }
        return targets;
    }

    void links(const Stages& base, const std::vector<Stages>& targets) {
        const std::uint64_t steps =
            std::max<std::uint64_t>(1, 2 * targets.size() * base.size() * dp_);
        const std::size_t width =
            std::clamp<std::size_t>(static_cast<std::size_t>(budget_ / 4 / steps), 1, kRelinkWidth);
        run_chains(2 * targets.size(),
                   [&](std::size_t i, MoveArchive& archive, std::uint64_t& done) {
                       const Stages& target = targets[i / 2];
                       MoveWalk walk(problem_, old_, i % 2 == 0 ? base : target);
                       relink(walk, i % 2 == 0 ? target : base, width, archive, done);
                   });
    }

    void ladder(const Stages& base, const std::vector<Stages>& targets) {
        const std::size_t prices = std::size(kMovePrices);
        const double scale = scale_of(archive_.best_within(unlimited())->score);
        const std::uint64_t share = budget_ / 4 / (2 * prices) + 1;
        run_chains(2 * prices, [&](std::size_t i, MoveArchive& archive, std::uint64_t& done) {
            MoveWalk walk(problem_, old_, i % 2 == 0 ? base : targets[i / 2 % targets.size()]);
            anneal_moves(walk,
                         kMovePrices[i / 2] * scale,
                         unlimited(),
                         annealing(share, i),
                         core::Random(options_.search.seed, kReplanStream + i),
                         archive);
            done += share;
        });
    }

    /// Under each limit of the curve, from the best that is known within it.
    void limited(std::uint64_t budget) {
        const std::vector<int> limits = this->limits();
        if (limits.empty()) {
            return;
        }
        const std::size_t chains = limits.size() * std::size(kMoveTemperatures);
        const std::uint64_t share = budget / chains + 1;
        run_chains(chains, [&](std::size_t i, MoveArchive& archive, std::uint64_t& done) {
            const int limit = limits[i / std::size(kMoveTemperatures)];
            MoveWalk walk(problem_, old_, archive_.best_within(limit)->stages);
            anneal_moves(walk,
                         0,
                         limit,
                         annealing(share, i),
                         core::Random(options_.search.seed, 2 * kReplanStream + i),
                         archive);
            done += share;
        });
    }

    [[nodiscard]] AnnealOptions annealing(std::uint64_t evaluations, std::size_t i) const {
        AnnealOptions options;
        options.evaluations = evaluations;
        options.start_temperature = kMoveTemperatures[i % std::size(kMoveTemperatures)];
        options.stop = options_.search.stop;
        return options;
    }

    /// Chains have archives of their own, merged in order.
    void run_chains(std::size_t count,
                    const std::function<void(std::size_t, MoveArchive&, std::uint64_t&)>& chain) {
        std::vector<MoveArchive> archives(count, MoveArchive(most_moves()));
        std::vector<std::uint64_t> done(count);
        core::parallel_for(count, options_.search.threads, [&](std::size_t i) {
            if (!options_.search.stop || !options_.search.stop()) {
                chain(i, archives[i], done[i]);
            }
        });
        for (std::size_t i = 0; i < count; ++i) {
            archive_.merge(archives[i]);
            evaluations_ += done[i];
        }
    }

    const Problem& problem_;
    const OldWork& old_;
    const ReplanOptions& options_;
    std::size_t pp_;
    std::size_t dp_;
    Classes classes_;
    std::uint64_t budget_;
    MoveArchive archive_;
    std::uint64_t evaluations_ = 0;
};

/// Pipelines for stages in this order.
Placement composed_in_order(const Problem& problem,
                            const Stages& stages,
                            std::span<const int> host_of) {
    if (problem.terms.objective == Objective::kPipelined) {
        return order_replicas(
            Placement::from_stages(solve_in_order(problem, stages).paired, problem.devices()),
            host_of);
    }
    if (!problem.shared.empty()) {
        return compose_contended(problem, stages, host_of);
    }
    std::vector<int> path(stages.size());
    std::iota(path.begin(), path.end(), 0);
    return compose(problem.costs, stages, path, host_of);
}

core::Result<ReplanPoint> point_of(const Problem& problem,
                                   const OldWork& old,
                                   const MoveArchive::Entry& entry,
                                   std::optional<int> limit,
                                   std::span<const int> host_of) {
    ReplanPoint point;
    point.limit = limit;
    point.placement = composed_in_order(problem, entry.stages, host_of);
    point.score = score_as_mapped(problem, point.placement);
    point.moves = count_moves(old, point.placement.stages());
    if (std::abs(point.score.total() - entry.score) > kReplanRounding * entry.score ||
        point.moves != count_moves(old, entry.stages)) {
        return core::fail({"",
                           "replan",
                           fmt::format("the rank map realises {} s, the search claimed {} s",
                                       point.score.total(),
                                       entry.score),
                           "this is a defect of longhaul; please report it"});
    }
    return point;
}

}  // namespace

core::Result<Replan> replan(const Problem& problem,
                            const OldWork& old,
                            const Stages& best,
                            std::span<const int> host_of,
                            const ReplanOptions& options) {
    Replanner planner(problem, old, options);
    planner.search(best);
    Replan result;
    result.forced = forced_moves(old, problem.shape);
    result.evaluations = planner.evaluations();
    const auto add = [&](std::optional<int> limit) -> core::Result<ReplanPoint> {
        const MoveArchive::Entry* entry =
            planner.archive().best_within(limit.value_or(planner.unlimited()));
        return point_of(problem, old, *entry, limit, host_of);
    };
    for (const int limit : planner.limits()) {
        core::Result<ReplanPoint> point = add(limit);
        if (!point) {
            return tl::unexpected(point.error());
        }
        result.curve.push_back(std::move(*point));
    }
    core::Result<ReplanPoint> unlimited = add(std::nullopt);
    if (!unlimited) {
        return tl::unexpected(unlimited.error());
    }
    result.curve.push_back(std::move(*unlimited));
    if (options.moves.value_or(result.forced) >= result.forced) {
        core::Result<ReplanPoint> chosen = add(options.moves);
        if (!chosen) {
            return tl::unexpected(chosen.error());
        }
        result.chosen = std::move(*chosen);
    }
    return result;
}

}  // namespace longhaul::placement
