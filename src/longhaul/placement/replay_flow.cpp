#include "longhaul/placement/replay_flow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longhaul::placement {
namespace {

constexpr std::size_t kFewNodes = 10;
constexpr std::size_t kMostFlowNodes = 128;
constexpr std::size_t kNoArc = std::numeric_limits<std::size_t>::max();

/// A matching that grows by one pair at a time (Kuhn, 1955).
class Pairing {
public:
    Pairing(std::size_t rows, std::size_t columns)
        : columns_of_(rows), row_of_(columns, rows), free_(rows, 1) {}

    void open(std::size_t row, std::size_t column) { columns_of_[row].push_back(column); }

    /// Whether one more pair was found.
    bool grow() {
        seen_.assign(row_of_.size(), 0);
        for (std::size_t row = 0; row < free_.size(); ++row) {
            if (free_[row] != 0 && place(row)) {
                free_[row] = 0;
                return true;
            }
        }
        return false;
    }

private:
    bool place(std::size_t row) {
        for (const std::size_t column : columns_of_[row]) {
            if (seen_[column] != 0) {
                continue;
            }
            seen_[column] = 1;
            if (row_of_[column] == free_.size() || place(row_of_[column])) {
                row_of_[column] = row;
                return true;
            }
        }
        return false;
    }

    std::vector<std::vector<std::size_t>> columns_of_;
    std::vector<std::size_t> row_of_;
    std::vector<char> free_;
    std::vector<char> seen_;
};

/// Sets of up to 10 nodes that one path can hold, then the fewest that make up all nodes.
int fewest_of_few(const core::Grid<char>& open) {
    const std::size_t n = open.rows();
    const std::size_t sets = std::size_t{1} << n;
    std::vector<unsigned> ends(sets, 0);  // nodes at which a path over exactly this set may end
    for (std::size_t set = 1; set < sets; ++set) {
        for (std::size_t last = 0; last < n; ++last) {
            const std::size_t before = set ^ (std::size_t{1} << last);
            if ((set >> last & 1U) == 0) {
                continue;
            }
            bool reached = before == 0;
            for (std::size_t i = 0; i < n && !reached; ++i) {
                reached = (ends[before] >> i & 1U) != 0 && open(i, last) != 0;
            }
            ends[set] |= reached ? 1U << last : 0U;
        }
    }
    std::vector<int> fewest(sets, static_cast<int>(n));
    fewest[0] = 0;
    for (std::size_t set = 1; set < sets; ++set) {
        for (std::size_t part = set; part != 0; part = (part - 1) & set) {
            if (ends[part] != 0) {
                fewest[set] = std::min(fewest[set], fewest[set ^ part] + 1);
            }
        }
    }
    return fewest.back();
}

/// Two units into and out of every node, one over every open pair: twice as much as the pairs of
/// any paths.
int twice_the_pairs(const core::Grid<char>& open, const std::vector<std::size_t>& part) {
    const std::size_t n = part.size();
    ReplayFlow flow(2 * n + 2);
    for (std::size_t i = 0; i < n; ++i) {
        flow.add(2 * n, i, 2);
        flow.add(n + i, 2 * n + 1, 2);
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j && open(part[i], part[j]) != 0) {
                flow.add(i, n + j, 1);
            }
        }
    }
    return flow.most(2 * n, 2 * n + 1);
}

}  // namespace

void ReplayFlow::add(std::size_t from, std::size_t to, int room) {
    arcs_of_[from].push_back(arcs_.size());
    arcs_.push_back({to, room});
    arcs_of_[to].push_back(arcs_.size());
    arcs_.push_back({from, 0});
}

std::vector<std::size_t> ReplayFlow::shortest(std::size_t source, std::size_t sink) const {
    std::vector<std::size_t> entered(arcs_of_.size(), kNoArc);
    std::vector<std::size_t> queue{source};
    for (std::size_t at = 0; at < queue.size() && entered[sink] == kNoArc; ++at) {
        for (const std::size_t arc : arcs_of_[queue[at]]) {
            const std::size_t to = arcs_[arc].to;
            if (arcs_[arc].room > 0 && to != source && entered[to] == kNoArc) {
                entered[to] = arc;
                queue.push_back(to);
            }
        }
    }
    std::vector<std::size_t> path;
    if (entered[sink] == kNoArc) {
        return path;
    }
    for (std::size_t node = sink; node != source; node = arcs_[entered[node] ^ 1U].to) {
        path.push_back(entered[node]);
    }
    return path;
}

int ReplayFlow::most(std::size_t source, std::size_t sink) {
    int units = 0;
    while (true) {
        const std::vector<std::size_t> path = shortest(source, sink);
        if (path.empty()) {
            return units;
        }
        int room = std::numeric_limits<int>::max();
        for (const std::size_t arc : path) {
            room = std::min(room, arcs_[arc].room);
        }
        for (const std::size_t arc : path) {
            arcs_[arc].room -= room;
            arcs_[arc ^ 1U].room += room;
        }
        units += room;
    }
}

std::vector<double> disjoint_pairs(const core::Grid<double>& costs, std::size_t most) {
    std::vector<std::size_t> cells(costs.cells().size());
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    std::erase_if(cells, [&](std::size_t cell) {
        return costs.cells()[cell] == std::numeric_limits<double>::infinity();
    });
    std::ranges::sort(cells, {}, [&](std::size_t cell) { return costs.cells()[cell]; });
    Pairing pairing(costs.rows(), costs.columns());
    std::vector<double> prices;
    for (std::size_t i = 0; i < cells.size() && prices.size() < most;) {
        const double cost = costs.cells()[cells[i]];
        for (; i < cells.size() && costs.cells()[cells[i]] == cost; ++i) {
            pairing.open(cells[i] / costs.columns(), cells[i] % costs.columns());
        }
        while (prices.size() < most && pairing.grow()) {
            prices.push_back(cost);
        }
    }
    return prices;
}

int chains_that_cover(const core::Grid<char>& open) {
    const std::size_t n = open.rows();
    if (n <= kFewNodes) {
        return fewest_of_few(open);
    }
    std::vector<char> seen(n, 0);
    int chains = 0;
    for (std::size_t start = 0; start < n; ++start) {
        if (seen[start] != 0) {
            continue;
        }
        seen[start] = 1;
        std::vector<std::size_t> part{start};
        for (std::size_t at = 0; at < part.size(); ++at) {
            for (std::size_t next = 0; next < n; ++next) {
                if (seen[next] == 0 && open(part[at], next) != 0) {
                    seen[next] = 1;
                    part.push_back(next);
                }
            }
        }
        const bool large = part.size() > kMostFlowNodes;
        const int pairs = large ? 0 : twice_the_pairs(open, part) / 2;
        chains += large ? 1 : std::max(1, static_cast<int>(part.size()) - pairs);
    }
    return chains;
}

}  // namespace longhaul::placement
