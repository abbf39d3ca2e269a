#include "longhaul/placement/proof_classes.hpp"

#include <algorithm>

#include "longhaul/placement/class_tree.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostMembers = 1'024;  // beyond, only least costs between classes
constexpr double kClearlyBetter = 1.1;       // more classes cost more work

RootedClasses rooted(const Problem& problem, Classes classes) {
    const double bound =
        TableProof(table_model(problem, classes), problem.shape, sizes_of_classes(classes))
            .root_bound();
    return {std::move(classes), bound};
}

}  // namespace

std::vector<int> sizes_of_classes(const Classes& classes) {
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    return sizes;
}

bool tells_members(const Problem& problem, const Classes& classes) {
    return !classes.exact && problem.devices() <= kMostMembers;
}

std::unique_ptr<TableModel> table_model(const Problem& problem, const Classes& classes) {
    if (tells_members(problem, classes)) {
        return std::make_unique<MemberTable>(problem.costs, classes, problem.shape);
    }
    return std::make_unique<ExactTable>(
        classes.exact ? class_costs(problem.costs, classes) : least_costs(problem.costs, classes),
        problem.shape,
        sizes_of_classes(classes));
}

std::vector<RootedClasses> merged_classes(const Problem& problem) {
    const ClassTree tree(problem.costs);
    std::vector<RootedClasses> chosen{rooted(problem, tree.cut(tree.natural(kMaxPackedClasses)))};
    Classes most = tree.cut(kMaxPackedClasses);
    if (most.size() != chosen.front().classes.size()) {
        chosen.push_back(rooted(problem, std::move(most)));
        if (chosen[1].bound > chosen[0].bound * kClearlyBetter) {
            std::swap(chosen[0], chosen[1]);
        }
    }
    return chosen;
}

}  // namespace longhaul::placement
