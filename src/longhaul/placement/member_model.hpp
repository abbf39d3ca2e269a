// Bounds of tables whose classes hold devices that differ: what some choice of members must cost.
#pragma once

#include <map>

#include "longhaul/placement/pair_limits.hpp"
#include "longhaul/placement/table_model.hpp"

namespace longhaul::placement {

/// Least costs between the members of classes; inside a class between two of them, 0 when it has
/// one. O(n^2).
[[nodiscard]] ClassCosts least_costs(const Costs& costs, const Classes& classes);

/// For any classes of at most kMaxPackedClasses. With the same devices everywhere these bounds are
/// those of ExactTable. Source: docs/mathematics/placement.md, "Where all devices differ".
class MemberTable final : public TableModel {
public:
    MemberTable(const Costs& costs, const Classes& classes, Shape shape);

    [[nodiscard]] bool exact() const override { return false; }
    [[nodiscard]] const ClassCosts& least() const override { return least_; }
    [[nodiscard]] double root_exchange() const override { return root_exchange_; }
    [[nodiscard]] std::uint64_t exchange_work() const override;
    [[nodiscard]] double exchange(const StageCounts& counts, int times) const override;
    [[nodiscard]] double exchange_of(std::span<const StageUse> stages) override;
    [[nodiscard]] double edge(const StageCounts& a, const StageCounts& b) override;
    [[nodiscard]] const std::vector<PathLevel>& levels() const override { return levels_; }

private:
    [[nodiscard]] double seconds(int device, std::size_t own, const StageCounts& counts) const;
    [[nodiscard]] double deal(std::size_t a, std::span<const StageUse> stages) const;
    [[nodiscard]] bool paired(const StageCounts& a, const StageCounts& b, double price) const;
    [[nodiscard]] int open_pairs(std::size_t a, std::size_t b, double price) const;
    void sum_nearest(const Costs& costs);
    void price_pairs(const Costs& costs);
    void find_levels(const Costs& costs);
    [[nodiscard]] std::vector<double> thresholds(const Costs& costs) const;
    [[nodiscard]] PathLevel level_below(const Costs& costs, double from, double next) const;

    const Classes& classes_;
    Shape shape_;
    std::size_t k_;
    std::vector<int> sizes_;
    ClassCosts least_;
    double root_exchange_ = 0;
    std::vector<std::size_t> offset_;  // of each class in the sums of a device
    core::Grid<double> nearest_;  // (device, offset + u): its u cheapest exchanges with a class
    core::Grid<std::vector<double>> prices_;  // of 1, 2, … disjoint pairs between classes
    std::vector<double> all_prices_;          // ascending
    std::vector<PathLevel> levels_;
    std::map<std::pair<StageCounts, StageCounts>, double> edges_;
};

}  // namespace longhaul::placement
