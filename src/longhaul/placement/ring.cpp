#include "longhaul/placement/ring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace longhaul::placement {
namespace {

using Order = std::vector<int>;
using Hops = core::Grid<double>;

Order counted_members(std::size_t n) {
    Order order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<double> distinct_hops(const Hops& hops) {
    std::vector<double> levels;
    for (std::size_t i = 0; i < hops.rows(); ++i) {
        const auto row = hops.row(i);
        levels.insert(levels.end(), row.begin() + static_cast<std::ptrdiff_t>(i) + 1, row.end());
    }
    std::ranges::sort(levels);
    levels.erase(std::ranges::unique(levels).begin(), levels.end());
    return levels;
}

/// Whether the graph of hops up to a threshold is connected and stays so without any one member.
class Biconnected {
public:
    Biconnected(const Hops& hops, double threshold) : hops_(hops), threshold_(threshold) {}

    bool holds() {
        found_.assign(hops_.rows(), -1);
        low_.assign(hops_.rows(), 0);
        visit(0, -1);
        return !cut_ && time_ == static_cast<int>(hops_.rows());
    }

private:
    void visit(int member, int parent) {  // Hopcroft and Tarjan, 1973
        found_[member] = low_[member] = time_++;
        int children = 0;
        for (int next = 0; next < static_cast<int>(hops_.rows()) && !cut_; ++next) {
            if (next == member || next == parent || hops_(member, next) > threshold_) {
                continue;
            }
            if (found_[next] >= 0) {
                low_[member] = std::min(low_[member], found_[next]);
                continue;
            }
            ++children;
            visit(next, member);
            low_[member] = std::min(low_[member], low_[next]);
            cut_ = cut_ || (parent >= 0 ? low_[next] >= found_[member] : children > 1);
        }
    }

    const Hops& hops_;
    double threshold_;
    std::vector<int> found_, low_;
    int time_ = 0;
    bool cut_ = false;
};

std::size_t biconnected_level(const Hops& hops, const std::vector<double>& levels) {
    const auto holds = [&](double threshold) { return Biconnected(hops, threshold).holds(); };
    const auto at = std::ranges::partition_point(levels, [&](double t) { return !holds(t); });
    return static_cast<std::size_t>(at - levels.begin());
}

/// A Hamiltonian cycle of hops up to a threshold, if there is one. Paths start at the last member;
/// ends[mask] has a bit for every member at which a path over the members of `mask` can end.
std::optional<Order> cycle_by_subsets(const Hops& hops, double threshold) {
    const std::size_t others = hops.rows() - 1;
    std::vector<std::uint32_t> joined(others + 1, 0);
    for (std::size_t i = 0; i <= others; ++i) {
        for (std::size_t j = 0; j < others; ++j) {
            joined[i] |= i != j && hops(i, j) <= threshold ? 1U << j : 0U;
        }
    }
    const std::uint32_t all = (1U << others) - 1;
    std::vector<std::uint32_t> ends(std::size_t{all} + 1, 0);
    for (std::uint32_t rest = joined[others]; rest != 0; rest &= rest - 1) {
        ends[rest & -rest] = rest & -rest;
    }
    for (std::uint32_t mask = 1; mask < all; ++mask) {
        for (std::uint32_t rest = ends[mask] != 0 ? all & ~mask : 0; rest != 0; rest &= rest - 1) {
            if ((joined[static_cast<std::size_t>(std::countr_zero(rest))] & ends[mask]) != 0) {
                ends[mask | (rest & -rest)] |= rest & -rest;
            }
        }
    }
    Order order{static_cast<int>(others)};
    std::uint32_t mask = all;
    for (std::uint32_t next = ends[all] & joined[others]; mask != 0;) {
        if (next == 0) {
            return std::nullopt;
        }
        const int end = std::countr_zero(next);
        order.push_back(end);
        mask &= ~(1U << end);
        next = ends[mask] & joined[static_cast<std::size_t>(end)];
    }
    return order;
}

/// Grows a path of hops up to a threshold and closes it. A stuck end turns the tail of the path
/// around, which gives the path another end.
class Rotation {
public:
    Rotation(const Hops& hops, double threshold)
        : hops_(hops), threshold_(threshold), n_(static_cast<int>(hops.rows())) {}

    std::optional<Order> from(int start) {
        begin(start);
        for (int turns = 0; turns < kTurnsAMember * n_; ++turns) {
            while (extend()) {
            }
            if (static_cast<int>(path_.size()) == n_ && joined(path_.back(), path_.front())) {
                return path_;
            }
            if (turns % 2 == 1) {
                std::ranges::reverse(path_);
            }
            rotate();
        }
        return std::nullopt;
    }

    /// Members with the fewest hops first: the likeliest to be left over.
    [[nodiscard]] Order by_degree() const {
        Order members = counted_members(hops_.rows());
        std::ranges::stable_sort(members, {}, [this](int member) {
            return std::ranges::count_if(hops_.row(static_cast<std::size_t>(member)),
                                         [this](double hop) { return hop <= threshold_; });
        });
        return members;
    }

private:
    static constexpr int kTurnsAMember = 6;

    [[nodiscard]] bool joined(int a, int b) const { return a != b && hops_(a, b) <= threshold_; }

    void begin(int start) {
        path_.clear();
        on_path_.assign(hops_.rows(), 0);
        times_end_.assign(hops_.rows(), 0);
        open_.assign(hops_.rows(), 0);
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) {
                open_[i] += joined(i, j) ? 1 : 0;
            }
        }
        append(start);
    }

    void append(int member) {
        path_.push_back(member);
        on_path_[member] = 1;
        for (int i = 0; i < n_; ++i) {
            open_[i] -= joined(i, member) ? 1 : 0;
        }
    }

    /// Goes on to the free neighbour that has the fewest free neighbours itself.
    bool extend() {
        int best = -1;
        for (int next = 0; open_[path_.back()] > 0 && next < n_; ++next) {
            if (on_path_[next] == 0 && joined(path_.back(), next) &&
                (best < 0 || open_[next] < open_[best])) {
                best = next;
            }
        }
        if (best >= 0) {
            append(best);
        }
        return best >= 0;
    }

    /// Turns a tail around: the new end can go on, or close the ring, or was an end least often.
    void rotate() {
        const bool full = static_cast<int>(path_.size()) == n_;
        std::pair<int, int> best{std::numeric_limits<int>::max(), 0};
        std::size_t at = 0;
        for (std::size_t i = 0; i + 2 < path_.size(); ++i) {
            if (!joined(path_[i], path_.back())) {
                continue;
            }
            const int end = path_[i + 1];
            const bool good = full ? joined(end, path_.front()) && i > 0 : open_[end] > 0;
            const std::pair<int, int> rank{good ? 0 : 1, times_end_[end]};
            if (rank < best) {
                best = rank;
                at = i + 1;
            }
        }
        if (at > 0) {
            std::reverse(path_.begin() + static_cast<std::ptrdiff_t>(at), path_.end());
            ++times_end_[path_.back()];
        }
    }

    const Hops& hops_;
    double threshold_;
    int n_;
    Order path_;
    std::vector<char> on_path_;
    std::vector<int> times_end_, open_;  // open_: neighbours that are not on the path yet
};

std::optional<Order> cycle_by_rotation(const Hops& hops, double threshold) {
    constexpr std::size_t kRotationStarts = 3;
    Rotation rotation(hops, threshold);
    Order starts = rotation.by_degree();
    starts.resize(std::min(starts.size(), kRotationStarts));
    for (const int start : starts) {
        if (auto order = rotation.from(start)) {
            return order;
        }
    }
    return std::nullopt;
}

double slowest_hop(const Hops& hops, const Order& order) {
    double slowest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        slowest = std::max(slowest, hops(order[i], order[(i + 1) % order.size()]));
    }
    return slowest;
}

}  // namespace

void shorten(Ring& ring, const Hops& hops) {
    const std::size_t n = ring.order.size();
    for (bool better = n > 3; better;) {
        better = false;
        for (std::size_t i = 0; i + 2 < n; ++i) {
            for (std::size_t j = i + 2; j < n; ++j) {
                const int a = ring.order[i];
                const int b = ring.order[i + 1];
                const int c = ring.order[j];
                const int d = ring.order[(j + 1) % n];
                if (a == d || std::max(hops(a, c), hops(b, d)) > ring.slowest) {
                    continue;
                }
                const double saved = hops(a, b) + hops(c, d) - hops(a, c) - hops(b, d);
                if (saved > 1e-12 * ring.slowest) {
                    std::reverse(ring.order.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                 ring.order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
                    better = true;
                }
            }
        }
    }
}

double biconnected_threshold(const Hops& hops) {
    const std::vector<double> levels = distinct_hops(hops);
    return levels[biconnected_level(hops, levels)];
}

Ring best_ring(const Hops& hops) {
    const std::size_t n = hops.rows();
    if (n <= 3) {
        Ring ring{counted_members(n)};
        ring.slowest = ring.bound = n > 1 ? slowest_hop(hops, ring.order) : 0;
        return ring;
    }
    const std::vector<double> levels = distinct_hops(hops);
    const bool exact = n <= kMaxExactRing;
    const auto cycle = [&](std::size_t level) {
        return exact ? cycle_by_subsets(hops, levels[level])
                     : cycle_by_rotation(hops, levels[level]);
    };
    // Widening steps up to the first level with a ring, then halving between it and the last
    // without.
    std::size_t none = biconnected_level(hops, levels);
    Ring ring{{}, 0, levels[none]};
    std::size_t some = none;
    std::optional<Order> order = cycle(some);
    for (std::size_t step = 1; !order; step *= 2) {
        none = some;
        some = std::min(some + step, levels.size() - 1);
        order = cycle(some);
        if (!order && some + 1 == levels.size()) {
            order = counted_members(n);  // every order is a ring there
        }
    }
    ring.order = *std::move(order);
    while (some > none + 1) {
        const std::size_t middle = none + (some - none) / 2;
        order = cycle(middle);
        (order ? some : none) = middle;
        if (order) {
            ring.order = *std::move(order);
        }
    }
    ring.slowest = slowest_hop(hops, ring.order);
    if (exact) {
        ring.bound = ring.slowest;
    }
    return ring;
}

}  // namespace longhaul::placement
