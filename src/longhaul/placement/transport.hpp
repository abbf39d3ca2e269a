// Bottleneck transport between two count rows on bitsets: the inner loop of the count view.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"

namespace longhaul::placement {

/// Pairs the devices of one row of counts with those of another under the smallest threshold on
/// the symmetric price between classes. Up to kMaxClasses classes, a set of classes is one word.
class Transport {
public:
    static constexpr std::size_t kMaxClasses = 64;

    /// `prices` K x K, symmetric. O(K^3) for the tables.
    explicit Transport(const core::Grid<double>& prices);

    struct Result {
        double value = 0;   ///< the smallest threshold, or a lower bound of it above the limit
        bool exact = true;  ///< false: ended early because the value must exceed the limit
    };
    /// Smallest threshold under which all devices of row `a` can be paired with those of row `b`
    /// (equal sums). Ends as soon as it must exceed `limit`. O(K) words an augmentation, and an
    /// augmentation carries as many devices as fit.
    [[nodiscard]] Result solve(std::span<const int> a, std::span<const int> b, double limit);

private:
    using Word = std::uint64_t;
    [[nodiscard]] int lower_level(Word left, Word right) const;
    void fill(Word left, int level);
    [[nodiscard]] bool augment(int from, int level);
    void carry(int from, int to);
    [[nodiscard]] int next_level() const;
    int& flow(int i, int j) { return flow_[static_cast<std::size_t>(i) * classes_ + j]; }

    std::size_t classes_;
    std::vector<double> levels_;         // distinct prices, ascending
    std::vector<std::uint16_t> level_;   // of each pair of classes
    std::vector<std::uint8_t> nearest_;  // classes of each class by price
    std::vector<Word> open_;             // [level][class]: classes within the level
    std::vector<int> flow_;
    std::array<int, kMaxClasses> supply_{}, demand_{};
    std::array<Word, kMaxClasses> holders_{};  // left classes with flow to a right class
    std::array<std::uint8_t, kMaxClasses> parent_of_right_{}, parent_of_left_{};
    Word right_ = 0;    // classes of the right row
    Word wanting_ = 0;  // right classes with demand left
    Word reached_ = 0;  // left classes that the last augmentation reached
    Word seen_ = 0;     // right classes that it saw
};

}  // namespace longhaul::placement
