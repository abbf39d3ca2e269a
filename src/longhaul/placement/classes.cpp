#include "longhaul/placement/classes.hpp"

#include <algorithm>
#include <map>

namespace longhaul::placement {
namespace {

constexpr std::size_t kComparedKinds = 512;
constexpr std::size_t kPairwiseMeans = 1'024;  // devices up to which means are over single pairs

/// The kinds of devices of a matrix, how many devices each has, and every stride-th to compare
/// with.
struct Kinds {
    explicit Kinds(const PairMatrix& costs) : of_device(costs.kind_of_device()) {
        members.resize(costs.kinds());
        for (std::size_t i = 0; i < of_device.size(); ++i) {
            members[of_device[i]].push_back(static_cast<int>(i));
        }
    }
    const std::vector<int>& of_device;
    std::vector<std::vector<int>> members;
};

/// Whether devices of kinds a and b have costs to all third devices within a factor 1 + tolerance.
bool alike(const core::Grid<double>& table,
           const Kinds& kinds,
           std::size_t a,
           std::size_t b,
           double tolerance,
           std::size_t stride) {
    const double* x = table.row(a).data();
    const double* y = table.row(b).data();
    const auto differ = [&](std::size_t k) {
        if (x[k] == y[k]) {
            return false;
        }
        const std::size_t own = (k == a ? 1U : 0U) + (k == b ? 1U : 0U);
        if (kinds.members[k].size() <= own) {
            return false;
        }
        return tolerance == 0 || std::max(x[k], y[k]) > std::min(x[k], y[k]) * (1 + tolerance);
    };
    // Hosts that are alike but for their inside differ there.
    if (stride == 1 && (differ(a) || differ(b))) {
        return false;
    }
    for (std::size_t k = 0; k < table.rows(); k += stride) {
        if (differ(k)) {
            return false;
        }
    }
    return true;
}

Classes group(const Costs& costs, double tolerance, std::size_t stride) {
    const Kinds kinds(costs.pipeline);
    LONGHAUL_ASSERT(costs.exchange.kind_of_device() == kinds.of_device);
    std::vector<std::size_t> first;  // kind that opened each class
    std::vector<int> class_of_kind(kinds.members.size(), -1);
    Classes classes;
    classes.exact = tolerance == 0;
    for (std::size_t device = 0; device < kinds.of_device.size(); ++device) {
        const std::size_t kind = kinds.of_device[device];
        int& home = class_of_kind[kind];
        if (home < 0) {
            const auto same = std::ranges::find_if(first, [&](std::size_t other) {
                return alike(costs.pipeline.table(), kinds, other, kind, tolerance, stride) &&
                       alike(costs.exchange.table(), kinds, other, kind, tolerance, stride);
            });
            home = static_cast<int>(same - first.begin());
            if (same == first.end()) {
                first.push_back(kind);
                classes.members.emplace_back();
            }
        }
        classes.of_device.push_back(home);
        classes.members[home].push_back(static_cast<int>(device));
    }
    return classes;
}

/// Kinds of the devices of a class, with how many there are of each.
std::vector<std::pair<int, int>> kinds_of_class(const PairMatrix& costs,
                                                const Classes& classes,
                                                std::size_t k) {
    std::map<int, int> devices;
    for (const int device : classes.members[k]) {
        ++devices[costs.kind_of_device()[device]];
    }
    return {devices.begin(), devices.end()};
}

/// Sum over the pairs of different devices of two classes.
double sum_by_kind(const PairMatrix& costs,
                   const std::vector<std::pair<int, int>>& left,
                   const std::vector<std::pair<int, int>>& right) {
    double sum = 0;
    for (const auto& [a, first] : left) {
        for (const auto& [b, second] : right) {
            // A kind is in one class only: twice the same means the same class.
            sum += costs.table()(a, b) * first * (second - (a == b ? 1 : 0));
        }
    }
    return sum;
}

double sum_between(const PairMatrix& costs, const Classes& classes, std::size_t a, std::size_t b) {
    if (costs.size() > kPairwiseMeans) {
        return sum_by_kind(
            costs, kinds_of_class(costs, classes, a), kinds_of_class(costs, classes, b));
    }
    double sum = 0;
    for (const int i : classes.members[a]) {
        for (const int j : classes.members[b]) {
            sum += costs(i, j);
        }
    }
    return sum;
}

core::Grid<double> mean_between(const PairMatrix& costs, const Classes& classes) {
    const std::size_t k = classes.size();
    core::Grid<double> mean(k, k, 0.0);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) {
            if (classes.exact) {
                const int device = classes.members[a].front();
                const int other = a == b ? classes.members[b].back() : classes.members[b].front();
                mean(a, b) = mean(b, a) = costs(device, other);
                continue;
            }
            const double sum = sum_between(costs, classes, a, b);
            const std::size_t pairs =
                classes.members[a].size() * (classes.members[b].size() - (a == b ? 1 : 0));
            mean(a, b) = mean(b, a) = pairs == 0 ? 0 : sum / static_cast<double>(pairs);
        }
    }
    return mean;
}

/// ways[k][r]: how many ways there are to leave out r devices of class k and those after it; above
/// `most`, most + 1. O(classes spare).
std::vector<std::vector<std::size_t>> count_choices(const Classes& classes,
                                                    std::size_t spare,
                                                    std::size_t most) {
    std::vector<std::vector<std::size_t>> ways(classes.size() + 1,
                                               std::vector<std::size_t>(spare + 1, 0));
    ways.back()[0] = 1;
    for (std::size_t k = classes.size(); k-- > 0;) {
        const std::size_t members = classes.members[k].size();
        for (std::size_t r = 0; r <= spare; ++r) {
            for (std::size_t count = 0; count <= std::min(r, members) && ways[k][r] <= most;
                 ++count) {
                ways[k][r] += ways[k + 1][r - count];
            }
            ways[k][r] = std::min(ways[k][r], most + 1);
        }
    }
    return ways;
}

/// Only prefixes that classes after them can complete: `ways` tells which.
void add_choices(const Classes& classes,
                 const std::vector<std::vector<std::size_t>>& ways,
                 std::size_t spare,
                 std::vector<int>& taken,
                 std::vector<std::vector<int>>& all) {
    const std::size_t k = taken.size();
    if (k == classes.size()) {
        all.push_back(taken);
        return;
    }
    for (std::size_t count = 0; count <= std::min(spare, classes.members[k].size()); ++count) {
        if (ways[k + 1][spare - count] > 0) {
            taken.push_back(static_cast<int>(count));
            add_choices(classes, ways, spare - count, taken, all);
            taken.pop_back();
        }
    }
}

}  // namespace

Classes exact_classes(const Costs& costs) {
    return group(costs, 0, 1);
}

Classes tolerant_classes(const Costs& costs, double tolerance) {
    return group(costs, tolerance, (costs.pipeline.kinds() + kComparedKinds - 1) / kComparedKinds);
}

ClassCosts class_costs(const Costs& costs, const Classes& classes) {
    return {mean_between(costs.pipeline, classes), mean_between(costs.exchange, classes)};
}

std::optional<std::vector<std::vector<int>>> left_out_choices(const Classes& classes,
                                                              int spare,
                                                              std::size_t most) {
    const auto open = static_cast<std::size_t>(spare);
    const std::vector<std::vector<std::size_t>> ways = count_choices(classes, open, most);
    if (ways.front()[open] > most) {
        return std::nullopt;
    }
    std::vector<int> taken;
    std::vector<std::vector<int>> all;
    if (ways.front()[open] > 0) {
        add_choices(classes, ways, open, taken, all);
    }
    return all;
}

}  // namespace longhaul::placement
