// Where a fabric falls apart as links are taken away, and what each break costs a path of stages.
//
// Let theta run over the distinct pipeline costs. Under theta, classes joined by costs <= theta
// form components; a class whose inside cost is above theta and that joins nothing is isolated:
// each of its devices is a component alone. Two adjacent stages with an edge <= theta hold equally
// many devices of every component (a perfect matching cannot leave one), and none of an isolated
// class. So every change of this profile along the path costs at least the next structure's
// threshold.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Classes up to which profiles are packed.
inline constexpr std::size_t kMaxPackedClasses = 16;

/// Devices of a stage up to which columns are listed, and profiles counted beyond two.
inline constexpr int kMaxStageDevices = 127;

/// Devices of each component, or of each class.
using Profile = std::array<std::uint16_t, kMaxPackedClasses>;

/// One component structure.
struct Level {
    double threshold = 0;  ///< the smallest cost under which this structure holds
    double next = 0;       ///< the least cost of an edge that breaks it
    std::array<std::uint8_t, kMaxPackedClasses> component{};  ///< of each class
    std::uint16_t isolated = 0;  ///< bit per class: devices that match nothing under the threshold
    std::size_t components = 0;
};

/// All structures of K class costs (K x K, the diagonal inside a class; `sizes` of the classes),
/// from the cheapest cost upwards, without the last one, under which everything is one component.
/// K <= kMaxPackedClasses. O(K^4) worst.
[[nodiscard]] std::vector<Level> structure_levels(const core::Grid<double>& pipeline,
                                                  std::span<const int> sizes);

/// Components and isolated classes when pairs up to a threshold are open; `next` is left open.
[[nodiscard]] Level structure_under(const core::Grid<double>& pipeline,
                                    std::span<const int> sizes,
                                    double threshold);

/// Devices of each component.
[[nodiscard]] Profile profile_of(const Level& level, const Profile& classes, std::size_t k);

/// Devices of isolated classes.
[[nodiscard]] int isolated_devices(const Level& level, const Profile& classes, std::size_t k);

/// Counts how many different profiles a set of stages must have. Answers of the costly part are
/// cached; the cache never changes one.
class ProfileCounter {
public:
    /// Stages of `dp` devices each.
    explicit ProfileCounter(int dp);

    /// Fewest different profiles of `stages` >= 1 stages that hold `total` together, over the first
    /// `components` entries: 1, 2, or 3, which stands for all above. Two are tried by dynamic
    /// programming over the sums of one stage: O(stages components dp) set operations.
    [[nodiscard]] int fewest(std::size_t components, const Profile& total, int stages);

private:
    struct Entry {
        std::uint64_t key = 0;
        int answer = 0;
    };
    int dp_;
    std::vector<Entry> cache_;
};

}  // namespace longhaul::placement
