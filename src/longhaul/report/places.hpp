// Where things that are known by their distances lie on paper.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/report/svg.hpp"

namespace longhaul::report {

/// Points whose distances come close to the given ones: classical scaling (Torgerson,
/// Psychometrika 17, 1952), the two widest directions by power iteration. The wider lies along x;
/// the first point that is off an axis lies to the left of it, and above (y downwards). Empty
/// without points, or when a distance is not finite or all are 0. `distance`: n x n, symmetric.
/// O(n^2 iterations), at most 3000 of them.
[[nodiscard]] std::vector<Point> places_by_distance(const core::Grid<double>& distance);

/// Evenly on a circle of radius 1 around the origin, from the top, clockwise.
[[nodiscard]] std::vector<Point> places_on_circle(std::size_t points);

/// Lengths of shortest paths between the first `ends` nodes over undirected links, infinite where
/// there is none. O(ends links log links).
struct PlaneLink {
    std::size_t a = 0;
    std::size_t b = 0;
    double length = 0;  ///< >= 0
};
[[nodiscard]] core::Grid<double> path_lengths(std::size_t nodes,
                                              std::size_t ends,
                                              const std::vector<PlaneLink>& links);

/// Nodes behind the placed ones go to the middle of their neighbours; those that no path joins to a
/// placed one to the middle of all. O(nodes + links) a sweep, 200 sweeps.
void place_between(std::vector<Point>& places,
                   std::size_t placed,
                   const std::vector<PlaneLink>& links);

/// Points scaled into a rectangle from the origin and moved apart until neighbours are about `gap`
/// pixels from each other, as far as there is room. `stretch`: how much wider one axis may be
/// scaled than the other, >= 1. O(points^2) a sweep, at most 400 sweeps.
[[nodiscard]] std::vector<Point> fitted(std::vector<Point> points,
                                        Size size,
                                        double gap,
                                        double stretch);

/// Corners of the convex hull, in order (Andrew's monotone chain). O(n log n).
[[nodiscard]] std::vector<Point> convex_hull(std::vector<Point> points);

}  // namespace longhaul::report
