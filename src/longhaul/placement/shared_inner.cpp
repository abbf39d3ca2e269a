#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "longhaul/placement/directed_path.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/shared_pipeline.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNoPair = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostCapsTried = 8;
constexpr double kInnerWork = 4e6;  // of all caps together: P^2 D^3 each

/// How pairs of an edge are chosen.
enum class Match { kAlone, kFairShare, kLeastLoad };
constexpr std::array kMatches{Match::kAlone, Match::kFairShare, Match::kLeastLoad};

/// Pairs of stages in path order, bettered by exchanging what follows in two pipelines as long as
/// that helps: only one edge changes at a time.
class PairExchange {
public:
    PairExchange(const Problem& problem, Stages& paired)
        : problem_(problem), passes_(passes_of(problem.workload, problem.terms)), paired_(paired) {
        std::vector<int> same(paired.front().size());
        std::iota(same.begin(), same.end(), 0);
        edges_.resize(paired.size());
        for (std::size_t s = 1; s < paired.size(); ++s) {
            edges_[s] = measured_edge(problem_, passes_, paired[s - 1], paired[s], same);
        }
        compute_ = stage_compute(problem, paired);
        least_ = seconds();
    }

    void run() {
        for (int round = 0; round < kMostRounds && better(); ++round) {
        }
    }

    [[nodiscard]] double edges() const {
        double once = 0;
        for (const SharedEdge& edge : edges_) {
            once += edge.once;
        }
        return once;
    }

    [[nodiscard]] double slowest() const {
        return std::ranges::max(edges_, {}, &SharedEdge::slowness).slowness;
    }

private:
    static constexpr int kMostRounds = 8;

    [[nodiscard]] double seconds() const {
        std::vector<Load> sum(problem_.shared.size());
        for (const SharedEdge& edge : edges_) {
            add_loads(edge.loads, sum);
        }
        const double busiest = problem_.shared.slower_pass(sum).seconds;
        return edges() + repeats(passes_, compute_, std::max(slowest(), busiest));
    }

    bool better() {
        bool changed = false;
        for (std::size_t s = 1; s < paired_.size(); ++s) {
            for (std::size_t i = 0; i < paired_[s].size(); ++i) {
                for (std::size_t j = i + 1; j < paired_[s].size(); ++j) {
                    changed = exchanged(s, i, j) || changed;
                }
            }
        }
        return changed;
    }

    bool exchanged(std::size_t s, std::size_t i, std::size_t j) {
        const SharedEdge before = edges_[s];
        std::swap(paired_[s][i], paired_[s][j]);
        edges_[s] = measured_edge(
            problem_, passes_, paired_[s - 1], paired_[s], std::move(edges_[s].partner));
        const double now = seconds();
        if (now >= least_ * (1 - 1e-12)) {
            std::swap(paired_[s][i], paired_[s][j]);
            edges_[s] = before;
            return false;
        }
        least_ = now;
        for (std::size_t later = s + 1; later < paired_.size(); ++later) {
            std::swap(paired_[later][i], paired_[later][j]);
        }
        return true;
    }

    const Problem& problem_;
    Passes passes_;
    Stages& paired_;
    std::vector<SharedEdge> edges_;  // edges_[s] ends at stage s
    StageCompute compute_;
    double least_ = 0;
};

/// Stage groups sorted, in the order of their first devices; edges between all of them under one
/// cap and one way to choose pairs.
class InnerShared {
public:
    InnerShared(const Problem& problem, const Stages& stages)
        : problem_(problem),
          passes_(passes_of(problem.workload, problem.terms)),
          directed_(directed(problem)),
          exchange_(data_parallel(problem, stages).seconds),
          groups_(stages),
          number_(stages.size()) {
        std::iota(number_.begin(), number_.end(), 0);
        for (std::vector<int>& group : groups_) {
            std::ranges::sort(group);
        }
        std::ranges::sort(number_, {}, [&](int s) { return groups_[s].front(); });
        groups_ = in_order(groups_, number_);
        for (auto& edges : edges_) {
            edges.resize(groups_.size() * groups_.size());
        }
    }

    Solved run() {
        if (groups_.size() == 1) {
            const StageCompute compute = stage_compute(problem_, groups_);
            best_ = {pipelined_score(exchange_, 0, 0, passes_, compute), {0}, 0, groups_};
            return answer();
        }
        const auto p = static_cast<double>(groups_.size());
        const auto d = static_cast<double>(groups_.front().size());
        const auto caps = static_cast<std::size_t>(
            std::clamp(kInnerWork / (p * p * d * d * d), 1.0, double{kMostCapsTried}));
        double cap = kNoPair;
        for (std::size_t i = 0; i < caps && cap > 0; ++i) {
            cap = under(cap);
        }
        return answer();
    }

private:
    struct Pipeline {
        double edges = 0;
        double slowest = 0;  // pair
        double busiest = 0;  // resource
        [[nodiscard]] double interval() const { return std::max(slowest, busiest); }
    };

    [[nodiscard]] std::size_t at(std::size_t a, std::size_t b) const {
        return a * groups_.size() + b;
    }

    /// Edge from group a to group b.
    [[nodiscard]] const SharedEdge& edge(Match match, std::size_t a, std::size_t b) const {
        return edges_[static_cast<std::size_t>(match)][at(a, b)];
    }

    void match_all(Match match, double cap) {
        std::vector<SharedEdge>& edges = edges_[static_cast<std::size_t>(match)];
        for (std::size_t a = 0; a < groups_.size(); ++a) {
            for (std::size_t b = a + 1; b < groups_.size(); ++b) {
                if (match_again(match, a, b, cap) && !directed_) {
                    edges[at(b, a)] = turned(edges[at(a, b)]);
                }
                if (directed_) {
                    (void)match_again(match, b, a, cap);
                }
            }
        }
    }

    /// Under a lower cap, where that may change the pairs.
    bool match_again(Match match, std::size_t a, std::size_t b, double cap) {
        SharedEdge& known = edges_[static_cast<std::size_t>(match)][at(a, b)];
        // Without pairs under a higher cap there are none under this one.
        if (known.once >= kNoPair || (!known.partner.empty() && known.slowness <= cap)) {
            return false;
        }
        known = matched(match, groups_[a], groups_[b], cap);
        return true;
    }

    [[nodiscard]] SharedEdge matched(Match match,
                                     const std::vector<int>& left,
                                     const std::vector<int>& right,
                                     double cap) const {
        core::Grid<double> pairs = pairs_between(problem_.costs.pipeline, left, right);
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < right.size(); ++j) {
                if (problem_.links.slowness(left[i], right[j]) > cap) {
                    pairs(i, j) = kNoPair;
                }
            }
        }
        std::vector<int> partner;
        if (match == Match::kLeastLoad) {
            partner = problem_.shared.least_load(pairs, left, right);
        } else {
            const double share =
                match == Match::kAlone ? 1 : static_cast<double>(groups_.size() - 1);
            ContendedEdge found = problem_.shared.match(
                pairs, left, right, share * passes_.forward_gb, share * passes_.backward_gb);
            if (std::isfinite(found.pair_seconds)) {
                partner = std::move(found.partner);
            }
        }
        return partner.empty() ? SharedEdge{{}, kNoPair, kNoPair, {}}
                               : measured_edge(problem_, passes_, left, right, std::move(partner));
    }

    [[nodiscard]] Pipeline measure(Match match, const std::vector<int>& order) const {
        Pipeline pipeline;
        std::vector<Load> sum(problem_.shared.size());
        for (std::size_t s = 1; s < order.size(); ++s) {
            const auto a = static_cast<std::size_t>(order[s - 1]);
            const auto b = static_cast<std::size_t>(order[s]);
            const SharedEdge& joined = edge(match, a, b);
            pipeline.edges += joined.once;
            pipeline.slowest = std::max(pipeline.slowest, joined.slowness);
            add_loads(joined.loads, sum);
        }
        pipeline.busiest = problem_.shared.slower_pass(sum).seconds;
        return pipeline;
    }

    [[nodiscard]] double seconds(const Pipeline& pipeline, const StageCompute& compute) const {
        return std::isfinite(pipeline.edges)
                   ? pipeline.edges + repeats(passes_, compute, pipeline.interval())
                   : kNoPair;
    }

    /// Shortest path, each edge at what it adds once and, when `loads`, what it adds to the busiest
    /// resource at most. Nothing when edges without pairs cannot be avoided.
    [[nodiscard]] std::vector<int> path(Match match, bool loads) {
        core::Grid<double> costs(groups_.size(), groups_.size(), 0.0);
        double dearest = 1e-9;
        for (std::size_t a = 0; a < groups_.size(); ++a) {
            for (std::size_t b = 0; b < groups_.size(); ++b) {
                if (a == b) {
                    continue;
                }
                const SharedEdge& joined = edge(match, a, b);
                const double more =
                    loads ? repeats(passes_, {}, problem_.shared.slower_pass(joined.loads).seconds)
                          : 0;
                costs(a, b) = joined.once + more;
                dearest = std::isfinite(joined.once) ? std::max(dearest, costs(a, b)) : dearest;
            }
        }
        const double forbidden = 1e5 * dearest;
        for (double& cost : costs.cells()) {
            cost = std::min(cost, forbidden);
        }
        // Many caps and ways to choose pairs give equal edges.
        const std::vector<double> key(costs.cells().begin(), costs.cells().end());
        const auto known = paths_.find(key);
        if (known != paths_.end()) {
            return known->second;
        }
        Path best = best_directed_path(costs);
        std::vector<int> order =
            best.length < forbidden ? std::move(best.order) : std::vector<int>();
        paths_.emplace(key, order);
        return order;
    }

    /// Stretches are turned around, and stages change places, as long as that helps.
    void better_order(Match match, std::vector<int>& order) const {
        const StageCompute compute = stage_compute(problem_, in_order(groups_, order));
        double least = seconds(measure(match, order), compute);
        const auto take_if_less = [&](const std::vector<int>& changed) {
            const double now = seconds(measure(match, changed), compute);
            if (now >= least * (1 - 1e-12)) {
                return false;
            }
            least = now;
            order = changed;
            return true;
        };
        for (bool better = true; better;) {
            better = false;
            for (std::size_t i = 0; i < order.size(); ++i) {
                for (std::size_t j = i + 1; j < order.size(); ++j) {
                    std::vector<int> changed = order;
                    std::reverse(changed.begin() + static_cast<std::ptrdiff_t>(i),
                                 changed.begin() + static_cast<std::ptrdiff_t>(j) + 1);
                    better = take_if_less(changed) || better;
                    changed = order;
                    std::swap(changed[i], changed[j]);
                    better = take_if_less(changed) || better;
                }
            }
        }
    }

    /// Tries everything under a cap; the next cap that may pay, or 0.
    double under(double cap) {
        double slowest = 0;
        double room = 0;
        for (const Match match : kMatches) {
            match_all(match, cap);
            for (const bool loads : {false, true}) {
                std::vector<int> order = path(match, loads);
                if (order.empty()) {
                    continue;
                }
                const Pipeline found = measure(match, order);
                better_order(match, order);
                offer(match, order);
                if (directed_) {
                    std::ranges::reverse(order);
                    better_order(match, order);
                    offer(match, order);
                }
                if (found.slowest > found.busiest) {
                    slowest = std::max(slowest, found.slowest);
                }
                room = std::max(room, best_total_ - exchange_ - found.edges);
            }
        }
        return slowest > 0 && room > 0 ? useful_cap(passes_, slowest, room) : 0;
    }

    /// Keeps an order of stages, from either end where that costs the same, when it is the best
    /// with its pairs bettered.
    void offer(Match match, const std::vector<int>& order) {
        if (exchange_ + measure(match, order).edges >= best_total_) {
            return;
        }
        Stages stages = paired(match, order);
        PairExchange pairs(problem_, stages);
        pairs.run();
        const double interval = std::max(pairs.slowest(), steady_load(problem_, stages).seconds);
        for (const bool backwards : {false, true}) {
            if (backwards && directed_) {
                break;
            }
            std::vector<int> path = order;
            if (backwards) {
                std::ranges::reverse(path);
                std::ranges::reverse(stages);
            }
            const Score score = pipelined_score(
                exchange_, pairs.edges(), interval, passes_, stage_compute(problem_, stages));
            if (score.total() < best_total_) {
                best_total_ = score.total();
                best_ = {score, path, pairs.slowest(), stages};
            }
        }
    }

    [[nodiscard]] Stages paired(Match match, const std::vector<int>& order) const {
        Stages stages{groups_[order.front()]};
        std::vector<int> positions(stages.front().size());
        std::iota(positions.begin(), positions.end(), 0);
        for (std::size_t s = 1; s < order.size(); ++s) {
            const auto a = static_cast<std::size_t>(order[s - 1]);
            const auto b = static_cast<std::size_t>(order[s]);
            const std::vector<int>& partner = edge(match, a, b).partner;
            stages.emplace_back();
            for (int& position : positions) {
                position = partner[position];
                stages.back().push_back(groups_[b][position]);
            }
        }
        return stages;
    }

    /// Groups as the caller numbers them.
    Solved answer() {
        for (int& stage : best_.order) {
            stage = number_[stage];
        }
        return std::move(best_);
    }

    const Problem& problem_;
    Passes passes_;
    bool directed_;  // an edge may cost more read from its other end
    double exchange_;
    Stages groups_;
    std::vector<int> number_;  // of each group in the caller's stages
    std::array<std::vector<SharedEdge>, kMatches.size()> edges_;
    std::map<std::vector<double>, std::vector<int>> paths_;  // by the costs of all edges
    Solved best_;
    double best_total_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Solved solve_inner_shared(const Problem& problem, const Stages& stages) {
    return InnerShared(problem, stages).run();
}

}  // namespace longhaul::placement
