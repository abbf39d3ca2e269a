// The possible stages of a problem over classes, for the checker of certificates, and which of them
// may still occur below a node.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "longhaul/placement/replay_model.hpp"

namespace longhaul::placement {

/// A possible stage.
struct ReplayColumn {
    ReplayRow counts{};
    double exchange = 0;
};

/// Fewest and most devices of every class in the open columns.
struct CountRange {
    ReplayRow most{};
    ReplayRow least{};
    bool above = false;  ///< some column is dearer than the floor of the slice
};

/// Columns by number, cheapest exchange first. The model must outlive it.
class ReplayColumns {
public:
    explicit ReplayColumns(const ReplayModel& model) : model_(&model) {}

    /// All stages of dp devices whose exchange is at most `cap`. `spend` is asked for every stage
    /// that is begun; false ends the list. Returns false then, or when there are too many.
    [[nodiscard]] bool list(double cap, const std::function<bool()>& spend);
    /// Number of each column.
    [[nodiscard]] std::map<ReplayRow, int> numbers() const;

    [[nodiscard]] std::size_t size() const { return columns_.size(); }
    [[nodiscard]] const ReplayColumn& operator[](std::size_t column) const {
        return columns_[column];
    }

    /// Stages that the rest has devices for.
    [[nodiscard]] int most_times(const ReplayState& state, const ReplayRow& counts) const;
    /// The class that the fewest open columns hold.
    [[nodiscard]] int scarcest(const ReplayState& state, const std::vector<int>& open) const;
    [[nodiscard]] CountRange range_of(const std::vector<int>& open, double floor) const;
    /// Whether columns within the range may take all that is left.
    [[nodiscard]] bool may_fill(const ReplayState& state, const CountRange& range) const;
    /// The same for what a column with these counts leaves to the other stages.
    [[nodiscard]] bool others_may_fill(const ReplayState& state,
                                       const ReplayRow& counts,
                                       const CountRange& range) const;

private:
    bool extend(
        std::size_t a, int missing, double cap, const std::function<bool()>& spend, ReplayRow& row);

    const ReplayModel* model_;
    std::vector<ReplayColumn> columns_;
};

}  // namespace longhaul::placement
