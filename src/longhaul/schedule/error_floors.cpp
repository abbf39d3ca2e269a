#include "longhaul/schedule/detail/error_floors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/distinct.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Error of a row of multiples of 1 / parts, 1 / n each at best.
double row_of_parts(double parts, std::size_t n) {
    const auto islands = static_cast<double>(n);
    const double low = std::floor(parts / islands);
    const double more = parts - low * islands;
    return more * ((low + 1) / parts - 1 / islands) +
           (islands - more) * (1 / islands - low / parts);
}

/// Of one row of weights at a time.
class RoundsOnRow {
public:
    explicit RoundsOnRow(const RoundTable& table)
        : table_(table), means_(table.cliques.size()), row_(table.n) {}

    void take(const float* row) {
        row_.assign(row, row + table_.n);
        for (std::size_t c = 0; c < means_.size(); ++c) {
            double sum = 0;
            for (const std::size_t member : table_.members[c]) {
                sum += static_cast<double>(row[member]);
            }
            means_[c] = sum / table_.mass[c];
        }
    }
    void apply(std::size_t round, float* after) const {
        for (const std::uint32_t id : table_.cliques_of(round)) {
            for (const std::size_t member : table_.members[id]) {
                after[member] = static_cast<float>(means_[id] * table_.share[member]);
            }
        }
    }
    [[nodiscard]] double error() const {
        double off = 0;
        for (std::size_t x = 0; x < table_.n; ++x) {
            off += std::abs(static_cast<double>(row_[x]) - table_.share[x]);
        }
        return off;
    }
    /// Least error after one more round, every island in its best clique.
    [[nodiscard]] double least_after() const {
        std::array<double, RoundTable::kMostIslands> least{};
        least.fill(kNever);
        for (std::size_t c = 0; c < means_.size(); ++c) {
            for (const std::size_t member : table_.members[c]) {
                least[member] = std::min(least[member], std::abs(means_[c] - 1));
            }
        }
        double sum = 0;
        for (std::size_t x = 0; x < table_.n; ++x) {
            sum += table_.share[x] * least[x];
        }
        return sum;
    }

private:
    const RoundTable& table_;
    std::vector<double> means_;  ///< [clique] weight of its members over their share
    std::vector<float> row_;
};

}  // namespace

ErrorFloors::ErrorFloors(const RoundTable& table,
                         const SetErrors& errors,
                         double forgetting,
                         const ErrorFloors* of_more)
    : forgetting_(forgetting), least_(kMost + 2, 0), floors_(least_), after_(least_) {
    from_single_rounds(table, errors);
    from_pairs(table, errors, of_more == nullptr ? 0 : of_more->least_[2]);
    sum_up();
}

void ErrorFloors::from_single_rounds(const RoundTable& table, const SetErrors& errors) {
    double least = kNever;
    double widest = 1;
    std::uint64_t common = 1;
    for (const ListedRound& round : table.rounds) {
        least = std::min(least, round.error);
        widest = std::max(widest, static_cast<double>(round.widest));
        for (const Clique clique : round.round.cliques) {
            common = std::lcm(common, static_cast<std::uint64_t>(clique_size(clique)));
        }
    }
    least_[1] = std::max(0.0, least - kFloorRounding);
    for (std::size_t h = 2; h <= kMost; ++h) {
        double floor = errors.at_least(std::pow(widest, static_cast<double>(h)));
        // Weights of rows are multiples of 1 / (least common multiple of all sizes)^h.
        const double parts = std::pow(static_cast<double>(common), static_cast<double>(h));
        if (table.equal && parts < 1e12) {
            floor = std::max(floor, row_of_parts(parts, table.n) / table.start);
        }
        least_[h] = std::max(0.0, floor - kFloorRounding);
    }
}

void ErrorFloors::from_pairs(const RoundTable& table, const SetErrors& errors, double known) {
    double least = kNever;
    const double floor = std::max(least_[2], known);
    for (std::size_t b = 0; b < table.size(); ++b) {
        const ListedRound& later = table.rounds[b];
        for (std::size_t a = 0; a <= b && least > floor + kFloorRounding; ++a) {
            const ListedRound& round = table.rounds[a];
            if (errors.at_least(static_cast<double>(round.widest) * later.widest) < least) {
                least = std::min(least, errors.two(round.round, later.round));
            }
        }
    }
    least_[2] = std::max(least_[2], least - kFloorRounding);
}

void ErrorFloors::look_at_rows(const RoundTable& table, double most) {
    std::vector<double> sum(kMost + 2, 0);
    RoundsOnRow rounds(table);
    for (std::size_t i = 0; i < table.n; ++i) {
        std::vector<float> reached(table.n, 0);
        reached[i] = 1;
        for (std::size_t h = 1; h <= kMost; ++h) {
            const std::size_t count = reached.size() / table.n;
            const bool last = static_cast<double>(count * table.size()) > most;
            std::vector<float> next;
            Distinct distinct(table.n);
            double least = kNever;
            for (std::size_t k = 0; k < count; ++k) {
                rounds.take(&reached[k * table.n]);
                least = std::min(least, rounds.least_after());
                for (std::size_t round = 0; round < table.size() && !last; ++round) {
                    next.resize(next.size() + table.n);
                    rounds.apply(round, &next[next.size() - table.n]);
                    (void)distinct.keep_last(next);
                }
            }
            if (!last) {
                least = kNever;
                for (std::size_t at = 0; at < next.size(); at += table.n) {
                    rounds.take(&next[at]);
                    least = std::min(least, rounds.error());
                }
            }
            sum[h] += table.share[i] * least / table.start;
            if (last) {
                break;
            }
            reached = std::move(next);
        }
    }
    for (std::size_t h = 2; h <= kMost; ++h) {
        least_[h] = std::max(least_[h], sum[h] - kGrainsInError);
    }
    sum_up();
}

void ErrorFloors::raise(std::size_t h, double least) {
    least_[h] = std::max(least_[h], least - kFloorRounding);
    sum_up();
}

void ErrorFloors::sum_up() {
    for (std::size_t h = kMost; h > 1; --h) {
        // One more round never adds disagreement.
        least_[h - 1] = std::max(least_[h - 1], least_[h]);
    }
    double worth = 1;
    floors_[0] = 1;
    for (std::size_t h = 1; h <= kMost; ++h) {
        worth *= forgetting_;
        floors_[h] = worth * least_[h];
    }
    after_[kMost] = 0;
    for (std::size_t h = kMost; h > 0; --h) {
        after_[h - 1] = after_[h] + floors_[h];
    }
}

}  // namespace longhaul::schedule::detail
