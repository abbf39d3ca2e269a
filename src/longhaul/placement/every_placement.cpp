#include "longhaul/placement/every_placement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/ordered.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kNodesOfPlacement = 4;  // steps of the walk that one placement may take
constexpr std::uint64_t kScoresBetweenLooks = 16;
// Steps of Held-Karp that take as long as the rest of a score, and caps that pairs are tried under.
constexpr double kOrdersAScore = 1 << 16;
constexpr double kCapsAScore = 8;

/// What has to be told apart, for the best of it to be found exactly.
enum class Detail {
    kPartitions,  ///< stage groups; solve_inner finds the best order and pairs
    kOrders,      ///< stage groups one after another; solve_in_order finds the best pairs
    kMaps,        ///< pipelines too
};

Detail detail_of(const Problem& problem) {
    if (!problem.shared.empty()) {
        return Detail::kMaps;
    }
    const bool order_of_times = problem.workload.stage_seconds.size() > 1 && !problem.speed.empty();
    return order_of_times || !problem.workload.layers.empty() ? Detail::kOrders
                                                              : Detail::kPartitions;
}

/// Fills slot after slot with classes. A stage group is ascending; so are the groups of a partition
/// one after another, and of rank maps the first stage.
class EveryWalk {
public:
    EveryWalk(const Problem& problem, double incumbent)
        : problem_(problem),
          detail_(detail_of(problem)),
          classes_(classes_under_terms(problem)),
          compute_(least_compute_seconds(problem)),
          rows_(problem.shape.pp),
          stages_(problem.shape.pp),
          beside_(rows_.size(), 0),
          before_(rows_.size(), 0) {
        result_.least = incumbent;
        for (const std::vector<int>& members : classes_.members) {
            open_.push_back(static_cast<int>(members.size()));
        }
    }

    /// Whether there are at most `most` placements, found in as many steps.
    bool at_most(std::uint64_t most) {
        most_ = most;
        steps_left_ = (most + problem_.shape.cells()) * kNodesOfPlacement;
        counting_ = true;
        place(0, 0);
        counting_ = false;
        return counted_ <= most && steps_left_ > 0;
    }

    EveryPlacement run(const std::function<bool()>& stop) && {
        stop_ = &stop;
        place(0, 0);
        return std::move(result_);
    }

private:
    [[nodiscard]] bool ended() const {
        return counting_ ? counted_ > most_ || steps_left_ == 0 : !result_.complete;
    }

    void place(std::size_t stage, std::size_t slot) {
        if (stage == rows_.size()) {
            if (counting_) {
                ++counted_;
            } else {
                score();
            }
            return;
        }
        if (slot == static_cast<std::size_t>(problem_.shape.dp)) {
            if (counting_ || can_be_better(stage)) {
                place(stage + 1, 0);
            }
            return;
        }
        const std::size_t first = first_class(stage, slot);
        const int needed = needed_from(stage, slot);
        int left =
            std::accumulate(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end(), 0);
        for (std::size_t k = first; k < open_.size() && left >= needed && !ended(); ++k) {
            const int open = open_[k];
            if (open > 0) {
                take(stage, k);
                place(stage, slot + 1);
                open_[k] = open;
                rows_[stage].pop_back();
                stages_[stage].pop_back();
            }
            left -= open;
        }
    }

    void take(std::size_t stage, std::size_t k) {
        const std::vector<int>& members = classes_.members[k];
        steps_left_ -= counting_ && steps_left_ > 0 ? 1 : 0;
        rows_[stage].push_back(k);
        stages_[stage].push_back(members[members.size() - static_cast<std::size_t>(open_[k])]);
        open_[k] -= 1;
    }

    /// The least class that a slot may hold so that equal placements come once.
    [[nodiscard]] std::size_t first_class(std::size_t stage, std::size_t slot) const {
        if (detail_ == Detail::kMaps && stage > 0) {
            return 0;
        }
        const std::size_t least = slot > 0 ? rows_[stage][slot - 1] : 0;
        const bool ascending =
            detail_ == Detail::kPartitions && stage > 0 &&
            std::equal(rows_[stage].begin(), rows_[stage].end(), rows_[stage - 1].begin());
        return ascending ? std::max(least, rows_[stage - 1][slot]) : least;
    }

    /// How many devices the class of a slot and those after it must have for what comes after.
    [[nodiscard]] int needed_from(std::size_t stage, std::size_t slot) const {
        const auto dp = static_cast<std::size_t>(problem_.shape.dp);
        if (detail_ == Detail::kMaps && stage > 0) {
            return 1;
        }
        const bool all = detail_ == Detail::kPartitions && slot == 0;
        return static_cast<int>(all ? (rows_.size() - stage) * dp : dp - slot);
    }

    /// Whether the stages up to this one leave room below the least score so far.
    bool can_be_better(std::size_t stage) {
        beside_[stage] =
            std::max(stage > 0 ? beside_[stage - 1] : 0, group_seconds(problem_, stages_[stage]));
        before_[stage] = stage > 0 ? before_[stage - 1] + edge_before(stage) : 0;
        return beside_[stage] + before_[stage] + compute_ < result_.least;
    }

    double edge_before(std::size_t stage) {
        const std::vector<int>& left = stages_[stage - 1];
        const std::vector<int>& right = stages_[stage];
        switch (detail_) {
            case Detail::kPartitions:
                return 0;  // another order may come
            case Detail::kOrders:
                return solver_.solve(problem_.costs.pipeline, left, right);
            case Detail::kMaps:
                break;
        }
        double slowest = 0;
        for (std::size_t r = 0; r < left.size(); ++r) {
            slowest = std::max(slowest, problem_.costs.pipeline(left[r], right[r]));
        }
        return slowest;
    }

    void score() {
        if (result_.scored++ % kScoresBetweenLooks == 0 && *stop_ && (*stop_)()) {
            result_.complete = false;
            return;
        }
        Stages paired = stages_;
        if (detail_ == Detail::kPartitions) {
            const Solved solved = solve_inner(problem_, stages_);
            if (solved.score.total() >= result_.least) {
                return;
            }
            paired = in_order(stages_, solved.order);
        }
        if (detail_ != Detail::kMaps) {
            paired = solve_in_order(problem_, paired).paired;
        }
        Placement map = Placement::from_stages(paired, problem_.devices());
        const double total = score_as_mapped(problem_, map).total();
        if (total < result_.least) {
            result_.least = total;
            result_.best = std::move(map);
        }
    }

    const Problem& problem_;
    Detail detail_;
    Classes classes_;
    double compute_;                              // no placement has less
    std::vector<std::vector<std::size_t>> rows_;  // classes of every stage
    Stages stages_;                               // devices of the same
    std::vector<int> open_;                       // devices of each class that have no place
    std::vector<double> beside_;                  // worst exchange up to each stage
    std::vector<double> before_;                  // edges up to each stage
    BottleneckSolver solver_;
    bool counting_ = false;
    std::uint64_t most_ = 0;
    std::uint64_t counted_ = 0;
    std::uint64_t steps_left_ = 0;
    const std::function<bool()>* stop_ = nullptr;
    EveryPlacement result_;
};

/// Scores of average length that one score of this problem takes: more where stages are many.
std::uint64_t length_of_score(const Problem& problem) {
    if (detail_of(problem) != Detail::kPartitions) {
        return 1;
    }
    const int pp = problem.shape.pp;
    const double caps = problem.terms.objective == Objective::kPipelined ? kCapsAScore : 1;
    return 1 + static_cast<std::uint64_t>(caps * pp * pp * std::exp2(pp) / kOrdersAScore);
}

}  // namespace

std::optional<EveryPlacement> every_placement(const Problem& problem,
                                              double incumbent,
                                              std::uint64_t most,
                                              const std::function<bool()>& stop) {
    if (problem.shape.pp > static_cast<int>(kMaxExactStages)) {
        return std::nullopt;
    }
    EveryWalk walk(problem, incumbent);
    if (!walk.at_most(std::max<std::uint64_t>(1, most / length_of_score(problem)))) {
        return std::nullopt;
    }
    return std::move(walk).run(stop);
}

}  // namespace longhaul::placement
