// The possible stages of a proof: count columns with their profiles under every level.
#pragma once

#include <limits>
#include <optional>

#include "longhaul/placement/counts.hpp"
#include "longhaul/placement/levels.hpp"

namespace longhaul::placement {

/// A stage: devices of each class, and the data-parallel term that they cost.
struct Column {
    Profile counts{};
    double exchange = 0;
    std::uint64_t key = 0;  ///< CountModel::key
};

/// Profile of a column under one level; bytes, since a stage holds at most kMaxStageDevices.
using ColumnProfile = std::array<std::uint8_t, kMaxPackedClasses>;

/// Columns below a cap, cheapest exchange first, with what the proof asks of them.
class Columns {
public:
    /// Columns of `dp` devices whose exchange is below `cap`. Empty when there are more than
    /// `most`, or when more than `most_steps` partial columns are met. O(steps K^2 + columns
    /// levels).
    [[nodiscard]] static std::optional<Columns> list(CountModel& model,
                                                     std::span<const Level> levels,
                                                     const std::vector<int>& sizes,
                                                     int dp,
                                                     double cap,
                                                     std::size_t most,
                                                     std::uint64_t most_steps);

    [[nodiscard]] std::size_t size() const { return columns_.size(); }
    [[nodiscard]] const Column& operator[](int i) const { return columns_[i]; }
    [[nodiscard]] const ColumnProfile& profile(int i, std::size_t level) const {
        return profiles_[static_cast<std::size_t>(i) * levels_ + level];
    }
    /// Whether the column holds devices that are isolated under the level.
    [[nodiscard]] bool isolated(int i, std::size_t level) const {
        return isolated_[static_cast<std::size_t>(i) * levels_ + level] > 0;
    }
    [[nodiscard]] int isolated_count(int i, std::size_t level) const {
        return isolated_[static_cast<std::size_t>(i) * levels_ + level];
    }
    /// Columns that hold a class, cheapest exchange first.
    [[nodiscard]] const std::vector<int>& with_class(std::size_t k) const { return with_class_[k]; }

private:
    std::size_t levels_ = 0;
    std::vector<Column> columns_;
    std::vector<ColumnProfile> profiles_;
    std::vector<std::uint8_t> isolated_;
    std::vector<std::vector<int>> with_class_;
};

}  // namespace longhaul::placement
