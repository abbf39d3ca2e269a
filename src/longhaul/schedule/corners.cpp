#include "longhaul/schedule/detail/corners.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kMostLooks = 60;  ///< at all corners, for one point
constexpr std::size_t kMostSteps = 60;  ///< among those in use, after each look
constexpr float kWorthwhile = 0.2F;     ///< of what is missing, to be gained by a step
/// Of numbers near one in single precision, what a dot product may be off by.
constexpr float kRounding = 2e-6F;

/// A mean of corners that is moved towards a point.
class Approach {
public:
    /// Near, or a plane lies between, or neither is known: then the point may become a corner, too.
    enum class End : std::uint8_t { kNear, kSeparated, kGaveUp };

    Approach(const PointSet& corners, std::size_t dimensions)
        : corners_(corners), dimensions_(dimensions) {}

    End move_to(const Point& point, float near, double& work) {
        const auto cost = static_cast<double>(corners_.size() * dimensions_);
        if (used_.empty()) {
            away_ = difference({}, point);
            work -= cost;
            used_.push_back({corners_.at(corners_.least(away_).at), 1});
            mean_ = used_.front().corner;
        }
        for (std::size_t look = 0; look < kMostLooks; ++look) {
            shift_among_used(point, near, work);
            if (off_ <= near) {
                add_up(point);
                return End::kNear;
            }
            work -= cost;
            const PointSet::Least least = corners_.least(away_);
            if (least.value - dot(away_, point) > near * off_ + kRounding) {
                return End::kSeparated;
            }
            if (least.value > dot(away_, mean_) - kRounding) {
                return End::kGaveUp;
            }
            used_.push_back({corners_.at(least.at), 0});
        }
        return End::kGaveUp;
    }

    [[nodiscard]] float off() const { return off_; }
    [[nodiscard]] const Point& away() const { return away_; }

private:
    struct Used {
        Point corner;
        float weight;
    };

    static Point difference(const Point& a, const Point& b) {
        Point way{};
        for (std::size_t d = 0; d < kMostDimensions; ++d) {
            way[d] = a[d] - b[d];
        }
        return way;
    }

    /// The mean anew from its weights: steps round.
    void add_up(const Point& point) {
        float sum = 0;
        mean_ = {};
        for (const Used& one : used_) {
            sum += one.weight;
            for (std::size_t d = 0; d < kMostDimensions; ++d) {
                mean_[d] += one.weight * one.corner[d];
            }
        }
        for (float& number : mean_) {
            number /= sum;
        }
        away_ = difference(mean_, point);
        off_ = std::sqrt(dot(away_, away_));
    }

    /// Moves weight from the worst corner in use to the best, as long as that pays.
    void shift_among_used(const Point& point, float near, double& work) {
        for (std::size_t step = 0; step < kMostSteps; ++step) {
            away_ = difference(mean_, point);
            off_ = std::sqrt(dot(away_, away_));
            if (off_ <= near) {
                return;
            }
            work -= static_cast<double>(used_.size() * dimensions_);
            Used* worst = nullptr;
            Used* best = nullptr;
            float most = -INFINITY;
            float least = INFINITY;
            for (Used& one : used_) {
                const float value = dot(away_, one.corner);
                if (value > most && one.weight > 0) {
                    most = value;
                    worst = &one;
                }
                if (value < least) {
                    least = value;
                    best = &one;
                }
            }
            const Point way = difference(best->corner, worst->corner);
            const float length = dot(way, way);
            // What is to be gained among these is little beside what is missing.
            if (most - least < kWorthwhile * off_ * off_ || length < kRounding) {
                return;
            }
            const float shift = std::min(worst->weight, (most - least) / length);
            for (std::size_t d = 0; d < kMostDimensions; ++d) {
                mean_[d] += shift * way[d];
            }
            worst->weight -= shift;
            best->weight += shift;
        }
    }

    const PointSet& corners_;
    std::size_t dimensions_;
    std::vector<Used> used_;
    Point mean_{};
    Point away_{};  ///< from the point to the mean
    float off_ = 0;
};

}  // namespace

float dot(const Point& a, const Point& b) {
    float sum = 0;
    for (std::size_t d = 0; d < kMostDimensions; ++d) {
        sum += a[d] * b[d];
    }
    return sum;
}

void PointSet::add(const Point& point) {
    const std::size_t place = size_ % kLane;
    if (place == 0) {
        lanes_.resize(lanes_.size() + dimensions_);
    }
    Lane* lane = &lanes_[lanes_.size() - dimensions_];
    for (std::size_t d = 0; d < dimensions_; ++d) {
        if (place == 0) {
            lane[d].fill(point[d]);
        } else {
            lane[d][place] = point[d];
        }
    }
    ++size_;
}

Point PointSet::at(std::size_t k) const {
    LONGHAUL_ASSERT(k < size_);
    Point point{};
    for (std::size_t d = 0; d < dimensions_; ++d) {
        point[d] = lanes_[k / kLane * dimensions_ + d][k % kLane];
    }
    return point;
}

PointSet::Least PointSet::least(const Point& direction) const {
    LONGHAUL_ASSERT(size_ > 0);
    Lane best;
    best.fill(INFINITY);
    std::array<std::uint32_t, kLane> where{};
    for (std::size_t lane = 0; lane * dimensions_ < lanes_.size(); ++lane) {
        Lane sum{};
        for (std::size_t d = 0; d < dimensions_; ++d) {
            const Lane& numbers = lanes_[lane * dimensions_ + d];
            for (std::size_t r = 0; r < kLane; ++r) {
                sum[r] += direction[d] * numbers[r];
            }
        }
        for (std::size_t r = 0; r < kLane; ++r) {
            where[r] = sum[r] < best[r] ? static_cast<std::uint32_t>(lane) : where[r];
            best[r] = std::min(best[r], sum[r]);
        }
    }
    const std::size_t r = static_cast<std::size_t>(std::ranges::min_element(best) - best.begin());
    const std::size_t at = where[r] * kLane + r;
    // Places behind the last point hold the first of their lane again.
    return {at < size_ ? at : at - r, best[r]};
}

std::optional<Corners> find_corners(const std::vector<Point>& cloud,
                                    std::size_t dimensions,
                                    float near,
                                    double& work,
                                    const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(!cloud.empty() && near > 0 && dimensions <= kMostDimensions);
    PointSet all(dimensions);
    std::vector<float> length;
    for (const Point& point : cloud) {
        all.add(point);
        length.push_back(dot(point, point));
    }
    // Points far out are likely to be corners.
    std::vector<std::size_t> order(cloud.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return length[k]; });
    Corners found;
    PointSet corners(dimensions);
    std::vector<bool> is_corner(cloud.size(), false);
    const auto add = [&](std::size_t k) {
        is_corner[k] = true;
        corners.add(cloud[k]);
        found.points.push_back(cloud[k]);
    };
    add(order.front());
    for (const std::size_t k : order) {
        Approach approach(corners, dimensions);
        while (!is_corner[k]) {
            if (work <= 0 || (stop && stop())) {
                return std::nullopt;
            }
            const Approach::End end = approach.move_to(cloud[k], near, work);
            if (end == Approach::End::kNear) {
                found.off = std::max(found.off, approach.off());
                break;
            }
            std::size_t next = k;
            if (end == Approach::End::kSeparated) {
                work -= static_cast<double>(cloud.size() * dimensions);
                const std::size_t behind = all.least(approach.away()).at;
                next = is_corner[behind] ? k : behind;
            }
            add(next);
        }
    }
    return found;
}

}  // namespace longhaul::schedule::detail
