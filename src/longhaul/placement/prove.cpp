#include "longhaul/placement/prove.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/every_table.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxCaps = 64;
constexpr std::uint64_t kChoiceWork = 10'000;  // of the root bound of one choice
constexpr std::size_t kMaxChoices = 20'000;    // of what is left out

/// All layers on the fastest stage, and the slowest stage as if they could be cut anywhere.
StageCompute least_compute_of_layers(const Problem& problem) {
    std::vector<double> speeds(problem.devices(), 1);
    if (!problem.speed.empty()) {
        speeds = problem.speed;
    }
    std::ranges::sort(speeds, std::greater<>());
    double together = 0;
    for (int s = 1; s <= problem.shape.pp; ++s) {
        together += speeds[s * problem.shape.dp - 1];
    }
    const double fastest = speeds[problem.shape.dp - 1];
    double work = 0;
    double slowest = 0;
    for (const Layer& layer : problem.workload.layers) {
        work += layer.seconds;
        slowest = std::max(slowest, layer.seconds);
    }
    const double most = std::max(work / together, slowest / fastest);
    const Passes passes = passes_of(problem.workload, problem.terms);
    const double forward = passes.forward_share / passes.forward_units;
    const double backward = (1 - passes.forward_share) / passes.backward_units;
    return {work / fastest * (forward + backward), most * forward, most * backward};
}

/// No grouping of the devices computes faster: the i-th fastest stage is at most as fast as the
/// i-th best multiple of dp devices.
StageCompute least_compute(const Problem& problem) {
    if (!problem.workload.layers.empty()) {
        return least_compute_of_layers(problem);
    }
    Problem best = problem;
    std::vector<double> seconds = problem.workload.stage_seconds;
    if (seconds.size() > 1) {
        // Any stage may get any group; the sum and the largest are bounded with the least seconds.
        std::ranges::fill(seconds, *std::ranges::min_element(seconds));
        if (problem.speed.empty()) {
            seconds = problem.workload.stage_seconds;
        }
    }
    best.workload.stage_seconds = seconds;
    std::vector<int> devices(problem.devices());
    std::iota(devices.begin(), devices.end(), 0);
    if (!problem.speed.empty()) {
        std::ranges::stable_sort(
            devices, std::greater<>(), [&](int d) { return problem.speed[d]; });
    }
    Stages stages(problem.shape.pp);
    for (std::size_t i = 0; i < problem.shape.devices(); ++i) {
        stages[i / static_cast<std::size_t>(problem.shape.dp)].push_back(devices[i]);
    }
    return stage_compute(best, stages);
}

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
    const std::vector<double> caps = slowness_levels(problem, kMaxCaps);
    const bool all = slowness_levels(problem, caps.size() + 1).size() == caps.size();
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

/// Every way to leave out `spare` devices, as devices left out of each class.
void choices(const Classes& classes,
             int spare,
             std::vector<int>& taken,
             std::vector<std::vector<int>>& all) {
    if (all.size() > kMaxChoices) {
        return;
    }
    if (taken.size() == classes.size()) {
        if (spare == 0) {
            all.push_back(taken);
        }
        return;
    }
    const int most = std::min(spare, static_cast<int>(classes.members[taken.size()].size()));
    for (int count = 0; count <= most; ++count) {
        taken.push_back(count);
        choices(classes, spare - count, taken, all);
        taken.pop_back();
    }
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
    const Classes classes = exact_classes(problem.costs);
    std::vector<std::vector<int>> all;
    std::vector<int> taken;
    choices(classes, static_cast<int>(problem.devices() - problem.shape.devices()), taken, all);
    // Speeds tell devices of a class apart.
    if (all.size() > kMaxChoices || all.size() * kChoiceWork > options.work ||
        !problem.speed.empty()) {
        return result;
    }
    struct Choice {
        std::vector<int> devices;
        Bound bound;
    };
    std::vector<Choice> open;  // without a bound at the incumbent
    for (const std::vector<int>& choice : all) {
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
                                          all.size());
    }
    return result;
}

}  // namespace

namespace {

std::vector<int> everyone_but(int device, std::size_t devices) {
    std::vector<int> others(devices);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + device);
    return others;
}

/// A placement of the proof counts only when it is better under all terms; the bound may not be
/// above it then.
void keep_if_better(const Problem& problem, double incumbent, Certificate& certificate) {
    if (certificate.better) {
        const double score = solve_inner(problem, *certificate.better).score.total();
        if (score >= incumbent) {
            certificate.better.reset();
        }
        incumbent = std::min(incumbent, score);
    }
    certificate.bound.value = std::min(certificate.bound.value, incumbent);
}

/// Classes that no exchange can tell apart.
Classes classes_under_exchange(const Problem& problem) {
    Classes classes;
    classes.exact = true;
    std::map<int, int> known;  // numbers without gaps, also when devices are left out
    for (const int name : problem.exchange->class_of_point()) {
        known.emplace(name, 0);
    }
    int next = 0;
    for (auto& [name, number] : known) {
        number = next++;
    }
    classes.members.resize(known.size());
    for (int device = 0; device < static_cast<int>(problem.devices()); ++device) {
        const int k = known.at(problem.exchange->class_of_point()[device]);
        classes.of_device.push_back(k);
        classes.members[k].push_back(device);
    }
    return classes;
}

/// Branch and bound over counts with the exchange of every possible stage group; `compute` seconds
/// come on top. Nothing when there are too many classes or possible groups.
std::optional<Certificate> prove_by_groups(const Problem& problem,
                                           double incumbent,
                                           const ProofOptions& options) {
    const Classes classes = classes_under_exchange(problem);
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    if (options.work == 0 || !CountProof::applicable(problem.shape, sizes)) {
        return std::nullopt;
    }
    const double compute = least_compute_seconds(problem);
    ClassCosts costs = class_costs(problem.costs, classes);
    costs.group = [&](std::span<const int> row) {
        std::vector<int> group;
        for (std::size_t k = 0; k < row.size(); ++k) {
            group.insert(
                group.end(), classes.members[k].begin(), classes.members[k].begin() + row[k]);
        }
        return problem.exchange->seconds(group);
    };
    for (const std::vector<int>& members : classes.members) {
        costs.least_of_class.push_back(problem.exchange->member_bound(
            members.front(), everyone_but(members.front(), problem.devices()), problem.shape.dp));
    }
    CountProof proof(costs, problem.shape, sizes);
    const double target = std::max(0.0, incumbent - compute) * (1 - 1e-12);
    const ProofResult result = proof.run(target, options);
    Certificate certificate;
    certificate.bound = elementary_bound(problem);
    certificate.bound.nodes = result.nodes;
    certificate.bound.value = proof.root_bound() + compute;
    certificate.bound.method =
        fmt::format("breaks of the path over {} device classes", sizes.size());
    if (result.complete) {
        const bool better = !result.counts.empty();
        certificate.bound.value = better ? result.best + compute : incumbent;
        certificate.bound.method =
            fmt::format("branch and bound over {} device classes", sizes.size());
    }
    if (!result.counts.empty()) {
        certificate.better = realise(result.counts, classes);
    }
    return certificate;
}

/// Problems whose terms only whole tables tell, when there are few tables.
std::optional<Certificate> prove_every_table(const Problem& problem,
                                             double incumbent,
                                             const ProofOptions& options) {
    constexpr std::uint64_t kWorkASet = 1'000;
    constexpr std::uint64_t kMostSets = 100'000;
    const bool other_exchange_alone = problem.exchange && problem.shared.empty();
    if (!has_other_terms(problem) || (other_exchange_alone && !has_compute(problem)) ||
        problem.terms.objective != Objective::kAdditive ||
        problem.devices() != problem.shape.devices() || problem.shape.tp != 1) {
        return std::nullopt;
    }
    return bound_every_table(problem, incumbent, std::min(kMostSets, options.work / kWorkASet));
}

/// Another exchange is bounded on its own, and the rest as if it took no time. Shared capacity only
/// adds seconds, so it is left out.
Certificate prove_terms(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (problem.terms.exchange != Exchange::kSharded &&
        problem.terms.objective == Objective::kAdditive &&
        problem.devices() == problem.shape.devices()) {
        std::optional<Certificate> exact = prove_by_groups(problem, incumbent, options);
        if (exact) {
            keep_if_better(problem, incumbent, *exact);
            return *std::move(exact);
        }
    }
    Problem part = problem;
    part.exchange.reset();
    part.shared = {};
    part.terms.exchange = Exchange::kSharded;
    double apart = 0;
    if (problem.terms.exchange != Exchange::kSharded) {
        apart = data_parallel_bound(problem);
        part.costs.exchange = combined(0, part.costs.exchange, 0, part.costs.exchange);
    }
    Certificate certificate = prove(part, std::max(0.0, incumbent - apart), options);
    certificate.bound.value = std::min(incumbent, certificate.bound.value + apart);
    if (problem.terms.exchange != Exchange::kSharded) {
        certificate.bound.data_parallel = apart;
        certificate.bound.method = fmt::format("least {} exchange of a device + {}",
                                               name_of(problem.terms.exchange),
                                               certificate.bound.method);
    }
    keep_if_better(problem, incumbent, certificate);
    return certificate;
}

}  // namespace

double least_compute_seconds(const Problem& problem) {
    const StageCompute compute = least_compute(problem);
    return compute.sum + repeats(passes_of(problem.workload, problem.terms), compute, 0);
}

Certificate prove(const Problem& problem, double incumbent, const ProofOptions& options) {
    if (std::optional<Certificate> all = prove_every_table(problem, incumbent, options)) {
        return *std::move(all);
    }
    if (problem.exchange) {
        return prove_terms(problem, incumbent, options);
    }
    if (problem.devices() > problem.shape.devices()) {
        return prove_with_spare(problem, incumbent, options);
    }
    return problem.terms.objective == Objective::kPipelined
               ? prove_pipelined(problem, incumbent, options)
               : prove_additive(problem, incumbent, options);
}

}  // namespace longhaul::placement
