#include "longhaul/placement/certify.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRounding = 1e-12;  // sums of equal costs in another order may differ by this
constexpr std::size_t kMostMembers = 1'024;  // beyond, only least costs between classes
constexpr double kBoundTolerances[] = {0.05, 0.12, 0.3, 0.7};

class Certifier {
public:
    Certifier(const Problem& problem, double incumbent, const ProofOptions& options)
        : problem_(problem), incumbent_(incumbent), options_(options) {
        certificate_.bound = elementary_bound(problem);
    }

    Certificate run() && {
        const Classes exact = exact_classes(problem_.costs);
        if (TableProof::applicable(problem_.shape, sizes_of(exact))) {
            prove(exact);
            return std::move(certificate_);
        }
        for (const double tolerance : kBoundTolerances) {
            const Classes classes = tolerant_classes(problem_.costs, tolerance);
            if (TableProof::applicable(problem_.shape, sizes_of(classes))) {
                prove(classes);
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

    void prove(const Classes& classes) {
        TableProof proof(model_of(classes), problem_.shape, sizes_of(classes));
        const std::string view = classes.exact
                                     ? fmt::format("{} device classes", classes.size())
                                     : fmt::format("the members of {} classes", classes.size());
        raise(proof.root_bound(), "breaks of the path over " + view);
        if (options_.work == 0 || certificate_.bound.value >= incumbent_) {
            return;
        }
        SliceLimits limits;
        limits.work = options_.work;
        limits.stop = options_.stop;
        const TableProofResult found = proof.run(incumbent_ * (1 - kRounding), limits);
        certificate_.bound.nodes = found.nodes;
        if (classes.exact && !found.counts.empty()) {
            certificate_.better = realise(found.counts, classes);
        }
        const bool all = found.bound >= incumbent_ * (1 - kRounding);
        raise(all ? incumbent_ : found.bound, "branch and bound over " + view);
    }

    const Problem& problem_;
    double incumbent_;
    const ProofOptions& options_;
    Certificate certificate_;
};

}  // namespace

Certificate certify(const Problem& problem, double incumbent, const ProofOptions& options) {
    return Certifier(problem, incumbent, options).run();
}

}  // namespace longhaul::placement
