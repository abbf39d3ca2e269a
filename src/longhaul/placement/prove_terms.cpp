#include "longhaul/placement/prove_terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/crossing_bound.hpp"
#include "longhaul/placement/every_table.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/search_terms.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRoundingOfTerms =
    1e-12;  // sums of equal costs in another order may differ by this

std::vector<int> everyone_but(int device, std::size_t devices) {
    std::vector<int> others(devices);
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + device);
    return others;
}

/// Takes the bound of what must cross shared capacity where that is more; the first message beside
/// it is proved as if nothing were shared.
void raise_by_crossing(const Problem& problem,
                       double incumbent,
                       const ProofOptions& options,
                       Certificate& certificate) {
    constexpr std::uint64_t kShareOfFirst = 4;
    CrossingBound crossing = crossing_bound(problem);
    if (crossing.resource < 0 || certificate.bound.value >= incumbent) {
        return;
    }
    std::string first_by;
    if (crossing.value < incumbent) {
        ProofOptions share = options;
        share.work /= kShareOfFirst;
        const Bound first = certify(additive_part(without_exchange(problem)),
                                    std::max(0.0, incumbent - crossing.beside),
                                    share)
                                .bound;
        const CrossingBound raised = crossing_bound(problem, first.value);
        if (raised.value > crossing.value) {
            crossing = raised;
            first_by = fmt::format(", and the first message by {}", first.method);
        }
        certificate.bound.nodes += first.nodes;
    }
    const double value = std::min(incumbent, crossing.value);
    if (value > certificate.bound.value) {
        certificate.bound.value = value;
        certificate.bound.method = fmt::format(
            "what must cross {}{}", core::shown(problem.shared.name(crossing.resource)), first_by);
    }
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
    if (options.work == 0 || !TableProof::applicable(problem.shape, sizes)) {
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
    TableProof proof(
        std::make_unique<ExactTable>(std::move(costs), problem.shape, sizes), problem.shape, sizes);
    SliceLimits limits;
    limits.work = options.work;
    limits.stop = options.stop;
    const double target = std::max(0.0, incumbent - compute) * (1 - kRoundingOfTerms);
    const TableProofResult found = proof.run(target, limits);
    Certificate certificate;
    certificate.bound = elementary_bound(problem);
    certificate.bound.nodes = found.nodes;
    certificate.bound.value = found.bound >= target ? incumbent : found.bound + compute;
    certificate.bound.method = fmt::format("branch and bound over {} device classes", sizes.size());
    if (!found.counts.empty()) {
        certificate.better = realise(found.counts, classes);
    }
    return certificate;
}

}  // namespace

std::optional<Certificate> prove_every_table(const Problem& problem,
                                             double incumbent,
                                             const ProofOptions& options) {
    constexpr std::uint64_t kWorkASet = 1'000;
    constexpr std::uint64_t kMostSets = 100'000;
    constexpr int kOrdersAUnit = 50;  // steps of Held-Karp in a unit of work
    const bool other_exchange_alone = problem.exchange && problem.shared.empty();
    if (options.work < kWorkASet || !has_other_terms(problem) ||
        (other_exchange_alone && !has_compute(problem)) ||
        problem.terms.objective != Objective::kAdditive || problem.shape.tp != 1) {
        return std::nullopt;
    }
    const int pp = problem.shape.pp;
    const double orders = pp * pp * std::exp2(pp) / kOrdersAUnit;
    const auto sets = static_cast<std::uint64_t>(static_cast<double>(options.work) /
                                                 std::max<double>(kWorkASet, orders));
    return bound_every_table(problem, incumbent, std::min(kMostSets, sets), options.stop);
}

Certificate prove_terms(const Problem& problem,
                        double incumbent,
                        const ProofOptions& options,
                        const PlainProof& plain) {
    if (problem.terms.exchange != Exchange::kSharded &&
        problem.terms.objective == Objective::kAdditive &&
        problem.devices() == problem.shape.devices()) {
        std::optional<Certificate> exact = prove_by_groups(problem, incumbent, options);
        if (exact) {
            keep_if_better(problem, incumbent, *exact);
            return *std::move(exact);
        }
    }
    Problem part = without_exchange(problem);
    double apart = 0;
    if (problem.terms.exchange != Exchange::kSharded) {
        apart = data_parallel_bound(problem);
        part.costs.exchange = combined(0, part.costs.exchange, 0, part.costs.exchange);
    }
    Certificate certificate = plain(part, std::max(0.0, incumbent - apart), options);
    certificate.bound.value = std::min(incumbent, certificate.bound.value + apart);
    if (problem.terms.exchange != Exchange::kSharded) {
        certificate.bound.data_parallel = apart;
        certificate.bound.method = fmt::format("least {} exchange of a device + {}",
                                               name_of(problem.terms.exchange),
                                               certificate.bound.method);
    }
    raise_by_crossing(problem, incumbent, options, certificate);
    keep_if_better(problem, incumbent, certificate);
    return certificate;
}

}  // namespace longhaul::placement
