#include "longhaul/schedule/detail/later_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"

namespace longhaul::schedule::detail {

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
    sort(number_rows(table, products));
    find_ends();
    error_.resize(lanes_.size() * kLane);
    off_.resize(lanes_.size() * columns_);
}

void LaterProducts::lower(const float* earlier, float& least) {
    Rests rests{};
    for (std::size_t places = 1; places <= columns_; ++places) {
        const float found = look_at(places - 1, earlier);
        for (std::size_t place = 0; place < places; ++place) {
            rests[place] += found;
        }
        // What one side is off by the others must make up for.
        if (std::max(2 * found, rests[0]) * scale_ >= least) {
            return;
        }
        if (columns_ == 1) {
            least = scale_ * 2 * found;
            return;
        }
        // Often the sides with few rows leave no hope, and the others need no look.
        if (places > 1 && !walk(places, rests, least)) {
            return;
        }
    }
}

/// What the rows of a side are off by behind this product; the least error among them.
float LaterProducts::look_at(std::size_t place, const float* earlier) {
    float least = INFINITY;
    for (std::size_t lane = first_[place] / kLane; lane < first_[place + 1] / kLane; ++lane) {
        const auto& rows = lanes_[lane];
        Lane error{};
        Lane last{};
        for (std::size_t b = 0; b < columns_; ++b) {
            Lane sum;
            sum.fill(-even_[place] * mass_[b]);
            for (std::size_t j = 0; j < n_; ++j) {
                const float weight = earlier[j * columns_ + b];
                for (std::size_t r = 0; r < kLane; ++r) {
                    sum[r] += rows[j][r] * weight;
                }
            }
            for (std::size_t r = 0; r < kLane; ++r) {
                error[r] += std::abs(sum[r]);
                last[r] += sum[r];
            }
            off_[lane * columns_ + b] = sum;
        }
        float* errors = &error_[lane * kLane];
        for (std::size_t r = 0; r < kLane; ++r) {
            errors[r] = error[r] + std::abs(last[r]);
            least = std::min(least, errors[r]);
        }
    }
    looked_ += static_cast<double>((first_[place + 1] - first_[place]) * n_ * columns_);
    return least;
}

/// Whether a product has a smaller sum of errors of so many sides, the last being off by what they
/// are together. Of all sides: that is the least one then.
bool LaterProducts::walk(std::size_t places, const Rests& rests, float& least) {
    std::array<float, kMostSides + 1> sum{};
    std::array<Off, kMostSides + 1> off{};
    bool smaller = false;
    for (std::size_t p = 0; p < shared_.size();) {
        std::size_t place = shared_[p];
        for (; place < places; ++place) {
            const std::uint32_t row = row_of_[p * columns_ + place];
            sum[place + 1] = sum[place] + error_[row];
            const float most = least / scale_ - sum[place + 1];
            if (rests[place + 1] >= most || add(off[place], row, off[place + 1]) >= most) {
                break;
            }
        }
        looked_ += static_cast<double>((place + 1 - shared_[p]) * columns_);
        if (place == places) {
            smaller = true;
            if (places < columns_) {
                break;
            }
            --place;
            least = scale_ * (sum[columns_] + total(off[columns_]));
        }
        p = ends_[p * columns_ + place];
    }
    return smaller;
}

float LaterProducts::add(const Off& before, std::uint32_t row, Off& after) const {
    for (std::size_t b = 0; b < columns_; ++b) {
        after[b] = before[b] + off_[row / kLane * columns_ + b][row % kLane];
    }
    return total(after);
}

float LaterProducts::total(const Off& off) const {
    float sum = 0;
    float last = 0;
    for (std::size_t b = 0; b < columns_; ++b) {
        sum += std::abs(off[b]);
        last += off[b];
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
                lanes_[(first + r) / kLane][j][r % kLane] =
                    static_cast<float>(table.share[j]) * row[j];
            }
        }
    }
    first_.push_back(lanes_.size() * kLane);
    return row_of;
}

void LaterProducts::sort(const std::vector<std::uint32_t>& row_of) {
    std::vector<std::size_t> order(row_of.size() / columns_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto rows_at = [&](std::size_t p) {
        return std::span(row_of).subspan(p * columns_, columns_);
    };
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::ranges::lexicographical_compare(rows_at(a), rows_at(b));
    });
    row_of_.reserve(row_of.size());
    for (const std::size_t p : order) {
        row_of_.insert(row_of_.end(), rows_at(p).begin(), rows_at(p).end());
    }
}

void LaterProducts::find_ends() {
    const std::size_t count = row_of_.size() / columns_;
    shared_.assign(count, 0);
    ends_.assign(count * columns_, static_cast<std::uint32_t>(count));
    for (std::size_t p = count; p-- > 0;) {
        std::size_t shared = 0;
        while (p > 0 && shared < columns_ &&
               row_of_[p * columns_ + shared] == row_of_[(p - 1) * columns_ + shared]) {
            ++shared;
        }
        shared_[p] = static_cast<std::uint8_t>(shared);
        for (std::size_t i = 0; i < columns_ && p + 1 < count; ++i) {
            ends_[p * columns_ + i] = i < shared_[p + 1] ? ends_[(p + 1) * columns_ + i]
                                                         : static_cast<std::uint32_t>(p + 1);
        }
    }
}

}  // namespace longhaul::schedule::detail
