#include "longhaul/placement/search_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/memory_fit.hpp"

namespace longhaul::placement {
namespace {

constexpr double kWeights[] = {1, 0, 3, 0.3};
constexpr std::size_t kMostRestarts = 4;
constexpr std::uint64_t kStandInBudget = 250;  // evaluations that a stand-in is worth trying with

/// Keeps the better of two results and the sum of what both took.
void keep(SearchResult& best, SearchResult&& found) {
    found.evaluations += best.evaluations;
    if (best.stages.empty() || found.score < best.score) {
        best = std::move(found);
    } else {
        best.evaluations = found.evaluations;
        best.stopped_by = found.stopped_by;
    }
}

/// Stages as devices come, and region by region where regions are known: all that a search without
/// time for more has.
std::vector<SearchResult> simple_starts(const Problem& problem) {
    std::vector<int> devices(problem.shape.devices());
    std::iota(devices.begin(), devices.end(), 0);
    const Stages by_host = Placement(problem.shape, devices).stages();
    std::vector<SearchResult> starts{{by_host, 0, "host order", 1, "budget"}};
    if (problem.exchange) {
        std::ranges::stable_sort(
            devices, {}, [&](int device) { return problem.exchange->region()[device]; });
        Stages by_region(problem.shape.pp);
        for (std::size_t i = 0; i < devices.size(); ++i) {
            by_region[i / static_cast<std::size_t>(problem.shape.dp)].push_back(devices[i]);
        }
        starts.push_back({std::move(by_region), 0, "one region after another", 1, "budget"});
    }
    for (SearchResult& start : starts) {
        rescore(problem, start);
    }
    return starts;
}

}  // namespace

bool has_other_terms(const Problem& problem) {
    const bool unequal = !problem.speed.empty() || !problem.workload.layers.empty() ||
                         problem.workload.stage_seconds.size() > 1;
    return problem.exchange != nullptr || (has_compute(problem) && unequal);
}

Problem without_exchange(const Problem& problem) {
    Problem plain = problem;
    plain.exchange.reset();
    plain.shared = {};
    plain.terms.exchange = Exchange::kSharded;
    return plain;
}

void rescore(const Problem& problem, SearchResult& found) {
    const Solved solved = solve_inner(problem, found.stages);
    found.stages = in_order(found.stages, solved.order);
    found.score = solved.score.total();
}

std::optional<SearchResult> fitted(const Problem& problem, const SearchResult& found) {
    if (found.score < kDoesNotFit || !memory_matters(problem)) {
        return std::nullopt;
    }
    std::optional<Stages> stages = made_to_fit(problem, found.stages);
    if (!stages) {
        return std::nullopt;
    }
    SearchResult fit = found;
    fit.stages = std::move(*stages);
    fit.origin += ", made to fit the memory";
    rescore(problem, fit);
    return fit;
}

std::vector<Problem> stand_ins(const Problem& problem) {
    // Central and tree send the whole payload: as if every pair did, a part of the time.
    const int dp = problem.shape.dp;
    const workload::Workload& workload = problem.workload;
    const Exchange kind = problem.terms.exchange;
    PairMatrix exchange = problem.costs.exchange;
    if (kind == Exchange::kCentral || kind == Exchange::kTree) {
        const double part = kind == Exchange::kCentral ? 1 : std::log2(dp + 1) / dp;
        exchange = combined(2 * part * workload.dp_messages,
                            problem.links.latency_s,
                            2 * part * workload.c_dp.value(),
                            problem.links.slowness);
    }
    std::vector<Problem> all;
    for (const double weight : kWeights) {
        Problem stand_in = without_exchange(problem);
        stand_in.workload.layers.clear();
        stand_in.workload.stage_seconds.clear();
        stand_in.speed.clear();
        stand_in.memory_gb.clear();
        stand_in.costs.exchange = combined(weight, exchange, 0, exchange);
        all.push_back(std::move(stand_in));
    }
    return all;
}

SearchResult search_terms(const Problem& problem,
                          const SearchOptions& options,
                          const PlainSearch& plain) {
    std::vector<Problem> weighted = stand_ins(problem);
    weighted.erase(weighted.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::uint64_t>(
                                          options.budget / 2 / kStandInBudget, 1, weighted.size())),
                   weighted.end());
    std::vector<SearchResult> starts = simple_starts(problem);
    SearchResult best;
    for (const SearchResult& start : starts) {
        keep(best, SearchResult(start));
    }
    const auto stopped = [&] { return options.stop && options.stop(); };
    for (std::size_t i = 0; i < weighted.size() && (i == 0 || !stopped()); ++i) {
        SearchOptions share = options;
        share.budget = std::max<std::uint64_t>(1, options.budget / 2 / weighted.size());
        share.run = options.run * 64 + i;
        SearchResult found = plain(weighted[i], share);
        rescore(problem, found);
        found.origin += fmt::format(", exchange weighed {}", kWeights[i]);
        starts.push_back(found);
        keep(best, std::move(found));
    }
    for (std::size_t i = 0, all = starts.size(); i < all && (i == 0 || !stopped()); ++i) {
        if (std::optional<SearchResult> fit = fitted(problem, starts[i])) {
            fit->evaluations = 1;
            starts.push_back(*fit);
            keep(best, std::move(*fit));
        }
    }
    if (problem.shape.pp == 1 || stopped()) {
        best.stopped_by = stopped() ? "time limit" : "budget";
        return best;
    }
    std::ranges::stable_sort(starts, {}, &SearchResult::score);
    const std::size_t restarts =
        std::clamp<std::size_t>(static_cast<std::size_t>(options.restarts), 1, kMostRestarts);
    std::vector<SearchResult> annealed(restarts);
    core::parallel_for(restarts, options.threads, [&](std::size_t i) {
        annealed[i] = anneal_terms(problem,
                                   starts[i % starts.size()].stages,
                                   options.budget / 2 / restarts,
                                   options.run * 64 + i,
                                   options,
                                   kColdStart,
                                   starts[i % starts.size()].score);
    });
    for (SearchResult& found : annealed) {
        keep(best, std::move(found));
    }
    best.stopped_by = stopped() ? "time limit" : "budget";
    return best;
}

}  // namespace longhaul::placement
