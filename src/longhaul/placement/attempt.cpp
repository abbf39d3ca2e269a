#include "longhaul/placement/attempt.hpp"

#include <algorithm>
#include <optional>

#include "longhaul/placement/every_placement.hpp"
#include "longhaul/placement/find.hpp"
#include "longhaul/placement/prove.hpp"

namespace longhaul::placement {
namespace {

// Most problems are proved after a fraction of the search; the rest of it is for those that are
// not.
constexpr std::uint64_t kFirstSearchShare = 24;
constexpr std::uint64_t kFirstProofShare = 20;

constexpr std::uint64_t kMostPlacements = 2'000'000;  // that are tried one by one

/// Searches, then proves; a better placement that the proof comes upon replaces the found one.
Attempt attempt_once(const Problem& problem,
                     SearchKind kind,
                     const SearchOptions& search,
                     const ProofOptions& proof,
                     const SearchResult* known) {
    SearchResult found = find(problem, kind, search);
    if (known != nullptr) {
        found.evaluations += known->evaluations;
        if (known->score <= found.score) {
            found.stages = known->stages;
            found.score = known->score;
            found.origin = known->origin;
        }
    }
    ProofOptions limited = proof;
    if (search.stop && search.stop()) {
        limited.work = 0;  // bounds that need no branching
    }
    Certificate certificate = prove(problem, found.score, limited);
    certificate.bound.incumbent = found.score;
    if (certificate.better) {
        const Solved solved = solve_inner(problem, *certificate.better);
        if (solved.score.total() < found.score) {  // the proof may have left terms out, or memory
            found.stages = in_order(*certificate.better, solved.order);
            found.score = solved.score.total();
            found.origin = "branch and bound";
        }
    }
    return {std::move(found), std::move(certificate.bound)};
}

/// Tries all placements where they are few; the best of them is then known to be.
bool exhaust(const Problem& problem, const SolveOptions& options, Attempt& attempt) {
    if (options.kind != SearchKind::kPortfolio) {
        return false;
    }
    std::optional<EveryPlacement> every =
        every_placement(problem,
                        attempt.found.score,
                        std::min(kMostPlacements, options.search.budget),
                        options.search.stop);
    if (!every) {
        return false;
    }
    attempt.found.evaluations += every->scored;
    attempt.found.stopped_by = every->complete ? "exhausted" : "time limit";
    if (every->least < attempt.found.score) {
        attempt.found.score = every->least;
        attempt.found.origin = "trying every placement";
        attempt.map = std::move(every->best);
    }
    if (every->complete) {
        attempt.bound.value = attempt.found.score;
        attempt.bound.method = "every placement";
        attempt.bound.incumbent = attempt.found.score;
    }
    return true;
}

Attempt attempt_twice(const Problem& problem, const SolveOptions& options) {
    SearchOptions search = options.search;
    search.budget = std::max<std::uint64_t>(1, search.budget / kFirstSearchShare);
    ProofOptions proof = options.proof;
    proof.work /= kFirstProofShare;
    Attempt first = attempt_once(problem, options.kind, search, proof, nullptr);
    if (gap_between(first.found.score, first.bound.value).optimal) {
        first.found.stopped_by = "proof";
        return first;
    }
    if (first.found.stopped_by == "time limit") {
        return first;
    }
    search.budget = options.search.budget - std::min(options.search.budget, search.budget);
    ++search.run;
    Attempt second = attempt_once(problem, options.kind, search, options.proof, &first.found);
    second.bound.nodes += first.bound.nodes;
    if (first.bound.value > second.bound.value) {
        second.bound.value = first.bound.value;
        second.bound.method = first.bound.method;
        second.bound.incumbent = first.bound.incumbent;
    }
    if (second.found.stopped_by != "time limit" &&
        !gap_between(second.found.score, second.bound.value).optimal) {
        (void)exhaust(problem, options, second);
    }
    return second;
}

}  // namespace

Attempt attempt(const Problem& problem, const SolveOptions& options) {
    return options.kind == SearchKind::kHostOrder
               ? attempt_once(problem, options.kind, options.search, options.proof, nullptr)
               : attempt_twice(problem, options);
}

}  // namespace longhaul::placement
