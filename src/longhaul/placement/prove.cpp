#include "longhaul/placement/prove.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/prove_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxCaps = 64;
constexpr std::uint64_t kChoiceWork = 10'000;  // of the root bound of one choice
constexpr std::size_t kMaxChoices = 20'000;    // of what is left out

/// The additive problem that is left when compute is taken out.
Problem additive_part(const Problem& problem) {
    Problem part = problem;
    part.terms.objective = Objective::kAdditive;
    part.workload.stage_seconds.clear();
    part.workload.layers.clear();
    part.speed.clear();
    part.memory_gb.clear();
    return part;
}

Certificate prove_additive(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (!has_compute(problem)) {
        return certify(problem, incumbent, options);
    }
    const double seconds = least_compute_seconds(problem);
    Certificate certificate =
        certify(additive_part(problem), std::max(0.0, incumbent - seconds), options);
    certificate.bound.value += seconds;
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
    result.bound = elementary_bound(part);
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
        Certificate under = certify(part, incumbent - fixed, share);
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

/// Elementary bounds with devices to spare: the devices that are farthest from others are left out.
Bound bound_with_spare(const Problem& problem) {
    Bound bound;
    bound.method = "elementary";
    bound.data_parallel = data_parallel_bound(problem);
    bound.pipeline =
        problem.shape.pp > 1
            ? (problem.shape.pp - 1) * nearest_costs(problem.costs, problem.shape.dp).pipeline
            : 0;
    const StageCompute compute = least_compute(problem);
    bound.value = bound.data_parallel + bound.pipeline + compute.sum +
                  repeats(passes_of(problem.workload, problem.terms), compute, 0);
    return bound;
}

std::vector<int> devices_without(const Classes& classes, const std::vector<int>& taken) {
    std::vector<int> devices;
    for (std::size_t k = 0; k < classes.size(); ++k) {
        devices.insert(
            devices.end(), classes.members[k].begin(), classes.members[k].end() - taken[k]);
    }
    std::ranges::sort(devices);
    return devices;
}

/// What tells devices apart: also the slowness alone where the slowest pair counts on its own.
Costs costs_that_count(const Problem& problem) {
    return problem.terms.objective == Objective::kPipelined
               ? Costs{problem.links.latency_s, problem.links.slowness}
               : problem.costs;
}

/// Of the root bounds of some choices of what is left out: one for each cap of the slowest pair.
std::uint64_t work_of_choices(const Problem& problem, std::size_t choices) {
    const bool pipelined = problem.terms.objective == Objective::kPipelined && problem.shape.pp > 1;
    return choices * kChoiceWork * (pipelined ? slowness_levels(problem, kMaxCaps).size() : 1);
}

/// Takes a better placement of some devices, numbered as in the whole problem.
void adopt_better(const Problem& problem,
                  const std::vector<int>& devices,
                  Certificate& part,
                  double& incumbent,
                  Certificate& result) {
    if (!part.better) {
        return;
    }
    for (std::vector<int>& group : *part.better) {
        for (int& device : group) {
            device = devices[device];
        }
    }
    const Solved solved = solve_inner(problem, *part.better);
    if (solved.score.total() < incumbent) {
        incumbent = solved.score.total();
        result.better = std::move(part.better);
    }
}

Certificate prove_with_spare(const Problem& problem,
                             double incumbent,
                             const ProofOptions& options) {
    Certificate result;
    result.bound = bound_with_spare(problem);
    const Classes classes = exact_classes(costs_that_count(problem));
    const std::optional<std::vector<std::vector<int>>> all = left_out_choices(
        classes, static_cast<int>(problem.devices() - problem.shape.devices()), kMaxChoices);
    // Speeds tell devices of a class apart.
    if (!all || work_of_choices(problem, all->size()) > options.work || !problem.speed.empty()) {
        return result;
    }
    struct Choice {
        std::vector<int> devices;
        Bound bound;
    };
    std::vector<Choice> open;  // without a bound at the incumbent
    for (const std::vector<int>& choice : *all) {
        std::vector<int> devices = devices_without(classes, choice);
        ProofOptions root = options;
        root.work = 0;
        Bound bound = prove(restricted(problem, devices), incumbent, root).bound;
        if (bound.value < incumbent) {
            open.push_back({std::move(devices), std::move(bound)});
        }
        if (options.stop && options.stop()) {
            return result;
        }
    }
    std::ranges::stable_sort(open, {}, [](const Choice& choice) { return choice.bound.value; });
    double least = incumbent;
    std::string method;
    std::uint64_t nodes = 0;
    ProofOptions share = options;
    share.work = options.work / std::max<std::size_t>(1, open.size());
    for (const Choice& choice : open) {
        if (options.stop && options.stop()) {
            if (choice.bound.value < least) {  // this choice; later ones take no less
                least = choice.bound.value;
                method = choice.bound.method;
            }
            break;
        }
        Certificate part = prove(restricted(problem, choice.devices), incumbent, share);
        nodes += part.bound.nodes;
        if (part.bound.value < least) {
            least = part.bound.value;
            method = part.bound.method;
        }
        adopt_better(problem, choice.devices, part, incumbent, result);
    }
    least = std::min(least, incumbent);
    if (least > result.bound.value) {
        result.bound.value = least;
        result.bound.nodes = nodes;
        result.bound.method = fmt::format("{} for each of {} choices of what is left out",
                                          method.empty() ? "branch and bound" : method,
                                          all->size());
    }
    return result;
}

}  // namespace

Certificate prove(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (std::optional<Certificate> all = prove_every_table(problem, incumbent, options)) {
        return *std::move(all);
    }
    if (problem.exchange) {
        return prove_terms(problem, incumbent, options, prove);
    }
    if (problem.devices() > problem.shape.devices()) {
        return prove_with_spare(problem, incumbent, options);
    }
    return problem.terms.objective == Objective::kPipelined
               ? prove_pipelined(problem, incumbent, options)
               : prove_additive(problem, incumbent, options);
}

}  // namespace longhaul::placement
