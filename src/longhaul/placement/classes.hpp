// Device classes: devices that the fabric cannot tell apart, exactly or within a tolerance.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

struct Classes {
    std::vector<int> of_device;             ///< class of each device
    std::vector<std::vector<int>> members;  ///< devices of each class, ascending
    bool exact = false;                     ///< swapping two members changes no cost at all
    [[nodiscard]] std::size_t size() const { return members.size(); }
};

/// Classes of devices i, j with equal costs to every third device; members are then
/// interchangeable in any placement. O(kinds^2 + kinds K) for K classes when most comparisons end
/// early.
[[nodiscard]] Classes exact_classes(const Costs& costs);

/// Classes whose members' costs to every third device agree with those of the first member within
/// a factor 1 + tolerance. Above 512 devices a fixed sample of third devices is compared. O(n K s).
[[nodiscard]] Classes tolerant_classes(const Costs& costs, double tolerance);

/// K x K costs between classes; the diagonal holds the cost inside a class, 0 for a class of one.
struct ClassCosts {
    core::Grid<double> pipeline;
    core::Grid<double> exchange;
    /// Seconds of a stage group (devices of each class) under another exchange than the sharded
    /// one; empty: sums of `exchange` tell.
    std::function<double(std::span<const int>)> group{};
    std::vector<double> least_of_class{};  ///< with `group`: bound of a group that holds a class
};

/// Means over the pairs of devices (the common value when exact).
[[nodiscard]] ClassCosts class_costs(const Costs& costs, const Classes& classes);

/// Every way to leave out `spare` devices, as devices left out of each class; nothing when there
/// are more than `most`. They are counted first: O(classes spare (largest class)), then O(ways
/// classes).
[[nodiscard]] std::optional<std::vector<std::vector<int>>> left_out_choices(const Classes& classes,
                                                                            int spare,
                                                                            std::size_t most);

}  // namespace longhaul::placement
