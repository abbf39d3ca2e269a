#include "longhaul/placement/proof_classes.hpp"

#include <algorithm>
#include <limits>

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

Classes leader_classes(const Costs& costs, std::size_t count) {
    const core::Grid<double>& pairs = costs.pipeline.table();
    const std::size_t kinds = pairs.rows();
    std::vector<double> nearest(kinds, std::numeric_limits<double>::infinity());
    std::vector<int> home(kinds, 0);
    std::size_t leader = 0;
    for (int k = 0; k < static_cast<int>(std::min(count, kinds)) && nearest[leader] > 0; ++k) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            const double cost = kind == leader ? 0 : pairs(leader, kind);
            if (cost < nearest[kind]) {
                nearest[kind] = cost;
                home[kind] = k;
            }
        }
        leader = static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin());
    }
    Classes classes;
    std::vector<int> number(count, -1);  // kinds without devices leave no hole
    for (std::size_t device = 0; device < costs.pipeline.size(); ++device) {
        int& own = number[home[costs.pipeline.kind_of_device()[device]]];
        if (own < 0) {
            own = static_cast<int>(classes.members.size());
            classes.members.emplace_back();
        }
        classes.of_device.push_back(own);
        classes.members[own].push_back(static_cast<int>(device));
    }
    return classes;
}

LeaderBound leader_bound(const Problem& problem) {
    LeaderBound found{leader_classes(problem.costs, kMaxPackedClasses), 0};
    const std::vector<int> sizes = sizes_of_classes(found.classes);
    const ExactTable table(least_costs(problem.costs, found.classes), problem.shape, sizes);
    found.path = TableBounds(table, problem.shape, sizes).root();
    return found;
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
