#include "longhaul/schedule/detail/rounds_on_rows.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

RoundsOnRows::RoundsOnRows(const RoundTable& table) : RoundsOnRows(table, finest_sides(table.n)) {}

RoundsOnRows::RoundsOnRows(const RoundTable& table, const Sides& sides)
    : table_(table),
      sides_(sides),
      columns_(count_sides(sides)),
      means_(table.cliques.size()),
      errors_(table.cliques.size()) {
    std::array<double, kStride> mass{};
    for (std::size_t i = 0; i < table.n; ++i) {
        share_[i] = static_cast<float>(table.share[i]);
        mass[sides[i]] += table.share[i];
    }
    std::ranges::transform(
        mass, mass_.begin(), [](double part) { return static_cast<float>(part); });
}

std::vector<float> RoundsOnRows::unit() const {
    std::vector<float> rows(width(), 0);
    for (std::size_t i = 0; i < table_.n; ++i) {
        rows[i * columns_ + sides_[i]] = 1;
    }
    return rows;
}

void RoundsOnRows::take(const float* rows) {
    std::array<Row, RoundTable::kMostIslands> padded{};
    for (std::size_t i = 0; i < table_.n; ++i) {
        std::copy_n(rows + i * columns_, columns_, padded[i].begin());
    }
    for (std::size_t c = 0; c < means_.size(); ++c) {
        Row sum{};
        for (const std::size_t member : table_.members[c]) {
            const float weight = share_[member];
            for (std::size_t x = 0; x < kStride; ++x) {
                sum[x] += weight * padded[member][x];
            }
        }
        const auto mass = static_cast<float>(table_.mass[c]);
        Row off;
        for (std::size_t x = 0; x < kStride; ++x) {
            off[x] = std::abs(sum[x] - mass * mass_[x]);
            means_[c][x] = sum[x] / mass;
        }
        float error = 0;
        for (const float part : off) {
            error += part;
        }
        errors_[c] = static_cast<double>(error) / table_.start;
    }
}

double RoundsOnRows::error_after(std::size_t round) const {
    double error = 0;
    for (const std::uint32_t id : table_.cliques_of(round)) {
        error += errors_[id];
    }
    return error;
}

double RoundsOnRows::least_after() const {
    std::array<double, RoundTable::kMostIslands> least;
    least.fill(kNever);
    for (std::size_t c = 0; c < means_.size(); ++c) {
        const double part = errors_[c] / table_.mass[c];
        for (const std::size_t member : table_.members[c]) {
            least[member] = std::min(least[member], part);
        }
    }
    double sum = 0;
    for (std::size_t i = 0; i < table_.n; ++i) {
        sum += table_.share[i] * least[i];
    }
    return sum;
}

void RoundsOnRows::apply(std::size_t round, float* after) const {
    for (const std::uint32_t id : table_.cliques_of(round)) {
        for (const std::size_t member : table_.members[id]) {
            std::copy_n(means_[id].begin(), columns_, after + member * columns_);
        }
    }
}

}  // namespace longhaul::schedule::detail
