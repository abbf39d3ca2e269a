#include "longhaul/schedule/detail/later_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kFew = 2;  ///< times the rows of the side that has fewest

}  // namespace

LaterProducts::LaterProducts(const RoundTable& table,
                             const Sides& sides,
                             const std::vector<float>& products)
    : n_(table.n), columns_(count_sides(sides) - 1), scale_(static_cast<float>(1 / table.start)) {
    LONGHAUL_ASSERT(n_ > 0 && columns_ > 0);
    std::array<double, kMostSides> mass{};
    for (std::size_t i = 0; i < n_; ++i) {
        mass[sides[i]] += table.share[i];
    }
    std::ranges::transform(
        mass, mass_.begin(), [](double part) { return static_cast<float>(part); });
    find_beginnings(number_rows(table, products));
    while (few_ < columns_ && first_[few_ + 1] - first_[few_] <= kFew * first_[1]) {
        ++few_;
    }
    error_.resize(lanes_.size());
    off_.resize(lanes_.size() * columns_);
}

void LaterProducts::lower(const float* earlier, float& least) {
    std::array<float, kMostSides + 1> rests{};
    std::size_t looked = 0;
    hopeful_.assign(1, {});
    // Often the sides with few rows leave no hope, and the others need no look.
    for (std::size_t place = 0; place < columns_ && !hopeful_.empty(); ++place) {
        for (; looked < std::max(place + 1, few_); ++looked) {
            const float found = look_at(looked, earlier);
            for (std::size_t before = 0; before <= looked; ++before) {
                rests[before] += found;
            }
            // What one side is off by the others must make up for.
            if (std::max(2 * found, rests[0]) * scale_ >= least) {
                return;
            }
        }
        extend(place, rests[place + 1], least);
    }
}

/// What the rows of a side are off by behind this product; the least error among them.
float LaterProducts::look_at(std::size_t place, const float* earlier) {
    const std::size_t lane = first_[place] / kLane;
    const std::size_t end = first_[place + 1] / kLane;
    std::array<float, kMostSides> even{};
    for (std::size_t b = 0; b < columns_; ++b) {
        even[b] = even_[place] * mass_[b];
    }
    looked_ += static_cast<double>((end - lane) * kLane * n_ * columns_);
    return look_at_rows_behind({std::span(lanes_).subspan(lane, end - lane),
                                std::span(earlier, n_ * columns_),
                                std::span(even).first(columns_),
                                std::span(error_).subspan(lane),
                                std::span(off_).subspan(lane * columns_)});
}

/// Beginnings with a row of one place more, the last side being off by what all are together; of
/// all places they are products.
void LaterProducts::extend(std::size_t place, float rest, float& least) {
    const std::vector<std::uint32_t>& rows = beginnings_[place].row;
    float most = least / scale_;
    next_.clear();
    for (const Hopeful& before : hopeful_) {
        std::uint32_t longer = 0;
        auto end = static_cast<std::uint32_t>(rows.size());
        if (place > 0) {
            const std::vector<std::uint32_t>& first = beginnings_[place - 1].first;
            longer = first[before.beginning];
            end = first[before.beginning + 1];
        }
        looked_ += end - longer;
        for (; longer < end; ++longer) {
            const std::uint32_t row = rows[longer];
            Hopeful after{longer, before.sum + error_[row / kLane][row % kLane], {}};
            if (after.sum + rest >= most) {
                continue;
            }
            looked_ += static_cast<double>(columns_);
            const float whole = after.sum + add(before.off, row, after.off);
            if (whole >= most) {
                continue;
            }
            if (place + 1 < columns_) {
                next_.push_back(after);
            } else {
                most = whole;
            }
        }
    }
    if (place + 1 == columns_) {
        least = std::min(least, scale_ * most);
    }
    hopeful_.swap(next_);
}

/// What all sides but those of the rows so far must make up for.
float LaterProducts::add(const Off& before, std::uint32_t row, Off& after) const {
    float sum = 0;
    float last = 0;
    for (std::size_t b = 0; b < columns_; ++b) {
        after[b] = before[b] + off_[row / kLane * columns_ + b][row % kLane];
        sum += std::abs(after[b]);
        last += after[b];
    }
    return sum + std::abs(last);
}

/// Different rows of each side, sides with few of them first and without the last; indices of
/// those of each product.
std::vector<std::uint32_t> LaterProducts::number_rows(const RoundTable& table,
                                                      const std::vector<float>& products) {
    const std::size_t width = n_ * columns_;
    const std::size_t count = products.size() / width;
    std::vector<std::vector<float>> rows(columns_);
    std::vector<std::uint32_t> rank(count * columns_);
    for (std::size_t a = 0; a < columns_; ++a) {
        Distinct distinct(n_);
        for (std::size_t p = 0; p < count; ++p) {
            for (std::size_t j = 0; j < n_; ++j) {
                rows[a].push_back(products[p * width + j * columns_ + a]);
            }
            rank[p * columns_ + a] = static_cast<std::uint32_t>(distinct.keep_last(rows[a]));
        }
    }
    std::vector<std::size_t> sides(columns_);
    std::iota(sides.begin(), sides.end(), std::size_t{0});
    std::ranges::stable_sort(sides, {}, [&](std::size_t a) { return rows[a].size(); });
    std::vector<std::uint32_t> row_of(count * columns_);
    for (std::size_t place = 0; place < columns_; ++place) {
        const std::size_t a = sides[place];
        const std::size_t first = lanes_.size() * kLane;
        first_.push_back(first);
        even_[place] = mass_[a];
        for (std::size_t p = 0; p < count; ++p) {
            row_of[p * columns_ + place] =
                static_cast<std::uint32_t>(first) + rank[p * columns_ + a];
        }
        const std::size_t different = rows[a].size() / n_;
        lanes_.resize(lanes_.size() + (different + kLane - 1) / kLane);
        // Places that are left in the last lane hold the first row again.
        for (std::size_t r = 0; first + r < lanes_.size() * kLane; ++r) {
            const float* row = &rows[a][(r < different ? r : 0) * n_];
            for (std::size_t j = 0; j < n_; ++j) {
                lanes_[(first + r) / kLane][j].of[r % kLane] =
                    static_cast<float>(table.share[j]) * row[j];
            }
        }
    }
    first_.push_back(lanes_.size() * kLane);
    return row_of;
}

void LaterProducts::find_beginnings(const std::vector<std::uint32_t>& row_of) {
    const std::size_t count = row_of.size() / columns_;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto rows_at = [&](std::size_t p) {
        return std::span(row_of).subspan(p * columns_, columns_);
    };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::ranges::lexicographical_compare(rows_at(a), rows_at(b));
    });
    beginnings_.resize(columns_);
    std::span<const std::uint32_t> before;
    for (const std::size_t p : order) {
        const std::span<const std::uint32_t> rows = rows_at(p);
        const auto shared =
            static_cast<std::size_t>(std::ranges::mismatch(before, rows).in1 - before.begin());
        for (std::size_t place = shared; place < columns_; ++place) {
            beginnings_[place].row.push_back(rows[place]);
            if (place + 1 < columns_) {
                beginnings_[place].first.push_back(
                    static_cast<std::uint32_t>(beginnings_[place + 1].row.size()));
            }
        }
        before = rows;
    }
    for (std::size_t place = 0; place + 1 < columns_; ++place) {
        beginnings_[place].first.push_back(
            static_cast<std::uint32_t>(beginnings_[place + 1].row.size()));
    }
}

}  // namespace longhaul::schedule::detail
