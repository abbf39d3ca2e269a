// What a proof over tables of counts knows of costs: lower bounds of single stages, of pairs of
// stages and of whole tables. Exact where devices of a class are equal; see member_model.hpp for
// classes whose members differ.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/counts.hpp"
#include "longhaul/placement/levels.hpp"
#include "longhaul/placement/shape.hpp"

namespace longhaul::placement {

/// Devices of each class in one stage; bytes, since a stage holds at most kMaxStageDevices.
using StageCounts = std::array<std::uint8_t, kMaxPackedClasses>;

/// Equal stages of a table.
struct StageUse {
    StageCounts counts{};
    int times = 0;
};

/// What holds of path edges that cost less than `next`. Two adjacent stages with such an edge hold
/// equally many devices of every component of `structure`.
struct PathLevel {
    Level structure;  ///< classes joined by pairs that cost less than structure.next
    /// A stage that holds more devices of a class than this has no such edge.
    std::array<std::uint16_t, kMaxPackedClasses> reach{};
    /// Paths of such pairs that cover each component, at least (1 when a single path may do).
    std::array<std::uint16_t, kMaxPackedClasses> cover{};
    [[nodiscard]] double width() const { return structure.next - structure.threshold; }
};

class TableModel {
public:
    TableModel() = default;
    TableModel(const TableModel&) = delete;
    TableModel& operator=(const TableModel&) = delete;
    virtual ~TableModel() = default;

    /// Whether bounds are costs, so that a table with a bound is a placement with that score.
    [[nodiscard]] virtual bool exact() const = 0;
    /// No pair of devices of these classes costs less.
    [[nodiscard]] virtual const ClassCosts& least() const = 0;
    /// Data-parallel term of any placement, at least.
    [[nodiscard]] virtual double root_exchange() const = 0;
    /// Data-parallel term of `times` stages that hold `counts` each, at least.
    [[nodiscard]] virtual double exchange(const StageCounts& counts, int times) const = 0;
    /// Whether a stage exchanges for no less time when a device joins it.
    [[nodiscard]] virtual bool exchange_grows() const { return true; }
    /// What a call of exchange() costs, in steps over one class.
    [[nodiscard]] virtual std::uint64_t exchange_work() const { return 1; }
    /// Data-parallel term of all these stages together, at least.
    [[nodiscard]] virtual double exchange_of(std::span<const StageUse> stages) = 0;
    /// Path edge between two stages, at least.
    [[nodiscard]] virtual double edge(const StageCounts& a, const StageCounts& b) = 0;
    /// Levels from the cheapest pair upwards.
    [[nodiscard]] virtual const std::vector<PathLevel>& levels() const = 0;
};

/// Classes of equal devices; with ClassCosts::group under another exchange than the sharded one.
class ExactTable final : public TableModel {
public:
    ExactTable(ClassCosts costs, Shape shape, std::vector<int> sizes);

    [[nodiscard]] bool exact() const override { return true; }
    [[nodiscard]] const ClassCosts& least() const override { return costs_; }
    [[nodiscard]] double root_exchange() const override;
    [[nodiscard]] double exchange(const StageCounts& counts, int times) const override;
    [[nodiscard]] bool exchange_grows() const override { return !costs_.group; }
    [[nodiscard]] std::uint64_t exchange_work() const override;
    [[nodiscard]] double exchange_of(std::span<const StageUse> stages) override;
    [[nodiscard]] double edge(const StageCounts& a, const StageCounts& b) override;
    [[nodiscard]] const std::vector<PathLevel>& levels() const override { return levels_; }

private:
    ClassCosts costs_;
    Shape shape_;
    std::vector<int> sizes_;
    CountModel model_;
    std::vector<PathLevel> levels_;
    std::vector<int> row_a_, row_b_;
};

/// The bounds that hold of any devices of these classes at one level: reach by the number of
/// neighbours, cover by isolated classes. Source: docs/mathematics/placement.md, "What breaks
/// cost".
[[nodiscard]] PathLevel class_level(const Level& structure,
                                    const core::Grid<double>& pipeline,
                                    std::span<const int> sizes);

}  // namespace longhaul::placement
