#include "longhaul/schedule/detail/product_floors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/distinct.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kMostNumbers = 80'000'000;  ///< of a list of products

/// Of putting a round behind a product, in numbers added, and for each column of it.
constexpr double kApplyWork = 300;
constexpr double kApplyColumn = 150;
constexpr double kOrderWork = 50;  ///< of comparing it in order, for each number
constexpr double kSortWork = 200;  ///< of putting a side of a product in order

}  // namespace

ProductFloors::ProductFloors(const RoundTable& table, Sides sides)
    : table_(table),
      sides_(std::move(sides)),
      columns_(count_sides(sides_) - 1),
      any_order_(table.equal && columns_ + 1 == table.n) {
    LONGHAUL_ASSERT(sides_.size() == table.n && columns_ >= 1 && columns_ < table.n);
    means_.resize(table.cliques.size() * columns_);
    std::vector<float>& unit = levels_.emplace_back(table.n * columns_, 0.0F);
    for (std::size_t i = 0; i < table.n; ++i) {
        if (sides_[i] < columns_) {
            unit[i * columns_ + sides_[i]] = 1;
        }
    }
}

void ProductFloors::take_means(const float* product) {
    for (std::size_t c = 0; c < table_.cliques.size(); ++c) {
        float* mean = &means_[c * columns_];
        std::fill_n(mean, columns_, 0.0F);
        for (const std::size_t member : table_.members[c]) {
            const auto share = static_cast<float>(table_.share[member] / table_.mass[c]);
            for (std::size_t b = 0; b < columns_; ++b) {
                mean[b] += share * product[member * columns_ + b];
            }
        }
    }
}

bool ProductFloors::list(std::size_t length, double& work, const std::function<bool()>& stop) {
    const std::size_t width = table_.n * columns_;
    while (levels_.size() <= length) {
        const std::vector<float>& before = levels_.back();
        const std::size_t tried = before.size() / width * table_.size();
        const double ordered =
            any_order_ ? kOrderWork * static_cast<double>(table_.n * table_.n) : 0;
        const double cost = (kApplyWork + kApplyColumn * static_cast<double>(columns_) + ordered) *
                            static_cast<double>(tried);
        if (too_many_ || cost > work) {
            return false;
        }
        work -= cost;
        const std::vector<std::uint32_t> rounds = table_.rounds_at(levels_.size() == 1);
        Growing next(any_order_ ? table_.n * table_.n : width);
        for (std::size_t at = 0; at < before.size(); at += width) {
            take_means(&before[at]);
            for (const std::uint32_t round : rounds) {
                add_after(round, next);
            }
            too_many_ = next.products.size() > kMostNumbers;
            if (too_many_ || (stop && stop())) {
                return false;
            }
        }
        levels_.push_back(std::move(next.products));
    }
    return true;
}

/// The product whose means were taken, with one more round, unless it is known.
void ProductFloors::add_after(std::uint32_t round, Growing& next) const {
    const std::size_t width = table_.n * columns_;
    next.products.resize(next.products.size() + width);
    float* after = &next.products[next.products.size() - width];
    for (const std::uint32_t id : table_.cliques_of(round)) {
        for (const std::size_t member : table_.members[id]) {
            std::copy_n(&means_[id * columns_], columns_, after + member * columns_);
        }
    }
    if (!any_order_) {
        (void)next.distinct.keep_last(next.products);
        return;
    }
    const std::size_t known = next.ordered.size();
    add_in_order(after, next.ordered);
    (void)next.distinct.keep_last(next.ordered);
    if (next.ordered.size() == known) {
        next.products.resize(next.products.size() - width);
    }
}

/// All columns of a product, the last one too, in an order that only their numbers decide.
void ProductFloors::add_in_order(const float* product, std::vector<float>& to) const {
    const std::size_t n = table_.n;
    to.resize(to.size() + n * n);
    float* numbers = &to[to.size() - n * n];
    for (std::size_t i = 0; i < n; ++i) {
        float last = 1;
        for (std::size_t b = 0; b < columns_; ++b) {
            numbers[i * n + b] = product[i * columns_ + b];
            last -= product[i * columns_ + b];
        }
        numbers[i * n + columns_] = last;
    }
    sort_columns(numbers, n, n);
}

std::vector<std::size_t> ProductFloors::by_error(const std::vector<float>& products) const {
    std::vector<float> mass(columns_, 0);
    for (std::size_t i = 0; i < table_.n; ++i) {
        if (sides_[i] < columns_) {
            mass[sides_[i]] += static_cast<float>(table_.share[i]);
        }
    }
    const std::size_t width = table_.n * columns_;
    std::vector<float> errors(products.size() / width, 0);
    for (std::size_t p = 0; p < errors.size(); ++p) {
        for (std::size_t i = 0; i < table_.n; ++i) {
            for (std::size_t b = 0; b < columns_; ++b) {
                errors[p] += static_cast<float>(table_.share[i]) *
                             std::abs(products[p * width + i * columns_ + b] - mass[b]);
            }
        }
    }
    std::vector<std::size_t> order(errors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t p) { return errors[p]; });
    return order;
}

std::optional<LaterProducts> ProductFloors::later(std::size_t length,
                                                  std::size_t most,
                                                  double& work,
                                                  const std::function<bool()>& stop) {
    if (!list(length, work, stop) || levels_[length].size() > most * table_.n * columns_) {
        return {};
    }
    const std::size_t sorted = levels_[length].size() / table_.n;
    work -= kSortWork * static_cast<double>(sorted);
    return LaterProducts(table_, sides_, levels_[length]);
}

double ProductFloors::least(std::size_t length, double& work, const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(length >= 2);
    if (!list(length - length / 2, work, stop)) {
        return 0;
    }
    const std::vector<float>& earlier = levels_[length / 2];
    const std::vector<float>& later = levels_[length - length / 2];
    const std::size_t width = table_.n * columns_;
    const std::size_t sorted = later.size() / table_.n;
    work -= kSortWork * static_cast<double>(sorted);
    LaterProducts products(table_, sides_, later);
    float least = 1;
    for (const std::size_t product : by_error(earlier)) {
        if (work <= 0 || (stop && stop())) {
            return 0;
        }
        products.lower(&earlier[product * width], least);
        work -= products.looked();
    }
    return std::max(0.0, static_cast<double>(least) - kGrainsInError);
}

}  // namespace longhaul::schedule::detail
