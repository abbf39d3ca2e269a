#include "longhaul/placement/certify.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/class_tree.hpp"
#include "longhaul/placement/different_stages.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostWhenLate = 256;  // devices whose classes are merged after the time limit
constexpr double kRounding = 1e-12;  // sums of equal costs in another order may differ by this
constexpr std::size_t kMostMembers = 1'024;  // beyond, only least costs between classes
constexpr std::size_t kMostClassified = 60'000;
constexpr double kClearlyBetter = 1.1;  // more classes cost more work
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
            if (TableProof::applicable(problem_.shape, sizes_of(exact))) {
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

    [[nodiscard]] bool proved() const { return certificate_.bound.value >= incumbent_; }

    void count_different_stages(const Classes& classes) {
        if (classes.size() > kMostDifferentClasses || options_.work < kLeastWorkOfStages) {
            return;
        }
        const double value =
            different_stages_bound(class_costs(problem_.costs, classes),
                                   problem_.shape,
                                   sizes_of(classes),
                                   incumbent_,
                                   std::min(kMostStageNodes, options_.work / kWorkOfStageNode));
        raise(value >= incumbent_ * (1 - kRounding) ? incumbent_ : value,
              fmt::format("different stages over {} device classes", classes.size()));
    }

    std::unique_ptr<TableModel> model_of(const Classes& classes) {
        if (classes.exact) {
            return std::make_unique<ExactTable>(
                class_costs(problem_.costs, classes), problem_.shape, sizes_of(classes));
        }
        if (problem_.devices() <= kMostMembers) {
            return std::make_unique<MemberTable>(problem_.costs, classes, problem_.shape);
        }
        return std::make_unique<ExactTable>(
            least_costs(problem_.costs, classes), problem_.shape, sizes_of(classes));
    }

    /// Too many exact classes: those into which the fabric falls apart, or as many as can be
    /// handled when these have the better bound without branching.
    void prove_merged() {
        if (problem_.devices() > kMostWhenLate && options_.stop && options_.stop()) {
            return;  // this takes up to a second or two
        }
        const ClassTree tree(problem_.costs);
        const Classes natural = tree.cut(tree.natural(kMaxPackedClasses));
        const Classes most = tree.cut(kMaxPackedClasses);
        if (natural.size() == most.size()) {
            prove(natural);
            return;
        }
        std::uint64_t none = 0;
        std::swap(work_, none);
        const double coarse = prove(natural);
        const double fine = prove(most);
        std::swap(work_, none);
        prove(fine > coarse * kClearlyBetter ? most : natural);
    }

    /// Returns the bound without branching.
    double prove(const Classes& classes) {
        TableProof proof(model_of(classes), problem_.shape, sizes_of(classes));
        const std::string view = classes.exact
                                     ? fmt::format("{} device classes", classes.size())
                                     : fmt::format("the members of {} classes", classes.size());
        const double root = proof.root_bound();
        raise(root, "breaks of the path over " + view);
        if (work_ == 0 || certificate_.bound.value >= incumbent_) {
            return root;
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
        raise(all ? incumbent_ : found.bound, "branch and bound over " + view);
        return root;
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
