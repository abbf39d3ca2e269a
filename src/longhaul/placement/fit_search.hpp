// Which group of devices is which stage, and where layers are divided, so that memory holds them.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// GB of stretches of layers.
class StretchMemory {
public:
    explicit StretchMemory(const Problem& problem);
    [[nodiscard]] int stages() const { return stages_; }
    [[nodiscard]] int layers() const { return static_cast<int>(static_gb_.size()) - 1; }
    /// Of stage s, layers from .. to - 1.
    [[nodiscard]] double gb(int s, int from, int to) const {
        return static_gb_[to] - static_gb_[from] +
               compute_.in_flight(s, stages_) * (activation_gb_[to] - activation_gb_[from]);
    }
    [[nodiscard]] double all() const { return gb(0, 0, layers()); }

private:
    PipelineCompute compute_;
    int stages_;
    std::vector<double> static_gb_{0};
    std::vector<double> activation_gb_{0};
};

/// Sums of layers may differ in their last digits from the memory that they fill exactly.
[[nodiscard]] bool memory_holds(double memory_gb, double needed_gb);

/// Groups of devices by memory: different ones, ascending, and how many of each.
struct Capacities {
    /// `most`: more does not count.
    Capacities(std::vector<double> of_groups, double most);
    /// The largest that a device of this memory can be part of.
    [[nodiscard]] std::size_t of(double memory) const;
    std::vector<double> gb;
    std::vector<int> count;
};

/// What a search for a division found: the capacity of every stage and its first layer.
struct Divided {
    std::vector<std::size_t> capacity;
    std::vector<int> first;  ///< empty: none
    bool complete = true;
};

/// Divides the layers over as many groups as there are stages, in any order of them, with
/// `slack_gb` more memory than they have. Stage after stage, every choice of groups used so far
/// with the numbers of layers that they can hold; a choice takes O(groups of different memory *
/// layers), and beyond `work` in all only those with most memory to spare are kept. `likeness(s,
/// k)`: worth of capacity k on stage s; of all that fit, the one worth most.
[[nodiscard]] Divided search_fit(const StretchMemory& memory,
                                 const Capacities& capacities,
                                 double slack_gb,
                                 const core::Grid<double>& likeness,
                                 std::uint64_t work);

/// Whether that cannot be: too few layers, all together or one alone too large, or large layers in
/// too few large groups. O(groups of different memory * layers).
[[nodiscard]] bool plainly_too_large(const StretchMemory& memory, const Capacities& capacities);

}  // namespace longhaul::placement
