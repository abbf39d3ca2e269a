#include "longhaul/placement/class_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostLeaves = 1'500;
constexpr std::size_t kMostThirds = 64;
constexpr double kFirstTolerance = 0.02;

double relative(double a, double b) {
    const double larger = std::max(a, b);
    return larger > 0 ? std::abs(a - b) / larger : 0;
}

/// How much devices i and j differ as seen from a sample of third devices.
double difference(const Costs& costs, int i, int j, const std::vector<int>& thirds) {
    double sum = 0;
    int seen = 0;
    for (const int third : thirds) {
        if (third == i || third == j) {
            continue;
        }
        sum += relative(costs.pipeline(i, third), costs.pipeline(j, third)) +
               relative(costs.exchange(i, third), costs.exchange(j, third));
        ++seen;
    }
    return seen > 0 ? sum / seen : 0;
}

/// Devices of one kind, or of one tolerant class where there are too many kinds.
std::vector<std::vector<int>> leaves_of(const Costs& costs) {
    Classes classes = exact_classes(costs);
    for (double tolerance = kFirstTolerance; classes.size() > kMostLeaves; tolerance *= 2) {
        classes = tolerant_classes(costs, tolerance);
    }
    return std::move(classes.members);
}

}  // namespace

ClassTree::ClassTree(const Costs& costs)
    : devices_(costs.pipeline.size()), leaves_(leaves_of(costs)) {
    const std::size_t n = leaves_.size();
    std::vector<int> thirds;
    for (std::size_t i = 0; i < std::min(n, kMostThirds); ++i) {
        thirds.push_back(leaves_[i * n / std::min(n, kMostThirds)].back());
    }
    core::Grid<double> far(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            far(i, j) = far(j, i) =
                difference(costs, leaves_[i].front(), leaves_[j].front(), thirds);
        }
    }
    join_all(std::move(far));
}

/// The nearest pair of groups, again and again; each group remembers its nearest one.
void ClassTree::join_all(core::Grid<double> far) {
    const std::size_t n = leaves_.size();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<double> weight(n, 1);
    std::vector<std::size_t> nearest(n, n);
    const auto find_nearest = [&](std::size_t i) {
        nearest[i] = n;
        for (std::size_t j = 0; j < n; ++j) {
            if (j != i && weight[j] > 0 && (nearest[i] == n || far(i, j) < far(i, nearest[i]))) {
                nearest[i] = j;
            }
        }
    };
    for (std::size_t i = 0; i < n; ++i) {
        find_nearest(i);
    }
    for (std::size_t left = n; left > 1; --left) {
        const auto height_of = [&](std::size_t i) {
            return weight[i] > 0 ? far(i, nearest[i]) : kNever;
        };
        const std::size_t a = std::ranges::min(std::views::iota(std::size_t{0}, n), {}, height_of);
        const double height = height_of(a);
        const std::size_t keep = std::min(a, nearest[a]);
        const std::size_t gone = std::max(a, nearest[a]);
        joins_.push_back({keep, gone, height});
        const double all = weight[keep] + weight[gone];
        for (std::size_t j = 0; j < n; ++j) {
            far(keep, j) = far(j, keep) =
                (weight[keep] * far(keep, j) + weight[gone] * far(gone, j)) / all;
        }
        weight[keep] = all;
        weight[gone] = 0;
        if (left == 2) {
            break;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (weight[i] > 0 && (i == keep || nearest[i] == keep || nearest[i] == gone)) {
                find_nearest(i);
            }
        }
    }
}

Classes ClassTree::cut(std::size_t count) const {
    std::vector<std::size_t> home(leaves_.size());
    std::iota(home.begin(), home.end(), std::size_t{0});
    for (std::size_t i = 0; i + std::max<std::size_t>(count, 1) < leaves_.size(); ++i) {
        std::ranges::replace(home, joins_[i].b, joins_[i].a);
    }
    std::vector<std::size_t> leaf_of(devices_);
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
        for (const int device : leaves_[leaf]) {
            leaf_of[device] = leaf;
        }
    }
    Classes classes;
    std::vector<int> number(leaves_.size(), -1);
    for (std::size_t device = 0; device < devices_; ++device) {
        int& own = number[home[leaf_of[device]]];
        if (own < 0) {
            own = static_cast<int>(classes.members.size());
            classes.members.emplace_back();
        }
        classes.of_device.push_back(own);
        classes.members[own].push_back(static_cast<int>(device));
    }
    return classes;
}

std::size_t ClassTree::natural(std::size_t most) const {
    // joins_[n - k] leaves k - 1 classes of k.
    const std::size_t n = leaves_.size();
    std::size_t best = std::min(n, most);
    double widest = 0;
    for (std::size_t k = 2; k <= std::min(most, n - 1); ++k) {
        const double before = std::max(joins_[n - k - 1].height, 1e-12);
        const double ratio = joins_[n - k].height / before;
        if (ratio > widest) {
            widest = ratio;
            best = k;
        }
    }
    return best;
}

}  // namespace longhaul::placement
