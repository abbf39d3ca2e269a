#include "longhaul/report/places.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <queue>

#include "longhaul/core/assert.hpp"

namespace longhaul::report {
namespace {

using Column = std::vector<double>;

constexpr int kMostIterations = 3000;
constexpr double kConverged = 1e-13;
constexpr double kOffAxis = 1e-6;  // share of the widest

double norm(const Column& v) {
    double sum = 0;
    for (const double x : v) {
        sum += x * x;
    }
    return std::sqrt(sum);
}

/// -1/2 of the squared distances, rows and columns centred.
core::Grid<double> centred(const core::Grid<double>& distance) {
    const std::size_t n = distance.rows();
    core::Grid<double> b(n, n);
    Column mean(n, 0);
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            b(i, j) = -distance(i, j) * distance(i, j) / 2;
            mean[i] += b(i, j) / static_cast<double>(n);
        }
        all += mean[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            b(i, j) += all - mean[i] - mean[j];
        }
    }
    return b;
}

/// So much that b + shift has no negative eigenvalue (Gershgorin).
double shift_of(const core::Grid<double>& b) {
    double shift = 0;
    for (std::size_t i = 0; i < b.rows(); ++i) {
        double radius = 0;
        for (std::size_t j = 0; j < b.rows(); ++j) {
            radius += i == j ? 0 : std::abs(b(i, j));
        }
        shift = std::max(shift, radius - b(i, i));
    }
    return shift;
}

Column product(const core::Grid<double>& b, const Column& v, double shift) {
    Column result(v.size(), 0);
    for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t j = 0; j < v.size(); ++j) {
            result[i] += b(i, j) * v[j];
        }
        result[i] += shift * v[i];
    }
    return result;
}

/// Coordinates along the direction with the largest eigenvalue, which is taken out of b; all 0 when
/// it is not positive.
Column widest(core::Grid<double>& b) {
    const std::size_t n = b.rows();
    const double shift = shift_of(b);
    Column v(n);
    for (std::size_t i = 0; i < n; ++i) {
        // Fixed and without a pattern: a multiple of the golden ratio, less its whole part.
        const double x = static_cast<double>(i + 1) * (std::numbers::phi - 1);
        v[i] = x - std::floor(x) - 0.5;
    }
    double value = 0;
    for (int k = 0; k < kMostIterations; ++k) {
        Column next = product(b, v, shift);
        const double length = norm(next);
        if (!(length > 0)) {
            return Column(n, 0);
        }
        double change = 0;
        for (std::size_t i = 0; i < n; ++i) {
            next[i] /= length;
            change = std::max(change, std::abs(next[i] - v[i]));
        }
        v = std::move(next);
        value = length - shift;
        if (change < kConverged) {
            break;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            b(i, j) -= value * v[i] * v[j];
        }
    }
    const double scale = value > 0 ? std::sqrt(value) : 0;
    for (double& x : v) {
        x *= scale;
    }
    return v;
}

/// The first that is off the axis becomes negative: to the left, and above.
void orient(Column& v, double wide) {
    const auto off =
        std::ranges::find_if(v, [&](double x) { return std::abs(x) > kOffAxis * wide; });
    if (off != v.end() && *off > 0) {
        std::ranges::transform(v, v.begin(), std::negate<>());
    }
}

bool usable(const core::Grid<double>& distance) {
    const auto finite = [](double d) { return std::isfinite(d) && d >= 0; };
    const auto cells = distance.cells();
    return !distance.empty() && std::ranges::all_of(cells, finite) &&
           std::ranges::any_of(cells, [](double d) { return d > 0; });
}

struct Extent {
    double low = 0;
    double high = 0;
};

Extent extent_of(const std::vector<Point>& points, double Point::* axis) {
    Extent extent{points[0].*axis, points[0].*axis};
    for (const Point& point : points) {
        extent.low = std::min(extent.low, point.*axis);
        extent.high = std::max(extent.high, point.*axis);
    }
    return extent;
}

/// Moves two points apart along their line; equal ones along a direction of their own. True when
/// something moved.
bool part(std::vector<Point>& points, std::size_t i, std::size_t j, double gap) {
    double x = points[j].x - points[i].x;
    double y = points[j].y - points[i].y;
    double distance = std::sqrt(x * x + y * y);
    if (distance >= gap) {
        return false;
    }
    const double push = (gap - distance) / 2 + 1e-3;
    if (distance < 1e-6) {
        const double turn = 2.4 * static_cast<double>(i + j);
        x = std::cos(turn);
        y = std::sin(turn);
        distance = 1;
    }
    points[i].x -= push * x / distance;
    points[i].y -= push * y / distance;
    points[j].x += push * x / distance;
    points[j].y += push * y / distance;
    return true;
}

double cross(Point o, Point a, Point b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

}  // namespace

std::vector<Point> places_by_distance(const core::Grid<double>& distance) {
    LONGHAUL_ASSERT(distance.rows() == distance.columns());
    if (!usable(distance)) {
        return {};
    }
    core::Grid<double> b = centred(distance);
    Column x = widest(b);
    Column y = widest(b);
    const double wide = norm(x);
    if (!(wide > 0)) {
        return {};
    }
    orient(x, wide);
    orient(y, wide);
    std::vector<Point> places;
    for (std::size_t i = 0; i < x.size(); ++i) {
        places.push_back({x[i], y[i]});
    }
    return places;
}

std::vector<Point> places_on_circle(std::size_t points) {
    std::vector<Point> places;
    for (std::size_t i = 0; i < points; ++i) {
        const double turn =
            2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(points);
        places.push_back({std::sin(turn), -std::cos(turn)});
    }
    return places;
}

core::Grid<double> path_lengths(std::size_t nodes,
                                std::size_t ends,
                                const std::vector<PlaneLink>& links) {
    constexpr double kNoPath = std::numeric_limits<double>::infinity();
    std::vector<std::vector<std::pair<std::size_t, double>>> next(nodes);
    for (const PlaneLink& link : links) {
        next[link.a].emplace_back(link.b, link.length);
        next[link.b].emplace_back(link.a, link.length);
    }
    core::Grid<double> lengths(ends, ends, kNoPath);
    for (std::size_t from = 0; from < ends; ++from) {
        Column reached(nodes, kNoPath);
        reached[from] = 0;
        using Entry = std::pair<double, std::size_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        queue.emplace(0.0, from);
        while (!queue.empty()) {
            const auto [length, node] = queue.top();
            queue.pop();
            if (length > reached[node]) {
                continue;
            }
            for (const auto& [to, step] : next[node]) {
                if (length + step < reached[to]) {
                    reached[to] = length + step;
                    queue.emplace(reached[to], to);
                }
            }
        }
        std::copy_n(reached.begin(), ends, lengths.row(from).begin());
    }
    return lengths;
}

void place_between(std::vector<Point>& places,
                   std::size_t placed,
                   const std::vector<PlaneLink>& links) {
    constexpr int kSweeps = 200;
    LONGHAUL_ASSERT(placed <= places.size());
    Point middle;
    for (std::size_t i = 0; i < placed; ++i) {
        middle.x += places[i].x / static_cast<double>(placed);
        middle.y += places[i].y / static_cast<double>(placed);
    }
    std::fill(places.begin() + static_cast<std::ptrdiff_t>(placed), places.end(), middle);
    for (int sweep = 0; sweep < kSweeps && placed < places.size(); ++sweep) {
        std::vector<Point> sum(places.size());
        Column count(places.size(), 0);
        for (const PlaneLink& link : links) {
            for (const auto& [at, other] : {std::pair{link.a, link.b}, {link.b, link.a}}) {
                sum[at].x += places[other].x;
                sum[at].y += places[other].y;
                ++count[at];
            }
        }
        for (std::size_t i = placed; i < places.size(); ++i) {
            if (count[i] > 0) {
                places[i] = {sum[i].x / count[i], sum[i].y / count[i]};
            }
        }
    }
}

std::vector<Point> fitted(std::vector<Point> points, Size size, double gap, double stretch) {
    constexpr int kSweeps = 400;
    if (points.empty()) {
        return points;
    }
    const Extent x = extent_of(points, &Point::x);
    const Extent y = extent_of(points, &Point::y);
    double wide = std::max(x.high - x.low, y.high - y.low);
    wide = wide > 0 ? wide : 1;
    double across = size.width / std::max(x.high - x.low, 1e-9 * wide);
    double down = size.height / std::max(y.high - y.low, 1e-9 * wide);
    const double least = std::min(across, down);
    across = std::min(across, stretch * least);
    down = std::min(down, stretch * least);
    for (Point& point : points) {
        point = {size.width / 2 + across * (point.x - (x.low + x.high) / 2),
                 size.height / 2 + down * (point.y - (y.low + y.high) / 2)};
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        bool moved = false;
        for (std::size_t j = 1; j < points.size(); ++j) {
            for (std::size_t i = 0; i < j; ++i) {
                moved = part(points, i, j, gap) || moved;
            }
        }
        for (Point& point : points) {
            point = {std::clamp(point.x, 0.0, size.width), std::clamp(point.y, 0.0, size.height)};
        }
        if (!moved) {
            break;
        }
    }
    return points;
}

std::vector<Point> convex_hull(std::vector<Point> points) {
    std::ranges::sort(points, [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    if (points.size() < 3) {
        return points;
    }
    std::vector<Point> hull;
    const auto add = [&](Point point, std::size_t least) {
        while (hull.size() >= least + 2 &&
               cross(hull[hull.size() - 2], hull[hull.size() - 1], point) <= 0) {
            hull.pop_back();
        }
        hull.push_back(point);
    };
    for (const Point& point : points) {
        add(point, 0);
    }
    const std::size_t lower = hull.size();
    for (std::size_t i = points.size() - 1; i-- > 0;) {
        add(points[i], lower - 1);
    }
    hull.pop_back();
    return hull;
}

}  // namespace longhaul::report
