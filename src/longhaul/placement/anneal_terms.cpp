#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <set>

#include "longhaul/core/random.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/reduction_tree.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/shared_pipeline.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kStreamsOfTerms = std::uint64_t{3} << 40U;
constexpr std::uint64_t kMoveCost = 8;   // one move costs about as much as 8 plain evaluations
constexpr std::uint64_t kWholeCost = 8;  // a move that is scored as a whole, 8 moves
constexpr int kWholeStages = 8;          // with so many stages; its path grows with their square
constexpr std::uint64_t kSearchedCost = 16;  // a tree or ring of many members is searched itself
constexpr double kEndTemperature = 0.0003;
constexpr std::size_t kBestsKept = 8;       // of a walk
constexpr std::uint64_t kDescentShare = 4;  // of what whole scores cost

/// Whether a move is scored by solving the pipeline anew.
bool scored_whole(const Problem& problem) {
    return problem.terms.objective == Objective::kPipelined && problem.shared.empty();
}

/// The score of stage groups in path order, kept up while they change.
class TermsScore {
public:
    TermsScore(const Problem& problem, Stages stages)
        : problem_(problem),
          stages_(std::move(stages)),
          group_(stages_.size()),
          loads_(stages_.size()),
          edge_(stages_.size(), 0),
          shared_edge_(stages_.size()) {
        if (shared_pipeline()) {
            const Solved solved = solve_inner(problem_, stages_);
            pairs_.emplace(
                problem_,
                std::max(solved.slowness_cap, steady_load(problem_, solved.paired).seconds));
        }
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            update_group(s);
            update_edge(s);
        }
    }

    [[nodiscard]] const Stages& stages() const { return stages_; }
    [[nodiscard]] bool whole() const { return scored_whole(problem_); }

    [[nodiscard]] double total() const {
        if (whole()) {
            return solve_inner_quickly(problem_, stages_).score.total();
        }
        double exchange = std::ranges::max(group_);
        if (!problem_.shared.empty()) {
            std::vector<Load> sum(problem_.shared.size());
            for (const std::vector<Load>& loads : loads_) {
                for (std::size_t r = 0; r < sum.size(); ++r) {
                    sum[r].there += loads[r].there;
                    sum[r].back += loads[r].back;
                }
            }
            exchange = std::max(exchange, problem_.shared.slowest(sum).seconds);
        }
        if (pairs_) {
            return pairs_->total(exchange, std::span(shared_edge_).subspan(1), stages_);
        }
        return exchange + std::accumulate(edge_.begin(), edge_.end(), 0.0) +
               compute_alone(problem_, stages_);
    }

    [[nodiscard]] bool shared_pipeline() const {
        return problem_.terms.objective == Objective::kPipelined && !problem_.shared.empty();
    }

    /// Exchanges devices place by place.
    void swap(std::size_t a,
              std::size_t b,
              std::span<const std::pair<std::size_t, std::size_t>> at) {
        for (const auto& [i, j] : at) {
            std::swap(stages_[a][i], stages_[b][j]);
        }
        update_group(a);
        update_group(b);
        for (const std::size_t s : {a, a + 1, b, b + 1}) {
            update_edge(s);
        }
    }

    /// A device takes place i of stage s; the one that leaves it.
    int replace(std::size_t s, std::size_t i, int device) {
        std::swap(stages_[s][i], device);
        update_group(s);
        update_edge(s);
        update_edge(s + 1);
        return device;
    }

    /// Turns stages first .. last around.
    void turn(std::size_t first, std::size_t last) {
        for (std::size_t i = first, j = last; i < j; ++i, --j) {
            std::swap(stages_[i], stages_[j]);
            std::swap(group_[i], group_[j]);
            std::swap(loads_[i], loads_[j]);
        }
        for (std::size_t s = first; s <= last + 1; ++s) {
            update_edge(s);
        }
    }

private:
    void update_group(std::size_t s) {
        if (whole()) {
            return;
        }
        group_[s] = group_seconds(problem_, stages_[s]);
        if (!problem_.shared.empty()) {
            loads_[s].assign(problem_.shared.size(), {});
            problem_.shared.add(problem_.exchange->plan(stages_[s]), loads_[s]);
        }
    }

    /// Edge from stage s - 1 to stage s.
    void update_edge(std::size_t s) {
        if (whole() || s == 0 || s >= stages_.size()) {
            return;
        }
        if (pairs_) {
            shared_edge_[s] = pairs_->between(stages_[s - 1], stages_[s]);
            return;
        }
        edge_[s] = problem_.shared.empty()
                       ? solver_.solve(problem_.costs.pipeline, stages_[s - 1], stages_[s])
                       : contended_edge(problem_, stages_[s - 1], stages_[s]).seconds();
    }

    const Problem& problem_;
    Stages stages_;
    std::vector<double> group_;
    std::vector<std::vector<Load>> loads_;
    std::vector<double> edge_;
    std::vector<SharedEdge> shared_edge_;  // instead, pipelined with shared capacity
    std::optional<SharedEdgeSolver> pairs_;
    BottleneckSolver solver_;
};

class TermsWalk {
public:
    TermsWalk(const Problem& problem, const Stages& start, core::Random random)
        : kind_(kinds_of_devices(problem)),
          outside_(left_out_of(start, problem.devices())),
          score_(problem, start),
          random_(random),
          current_(score_.total()),
          bests_{start},
          best_(current_) {}

    /// `temperature` is that of the first move, of the best score.
    void run(std::uint64_t moves, double temperature, const std::function<bool()>& stop) {
        const double cooling =
            std::pow(kEndTemperature / temperature, 1 / std::max(1.0, static_cast<double>(moves)));
        for (std::uint64_t k = 0; k < moves; ++k, temperature *= cooling) {
            if (k % moves_between_looks() == 0 && stop && stop()) {
                return;
            }
            move(temperature * scale_of(best_));
        }
    }

    /// The last few bests, each better than the one before.
    [[nodiscard]] const std::deque<Stages>& bests() const { return bests_; }

private:
    /// Rings and trees of large groups take milliseconds each, and so do whole pipelines.
    [[nodiscard]] std::uint64_t moves_between_looks() const {
        constexpr std::size_t kLargeGroup = 32;
        return score_.whole() || score_.stages().front().size() > kLargeGroup ? 1 : 64;
    }

    /// A device that is left out takes the place of another.
    void exchange_outside(double temperature) {
        const std::size_t s = random_.index(score_.stages().size());
        const std::size_t i = random_.index(score_.stages()[s].size());
        int& outside = outside_[random_.index(outside_.size())];
        if (kind_[outside] == kind_[score_.stages()[s][i]]) {
            return;
        }
        outside = score_.replace(s, i, outside);
        if (!accepted(temperature)) {
            outside = score_.replace(s, i, outside);
        }
    }

    void move(double temperature) {
        const std::size_t p = score_.stages().size();
        if (!outside_.empty() && (p == 1 || random_.below(2) == 0)) {
            exchange_outside(temperature);
            return;
        }
        if (p > 2 && random_.below(5) == 0) {
            std::size_t first = random_.index(p);
            std::size_t last = random_.index(p);
            if (first > last) {
                std::swap(first, last);
            }
            score_.turn(first, last);
            if (!accepted(temperature)) {
                score_.turn(first, last);
            }
            return;
        }
        const std::size_t a = random_.index(p);
        const std::size_t b = random_.index(p);
        if (a == b) {
            return;
        }
        const auto places = exchange_of(a, b);
        if (places.empty()) {
            return;
        }
        score_.swap(a, b, places);
        if (!accepted(temperature)) {
            score_.swap(a, b, places);
        }
    }

    /// Places of one device or a few alike ones in stage a, and of as many in stage b.
    std::vector<std::pair<std::size_t, std::size_t>> exchange_of(std::size_t a, std::size_t b) {
        const std::vector<int>& left = score_.stages()[a];
        const std::vector<int>& right = score_.stages()[b];
        const int from = kind_[left[random_.index(left.size())]];
        const int to = kind_[right[random_.index(right.size())]];
        std::vector<std::pair<std::size_t, std::size_t>> places;
        if (from == to) {
            return places;
        }
        std::size_t most = random_.below(2) == 0 ? 1 : 1 + random_.index(left.size());
        std::size_t j = 0;
        for (std::size_t i = 0; i < left.size() && most > 0; ++i) {
            if (kind_[left[i]] != from) {
                continue;
            }
            while (j < right.size() && kind_[right[j]] != to) {
                ++j;
            }
            if (j == right.size()) {
                break;
            }
            places.emplace_back(i, j++);
            --most;
        }
        return places;
    }

    bool accepted(double temperature) {
        const double total = score_.total();
        if (total > current_ && random_.uniform() >= std::exp((current_ - total) / temperature)) {
            return false;
        }
        current_ = total;
        if (total < best_) {
            best_ = total;
            bests_.push_back(score_.stages());
            if (bests_.size() > kBestsKept) {
                bests_.pop_front();
            }
        }
        return true;
    }

    std::vector<int> kind_;
    std::vector<int> outside_;
    TermsScore score_;
    core::Random random_;
    double current_;
    std::deque<Stages> bests_;
    double best_;
};

/// Two devices of different kinds change places as long as that helps, every time with the whole
/// pipeline solved anew, at most `budget` times.
class WholeDescent {
public:
    WholeDescent(const Problem& problem, SearchResult& found, std::uint64_t budget)
        : problem_(problem), kind_(kinds_of_devices(problem)), found_(found), left_(budget) {}

    void run(const std::function<bool()>& stop) {
        for (bool better = true; better;) {
            better = false;
            for (std::size_t a = 0; a < found_.stages.size(); ++a) {
                for (std::size_t b = a + 1; b < found_.stages.size(); ++b) {
                    if (left_ == 0 || (stop && stop())) {
                        return;
                    }
                    better = between(a, b, stop) || better;
                }
            }
        }
    }

private:
    bool between(std::size_t a, std::size_t b, const std::function<bool()>& stop) {
        std::set<std::pair<int, int>> tried;
        for (std::size_t i = 0; i < found_.stages[a].size(); ++i) {
            for (std::size_t j = 0; j < found_.stages[b].size() && left_ > 0; ++j) {
                const int from = kind_[found_.stages[a][i]];
                const int to = kind_[found_.stages[b][j]];
                if (stop && stop()) {
                    return false;
                }
                if (from != to && tried.insert({from, to}).second && taken(a, i, b, j)) {
                    return true;
                }
            }
        }
        return false;
    }

    bool taken(std::size_t a, std::size_t i, std::size_t b, std::size_t j) {
        Stages stages = found_.stages;
        std::swap(stages[a][i], stages[b][j]);
        const Solved solved = solve_inner(problem_, stages);
        --left_;
        if (solved.score.total() >= found_.score * (1 - 1e-12)) {
            return false;
        }
        found_.stages = in_order(stages, solved.order);
        found_.score = solved.score.total();
        return true;
    }

    const Problem& problem_;
    std::vector<int> kind_;
    SearchResult& found_;
    std::uint64_t left_;
};

}  // namespace

SearchResult anneal_terms(const Problem& problem,
                          const Stages& start,
                          std::uint64_t budget,
                          std::uint64_t stream,
                          const SearchOptions& options,
                          double temperature,
                          std::optional<double> start_score) {
    std::uint64_t cost = kMoveCost;
    if (scored_whole(problem)) {
        const auto longer = static_cast<std::uint64_t>(1 + (problem.shape.pp - 1) / kWholeStages);
        cost *= kWholeCost * longer * longer;
    }
    const bool searched =
        problem.terms.exchange == Exchange::kTree || problem.terms.exchange == Exchange::kRing;
    if (searched && problem.shape.dp > static_cast<int>(kMaxExactTree)) {
        cost *= kSearchedCost;
    }
    const std::uint64_t moves = budget / cost;
    const SearchResult as_is{
        start, start_score.value_or(0), "annealing over all terms", moves, "budget"};
    if (start_score && (moves == 0 || (options.stop && options.stop()))) {
        return as_is;
    }
    TermsWalk walk(problem, start, core::Random(options.seed, kStreamsOfTerms + stream));
    walk.run(moves, temperature, options.stop);
    // Inside the walk pairs are chosen edge by edge, so that the last of its bests need not be the
    // best when the pipeline is solved as a whole.
    const bool all = problem.terms.objective == Objective::kPipelined && !problem.shared.empty();
    if (start_score && !all && walk.bests().size() == 1) {
        return as_is;
    }
    SearchResult best;
    for (const Stages& stages : walk.bests()) {
        if (all || &stages == &walk.bests().back()) {
            SearchResult found{stages, 0, "annealing over all terms", moves, "budget"};
            rescore(problem, found);
            if (best.stages.empty() || found.score < best.score) {
                best = std::move(found);
            }
        }
    }
    if (all) {
        WholeDescent(problem, best, moves / kWholeCost / kDescentShare).run(options.stop);
    }
    return best;
}

}  // namespace longhaul::placement
