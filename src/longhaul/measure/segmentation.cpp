#include "longhaul/measure/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/grid.hpp"

namespace longhaul::measure {
namespace {

constexpr std::size_t kFewestPoints = 2;  // of a segment

/// Least squares of the first j points in k segments, and where the last of these begins.
class Table {
public:
    Table(std::span<const Point> points, std::span<const double> sigma)
        : points_(points),
          sigma_(sigma),
          most_(std::clamp<std::size_t>(points.size() / kFewestPoints, 1, kMostSegments)),
          squares_(most_ + 1, points.size() + 1, std::numeric_limits<double>::infinity()),
          begins_(most_ + 1, points.size() + 1, 0) {
        const std::size_t fewest = points.size() < kFewestPoints ? 1 : kFewestPoints;
        for (std::size_t last = fewest; last <= points.size(); ++last) {
            squares_(1, last) = squares_of(0, last);
        }
        for (std::size_t k = 2; k <= most_; ++k) {
            for (std::size_t last = k * kFewestPoints; last <= points.size(); ++last) {
                fill(k, last);
            }
        }
    }

    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] double squares(std::size_t k) const { return squares_(k, points_.size()); }

    [[nodiscard]] std::vector<LineSegment> segments(std::size_t k) const {
        std::vector<LineSegment> found(k);
        std::size_t last = points_.size();
        for (std::size_t s = k; s >= 1; --s) {
            const std::size_t first = s == 1 ? 0 : begins_(s, last);
            found[s - 1] = {first, last, line_of(first, last)};
            last = first;
        }
        return found;
    }

private:
    [[nodiscard]] Line line_of(std::size_t first, std::size_t last) const {
        return relative_line(points_.subspan(first, last - first), first == 0);
    }
    [[nodiscard]] double squares_of(std::size_t first, std::size_t last) const {
        const Line line = line_of(first, last);
        double squares = 0;
        for (std::size_t i = first; i < last; ++i) {
            const double error = (line.at(points_[i].bytes) / points_[i].seconds - 1) / sigma_[i];
            squares += error * error;
        }
        return squares;
    }
    void fill(std::size_t k, std::size_t last) {
        for (std::size_t first = (k - 1) * kFewestPoints; first + kFewestPoints <= last; ++first) {
            if (squares_(k - 1, first) >= squares_(k, last)) {
                continue;
            }
            const double squares = squares_(k - 1, first) + squares_of(first, last);
            if (squares < squares_(k, last)) {
                squares_(k, last) = squares;
                begins_(k, last) = first;
            }
        }
    }

    std::span<const Point> points_;
    std::span<const double> sigma_;
    std::size_t most_;
    core::Grid<double> squares_;
    core::Grid<std::size_t> begins_;
};

}  // namespace

std::vector<LineSegment> divide(std::span<const Point> points, std::span<const double> sigma) {
    LONGHAUL_ASSERT(!points.empty() && points.size() == sigma.size());
    const Table table(points, sigma);
    const double price = std::log(static_cast<double>(points.size()));
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k <= table.most(); ++k) {
        const double bic = table.squares(k) + (3 * static_cast<double>(k) - 1) * price;
        if (bic < least) {
            least = bic;
            best = k;
        }
    }
    return table.segments(best);
}

}  // namespace longhaul::measure
