#include "longhaul/placement/assignment.hpp"

#include <limits>

namespace longhaul::placement {
namespace {

constexpr LexCost kUnreached{{std::numeric_limits<std::int64_t>::max(), 0, 0}};

/// State of the successive shortest paths; position 0 of rows and columns is a sentinel.
struct Potentials {
    explicit Potentials(std::size_t n) : row(n + 1), column(n + 1), row_of(n + 1, 0) {}
    std::vector<LexCost> row;
    std::vector<LexCost> column;
    std::vector<std::size_t> row_of;  // row matched to a column, 0 = free
};

void add_row(const core::Grid<LexCost>& costs, Potentials& state, std::size_t row) {
    const std::size_t n = costs.rows();
    std::vector<LexCost> distance(n + 1, kUnreached);
    std::vector<std::size_t> before(n + 1, 0);
    std::vector<char> done(n + 1, 0);
    std::size_t at = 0;
    state.row_of[0] = row;
    while (state.row_of[at] != 0) {
        done[at] = 1;
        const std::size_t from = state.row_of[at];
        LexCost step = kUnreached;
        std::size_t next = 0;
        for (std::size_t j = 1; j <= n; ++j) {
            if (done[j] != 0) {
                continue;
            }
            const LexCost reduced = costs(from - 1, j - 1) - state.row[from] - state.column[j];
            if (reduced < distance[j]) {
                distance[j] = reduced;
                before[j] = at;
            }
            if (distance[j] < step) {
                step = distance[j];
                next = j;
            }
        }
        for (std::size_t j = 0; j <= n; ++j) {
            if (done[j] != 0) {
                state.row[state.row_of[j]] = state.row[state.row_of[j]] + step;
                state.column[j] = state.column[j] - step;
            } else if (distance[j] < kUnreached) {
                distance[j] = distance[j] - step;
            }
        }
        at = next;
    }
    while (at != 0) {
        state.row_of[at] = state.row_of[before[at]];
        at = before[at];
    }
}

}  // namespace

std::vector<int> least_assignment(const core::Grid<LexCost>& costs) {
    Potentials state(costs.rows());
    for (std::size_t row = 1; row <= costs.rows(); ++row) {
        add_row(costs, state, row);
    }
    std::vector<int> column(costs.rows());
    for (std::size_t j = 1; j <= costs.rows(); ++j) {
        column[state.row_of[j] - 1] = static_cast<int>(j - 1);
    }
    return column;
}

}  // namespace longhaul::placement
