#include "longhaul/placement/path.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// best[mask * p + v] = shortest path over exactly the nodes of mask that ends in v. Rows are as
/// wide as kMaxExactStages, so that the inner loop has a length that the compiler knows.
std::vector<double> path_table(const core::Grid<double>& edges, std::size_t p) {
    constexpr auto kWidth = static_cast<std::size_t>(kMaxExactStages);
    std::array<std::array<double, kWidth>, kWidth> rows{};
    for (std::size_t u = 0; u < p; ++u) {
        std::ranges::copy(edges.row(u), rows[u].begin());
    }
    const std::size_t masks = std::size_t{1} << p;
    std::vector<double> best(masks * p, kInfinity);
    for (std::size_t v = 0; v < p; ++v) {
        best[(std::size_t{1} << v) * p + v] = 0;
    }
    std::array<double, kWidth> next{};
    for (std::size_t mask = 1; mask + 1 < masks; ++mask) {
        const double* here = &best[mask * p];
        next.fill(kInfinity);
        for (std::size_t held = mask; held != 0; held &= held - 1) {
            const auto u = static_cast<std::size_t>(std::countr_zero(held));
            const double base = here[u];
            const std::array<double, kWidth>& row = rows[u];
            for (std::size_t v = 0; v < kWidth; ++v) {
                const double length = base + row[v];
                next[v] = length < next[v] ? length : next[v];
            }
        }
        for (std::size_t open = ~mask & (masks - 1); open != 0; open &= open - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(open));
            best[(mask | std::size_t{1} << v) * p + v] = next[v];
        }
    }
    return best;
}

}  // namespace

Path directed_held_karp(const core::Grid<double>& edges) {
    const std::size_t p = edges.rows();
    LONGHAUL_ASSERT(p >= 1 && p <= static_cast<std::size_t>(kMaxExactStages));
    LONGHAUL_ASSERT(edges.columns() == p);
    const std::vector<double> best = path_table(edges, p);
    std::size_t mask = (std::size_t{1} << p) - 1;
    const auto last = best.end() - static_cast<std::ptrdiff_t>(p);
    auto node = static_cast<std::size_t>(std::min_element(last, best.end()) - last);
    Path path{last[static_cast<std::ptrdiff_t>(node)], {}};
    while (true) {
        path.order.push_back(static_cast<int>(node));
        const double length = best[mask * p + node];
        mask &= ~(std::size_t{1} << node);
        if (mask == 0) {
            break;
        }
        std::size_t before = 0;
        // The table holds exactly these sums, so the comparison is of equal computations.
        while ((mask >> before & 1U) == 0 ||
               best[mask * p + before] + edges(before, node) != length) {
            ++before;
            LONGHAUL_ASSERT(before < p);
        }
        node = before;
    }
    std::ranges::reverse(path.order);  // found from the end
    return path;
}

Path held_karp(const core::Grid<double>& edges) {
    Path path = directed_held_karp(edges);
    if (path.order.front() > path.order.back()) {
        std::ranges::reverse(path.order);
    }
    return path;
}

core::Result<Path> shortest_path(const core::Grid<double>& edges) {
    const auto p = static_cast<int>(edges.rows());
    if (p > kMaxExactStages) {
        return core::fail({"", "stages", too_many_stages(p), too_many_stages_fix()});
    }
    return held_karp(edges);
}

std::string too_many_stages(int pp) {
    return fmt::format(
        "{} stages, and the exact path over stages is limited to {}", pp, kMaxExactStages);
}

std::string too_many_stages_fix() {
    return fmt::format("use at most {} stages: fewer and larger stages (lower pp, higher dp)",
                       kMaxExactStages);
}

}  // namespace longhaul::placement
