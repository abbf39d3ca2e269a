// What a proof knows of a set of chosen columns and of the devices that are left: lower bounds of
// both terms of the score.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "longhaul/placement/columns.hpp"
#include "longhaul/placement/shape.hpp"

namespace longhaul::placement {

/// Devices under one level.
struct Rest {
    Profile profile{};
    int isolated = 0;
};

/// What the chosen columns look like under one level.
struct Groups {
    std::vector<const ColumnProfile*>
        profiles;      // different ones of stages without isolated devices
    int isolated = 0;  // stages with isolated devices
};

/// Bounds of one problem over counts. The caller chooses columns and takes them back in reverse
/// order.
class CountBounds {
public:
    /// `costs` between classes of these sizes.
    CountBounds(const ClassCosts& costs, Shape shape, const std::vector<int>& sizes);

    [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
    [[nodiscard]] const Profile& all() const { return all_; }
    /// No edge costs less; 0 when there is no pair.
    [[nodiscard]] double cheapest_edge() const { return cheapest_edge_; }
    [[nodiscard]] const std::vector<std::pair<int, int>>& chosen() const { return chosen_; }

    /// Devices of each class seen under every level.
    [[nodiscard]] std::vector<Rest> rests_of(const Profile& counts) const;

    /// Data-parallel term of whatever stages hold the rest: the cheapest dp - 1 peers that each
    /// device can still have; the worst device counts. O(K^2).
    [[nodiscard]] double exchange_bound(const Profile& rest) const;

    /// Length of the path, at least, when `left` more stages hold the rest and none of them is a
    /// chosen column. Under one level, an edge is unbroken only inside a group of stages of equal
    /// profile without isolated devices; so with g groups and i stages with isolated devices at
    /// least g + i - 1 edges are broken.
    [[nodiscard]] double path_bound(std::span<const Rest> rests, int left);

    /// Takes a column for `times` stages. The columns must outlive the choice.
    void choose(const Columns& columns, int column, int times);
    void unchoose(const Columns& columns);

private:
    /// What the chosen columns look like under one level.
    struct Groups {
        std::vector<const ColumnProfile*> profiles;  // of stages without isolated devices
        int isolated = 0;                            // stages with isolated devices
    };
    static bool made_of(
        const Groups& groups, std::size_t i, const Profile& rest, int stages, std::size_t n);
    [[nodiscard]] int isolated_stages(const Rest& rest) const;
    [[nodiscard]] int root_breaks(std::size_t l);
    [[nodiscard]] int new_profiles(std::size_t l, const Rest& rest, int left);

    core::Grid<double> exchange_;
    std::vector<double> least_of_class_;  // when another exchange than the sharded one is asked for
    Shape shape_;
    std::size_t k_;
    std::vector<Level> levels_;
    ProfileCounter counter_;
    std::vector<std::vector<int>> nearest_;  // classes by exchange from each
    Profile all_{};
    double cheapest_edge_ = 0;
    std::vector<int> root_breaks_;             // by level
    std::vector<Groups> groups_;               // by level
    std::vector<std::pair<int, int>> chosen_;  // column, stages
};

}  // namespace longhaul::placement
