#include "longhaul/schedule/detail/least_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kInLeaf = 16;
constexpr double kBoxWork = 4;  ///< of a pair of boxes, in numbers added, for each dimension

/// Points in nested boxes.
class BoxTree {
public:
    struct Box {
        Point low;
        Point high;
        std::uint32_t first;  ///< of its points
        std::uint32_t end;
        std::uint32_t left = 0;  ///< halves, next to each other; zero: a leaf
    };

    BoxTree(const std::vector<Point>& points, std::size_t dimensions)
        : dimensions_(dimensions), points_(points) {
        boxes_.reserve(4 * points.size() / kInLeaf + 2);
        boxes_.push_back(around(0, points.size()));
        for (std::size_t box = 0; box < boxes_.size(); ++box) {
            divide(box);
        }
    }

    [[nodiscard]] const Box& box(std::size_t at) const { return boxes_[at]; }
    [[nodiscard]] const Point& point(std::size_t at) const { return points_[at]; }

private:
    [[nodiscard]] Box around(std::size_t first, std::size_t end) const {
        Box box{points_[first],
                points_[first],
                static_cast<std::uint32_t>(first),
                static_cast<std::uint32_t>(end)};
        for (std::size_t p = first + 1; p < end; ++p) {
            for (std::size_t d = 0; d < dimensions_; ++d) {
                box.low[d] = std::min(box.low[d], points_[p][d]);
                box.high[d] = std::max(box.high[d], points_[p][d]);
            }
        }
        return box;
    }

    /// Halves the points along the longest edge.
    void divide(std::size_t at) {
        const Box box = boxes_[at];
        if (box.end - box.first <= kInLeaf) {
            return;
        }
        std::size_t longest = 0;
        for (std::size_t d = 1; d < dimensions_; ++d) {
            if (box.high[d] - box.low[d] > box.high[longest] - box.low[longest]) {
                longest = d;
            }
        }
        const std::size_t middle = box.first + (box.end - box.first) / 2;
        const auto begin = points_.begin();
        std::nth_element(begin + static_cast<std::ptrdiff_t>(box.first),
                         begin + static_cast<std::ptrdiff_t>(middle),
                         begin + static_cast<std::ptrdiff_t>(box.end),
                         [&](const Point& x, const Point& y) { return x[longest] < y[longest]; });
        boxes_[at].left = static_cast<std::uint32_t>(boxes_.size());
        boxes_.push_back(around(box.first, middle));
        boxes_.push_back(around(middle, box.end));
    }

    std::size_t dimensions_;
    std::vector<Point> points_;
    std::vector<Box> boxes_;
};

class BoxSearch {
public:
    BoxSearch(const BoxTree& a,
              const BoxTree& b,
              std::size_t dimensions,
              double& work,
              const std::function<bool()>& stop)
        : a_(a), b_(b), dimensions_(dimensions), work_(work), stop_(stop) {}

    std::optional<float> least() {
        if (!look(0, 0)) {
            return std::nullopt;
        }
        return least_;
    }

private:
    /// At least every product of points of these boxes.
    [[nodiscard]] float bound(const BoxTree::Box& x, const BoxTree::Box& y) const {
        float sum = 0;
        for (std::size_t d = 0; d < dimensions_; ++d) {
            sum += std::min(std::min(x.low[d] * y.low[d], x.low[d] * y.high[d]),
                            std::min(x.high[d] * y.low[d], x.high[d] * y.high[d]));
        }
        return sum;
    }

    bool look(std::size_t at_a, std::size_t at_b) {
        const BoxTree::Box& x = a_.box(at_a);
        const BoxTree::Box& y = b_.box(at_b);
        if (x.left == 0 && y.left == 0) {
            return look_at_points(x, y);
        }
        // The larger one is opened, its better half first.
        const bool open_a = y.left == 0 || (x.left != 0 && x.end - x.first >= y.end - y.first);
        const std::size_t left = open_a ? x.left : y.left;
        std::array<float, 2> bounds{};
        for (std::size_t half = 0; half < 2; ++half) {
            bounds[half] = open_a ? bound(a_.box(left + half), y) : bound(x, b_.box(left + half));
        }
        work_ -= 2 * kBoxWork * static_cast<double>(dimensions_);
        const std::size_t better = bounds[1] < bounds[0] ? 1 : 0;
        for (const std::size_t half : {better, 1 - better}) {
            if (bounds[half] < least_ &&
                !look(open_a ? left + half : at_a, open_a ? at_b : left + half)) {
                return false;
            }
        }
        return true;
    }

    bool look_at_points(const BoxTree::Box& x, const BoxTree::Box& y) {
        for (std::size_t i = x.first; i < x.end; ++i) {
            for (std::size_t j = y.first; j < y.end; ++j) {
                least_ = std::min(least_, dot(a_.point(i), b_.point(j)));
            }
        }
        work_ -= static_cast<double>(x.end - x.first) *
                 static_cast<double>((y.end - y.first) * dimensions_);
        return work_ > 0 && !(stop_ && stop_());
    }

    const BoxTree& a_;
    const BoxTree& b_;
    std::size_t dimensions_;
    double& work_;
    const std::function<bool()>& stop_;
    float least_ = INFINITY;
};

}  // namespace

std::optional<float> least_product(const std::vector<Point>& a,
                                   const std::vector<Point>& b,
                                   std::size_t dimensions,
                                   double& work,
                                   const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(!a.empty() && !b.empty() && dimensions <= kMostDimensions);
    const BoxTree tree_a(a, dimensions);
    const BoxTree tree_b(b, dimensions);
    return BoxSearch(tree_a, tree_b, dimensions, work, stop).least();
}

}  // namespace longhaul::schedule::detail
