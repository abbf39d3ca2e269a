#include "longhaul/placement/classes.hpp"

#include <algorithm>

namespace longhaul::placement {
namespace {

constexpr std::size_t kComparedDevices = 512;

/// Whether devices i and j have costs to all third devices within a factor 1 + tolerance.
bool alike(const core::Grid<double>& costs, int i, int j, double tolerance, std::size_t stride) {
    const double* a = costs.row(i).data();
    const double* b = costs.row(j).data();
    for (std::size_t k = 0; k < costs.rows(); k += stride) {
        if (k == static_cast<std::size_t>(i) || k == static_cast<std::size_t>(j) || a[k] == b[k]) {
            continue;
        }
        if (tolerance == 0 || std::max(a[k], b[k]) > std::min(a[k], b[k]) * (1 + tolerance)) {
            return false;
        }
    }
    return true;
}

Classes group(const Costs& costs, double tolerance, std::size_t stride) {
    Classes classes;
    classes.exact = tolerance == 0;
    const auto n = static_cast<int>(costs.pipeline.rows());
    for (int device = 0; device < n; ++device) {
        const auto home =
            std::ranges::find_if(classes.members, [&](const std::vector<int>& members) {
                return alike(costs.pipeline, members.front(), device, tolerance, stride) &&
                       alike(costs.exchange, members.front(), device, tolerance, stride);
            });
        classes.of_device.push_back(static_cast<int>(home - classes.members.begin()));
        if (home == classes.members.end()) {
            classes.members.push_back({device});
        } else {
            home->push_back(device);
        }
    }
    return classes;
}

core::Grid<double> mean_between(const core::Grid<double>& costs, const Classes& classes) {
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
            double sum = 0;
            for (const int i : classes.members[a]) {
                for (const int j : classes.members[b]) {
                    sum += costs(i, j);
                }
            }
            const std::size_t pairs =
                classes.members[a].size() * (classes.members[b].size() - (a == b ? 1 : 0));
            mean(a, b) = mean(b, a) = pairs == 0 ? 0 : sum / static_cast<double>(pairs);
        }
    }
    return mean;
}

}  // namespace

Classes exact_classes(const Costs& costs) {
    return group(costs, 0, 1);
}

Classes tolerant_classes(const Costs& costs, double tolerance) {
    return group(
        costs, tolerance, (costs.pipeline.rows() + kComparedDevices - 1) / kComparedDevices);
}

Costs class_costs(const Costs& costs, const Classes& classes) {
    return {mean_between(costs.pipeline, classes), mean_between(costs.exchange, classes)};
}

}  // namespace longhaul::placement
