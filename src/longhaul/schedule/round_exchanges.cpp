#include "longhaul/schedule/detail/round_exchanges.hpp"

#include <algorithm>
#include <utility>

namespace longhaul::schedule::detail {
namespace {

/// Times of sending with which all cliques end by `time` and no link is too full.
std::optional<std::vector<CliqueTime>> within(const std::vector<const CliqueOnTrees*>& cliques,
                                              const std::vector<double>& stream_ms,
                                              double time) {
    std::vector<CliqueTime> found;
    std::vector<double> full(stream_ms.size(), 0);
    for (const CliqueOnTrees* clique : cliques) {
        auto slow = slowest_within(clique->problem, time);
        if (!slow) {
            return std::nullopt;
        }
        for (const auto& [link, own] : clique->streams) {
            full[link] += own * stream_ms[link] / slow->sending_ms;
            if (full[link] > 1 + 1e-12) {
                return std::nullopt;
            }
        }
        found.push_back(std::move(*slow));
    }
    return found;
}

}  // namespace

std::optional<std::vector<CliqueTime>> exchanges_of(
    const std::vector<const CliqueOnTrees*>& cliques,
    const std::vector<double>& stream_ms,
    Sharing sharing) {
    std::vector<double> on_link(stream_ms.size(), 0);
    for (const CliqueOnTrees* clique : cliques) {
        for (const auto& [link, own] : clique->streams) {
            on_link[link] += own;
        }
    }
    std::vector<CliqueTime> equal;
    double longest = 0;
    double least = 0;
    for (const CliqueOnTrees* clique : cliques) {
        CliqueProblem problem = clique->problem;
        problem.least_ms = least_alone(*clique, stream_ms);
        const auto alone = clique_time(problem);
        problem.least_ms = least_of(*clique, on_link, stream_ms);
        auto found = clique_time(problem);
        if (!found || !alone) {
            return std::nullopt;
        }
        least = std::max(least, alone->time_ms);
        longest = std::max(longest, found->time_ms);
        equal.push_back(std::move(*found));
    }
    if (sharing == Sharing::kEqual || longest <= least) {
        return equal;
    }
    // The time can be met or not; sums of convex conditions, so what can be met is an interval.
    std::optional<std::vector<CliqueTime>> best = within(cliques, stream_ms, least);
    double low = least;
    double high = best ? least : longest;
    while (high - low > 1e-10 * high) {
        const double middle = low + (high - low) / 2;
        if (auto found = within(cliques, stream_ms, middle)) {
            best = std::move(found);
            high = middle;
        } else {
            low = middle;
        }
    }
    return best ? best : equal;
}

TimedRound timed_round(const Islands& islands,
                       const std::vector<const CliqueOnTrees*>& cliques,
                       const std::vector<CliqueTime>& exchanges) {
    TimedRound timed;
    for (std::size_t c = 0; c < cliques.size(); ++c) {
        TimedClique& clique = timed.cliques.emplace_back();
        const CliqueTime& exchange = exchanges[c];
        for (const int member : cliques[c]->members) {
            clique.members |= Clique{1} << member;
        }
        clique.offset_ms = exchange.offset_ms;
        if (cliques[c]->members.size() == 1) {
            continue;
        }
        clique.sending_ms = exchange.sending_ms;
        clique.time_ms = exchange.time_ms;
        clique.trees =
            cliques[c]->trees.empty()
                ? topology::shortest_trees(islands.network, streams_of(cliques[c]->members))
                : cliques[c]->trees;
        timed.length_ms = std::max(timed.length_ms, clique.time_ms);
    }
    return timed;
}

}  // namespace longhaul::schedule::detail
