#include "longhaul/placement/prove.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/prove_spare.hpp"
#include "longhaul/placement/prove_terms.hpp"
#include "longhaul/placement/spare_bound.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxCaps = 64;

/// Pair costs alone, with devices to spare or without.
Certificate prove_pairs_alone(const Problem& problem,
                              double incumbent,
                              const ProofOptions& options) {
    return problem.devices() > problem.shape.devices() ? prove(problem, incumbent, options)
                                                       : certify(problem, incumbent, options);
}

Certificate prove_additive(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (!has_compute(problem)) {
        return certify(problem, incumbent, options);
    }
    const double seconds = least_compute_seconds(problem);
    Certificate certificate =
        prove_pairs_alone(additive_part(problem), std::max(0.0, incumbent - seconds), options);
    certificate.bound.value += seconds;
    if (certificate.better &&
        solve_inner(problem, *certificate.better).score.total() >= incumbent) {
        certificate.better.reset();  // its compute takes more than the least
    }
    return certificate;
}

Certificate prove_pipelined(const Problem& problem, double incumbent, const ProofOptions& options) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    const StageCompute compute = least_compute(problem);
    // One stage uses no pair at all.
    const std::vector<double> caps =
        problem.shape.pp > 1 ? slowness_levels(problem, kMaxCaps) : std::vector<double>{0};
    const bool all =
        problem.shape.pp == 1 || slowness_levels(problem, caps.size() + 1).size() == caps.size();
    Problem part = additive_part(problem);
    Certificate result;
    result.bound = spare_bound(part);
    const double least = result.bound.value;
    result.bound.value = incumbent;
    std::string method;
    std::uint64_t nodes = 0;
    for (std::size_t k = 0; k < caps.size(); ++k) {
        // The slowest pair lies above the cap before this one and at most at this one.
        const double above = all || k == 0 ? caps[k] : caps[k - 1];
        const double fixed = compute.sum + repeats(passes, compute, above);
        if (least + fixed >= incumbent) {
            break;  // and so do all higher caps
        }
        if (k > 0 && options.stop && options.stop()) {
            if (least + fixed < result.bound.value) {  // this cap; higher ones take more
                result.bound.value = least + fixed;
                method = "elementary bounds";
            }
            break;
        }
        ProofOptions share = options;
        share.work = options.work / caps.size();
        part.costs.pipeline = capped(problem.costs.pipeline, problem.links.slowness, caps[k]);
        Certificate under = prove_pairs_alone(part, incumbent - fixed, share);
        nodes += under.bound.nodes;
        if (under.bound.value + fixed < result.bound.value) {
            result.bound.value = under.bound.value + fixed;
            method = under.bound.method;
        }
        if (under.better) {
            const Solved solved = solve_inner(problem, *under.better);
            if (solved.score.total() < incumbent) {
                incumbent = solved.score.total();
                result.better = in_order(*under.better, solved.order);
            }
        }
    }
    result.bound.value = std::min(result.bound.value, incumbent);
    result.bound.nodes = nodes;
    result.bound.method = fmt::format("{} under each of {} limits of the slowest pair",
                                      method.empty() ? "elementary bounds" : method,
                                      caps.size());
    return result;
}

/// With devices to spare: every choice of what is left out under all terms, and where there are too
/// many for that, or not all are proved, what is left when terms are taken out one after another.
Certificate prove_with_spare(const Problem& problem,
                             double incumbent,
                             const ProofOptions& options) {
    Certificate best;
    best.bound = spare_bound(problem);
    const auto keep = [&](Certificate made) {
        if (made.better) {
            incumbent = std::min(incumbent, solve_inner(problem, *made.better).score.total());
            best.better = std::move(made.better);
        }
        if (made.bound.value > best.bound.value) {
            best.bound = std::move(made.bound);
        }
    };
    const bool terms = problem.exchange || has_compute(problem);
    const std::optional<Certificate> choices = prove_choices(problem, incumbent, options, prove);
    if (choices) {
        keep(*choices);
    }
    if (best.bound.value >= incumbent || !terms) {
        return best;
    }
    if (problem.exchange) {
        keep(prove_terms(problem, incumbent, options, prove));
    } else if (!choices) {
        keep(problem.terms.objective == Objective::kPipelined
                 ? prove_pipelined(problem, incumbent, options)
                 : prove_additive(problem, incumbent, options));
    }
    best.bound.value = std::min(best.bound.value, incumbent);
    return best;
}

}  // namespace

Certificate prove(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (std::optional<Certificate> all = prove_every_table(problem, incumbent, options)) {
        return *std::move(all);
    }
    if (problem.devices() > problem.shape.devices()) {
        return prove_with_spare(problem, incumbent, options);
    }
    if (problem.exchange) {
        return prove_terms(problem, incumbent, options, prove);
    }
    return problem.terms.objective == Objective::kPipelined
               ? prove_pipelined(problem, incumbent, options)
               : prove_additive(problem, incumbent, options);
}

}  // namespace longhaul::placement
