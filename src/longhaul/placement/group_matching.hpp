// Bottleneck matchings between stage groups that start from the last one: the inner loop of the
// search over devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Pairs of a matching between two groups: partner_of[i] is the position in the second group of
/// the device at position i of the first.
using Pairs = std::vector<int>;

/// Repairs matchings after few devices have changed, and gives up at a limit. Rows of allowed
/// partners are bits, 64 a word, made when an augmentation comes to them.
class GroupMatcher {
public:
    explicit GroupMatcher(const PairMatrix& pipeline) : pipeline_(pipeline) {}

    /// Smallest threshold that admits a perfect matching of `rows` to `columns` (equal sizes), or
    /// any value above `limit` when it must exceed the limit. `pairs`: any matching of positions
    /// to begin with (-1: open), replaced by one that attains the value; unspecified above the
    /// limit. Pairs above the limit are opened, then the value is lowered pair by pair until no
    /// augmenting path is left. O(dp^2 / 64) an augmentation.
    double solve(std::span<const int> rows,
                 std::span<const int> columns,
                 double limit,
                 Pairs& pairs);

private:
    bool augment(std::size_t row, double threshold, bool strict);
    void require(std::size_t row, double threshold, bool strict);
    [[nodiscard]] double cost(std::size_t row, int column) const {
        return lines_[row][kinds_[static_cast<std::size_t>(column)]];
    }

    const PairMatrix& pipeline_;
    std::vector<const double*> lines_;  // costs of each row by the kind of the column
    std::vector<int> kinds_;            // of each column
    std::size_t words_ = 0;
    Pairs* pairs_ = nullptr;
    std::vector<int> owner_;              // row of each column
    std::vector<std::uint64_t> allowed_;  // words_ of each row, valid when made_
    std::vector<char> made_;
    std::vector<std::uint64_t> unseen_;
    std::vector<int> parent_;  // row that reached each column
    std::vector<std::size_t> queue_;
};

}  // namespace longhaul::placement
