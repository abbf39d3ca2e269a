#include "longhaul/placement/group_matching.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace longhaul::placement {

double GroupMatcher::solve(std::span<const int> rows,
                           std::span<const int> columns,
                           double limit,
                           Pairs& pairs) {
    pairs_ = &pairs;
    const std::size_t n = rows.size();
    lines_.resize(n);
    kinds_.resize(n);
    const std::vector<int>& kinds = pipeline_.kind_of_device();
    for (std::size_t i = 0; i < n; ++i) {
        lines_[i] = pipeline_.table().row(static_cast<std::size_t>(kinds[rows[i]])).data();
        kinds_[i] = kinds[columns[i]];
    }
    words_ = (n + 63) / 64;
    pairs.resize(n, -1);
    owner_.assign(n, -1);
    parent_.resize(n);
    made_.assign(n, 0);
    allowed_.resize(n * words_);
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (pairs[i] >= 0 && cost(i, pairs[i]) > limit) {
            pairs[i] = -1;
        }
        if (pairs[i] >= 0) {
            owner_[static_cast<std::size_t>(pairs[i])] = static_cast<int>(i);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (pairs[i] < 0 && !augment(i, limit, false)) {
            return std::numeric_limits<double>::infinity();
        }
    }
    // All pairs are within the limit: lower the largest while an augmenting path allows it.
    while (true) {
        value = 0;
        for (std::size_t i = 0; i < n; ++i) {
            value = std::max(value, cost(i, pairs[i]));
        }
        const Pairs kept = pairs;
        made_.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            if (cost(i, pairs[i]) >= value) {
                owner_[static_cast<std::size_t>(pairs[i])] = -1;
                pairs[i] = -1;
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (pairs[i] < 0 && !augment(i, value, true)) {
                pairs = kept;
                return value;
            }
        }
    }
}

/// The bits of a row under a threshold (below it when strict).
void GroupMatcher::require(std::size_t row, double threshold, bool strict) {
    if (made_[row] != 0) {
        return;
    }
    made_[row] = 1;
    const std::size_t n = kinds_.size();
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t bits = 0;
        const std::size_t end = std::min<std::size_t>(64, n - word * 64);
        for (std::size_t bit = 0; bit < end; ++bit) {
            const double value = cost(row, static_cast<int>(word * 64 + bit));
            const bool open = strict ? value < threshold : value <= threshold;
            bits |= static_cast<std::uint64_t>(open) << bit;
        }
        allowed_[row * words_ + word] = bits;
    }
}

/// Breadth-first search for a way from an open row to an open column.
bool GroupMatcher::augment(std::size_t row, double threshold, bool strict) {
    unseen_.assign(words_, ~std::uint64_t{0});
    queue_.assign(1, row);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
        const std::size_t from = queue_[next];
        require(from, threshold, strict);
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t fresh = allowed_[from * words_ + word] & unseen_[word];
            unseen_[word] &= ~fresh;
            for (; fresh != 0; fresh &= fresh - 1) {
                std::size_t column = word * 64 + static_cast<std::size_t>(std::countr_zero(fresh));
                parent_[column] = static_cast<int>(from);
                if (owner_[column] >= 0) {
                    queue_.push_back(static_cast<std::size_t>(owner_[column]));
                    continue;
                }
                while (true) {
                    const auto i = static_cast<std::size_t>(parent_[column]);
                    const int before = (*pairs_)[i];
                    (*pairs_)[i] = static_cast<int>(column);
                    owner_[column] = static_cast<int>(i);
                    if (i == row) {
                        return true;
                    }
                    column = static_cast<std::size_t>(before);
                }
            }
        }
    }
    return false;
}

}  // namespace longhaul::placement
