#include "longhaul/placement/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "longhaul/placement/kind_transport.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxCellPairs = std::size_t{1} << 20U;
constexpr std::int64_t kForbiddenPair = std::int64_t{1} << 40U;  // far above any sum of hosts
constexpr LexCost kUnreachedCell{{std::numeric_limits<std::int64_t>::max(), 0, 0}};

/// State of the successive shortest paths.
class LeastTransport {
public:
    LeastTransport(const core::Grid<LexCost>& costs,
                   std::vector<int> supply,
                   std::vector<int> demand)
        : costs_(costs),
          supply_(std::move(supply)),
          demand_(std::move(demand)),
          units_(costs.rows(), costs.columns(), 0),
          row_price_(costs.rows()),
          column_price_(costs.columns(), kUnreachedCell) {}

    core::Grid<int> run() && {
        start();
        for (std::size_t row = 0; row < supply_.size(); ++row) {
            while (supply_[row] > 0) {
                send(row);
            }
        }
        return std::move(units_);
    }

private:
    [[nodiscard]] LexCost reduced(std::size_t i, std::size_t j) const {
        return costs_(i, j) - row_price_[i] - column_price_[j];
    }

    /// Prices under which no pair costs less than nothing, and bundles over those that cost
    /// nothing.
    void start() {
        for (std::size_t i = 0; i < supply_.size(); ++i) {
            row_price_[i] = *std::ranges::min_element(costs_.row(i));
            for (std::size_t j = 0; j < demand_.size(); ++j) {
                column_price_[j] = std::min(column_price_[j], costs_(i, j) - row_price_[i]);
            }
        }
        for (std::size_t i = 0; i < supply_.size(); ++i) {
            for (std::size_t j = 0; j < demand_.size() && supply_[i] > 0; ++j) {
                if (demand_[j] > 0 && reduced(i, j) == LexCost{}) {
                    const int units = std::min(supply_[i], demand_[j]);
                    supply_[i] -= units;
                    demand_[j] -= units;
                    units_(i, j) = units;
                }
            }
        }
    }

    /// One bundle along the cheapest path from a row to a column with demand (Dijkstra).
    void send(std::size_t source) {
        const std::size_t rows = supply_.size();
        const std::size_t columns = demand_.size();
        row_distance_.assign(rows, kUnreachedCell);
        distance_.assign(columns, kUnreachedCell);
        row_before_.assign(columns, 0);
        column_before_.assign(rows, kNone);
        done_.assign(columns, 0);
        row_distance_[source] = {};
        relax_from(source);
        std::size_t end = nearest();
        while (demand_[end] == 0) {
            done_[end] = 1;
            for (std::size_t i = 0; i < rows; ++i) {
                if (units_(i, end) > 0 && row_distance_[i] == kUnreachedCell) {
                    row_distance_[i] = distance_[end];
                    column_before_[i] = end;
                    relax_from(i);
                }
            }
            end = nearest();
        }
        reprice(distance_[end]);
        augment(source, end);
    }

    /// Distances over the pairs of a row.
    void relax_from(std::size_t row) {
        const LexCost base = row_distance_[row];
        for (std::size_t j = 0; j < demand_.size(); ++j) {
            if (done_[j] != 0) {
                continue;
            }
            const LexCost through = base + reduced(row, j);
            if (through < distance_[j]) {
                distance_[j] = through;
                row_before_[j] = row;
            }
        }
    }

    [[nodiscard]] std::size_t nearest() const {
        std::size_t best = kNone;
        for (std::size_t j = 0; j < demand_.size(); ++j) {
            if (done_[j] == 0 && (best == kNone || distance_[j] < distance_[best])) {
                best = j;
            }
        }
        return best;
    }

    void reprice(const LexCost& length) {
        for (std::size_t i = 0; i < supply_.size(); ++i) {
            if (row_distance_[i] < length) {
                row_price_[i] = row_price_[i] + (length - row_distance_[i]);
            }
        }
        for (std::size_t j = 0; j < demand_.size(); ++j) {
            if (distance_[j] < length) {
                column_price_[j] = column_price_[j] - (length - distance_[j]);
            }
        }
    }

    void augment(std::size_t source, std::size_t end) {
        int units = std::min(supply_[source], demand_[end]);
        for (std::size_t row = row_before_[end]; row != source;
             row = row_before_[column_before_[row]]) {
            units = std::min(units, units_(row, column_before_[row]));
        }
        supply_[source] -= units;
        demand_[end] -= units;
        for (std::size_t column = end; column != kNone;) {
            const std::size_t row = row_before_[column];
            units_(row, column) += units;
            column = column_before_[row];
            if (column != kNone) {
                units_(row, column) -= units;
            }
        }
    }

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    const core::Grid<LexCost>& costs_;
    std::vector<int> supply_;
    std::vector<int> demand_;
    core::Grid<int> units_;
    std::vector<LexCost> row_price_, column_price_, row_distance_, distance_;
    std::vector<std::size_t> row_before_, column_before_;
    std::vector<char> done_;
};

/// Devices of one kind on one host; devices whose host has none in the other stage are together
/// (host -1). Positions in the stage, by device.
struct Cell {
    int kind = 0;
    int host = -1;
    std::vector<int> positions;
    std::size_t paired = 0;  // of the positions
};

std::vector<Cell> cells_of(const std::vector<int>& stage,
                           const std::vector<int>& kind_of,
                           std::span<const int> host_of,
                           const std::set<int>& shared_hosts) {
    std::vector<int> positions(stage.size());
    for (std::size_t r = 0; r < stage.size(); ++r) {
        positions[r] = static_cast<int>(r);
    }
    std::ranges::sort(positions, {}, [&](int r) { return stage[r]; });
    std::map<std::pair<int, int>, std::size_t> known;
    std::vector<Cell> cells;
    for (const int r : positions) {
        const int device = stage[r];
        const int host = shared_hosts.contains(host_of[device]) ? host_of[device] : -1;
        const auto [at, fresh] = known.try_emplace({kind_of[device], host}, cells.size());
        if (fresh) {
            cells.push_back({kind_of[device], host, {}});
        }
        cells[at->second].positions.push_back(r);
    }
    return cells;
}

std::vector<int> sizes_of(const std::vector<Cell>& cells) {
    std::vector<int> sizes;
    for (const Cell& cell : cells) {
        sizes.push_back(static_cast<int>(cell.positions.size()));
    }
    return sizes;
}

std::set<int> hosts_in_both(const std::vector<int>& stage,
                            const std::vector<int>& next,
                            std::span<const int> host_of) {
    std::set<int> first;
    for (const int device : stage) {
        first.insert(host_of[device]);
    }
    std::set<int> both;
    for (const int device : next) {
        if (first.contains(host_of[device])) {
            both.insert(host_of[device]);
        }
    }
    return both;
}

std::vector<int> counts_by_kind(const std::vector<int>& stage, const PairMatrix& pipeline) {
    std::vector<int> counts(pipeline.kinds(), 0);
    for (const int device : stage) {
        ++counts[pipeline.kind_of_device()[device]];
    }
    return counts;
}

/// The two stages in cells, and what has been paired of them.
class Joiner {
public:
    Joiner(const PairMatrix& pipeline,
           const std::vector<int>& stage,
           const std::vector<int>& next,
           std::span<const int> host_of)
        : pipeline_(pipeline), next_(next), ordered_(next.size(), -1) {
        const std::set<int> shared = hosts_in_both(stage, next, host_of);
        left_ = cells_of(stage, pipeline.kind_of_device(), host_of, shared);
        right_ = cells_of(next, pipeline.kind_of_device(), host_of, shared);
        left_counts_ = counts_by_kind(stage, pipeline);
        right_counts_ = counts_by_kind(next, pipeline);
        bottleneck_ = transport_.solve(pipeline.table(), left_counts_, right_counts_);
    }

    std::vector<int> run() && {
        if (left_.size() * right_.size() <= kMaxCellPairs) {
            join_at_least_cost();
        } else {
            join_quickly();
        }
        return std::move(ordered_);
    }

private:
    [[nodiscard]] LexCost cost(const Cell& a, const Cell& b) const {
        const double seconds = pipeline_.table()(a.kind, b.kind);
        const bool together = a.host >= 0 && a.host == b.host;
        return {{seconds > bottleneck_ ? kForbiddenPair
                 : together            ? 0
                                       : 1,
                 static_cast<std::int64_t>(std::llround(std::min(seconds, 1e6) * 1e9)),
                 0}};
    }

    void pair(Cell& a, Cell& b, int units) {
        for (int i = 0; i < units; ++i) {
            ordered_[a.positions[a.paired++]] = next_[b.positions[b.paired++]];
        }
    }

    void join_at_least_cost() {
        core::Grid<LexCost> costs(left_.size(), right_.size());
        for (std::size_t i = 0; i < left_.size(); ++i) {
            for (std::size_t j = 0; j < right_.size(); ++j) {
                costs(i, j) = cost(left_[i], right_[j]);
            }
        }
        const core::Grid<int> units = least_transport(costs, sizes_of(left_), sizes_of(right_));
        for (std::size_t i = 0; i < left_.size(); ++i) {
            for (std::size_t j = 0; j < right_.size(); ++j) {
                pair(left_[i], right_[j], units(i, j));
            }
        }
    }

    /// Same hosts first, if the rest can still be paired; then any pairs within the bottleneck.
    void join_quickly() {
        std::vector<int> left = left_counts_;
        std::vector<int> right = right_counts_;
        const auto hosts = pairs_on_one_host();
        for (const auto& [i, j] : hosts) {
            const int units = common(left_[i], right_[j]);
            left[left_[i].kind] -= units;
            right[right_[j].kind] -= units;
        }
        if (transport_.solve(pipeline_.table(), left, right) <= bottleneck_) {
            for (const auto& [i, j] : hosts) {
                pair(left_[i], right_[j], common(left_[i], right_[j]));
            }
        } else {
            transport_.solve(pipeline_.table(), left_counts_, right_counts_);
        }
        std::map<int, std::vector<std::size_t>> of_left;
        std::map<int, std::vector<std::size_t>> of_right;
        for (std::size_t i = 0; i < left_.size(); ++i) {
            of_left[left_[i].kind].push_back(i);
        }
        for (std::size_t j = 0; j < right_.size(); ++j) {
            of_right[right_[j].kind].push_back(j);
        }
        const std::span<const int> rows = transport_.left();
        const std::span<const int> columns = transport_.right();
        for (std::size_t x = 0; x < rows.size(); ++x) {
            for (std::size_t y = 0; y < columns.size(); ++y) {
                int units = transport_.units()[x * columns.size() + y];
                for (const std::size_t i : of_left[rows[x]]) {
                    for (const std::size_t j : of_right[columns[y]]) {
                        const int some = std::min(units, common(left_[i], right_[j]));
                        pair(left_[i], right_[j], some);
                        units -= some;
                    }
                }
            }
        }
    }

    /// What two cells have left to pair.
    static int common(const Cell& a, const Cell& b) {
        return static_cast<int>(
            std::min(a.positions.size() - a.paired, b.positions.size() - b.paired));
    }

    /// Cells of one kind and host in both stages, whose pairs are within the bottleneck.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pairs_on_one_host() const {
        std::map<std::pair<int, int>, std::size_t> known;
        for (std::size_t j = 0; j < right_.size(); ++j) {
            if (right_[j].host >= 0) {
                known[{right_[j].kind, right_[j].host}] = j;
            }
        }
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 0; i < left_.size(); ++i) {
            const auto at = known.find({left_[i].kind, left_[i].host});
            if (at != known.end() &&
                pipeline_.table()(left_[i].kind, left_[i].kind) <= bottleneck_) {
                pairs.emplace_back(i, at->second);
            }
        }
        return pairs;
    }

    const PairMatrix& pipeline_;
    const std::vector<int>& next_;
    std::vector<int> ordered_;
    std::vector<Cell> left_, right_;
    std::vector<int> left_counts_, right_counts_;
    BottleneckTransport transport_;
    double bottleneck_ = 0;
};

}  // namespace

core::Grid<int> least_transport(const core::Grid<LexCost>& costs,
                                std::vector<int> supply,
                                std::vector<int> demand) {
    return LeastTransport(costs, std::move(supply), std::move(demand)).run();
}

std::vector<int> continue_by_cells(const PairMatrix& pipeline,
                                   const std::vector<int>& stage,
                                   const std::vector<int>& next,
                                   std::span<const int> host_of) {
    return Joiner(pipeline, stage, next, host_of).run();
}

}  // namespace longhaul::placement
