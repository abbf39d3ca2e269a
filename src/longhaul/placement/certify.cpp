#include "longhaul/placement/certify.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace longhaul::placement {
namespace {

constexpr double kRounding = 1e-12;  // sums of equal costs in another order may differ by this
constexpr double kBoundTolerances[] = {0.05, 0.12, 0.3, 0.7};
constexpr double kTargets[] = {0.5, 0.7, 0.8, 0.9, 0.95};  // of the way from bound to incumbent

/// O(kinds^2).
core::Grid<double> least_between(const PairMatrix& costs, const Classes& classes) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const std::vector<int> devices =
        fabric::devices_of_kinds(costs.kind_of_device(), costs.kinds());
    std::vector<int> class_of(costs.kinds(), 0);
    for (std::size_t d = 0; d < costs.size(); ++d) {
        class_of[costs.kind_of_device()[d]] = classes.of_device[d];
    }
    core::Grid<double> least(classes.size(), classes.size(), kFar);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = 0; j < devices.size(); ++j) {
            if (devices[i] > (i == j ? 1 : 0) && devices[j] > 0) {
                double& cost = least(class_of[i], class_of[j]);
                cost = std::min(cost, costs.table()(i, j));
            }
        }
    }
    for (std::size_t k = 0; k < classes.size(); ++k) {
        if (classes.members[k].size() == 1) {
            least(k, k) = 0;
        }
    }
    return least;
}

class Certifier {
public:
    Certifier(const Problem& problem, double incumbent, const ProofOptions& options)
        : problem_(problem), incumbent_(incumbent), options_(options), work_(options.work) {
        certificate_.bound = elementary_bound(problem);
    }

    Certificate run() && {
        const Classes exact = exact_classes(problem_.costs);
        if (CountProof::applicable(problem_.shape, sizes_of(exact))) {
            prove(exact, class_costs(problem_.costs, exact));
            return std::move(certificate_);
        }
        for (const double tolerance : kBoundTolerances) {
            const Classes classes = tolerant_classes(problem_.costs, tolerance);
            if (CountProof::applicable(problem_.shape, sizes_of(classes))) {
                prove(classes,
                      {least_between(problem_.costs.pipeline, classes),
                       least_between(problem_.costs.exchange, classes)});
                break;
            }
        }
        return std::move(certificate_);
    }

private:
    static std::vector<int> sizes_of(const Classes& classes) {
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        return sizes;
    }

    void raise(double value, const std::string& method) {
        if (value > certificate_.bound.value) {
            certificate_.bound.value = value;
            certificate_.bound.method = method;
        }
    }

    /// One run of branch and bound; the work that it took is gone.
    ProofResult spend(CountProof& proof, double target, std::uint64_t work) {
        ProofOptions options = options_;
        options.work = work;
        ProofResult result = proof.run(target, options);
        work_ -= std::min(work_, result.work);
        certificate_.bound.nodes += result.nodes;
        return result;
    }

    void prove(const Classes& classes, ClassCosts costs) {
        CountProof proof(std::move(costs), problem_.shape, sizes_of(classes));
        const std::string view = classes.exact
                                     ? fmt::format("{} device classes", classes.size())
                                     : fmt::format("least costs of {} classes", classes.size());
        raise(proof.root_bound(), "breaks of the path over " + view);
        if (work_ == 0) {
            return;
        }
        const std::string method = "branch and bound over " + view;
        const ProofResult full = spend(proof, incumbent_ * (1 - kRounding), work_ / 2);
        if (classes.exact && !full.counts.empty()) {
            const Stages stages = realise(full.counts, classes);
            certificate_.better = stages;
            incumbent_ = full.best;
        }
        if (full.complete) {
            raise(full.counts.empty() ? incumbent_ : full.best, method);
            return;
        }
        const double start = certificate_.bound.value;
        for (const double part : kTargets) {
            const double target = start + part * (incumbent_ - start);
            const ProofResult partial = spend(proof, target, work_);
            if (!partial.complete) {
                return;
            }
            raise(partial.best, method);
            if (!partial.counts.empty()) {
                return;  // the optimum of the least costs: no target above it can be excluded
            }
        }
    }

    const Problem& problem_;
    double incumbent_;
    const ProofOptions& options_;
    std::uint64_t work_;
    Certificate certificate_;
};

}  // namespace

Certificate certify(const Problem& problem, double incumbent, const ProofOptions& options) {
    return Certifier(problem, incumbent, options).run();
}

}  // namespace longhaul::placement
