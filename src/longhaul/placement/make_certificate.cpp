#include "longhaul/placement/make_certificate.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/placement/check_certificate.hpp"

namespace longhaul::placement {
namespace {

constexpr double kSameSums = 1e-12;  // equal costs summed in another order may differ by this
constexpr double kLogTolerances[] = {0, 0.05, 0.12, 0.3, 0.7};
constexpr double kLogTargets[] = {0.5, 0.7, 0.8, 0.9, 0.95};  // of the way from root to goal
constexpr std::uint64_t kCheckFactor = 10;  // a log that takes longer to check is not handed out

ClassCosts least_pair_costs(const Costs& costs, const Classes& classes) {
    const std::size_t k = classes.size();
    constexpr double kNoPairYet = std::numeric_limits<double>::infinity();
    ClassCosts least{core::Grid<double>(k, k, kNoPairYet), core::Grid<double>(k, k, kNoPairYet)};
    for (std::size_t i = 0; i < classes.of_device.size(); ++i) {
        for (std::size_t j = 0; j < classes.of_device.size(); ++j) {
            if (i != j) {
                double& edge = least.pipeline(classes.of_device[i], classes.of_device[j]);
                double& peer = least.exchange(classes.of_device[i], classes.of_device[j]);
                edge = std::min(edge, costs.pipeline(i, j));
                peer = std::min(peer, costs.exchange(i, j));
            }
        }
    }
    for (std::size_t a = 0; a < k; ++a) {
        if (classes.members[a].size() == 1) {
            least.pipeline(a, a) = least.exchange(a, a) = 0;
        }
    }
    return least;
}

/// The finest classes that branch and bound can handle; empty when there are none.
Classes provable_classes(const Problem& problem) {
    for (const double tolerance : kLogTolerances) {
        Classes classes = tolerance == 0 ? exact_classes(problem.costs)
                                         : tolerant_classes(problem.costs, tolerance);
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        if (CountProof::applicable(problem.shape, sizes)) {
            return classes;
        }
    }
    return {};
}

class CertificateMaker {
public:
    CertificateMaker(const Problem& problem, const Plan& plan, const CertificateOptions& options)
        : problem_(problem), options_(options), work_(options.proof.work) {
        file_.fabric_path = plan.fabric_path;
        file_.fabric_sha256 = plan.fabric_sha256;
        file_.workload = plan.workload;
        file_.objective = std::string(name_of(plan.terms.objective));
        file_.placement = plan.placement;
        file_.score = plan.score.total();
        file_.plan_bound = plan.bound.value;
        file_.plan_bound_method = plan.bound.method;
        file_.version = plan.version;
        file_.command = plan.command;
        file_.time = plan.time;
        file_.optimal = gap_between(file_.score, 0).optimal;
        goal_ = std::min(plan.bound.value, file_.score);
    }

    CertificateFile run() && {
        carry(elementary_bound(problem_).value, {});
        if (!reached()) {
            prove();
        }
        return std::move(file_);
    }

private:
    [[nodiscard]] bool reached() const { return file_.bound >= goal_ * (1 - kSameSums); }

    /// Takes a claim when it is more than what there is and the check finds that it holds.
    void carry(double bound, BoundProof proof) {
        CertificateFile next = file_;
        next.bound = std::min(bound, goal_);
        next.optimal = gap_between(next.score, next.bound).optimal;
        next.proof = std::move(proof);
        const ReplayLimits limits{
            std::max<std::uint64_t>(1'000'000, options_.proof.work) * kCheckFactor,
            options_.proof.stop};
        if (next.bound > file_.bound &&
            check_certificate(next, problem_, next.fabric_sha256, limits).holds) {
            file_ = std::move(next);
        }
    }

    void prove() {
        const Classes classes = provable_classes(problem_);
        if (classes.members.empty()) {
            return;
        }
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        CountProof proof(least_pair_costs(problem_.costs, classes), problem_.shape, sizes);
        const BoundProof base{ProofKind::kBreaks, classes.exact, classes.of_device, {}};
        carry(proof.root_bound(), base);
        if (reached() || work_ == 0 || log_run(proof, base, goal_, work_ / 2)) {
            return;
        }
        const double start = file_.bound;
        for (const double part : kLogTargets) {
            if (!log_run(proof, base, start + part * (goal_ - start), work_)) {
                return;
            }
        }
    }

    /// Excludes everything below the target, or below the optimum over the classes when that is
    /// less, and carries the log. False when the log or the work does not suffice.
    bool log_run(CountProof& proof, BoundProof base, double target, std::uint64_t work) {
        base.kind = ProofKind::kTree;
        base.log.most_nodes = options_.most_nodes;
        ProofOptions options = options_.proof;
        options.work = work;
        options.log = &base.log;
        const ProofResult result = proof.run(target * (1 - kSameSums), options);
        work_ -= std::min(work_, result.work);
        if (!result.complete) {
            return false;
        }
        if (!result.counts.empty() && result.best < target * (1 - kSameSums)) {
            log_run(proof, std::move(base), result.best, work_);
            return false;  // the optimum over the classes: no target above it can be excluded
        }
        carry(target, std::move(base));
        return result.counts.empty();
    }

    const Problem& problem_;
    const CertificateOptions& options_;
    std::uint64_t work_;
    double goal_ = 0;
    CertificateFile file_;
};

}  // namespace

CertificateFile make_certificate(const Problem& problem,
                                 const Plan& plan,
                                 const CertificateOptions& options) {
    return CertificateMaker(problem, plan, options).run();
}

}  // namespace longhaul::placement
