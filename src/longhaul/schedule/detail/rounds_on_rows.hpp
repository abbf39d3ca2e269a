// What rounds do to the rows of a product.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

/// The rounds of a table on rows of weights: n * sides numbers in single precision, the row of an
/// island holding its weights of all islands of each side. `table` must outlive it.
class RoundsOnRows {
public:
    explicit RoundsOnRows(const RoundTable& table);  ///< each island a side
    RoundsOnRows(const RoundTable& table, const Sides& sides);

    [[nodiscard]] const RoundTable& table() const { return table_; }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] std::size_t width() const { return table_.n * columns_; }
    /// Before any round.
    [[nodiscard]] std::vector<float> unit() const;

    /// The rows that the others speak of. O(cliques n).
    void take(const float* rows);
    [[nodiscard]] double error_after(std::size_t round) const;
    /// [clique] What its members add to the error when they average.
    [[nodiscard]] const std::vector<double>& errors() const { return errors_; }
    /// Least error after one more round, every island in its best clique.
    [[nodiscard]] double least_after() const;
    void apply(std::size_t round, float* after) const;

private:
    static constexpr std::size_t kStride = 12;  ///< ten islands and zeros, so that loops unroll
    using Row = std::array<float, kStride>;

    const RoundTable& table_;
    Sides sides_;
    std::size_t columns_;
    Row share_{};
    Row mass_{};                  ///< [side]
    std::vector<Row> means_;      ///< [clique]
    std::vector<double> errors_;  ///< [clique] of its members together
};

}  // namespace longhaul::schedule::detail
