#include "longhaul/placement/certify.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/different_stages.hpp"
#include "longhaul/placement/proof_classes.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostWhenLate = 256;  // devices whose classes are merged after the time limit
constexpr double kRounding = 1e-12;  // sums of equal costs in another order may differ by this
constexpr std::size_t kMostClassified = 60'000;
constexpr std::size_t kManyDevices = 256;
constexpr std::uint64_t kWorkOfStageNode = 2'500;  // of 10 ns
constexpr std::uint64_t kMostStageNodes = 4'000;
constexpr std::uint64_t kLeastWorkOfStages = 1'000'000;  // its first nodes alone take this

class Certifier {
public:
    Certifier(const Problem& problem, double incumbent, const ProofOptions& options)
        : problem_(problem), incumbent_(incumbent), options_(options), work_(options.work) {
        certificate_.bound = elementary_bound(problem);
    }

    Certificate run() && {
        const Classes exact = exact_classes(problem_.costs);
        // Where stages are large, branch and bound over them is hopeless, and this is quick.
        const bool many = problem_.shape.devices() > kManyDevices;
        if (many) {
            count_different_stages(exact);
        }
        if (!proved()) {
            if (TableProof::applicable(problem_.shape, sizes_of_classes(exact))) {
                prove(exact);
            } else if (problem_.shape.devices() <= kMostClassified) {
                prove_merged();
            }
        }
        if (!many && !proved()) {
            count_different_stages(exact);
        }
        return std::move(certificate_);
    }

private:
    void raise(double value, const std::string& method) {
        if (value > certificate_.bound.value) {
            certificate_.bound.value = value;
            certificate_.bound.method = method;
        }
    }

    [[nodiscard]] bool proved() const { return certificate_.bound.value >= incumbent_; }

    void count_different_stages(const Classes& classes) {
        if (classes.size() > kMostDifferentClasses || options_.work < kLeastWorkOfStages) {
            return;
        }
        const double value =
            different_stages_bound(class_costs(problem_.costs, classes),
                                   problem_.shape,
                                   sizes_of_classes(classes),
                                   incumbent_,
                                   std::min(kMostStageNodes, options_.work / kWorkOfStageNode));
        raise(value >= incumbent_ * (1 - kRounding) ? incumbent_ : value,
              fmt::format("different stages over {} device classes", classes.size()));
    }

    void prove_merged() {
        if (problem_.devices() > kMostWhenLate && options_.stop && options_.stop()) {
            raise_by_leaders();  // what is below takes up to a second or two
            return;
        }
        const std::vector<RootedClasses> merged = merged_classes(problem_);
        if (merged.size() > 1) {
            raise_by_root(merged[1].classes, merged[1].bound);
        }
        prove(merged[0].classes);
    }

    void raise_by_leaders() {
        const LeaderBound found = leader_bound(problem_);
        raise(
            certificate_.bound.data_parallel + found.path,
            fmt::format("breaks of the path over least costs of {} classes", found.classes.size()));
    }

    [[nodiscard]] std::string view_of(const Classes& classes) const {
        if (classes.exact) {
            return fmt::format("{} device classes", classes.size());
        }
        return fmt::format("{} of {} classes",
                           tells_members(problem_, classes) ? "the members" : "least costs",
                           classes.size());
    }

    void raise_by_root(const Classes& classes, double root) {
        raise(root, "breaks of the path over " + view_of(classes));
    }

    void prove(const Classes& classes) {
        TableProof proof(table_model(problem_, classes), problem_.shape, sizes_of_classes(classes));
        raise_by_root(classes, proof.root_bound());
        if (work_ == 0 || certificate_.bound.value >= incumbent_) {
            return;
        }
        SliceLimits limits;
        limits.work = work_;
        limits.stop = options_.stop;
        const TableProofResult found = proof.run(incumbent_ * (1 - kRounding), limits);
        work_ -= std::min(work_, found.work);
        certificate_.bound.nodes += found.nodes;
        if (classes.exact && !found.counts.empty()) {
            certificate_.better = realise(found.counts, classes);
        }
        const bool all = found.bound >= incumbent_ * (1 - kRounding);
        raise(all ? incumbent_ : found.bound, "branch and bound over " + view_of(classes));
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
