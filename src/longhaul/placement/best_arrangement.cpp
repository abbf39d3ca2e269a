#include "longhaul/placement/best_arrangement.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/ordered.hpp"

namespace longhaul::placement {
namespace {

/// Whether solve_inner takes a good order or pairs where another may be better.
bool may_be_bettered(const Problem& problem) {
    return !problem.shared.empty() || !problem.workload.layers.empty() ||
           (!problem.speed.empty() && problem.workload.stage_seconds.size() > 1);
}

/// pp! orders, with dp! pairs on every edge where pairs are more than bottlenecks; at most one more
/// than kMostArrangements.
std::uint64_t arrangements(const Problem& problem) {
    std::uint64_t count = 1;
    const auto times = [&count](int factor) {
        count = std::min(kMostArrangements + 1, count * static_cast<std::uint64_t>(factor));
    };
    for (int s = 1; s <= problem.shape.pp; ++s) {
        times(s);
        for (int r = 1; s > 1 && !problem.shared.empty() && r <= problem.shape.dp; ++r) {
            times(r);
        }
    }
    return count;
}

class EveryArrangement {
public:
    EveryArrangement(const Problem& problem, Stages stages, const Score& known)
        : problem_(problem),
          groups_(std::move(stages)),
          used_(groups_.size(), 0),
          fixed_(data_parallel(problem, groups_).seconds + least_compute_seconds(problem)),
          best_(known) {
        for (std::vector<int>& group : groups_) {
            std::ranges::sort(group);
        }
    }

    Score run() && {
        place(0);
        return best_;
    }

private:
    void place(double before) {
        if (stages_.size() == groups_.size()) {
            offer();
            return;
        }
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (used_[g] == 0) {
                used_[g] = 1;
                place_group(g, before);
                used_[g] = 0;
            }
        }
    }

    void place_group(std::size_t g, double before) {
        std::vector<int> group = groups_[g];
        const bool in_pairs = !stages_.empty() && !problem_.shared.empty();
        do {
            const double edge = in_pairs ? mapped_edge(problem_, stages_.back(), group) : 0;
            if (fixed_ + before + edge < best_.total()) {
                stages_.push_back(group);
                place(before + edge);
                stages_.pop_back();
            }
        } while (in_pairs && std::ranges::next_permutation(group).found);
    }

    void offer() {
        const Score score =
            problem_.shared.empty()
                ? solve_in_order(problem_, stages_).score
                : score_as_mapped(problem_, Placement::from_stages(stages_, problem_.devices()));
        if (score.total() < best_.total()) {
            best_ = score;
        }
    }

    const Problem& problem_;
    Stages groups_;
    std::vector<char> used_;
    double fixed_;  // no arrangement takes less
    Stages stages_;
    Score best_;
};

}  // namespace

Score best_arrangement(const Problem& problem, const Placement& placement) {
    const Stages stages = placement.stages();
    const Score mapped = score_as_mapped(problem, placement);
    Score best = solve_inner(problem, stages).score;
    if (mapped.total() < best.total()) {
        best = mapped;
    }
    return may_be_bettered(problem) && arrangements(problem) <= kMostArrangements
               ? EveryArrangement(problem, stages, best).run()
               : best;
}

}  // namespace longhaul::placement
