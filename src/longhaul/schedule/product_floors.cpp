#include "longhaul/schedule/detail/product_floors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kMostProducts = 1'000'000;

/// Of putting a round behind a product, in numbers added.
constexpr double kApplyWork = 150;
constexpr double kSortWork = 20;  ///< of putting a row of a product in order
/// A row of up to ten islands and zeros, so that loops unroll.
constexpr std::size_t kPadded = 12;
using Padded = std::array<float, kPadded>;

/// The products of the later rounds as indices of rows, in lexicographic order: those that share
/// their first rows stand together.
class LaterProducts {
public:
    LaterProducts(const RoundTable& table, const std::vector<float>& products)
        : table_(table), n_(table.n) {
        std::ranges::transform(
            table.share, share_.begin(), [](double part) { return static_cast<float>(part); });
        sort(number_rows(products));
        find_ends();
        added_.resize(rows_.size());
        rest_.resize(n_ + 1, 0);
    }

    /// What each row adds to the error behind this product of the earlier rounds.
    void meet(const float* earlier) {
        std::array<Padded, RoundTable::kMostIslands> padded{};
        for (std::size_t j = 0; j < n_; ++j) {
            std::copy_n(earlier + j * n_, n_, padded[j].begin());
        }
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            added_[r] = rows_[r].worth * error_of(rows_[r].weights, padded);
        }
        for (std::size_t i = n_; i-- > 0;) {
            rest_[i] = rest_[i + 1] + *std::min_element(added_.begin() + first_[i],
                                                        added_.begin() + first_[i + 1]);
        }
        looked_ += static_cast<double>(4 * rows_.size() * n_);
    }

    /// Lowers `least` to the error of the best product that was met.
    void lower(float& least) {
        std::array<float, RoundTable::kMostIslands + 1> sum{};
        for (std::size_t p = 0; p < shared_.size() && rest_[0] < least;) {
            std::size_t i = shared_[p];
            for (; i < n_; ++i) {
                sum[i + 1] = sum[i] + added_[row_of_[p * n_ + i]];
                if (sum[i + 1] + rest_[i + 1] >= least) {
                    break;
                }
            }
            looked_ += static_cast<double>(i + 1 - shared_[p]);
            if (i == n_) {
                least = sum[n_];
                --i;
            }
            p = ends_[p * n_ + i];
        }
    }

    /// Numbers added since the last call.
    [[nodiscard]] double looked() { return std::exchange(looked_, 0); }

private:
    struct Row {
        float worth;  ///< share of its island over the error at the start
        Padded weights;
    };

    [[nodiscard]] float error_of(
        const Padded& weights, const std::array<Padded, RoundTable::kMostIslands>& earlier) const {
        Padded off{};
        for (std::size_t j = 0; j < n_; ++j) {
            for (std::size_t x = 0; x < kPadded; ++x) {
                off[x] += weights[j] * earlier[j][x];
            }
        }
        for (std::size_t x = 0; x < kPadded; ++x) {
            off[x] = std::abs(off[x] - share_[x]);
        }
        return std::accumulate(off.begin(), off.end(), 0.0F);
    }

    /// Different rows of each island, islands with few of them first; indices of those of each
    /// product.
    std::vector<std::uint32_t> number_rows(const std::vector<float>& products) {
        const std::size_t count = products.size() / (n_ * n_);
        std::vector<std::vector<float>> rows(n_);
        std::vector<std::uint32_t> rank(count * n_);
        for (std::size_t i = 0; i < n_; ++i) {
            Distinct distinct(n_);
            for (std::size_t p = 0; p < count; ++p) {
                const float* row = &products[(p * n_ + i) * n_];
                rows[i].insert(rows[i].end(), row, row + n_);
                rank[p * n_ + i] = static_cast<std::uint32_t>(distinct.keep_last(rows[i]));
            }
        }
        std::vector<std::size_t> islands(n_);
        std::iota(islands.begin(), islands.end(), std::size_t{0});
        std::ranges::stable_sort(islands, {}, [&](std::size_t i) { return rows[i].size(); });
        std::vector<std::uint32_t> row_of(count * n_);
        for (std::size_t place = 0; place < n_; ++place) {
            const std::size_t i = islands[place];
            const auto first = static_cast<std::uint32_t>(rows_.size());
            first_.push_back(first);
            for (std::size_t p = 0; p < count; ++p) {
                row_of[p * n_ + place] = first + rank[p * n_ + i];
            }
            for (std::size_t at = 0; at < rows[i].size(); at += n_) {
                Row& row = rows_.emplace_back();
                row.worth = static_cast<float>(table_.share[i] / table_.start);
                std::copy_n(&rows[i][at], n_, row.weights.begin());
            }
        }
        first_.push_back(static_cast<std::ptrdiff_t>(rows_.size()));
        return row_of;
    }

    void sort(const std::vector<std::uint32_t>& row_of) {
        std::vector<std::size_t> order(row_of.size() / n_);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto rows_at = [&](std::size_t p) { return std::span(row_of).subspan(p * n_, n_); };
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            return std::ranges::lexicographical_compare(rows_at(a), rows_at(b));
        });
        row_of_.reserve(row_of.size());
        for (const std::size_t p : order) {
            row_of_.insert(row_of_.end(), rows_at(p).begin(), rows_at(p).end());
        }
    }

    void find_ends() {
        const std::size_t count = row_of_.size() / n_;
        shared_.assign(count, 0);
        ends_.assign(count * n_, static_cast<std::uint32_t>(count));
        for (std::size_t p = count; p-- > 0;) {
            std::size_t shared = 0;
            while (p > 0 && shared < n_ &&
                   row_of_[p * n_ + shared] == row_of_[(p - 1) * n_ + shared]) {
                ++shared;
            }
            shared_[p] = static_cast<std::uint8_t>(shared);
            for (std::size_t i = 0; i < n_ && p + 1 < count; ++i) {
                ends_[p * n_ + i] = i < shared_[p + 1] ? ends_[(p + 1) * n_ + i]
                                                       : static_cast<std::uint32_t>(p + 1);
            }
        }
    }

    const RoundTable& table_;
    std::size_t n_;
    Padded share_{};
    std::vector<Row> rows_;              ///< different ones, those of each island together
    std::vector<std::ptrdiff_t> first_;  ///< [island, by place] of its rows
    std::vector<std::uint32_t> row_of_;  ///< [product][place]
    std::vector<std::uint32_t> ends_;    ///< [product][place]: behind the last that shares the rows
                                         ///< up to this
    std::vector<std::uint8_t> shared_;   ///< [product]: first rows shared with the one before
    std::vector<float> added_;           ///< [row]
    std::vector<float> rest_;            ///< [place]: the least that islands from here on add
    double looked_ = 0;
};

}  // namespace

ProductFloors::ProductFloors(const RoundTable& table) : rounds_(table), levels_(1) {
    levels_.front() = rounds_.unit();
}

bool ProductFloors::list(std::size_t length, double& work, const std::function<bool()>& stop) {
    const std::size_t width = rounds_.width();
    while (levels_.size() <= length) {
        const std::vector<float>& before = levels_.back();
        const double cost = kApplyWork * static_cast<double>(before.size()) /
                            static_cast<double>(width) * static_cast<double>(rounds_.size());
        if (too_many_ || cost > work) {
            return false;
        }
        work -= cost;
        std::vector<float> next;
        Distinct distinct(width);
        for (std::size_t at = 0; at < before.size(); at += width) {
            rounds_.take(&before[at]);
            for (std::size_t round = 0; round < rounds_.size(); ++round) {
                next.resize(next.size() + width);
                rounds_.apply(round, &next[next.size() - width]);
                (void)distinct.keep_last(next);
            }
            too_many_ = next.size() / width > kMostProducts;
            if (too_many_ || (stop && stop())) {
                return false;
            }
        }
        levels_.push_back(std::move(next));
    }
    return true;
}

double ProductFloors::least(std::size_t length, double& work, const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(length >= 2);
    if (!list(length - length / 2, work, stop)) {
        return 0;
    }
    const std::vector<float>& earlier = levels_[length / 2];
    const std::vector<float>& later = levels_[length - length / 2];
    const std::size_t width = rounds_.width();
    LaterProducts products(rounds_.table(), later);
    work -= kSortWork * static_cast<double>(later.size()) / std::sqrt(static_cast<double>(width));
    float least = 1;
    for (std::size_t at = 0; at < earlier.size(); at += width) {
        if (work <= 0 || (stop && stop())) {
            return 0;
        }
        products.meet(&earlier[at]);
        products.lower(least);
        work -= products.looked();
    }
    return std::max(0.0, static_cast<double>(least) - kGrainsInError);
}

}  // namespace longhaul::schedule::detail
