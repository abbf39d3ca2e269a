#include "longhaul/schedule/detail/contrast_floors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/least_product.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Of so many points no corners are looked for.
constexpr std::size_t kFewPoints = 200;
/// How near to a mean of corners points are left out; of more points, which would have many
/// corners, at a higher price.
constexpr float kNearOfFew = 0.001F;
constexpr std::size_t kManyPoints = 20'000;
constexpr float kNearOfMany = 0.016F;
constexpr std::size_t kMostPoints = 2'000'000;
/// Of putting a round behind a point, in numbers added, for each island.
constexpr double kApplyPoint = 3;

void sort_at(float* numbers, const std::vector<std::size_t>& places) {
    for (std::size_t k = 1; k < places.size(); ++k) {
        for (std::size_t at = k; at > 0 && numbers[places[at]] < numbers[places[at - 1]]; --at) {
            std::swap(numbers[places[at]], numbers[places[at - 1]]);
        }
    }
}

}  // namespace

ContrastFloors::ContrastFloors(const RoundTable& table, const Twins& twins, Contrast contrast)
    : table_(&table), contrast_(std::move(contrast)) {
    LONGHAUL_ASSERT(contrast_.size() == table.n && table.n <= kMostDimensions);
    double mean = 0;
    std::map<std::pair<std::uint8_t, std::int8_t>, std::vector<std::size_t>> classes;
    for (std::size_t i = 0; i < table.n; ++i) {
        mean += table.share[i] * contrast_[i];
        classes[{twins[i], contrast_[i]}].push_back(i);
    }
    for (auto& [of, members] : classes) {
        if (members.size() > 1) {
            twins_.push_back(std::move(members));
        }
    }
    Point first{};
    for (std::size_t i = 0; i < table.n; ++i) {
        const double root = std::sqrt(table.share[i]);
        root_[i] = static_cast<float>(root);
        first[i] = static_cast<float>(root * (contrast_[i] - mean));
    }
    levels_.push_back({{first}, 0, {}, 0});
}

bool ContrastFloors::find_corners_of(Level& level,
                                     double& work,
                                     const std::function<bool()>& stop) const {
    if (level.points.size() <= kFewPoints || !level.corners.empty()) {
        return true;
    }
    const float near = level.points.size() > kManyPoints ? kNearOfMany : kNearOfFew;
    std::optional<Corners> found = find_corners(level.points, table_->n, near, work, stop);
    if (!found) {
        return false;
    }
    level.corners = std::move(found->points);
    level.farther = found->off;
    return true;
}

std::vector<Point> ContrastFloors::after_one_more(const std::vector<Point>& before,
                                                  double& work) const {
    const std::vector<std::uint32_t> rounds = table_->rounds_at(levels_.size() == 1);
    const std::size_t n = table_->n;
    std::vector<float> means(table_->cliques.size());
    std::vector<float> list;
    Distinct distinct(n);
    for (const Point& point : before) {
        for (std::size_t c = 0; c < means.size(); ++c) {
            float sum = 0;
            for (const std::size_t member : table_->members[c]) {
                sum += root_[member] * point[member];
            }
            means[c] = sum / static_cast<float>(table_->mass[c]);
        }
        for (const std::uint32_t round : rounds) {
            list.resize(list.size() + n);
            float* after = &list[list.size() - n];
            for (const std::uint32_t id : table_->cliques_of(round)) {
                for (const std::size_t member : table_->members[id]) {
                    // Numbers that are told apart lie in [0, 1], contrasts less their mean in
                    // [-2, 2].
                    after[member] = 0.5F + 0.25F * means[id];
                }
            }
            for (const std::vector<std::size_t>& members : twins_) {
                sort_at(after, members);
            }
            (void)distinct.keep_last(list);
        }
        work -= kApplyPoint * static_cast<double>(table_->size() * n);
        if (work <= 0 || list.size() > kMostPoints * n) {
            return {};
        }
    }
    std::vector<Point> points(list.size() / n, Point{});
    for (std::size_t p = 0; p < points.size(); ++p) {
        for (std::size_t i = 0; i < n; ++i) {
            points[p][i] = root_[i] * (4 * list[p * n + i] - 2);
        }
    }
    return points;
}

bool ContrastFloors::list(std::size_t length, double& work, const std::function<bool()>& stop) {
    while (levels_.size() <= length) {
        Level& last = levels_.back();
        if (!find_corners_of(last, work, stop)) {
            return false;
        }
        std::vector<Point> points =
            after_one_more(last.corners.empty() ? last.points : last.corners, work);
        if (points.empty()) {
            return false;
        }
        levels_.push_back({std::move(points), last.off + last.farther, {}, 0});
    }
    return true;
}

Point ContrastFloors::turned(const Point& point) const {
    Point with = point;
    for (const std::vector<std::size_t>& members : twins_) {
        for (std::size_t k = 0; k < members.size(); ++k) {
            with[members[k]] = point[members[members.size() - 1 - k]];
        }
    }
    return with;
}

double ContrastFloors::least(std::size_t length, double& work, const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(length >= 1);
    if (!list(length - length / 2, work, stop)) {
        return 0;
    }
    const Level& earlier = levels_[length / 2];
    const Level& later = levels_[length - length / 2];
    std::vector<Point> turned_round;
    for (const Point& point : earlier.points) {
        turned_round.push_back(turned(point));
    }
    const std::optional<float> product =
        least_product(turned_round, later.points, table_->n, work, stop);
    if (!product) {
        return 0;
    }
    // Rounds make nothing longer than the contrast is.
    const Point& first = levels_.front().points.front();
    const float price =
        (earlier.off + later.off) * std::sqrt(dot(first, first)) + earlier.off * later.off;
    return std::max(0.0, static_cast<double>(*product - price) / table_->start - kGrainsInError);
}

}  // namespace longhaul::schedule::detail
