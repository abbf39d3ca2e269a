#include "longhaul/placement/dendrogram.hpp"

#include <set>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

using Parts = std::set<std::set<int>>;

/// Average linkage from its definition: the mean of all pair costs, anew at every step. O(n^4).
std::vector<Parts> naive_cuts(const core::Grid<double>& costs) {
    std::vector<std::set<int>> open;
    for (int i = 0; i < static_cast<int>(costs.rows()); ++i) {
        open.push_back({i});
    }
    std::vector<Parts> cuts{Parts(open.begin(), open.end())};
    while (open.size() > 1) {
        double best = std::numeric_limits<double>::infinity();
        std::pair<std::size_t, std::size_t> closest;
        for (std::size_t a = 0; a < open.size(); ++a) {
            for (std::size_t b = a + 1; b < open.size(); ++b) {
                double sum = 0;
                for (const int i : open[a]) {
                    for (const int j : open[b]) {
                        sum += costs(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
                    }
                }
                const double mean = sum / static_cast<double>(open[a].size() * open[b].size());
                if (mean < best) {
                    best = mean;
                    closest = {a, b};
                }
            }
        }
        open[closest.first].merge(open[closest.second]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(closest.second));
        cuts.emplace_back(open.begin(), open.end());
    }
    return cuts;
}

Parts parts_of(const std::vector<std::vector<int>>& cut) {
    Parts parts;
    for (const std::vector<int>& part : cut) {
        parts.emplace(part.begin(), part.end());
    }
    return parts;
}

TEST(Dendrogram, EqualsAverageLinkageFromItsDefinition) {
    // Costs without ties: with them the order of merges is free.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(12, i);
        const std::size_t n = 1 + instance.random.index(14);
        const core::Grid<double> costs = random_costs(n, 0, false, instance.random);
        const Dendrogram dendrogram(costs);
        const std::vector<Parts> cuts = naive_cuts(costs);
        for (std::size_t count = 1; count <= n; ++count) {
            ASSERT_EQ(parts_of(dendrogram.cut(count)), cuts[n - count]) << i << " into " << count;
        }
    }
}

TEST(Dendrogram, CutsAreStretchesOfTheLeafOrder) {
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(13, i);
        const std::size_t n = 1 + instance.random.index(20);
        const Dendrogram dendrogram(
            random_costs(n, instance.levels, instance.equal_rows, instance.random));
        for (std::size_t count = 1; count <= n; ++count) {
            const auto cut = dendrogram.cut(count);
            ASSERT_EQ(cut.size(), count);
            std::vector<int> joined;
            for (const std::vector<int>& part : cut) {
                ASSERT_FALSE(part.empty());
                joined.insert(joined.end(), part.begin(), part.end());
            }
            ASSERT_EQ(joined, dendrogram.leaf_order());
        }
        std::vector<int> sorted = dendrogram.leaf_order();
        std::ranges::sort(sorted);
        ASSERT_EQ(sorted, testing::counted(n));
    }
}

TEST(Dendrogram, PointsOnALineComeOutInTheirOrder) {
    // Clusters of points on a line are stretches of it, and nearer ends face each other.
    for (int i = 0; i < 50; ++i) {
        testing::Instance instance(14, i);
        std::vector<double> place(2 + instance.random.index(20));
        for (double& x : place) {
            x = instance.random.uniform();
        }
        core::Grid<double> costs(place.size(), place.size());
        for (std::size_t a = 0; a < place.size(); ++a) {
            for (std::size_t b = 0; b < place.size(); ++b) {
                costs(a, b) = std::abs(place[a] - place[b]);
            }
        }
        const std::vector<int> order = Dendrogram(costs).leaf_order();
        const auto by_place = [&](int leaf) { return place[static_cast<std::size_t>(leaf)]; };
        ASSERT_TRUE(std::ranges::is_sorted(order, {}, by_place) ||
                    std::ranges::is_sorted(order, std::greater<>(), by_place));
    }
}

TEST(NearestNeighbourTour, GoesToTheNearest) {
    // Places 0, 10, 1, 4 on a line, from node 3 (at 4): 1 is 3 away, then 0, then 10.
    const double place[] = {0, 10, 1, 4};
    core::Grid<double> costs(4, 4);
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
            costs(a, b) = std::abs(place[a] - place[b]);
        }
    }
    EXPECT_EQ(nearest_neighbour_tour(costs, 3), (std::vector<int>{3, 2, 0, 1}));
    EXPECT_EQ(nearest_neighbour_tour(core::Grid<double>(1, 1, 0.0), 0), std::vector<int>{0});
}

}  // namespace
}  // namespace longhaul::placement
