#include "longhaul/placement/dendrogram.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// Average distances between live clusters, with the nearest partner of each.
class Linkage {
public:
    explicit Linkage(core::Grid<double> distance)
        : distance_(std::move(distance)), size_(distance_.rows(), 1), live_(distance_.rows()) {
        std::iota(live_.begin(), live_.end(), 0);
        nearest_.resize(live_.size());
        for (const int i : live_) {
            find_nearest(i);
        }
    }

    /// Merges the closest two; returns their slots, the first of which holds the union.
    std::pair<int, int> merge_closest() {
        int a = live_.front();
        for (const int i : live_) {
            if (distance_(i, nearest_[i]) < distance_(a, nearest_[a])) {
                a = i;
            }
        }
        const int b = nearest_[a];
        const int keep = std::min(a, b);
        const int drop = std::max(a, b);
        live_.erase(std::ranges::find(live_, drop));
        for (const int i : live_) {
            if (i != keep) {
                const double mean =
                    (size_[keep] * distance_(keep, i) + size_[drop] * distance_(drop, i)) /
                    (size_[keep] + size_[drop]);
                distance_(keep, i) = distance_(i, keep) = mean;
            }
        }
        size_[keep] += size_[drop];
        for (const int i : live_) {
            if (i == keep || nearest_[i] == keep || nearest_[i] == drop) {
                find_nearest(i);
            }
        }
        return {keep, drop};
    }

private:
    void find_nearest(int i) {
        double best = kFar;
        for (const int j : live_) {
            if (j != i && distance_(i, j) < best) {
                best = distance_(i, j);
                nearest_[i] = j;
            }
        }
    }

    core::Grid<double> distance_;
    std::vector<double> size_;
    std::vector<int> live_;
    std::vector<int> nearest_;
};

}  // namespace

Dendrogram::Dendrogram(const core::Grid<double>& costs) : leaves_(costs.rows()) {
    LONGHAUL_ASSERT(leaves_ >= 1);
    std::vector<int> cluster_of_slot(leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) {
        clusters_.push_back({static_cast<int>(i)});
        cluster_of_slot[i] = static_cast<int>(i);
    }
    Linkage linkage(costs);
    for (std::size_t step = 1; step < leaves_; ++step) {
        const auto [keep, drop] = linkage.merge_closest();
        const Merge merge{cluster_of_slot[keep], cluster_of_slot[drop]};
        clusters_.push_back(joined(clusters_[merge.left], clusters_[merge.right], costs));
        cluster_of_slot[keep] = static_cast<int>(clusters_.size() - 1);
        merges_.push_back(merge);
    }
}

std::vector<int> Dendrogram::joined(const std::vector<int>& left,
                                    const std::vector<int>& right,
                                    const core::Grid<double>& costs) const {
    const std::vector<int> left_back(left.rbegin(), left.rend());
    const std::vector<int> right_back(right.rbegin(), right.rend());
    const std::vector<int>* best_left = &left;
    const std::vector<int>* best_right = &right;
    double best = kFar;
    for (const auto* a : {&left, &left_back}) {
        for (const auto* b : {&right, &right_back}) {
            if (costs(a->back(), b->front()) < best) {
                best = costs(a->back(), b->front());
                best_left = a;
                best_right = b;
            }
        }
    }
    std::vector<int> all = *best_left;
    all.insert(all.end(), best_right->begin(), best_right->end());
    return all;
}

std::vector<std::vector<int>> Dendrogram::cut(std::size_t count) const {
    LONGHAUL_ASSERT(count >= 1 && count <= leaves_);
    std::vector<int> open{static_cast<int>(clusters_.size() - 1)};
    while (open.size() < count) {
        // The latest merge still open is the farthest apart.
        const auto latest = std::ranges::max_element(open);
        const Merge merge = merges_[*latest - static_cast<int>(leaves_)];
        *latest = merge.left;
        open.push_back(merge.right);
    }
    std::vector<int> position(leaves_);
    const std::vector<int> order = leaf_order();
    for (std::size_t i = 0; i < order.size(); ++i) {
        position[order[i]] = static_cast<int>(i);
    }
    std::vector<std::vector<int>> parts;
    for (const int cluster : open) {
        parts.push_back(clusters_[cluster]);
        std::ranges::sort(parts.back(), {}, [&](int leaf) { return position[leaf]; });
    }
    std::ranges::sort(
        parts, {}, [&](const std::vector<int>& part) { return position[part.front()]; });
    return parts;
}

std::vector<int> nearest_neighbour_tour(const core::Grid<double>& costs, int start) {
    std::vector<char> seen(costs.rows(), 0);
    std::vector<int> tour{start};
    seen[start] = 1;
    while (tour.size() < costs.rows()) {
        int nearest = -1;
        for (int i = 0; i < static_cast<int>(costs.rows()); ++i) {
            if (seen[i] == 0 &&
                (nearest < 0 || costs(tour.back(), i) < costs(tour.back(), nearest))) {
                nearest = i;
            }
        }
        seen[nearest] = 1;
        tour.push_back(nearest);
    }
    return tour;
}

}  // namespace longhaul::placement
