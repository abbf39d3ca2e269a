#include "longhaul/placement/pair_limits.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::placement {
namespace {

constexpr double kNoPair = std::numeric_limits<double>::infinity();
constexpr std::size_t kExactNodes = 10;
constexpr std::size_t kMostNodes = 128;

/// Bottlenecks of matchings of 1, 2, … pairs: each augmenting path is the one whose dearest pair is
/// cheapest, found as shortest paths are (Dijkstra) with maxima in place of sums.
class GrowingMatching {
public:
    explicit GrowingMatching(core::Grid<double> costs)
        : costs_(std::move(costs)), left_of_(costs_.columns(), -1), right_of_(costs_.rows(), -1) {}

    std::vector<double> prices(std::size_t most) {
        std::vector<double> found;
        double price = 0;
        while (found.size() < std::min({most, costs_.rows(), costs_.columns()})) {
            price = std::max(price, augment());
            if (price == kNoPair) {
                break;
            }
            found.push_back(price);
        }
        return found;
    }

private:
    double augment() {
        const std::size_t m = costs_.columns();
        std::vector<double> reach(m, kNoPair);
        std::vector<int> from(m, -1);
        std::vector<char> done(m, 0);
        for (std::size_t i = 0; i < costs_.rows(); ++i) {
            if (right_of_[i] < 0) {
                relax(i, 0, reach, from, done);
            }
        }
        while (true) {
            std::size_t next = m;
            for (std::size_t j = 0; j < m; ++j) {
                if (done[j] == 0 && reach[j] < kNoPair && (next == m || reach[j] < reach[next])) {
                    next = j;
                }
            }
            if (next == m) {
                return kNoPair;
            }
            if (left_of_[next] < 0) {
                flip(static_cast<int>(next), from);
                return reach[next];
            }
            done[next] = 1;
            relax(static_cast<std::size_t>(left_of_[next]), reach[next], reach, from, done);
        }
    }

    void relax(std::size_t i,
               double sofar,
               std::vector<double>& reach,
               std::vector<int>& from,
               const std::vector<char>& done) const {
        for (std::size_t j = 0; j < reach.size(); ++j) {
            const double cost = std::max(sofar, costs_(i, j));
            if (done[j] == 0 && cost < reach[j]) {
                reach[j] = cost;
                from[j] = static_cast<int>(i);
            }
        }
    }

    void flip(int j, const std::vector<int>& from) {
        while (j >= 0) {
            const int i = from[j];
            left_of_[j] = i;
            std::swap(j, right_of_[i]);
        }
    }

    core::Grid<double> costs_;
    std::vector<int> left_of_;
    std::vector<int> right_of_;
};

/// Fewest paths over all n nodes by dynamic programming over subsets and last nodes.
int exact_paths(std::size_t n, const std::function<bool(std::size_t, std::size_t)>& open) {
    const std::size_t sets = std::size_t{1} << n;
    core::Grid<int> paths(sets, n, static_cast<int>(n) + 1);
    for (std::size_t i = 0; i < n; ++i) {
        paths(std::size_t{1} << i, i) = 1;
    }
    core::Grid<char> joined(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            joined(i, j) = i != j && open(i, j) ? 1 : 0;
        }
    }
    for (std::size_t set = 1; set < sets; ++set) {
        for (std::size_t last = 0; last < n; ++last) {
            for (std::size_t next = 0; next < n; ++next) {
                if ((set >> next & 1U) == 0 && (set >> last & 1U) != 0) {
                    int& after = paths(set | std::size_t{1} << next, next);
                    after = std::min(after, paths(set, last) + (joined(last, next) != 0 ? 0 : 1));
                }
            }
        }
    }
    return *std::ranges::min_element(paths.row(sets - 1));
}

/// The largest flow from the nodes to copies of themselves with 2 units a node and 1 a pair: twice
/// the largest fractional 2-matching.
class TwoMatching {
public:
    explicit TwoMatching(const std::vector<std::vector<int>>& neighbours)
        : neighbours_(neighbours), used_(neighbours.size()), into_(neighbours.size()) {
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            used_[i].assign(neighbours[i].size(), 0);
        }
    }

    int flow() {
        int units = 0;
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            for (int unit = 0; unit < 2; ++unit) {
                seen_.assign(neighbours_.size(), 0);
                units += send(static_cast<int>(i)) ? 1 : 0;
            }
        }
        return units;
    }

private:
    struct Arc {
        int from;
        std::size_t slot;  // among the neighbours of `from`
    };

    bool send(int i) {
        for (std::size_t slot = 0; slot < neighbours_[i].size(); ++slot) {
            const int j = neighbours_[i][slot];
            if (used_[i][slot] != 0 || seen_[j] != 0) {
                continue;
            }
            seen_[j] = 1;
            if (into_[j].size() < 2) {
                into_[j].push_back({i, slot});
                used_[i][slot] = 1;
                return true;
            }
            for (Arc& arc : into_[j]) {
                const Arc old = arc;
                // The other sender gives way when it can send elsewhere.
                if (send(old.from)) {
                    used_[old.from][old.slot] = 0;
                    arc = {i, slot};
                    used_[i][slot] = 1;
                    return true;
                }
            }
        }
        return false;
    }

    const std::vector<std::vector<int>>& neighbours_;
    std::vector<std::vector<char>> used_;
    std::vector<std::vector<Arc>> into_;
    std::vector<char> seen_;
};

int part_paths(const std::vector<int>& part, const std::vector<std::vector<int>>& neighbours) {
    const std::size_t n = part.size();
    if (n > kMostNodes || n == 1) {
        return 1;
    }
    std::vector<int> place(neighbours.size(), -1);
    for (std::size_t i = 0; i < n; ++i) {
        place[part[i]] = static_cast<int>(i);
    }
    std::vector<std::vector<int>> inside(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (const int other : neighbours[part[i]]) {
            inside[i].push_back(place[other]);
        }
    }
    return std::max(1, static_cast<int>(n) - TwoMatching(inside).flow() / 2);
}

core::Grid<double> between(const PairMatrix& costs,
                           std::span<const int> a,
                           std::span<const int> b) {
    core::Grid<double> grid(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            grid(i, j) = a[i] == b[j] ? kNoPair : costs(a[i], b[j]);
        }
    }
    return grid;
}

}  // namespace

std::vector<double> pair_prices(const PairMatrix& costs,
                                std::span<const int> a,
                                std::span<const int> b,
                                std::size_t most) {
    return GrowingMatching(between(costs, a, b)).prices(most);
}

std::vector<double> inner_pair_prices(const PairMatrix& costs,
                                      std::span<const int> devices,
                                      std::size_t most) {
    const std::vector<double> halves =
        GrowingMatching(between(costs, devices, devices)).prices(2 * most);
    std::vector<double> prices;
    for (std::size_t i = 1; i < halves.size(); i += 2) {
        prices.push_back(halves[i]);
    }
    return prices;
}

int fewest_paths(std::size_t n, const std::function<bool(std::size_t, std::size_t)>& open) {
    if (n <= kExactNodes) {
        return exact_paths(n, open);
    }
    std::vector<std::vector<int>> neighbours(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j && open(i, j)) {
                neighbours[i].push_back(static_cast<int>(j));
            }
        }
    }
    std::vector<char> seen(n, 0);
    int paths = 0;
    for (std::size_t start = 0; start < n; ++start) {
        if (seen[start] != 0) {
            continue;
        }
        std::vector<int> part{static_cast<int>(start)};
        seen[start] = 1;
        for (std::size_t at = 0; at < part.size(); ++at) {
            for (const int next : neighbours[part[at]]) {
                if (seen[next] == 0) {
                    seen[next] = 1;
                    part.push_back(next);
                }
            }
        }
        paths += part_paths(part, neighbours);
    }
    return paths;
}

}  // namespace longhaul::placement
