#include "longhaul/placement/make_certificate.hpp"

#include <algorithm>
#include <map>

#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr double kSameSums = 1e-12;  // equal costs summed in another order may differ by this
constexpr double kLogTolerances[] = {0, 0.05, 0.12, 0.3, 0.7};
constexpr double kLogTargets[] = {0.5, 0.7, 0.8, 0.9, 0.95};  // of the way from root to goal
constexpr int kLogSlices = 20;
constexpr std::size_t kMostLogStages = 1'500'000;
constexpr std::uint64_t kCheckFactor = 10;  // a log that takes longer to check is not handed out

/// The finest classes that branch and bound can handle; empty when there are none.
Classes provable_classes(const Problem& problem) {
    for (const double tolerance : kLogTolerances) {
        Classes classes = tolerance == 0 ? exact_classes(problem.costs)
                                         : tolerant_classes(problem.costs, tolerance);
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        if (TableProof::applicable(problem.shape, sizes)) {
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
        for (const std::vector<int>& members : classes.members) {
            sizes_.push_back(static_cast<int>(members.size()));
        }
        ExactTable model(least_costs(problem_.costs, classes), problem_.shape, sizes_);
        TableBounds bounds(model, problem_.shape, sizes_);
        root_path_ = bounds.root();
        const BoundProof base{ProofKind::kBreaks, classes.exact, classes.of_device, {}};
        carry(model.root_exchange() + root_path_, base);
        if (reached() || work_ == 0 || problem_.shape.dp > kMaxStageDevices ||
            log_run(model, base, goal_, work_ / 2)) {
            return;
        }
        const double start = file_.bound;
        for (const double part : kLogTargets) {
            if (!log_run(model, base, start + part * (goal_ - start), work_)) {
                return;
            }
        }
    }

    /// Excludes everything below the target, or below the optimum over the classes when that is
    /// less, slice by slice, and carries the log. False when no higher target can be reached.
    bool log_run(TableModel& model, const BoundProof& base, double target, std::uint64_t work) {
        BoundProof proof = base;
        proof.kind = ProofKind::kTree;
        const double low = model.root_exchange();
        const double high = target - root_path_;
        const std::optional<StageList> stages =
            StageList::list(model, sizes_, problem_.shape.dp, high, kMostLogStages, work / 4);
        if (!stages) {
            return false;
        }
        TableSearch search(model, *stages, problem_.shape, sizes_);
        const std::uint64_t end = work_ - std::min(work_, work);
        for (int i = 0; i < kLogSlices; ++i) {
            SliceLog log;
            log.floor = low + (high - low) * i / kLogSlices;
            log.cap = i + 1 == kLogSlices ? high : low + (high - low) * (i + 1) / kLogSlices;
            SliceLimits limits;
            limits.work = work_ - std::min(work_, end);
            limits.stop = options_.proof.stop;
            limits.log = &log;
            limits.most_nodes = options_.most_nodes - proof.log.nodes();
            const SliceResult result =
                search.run({log.floor, log.cap, i == 0}, target * (1 - kSameSums), limits);
            work_ -= std::min(work_, result.work);
            if (!result.complete) {
                return false;
            }
            if (!result.counts.empty()) {
                // The optimum over the classes is lower: no target above it can be excluded.
                if (result.value < target * (1 - 2 * kSameSums)) {
                    log_run(model, base, result.value, work_);
                }
                return false;
            }
            proof.log.slices.push_back(std::move(log));
        }
        number_columns(*stages, proof.log);
        carry(target, std::move(proof));
        return true;
    }

    /// From stages of a list to columns of the log.
    void number_columns(const StageList& stages, ProofLog& log) const {
        std::map<int, int> numbers;
        for (SliceLog& slice : log.slices) {
            for (SliceLog::Node& node : slice.nodes) {
                const auto [at, added] =
                    numbers.emplace(node.column, static_cast<int>(log.columns.size()));
                if (added) {
                    const StageCounts& counts = stages.counts(node.column);
                    log.columns.emplace_back(
                        counts.begin(),
                        counts.begin() + static_cast<std::ptrdiff_t>(sizes_.size()));
                }
                node.column = at->second;
            }
        }
    }

    const Problem& problem_;
    const CertificateOptions& options_;
    std::uint64_t work_;
    double goal_ = 0;
    std::vector<int> sizes_;  // of the classes
    double root_path_ = 0;
    CertificateFile file_;
};

}  // namespace

CertificateFile make_certificate(const Problem& problem,
                                 const Plan& plan,
                                 const CertificateOptions& options) {
    return CertificateMaker(problem, plan, options).run();
}

}  // namespace longhaul::placement
