// What the checker of certificates knows of classes whose members differ: what some choice of
// members must cost, straight from the costs of the devices. Plain code of its own.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_row.hpp"

namespace longhaul::placement {

class ReplayMembers {
public:
    /// The costs must outlive it. O(n^2 log n) and the prices of all pairs of classes.
    ReplayMembers(const Costs& costs, std::span<const int> class_of_device, Shape shape);

    /// Some device has its dp - 1 cheapest peers at best.
    [[nodiscard]] double least_exchange() const { return least_exchange_; }

    /// Worst device of `times` stages that hold these devices: of a class at least the one that is
    /// the (times row[a])-th when each has the cheapest peers that the row allows. O(n K).
    [[nodiscard]] double exchange(const ReplayRow& row, int times) const;

    /// Worst device when every device of a class is dealt to one of the places that all these
    /// stages have for the class, in the best way.
    [[nodiscard]] double exchange_of(std::span<const std::pair<ReplayRow, int>> stages) const;

    /// The least threshold under which the devices of two stages can be paired so that no two
    /// classes have more pairs than they have disjoint pairs of members. Infinite when none does.
    [[nodiscard]] double edge(const ReplayRow& a, const ReplayRow& b) const;

    /// Devices of a class that can have partners of their own in pairs below a cost.
    [[nodiscard]] int partners(std::size_t a, double below) const;
    /// Chains of pairs below a cost that cover all devices of these classes, at least.
    [[nodiscard]] int chains(std::span<const std::size_t> classes, double below) const;

private:
    [[nodiscard]] double with_cheapest_peers(int device,
                                             std::size_t own,
                                             const ReplayRow& row) const;
    [[nodiscard]] double deal(std::size_t a,
                              std::span<const std::pair<ReplayRow, int>> stages) const;
    [[nodiscard]] bool paired(const ReplayRow& a, const ReplayRow& b, double threshold) const;
    [[nodiscard]] core::Grid<double> pairs_of(std::size_t a, std::size_t b) const;
    void find_cheapest_peers();
    void find_prices();

    const Costs* costs_;
    Shape shape_;
    std::vector<std::vector<int>> members_;
    /// Of a device and a class: seconds of its 0, 1, 2, … cheapest exchanges there.
    std::vector<std::vector<std::vector<double>>> peers_;
    /// Of two classes: the least threshold under which they have 1, 2, … disjoint pairs.
    std::vector<std::vector<std::vector<double>>> prices_;
    std::vector<double> thresholds_;  ///< all prices, rising
    double least_exchange_ = 0;
};

}  // namespace longhaul::placement
