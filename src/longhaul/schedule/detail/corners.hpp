// A few of many points, such that all others are near to a mean of these.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace longhaul::schedule::detail {

inline constexpr std::size_t kMostDimensions = 10;
/// Coordinates that are not used are zero.
using Point = std::array<float, kMostDimensions>;

[[nodiscard]] float dot(const Point& a, const Point& b);

/// Points in lanes, to be asked for the least dot product with a direction.
class PointSet {
public:
    explicit PointSet(std::size_t dimensions) : dimensions_(dimensions) {}

    void add(const Point& point);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Point at(std::size_t k) const;

    struct Least {
        std::size_t at = 0;
        float value = 0;
    };
    /// O(size dimensions).
    [[nodiscard]] Least least(const Point& direction) const;

private:
    static constexpr std::size_t kLane = 16;  ///< points together, so that loops unroll
    using Lane = std::array<float, kLane>;

    std::size_t dimensions_;
    std::size_t size_ = 0;
    std::vector<Lane> lanes_;  ///< [lane][coordinate]; the last is filled up with its first point
};

/// Corners of a cloud of points.
struct Corners {
    std::vector<Point> points;
    float off = 0;  ///< every point of the cloud is at most so far from a mean of these
};

/// Corners such that no point is farther off than `near` (but for rounding); nothing when work or
/// `stop` end it. Points that a plane separates from the corners found so far bring in the farthest
/// behind that plane (Clarkson, More output-sensitive geometric algorithms, 1994); distances by
/// pairwise Frank-Wolfe steps. `work` (numbers added) is lowered by what was used: about points *
/// steps * corners * dimensions.
[[nodiscard]] std::optional<Corners> find_corners(const std::vector<Point>& cloud,
                                                  std::size_t dimensions,
                                                  float near,
                                                  double& work,
                                                  const std::function<bool()>& stop);

}  // namespace longhaul::schedule::detail
