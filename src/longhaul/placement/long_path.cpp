#include "longhaul/placement/long_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/dendrogram.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kStarts = 8;
constexpr std::uint64_t kKicksPerStage = 20;
constexpr std::size_t kProvedStages = 32;  // above, evaluation takes the local search alone
constexpr double kDigits = 1e-14;
constexpr double kImproves = 1e-12;  // a change must gain more than rounding

/// A path as a sequence, improved in place. Moves are those of a tour that a free node closes: ends
/// may change without cost.
class PathImprover {
public:
    PathImprover(const core::Grid<double>& edges, std::vector<int> order)
        : edges_(edges),
          dearest_(*std::ranges::max_element(edges.cells())),
          order_(std::move(order)),
          position_(order_.size()) {
        const std::size_t p = order_.size();
        for (std::size_t i = 0; i < p; ++i) {
            std::vector<int> near(p);
            std::iota(near.begin(), near.end(), 0);
            near.erase(near.begin() + static_cast<std::ptrdiff_t>(i));
            const std::size_t kept = std::min(kNeighbours, near.size());
            std::ranges::partial_sort(
                near, near.begin() + static_cast<std::ptrdiff_t>(kept), {}, [&](int j) {
                    return std::pair(edges_(i, j), j);
                });
            near.resize(kept);
            near.shrink_to_fit();
            near_.push_back(std::move(near));
        }
        renumber(0, p);
    }

    [[nodiscard]] const std::vector<int>& order() const { return order_; }

    [[nodiscard]] double length() const {
        double length = 0;
        for (std::size_t i = 1; i < order_.size(); ++i) {
            length += edges_(order_[i - 1], order_[i]);
        }
        return length;
    }

    /// Until no move of a node in the queue helps. The queue is emptied.
    void improve(std::vector<int> queue) {
        std::vector<char> queued(order_.size(), 0);
        for (const int node : queue) {
            queued[node] = 1;
        }
        while (!queue.empty()) {
            const int node = queue.back();
            queue.pop_back();
            queued[node] = 0;
            changed_.clear();
            while (two_opt(node) || or_opt(node)) {
            }
            for (const int other : changed_) {
                if (queued[other] == 0) {
                    queued[other] = 1;
                    queue.push_back(other);
                }
            }
        }
    }

    /// Three cuts; the two inner parts change places. Returns the nodes at the cuts.
    std::vector<int> kick(core::Random& random) {
        const std::size_t p = order_.size();
        std::array<std::size_t, 3> cut{
            1 + random.index(p - 1), 1 + random.index(p - 1), 1 + random.index(p)};
        std::ranges::sort(cut);
        std::vector<int> ends;
        for (const std::size_t at : cut) {
            ends.push_back(order_[at - 1]);
            if (at < p) {
                ends.push_back(order_[at]);
            }
        }
        std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(cut[0]),
                    order_.begin() + static_cast<std::ptrdiff_t>(cut[1]),
                    order_.begin() + static_cast<std::ptrdiff_t>(cut[2]));
        renumber(cut[0], cut[2]);
        return ends;
    }

    void restore(const std::vector<int>& order) {
        order_ = order;
        renumber(0, order_.size());
    }

private:
    void renumber(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            position_[order_[i]] = static_cast<int>(i);
        }
    }

    /// What a change must gain at least: sums of dear edges lose the digits of cheap ones.
    [[nodiscard]] double rounding(double sum) const {
        return std::max(kImproves * (1 + std::abs(sum)), kDigits * dearest_);
    }

    /// Cost between the nodes at two positions; nothing beyond the ends.
    [[nodiscard]] double link(int i, int j) const {
        const auto p = static_cast<int>(order_.size());
        return i < 0 || j >= p ? 0 : edges_(order_[i], order_[j]);
    }

    void reverse(int first, int last) {
        for (const int at : {first - 1, first, last, last + 1}) {
            if (at >= 0 && at < static_cast<int>(order_.size())) {
                changed_.push_back(order_[at]);
            }
        }
        std::reverse(order_.begin() + first, order_.begin() + last + 1);
        renumber(static_cast<std::size_t>(first), static_cast<std::size_t>(last) + 1);
    }

    bool try_reverse(int first, int last) {
        if (first >= last) {
            return false;
        }
        const auto p = static_cast<int>(order_.size());
        const double before = link(first - 1, first) + link(last, last + 1);
        const double after = (first > 0 ? edges_(order_[first - 1], order_[last]) : 0) +
                             (last + 1 < p ? edges_(order_[first], order_[last + 1]) : 0);
        if (before - after <= rounding(before)) {
            return false;
        }
        reverse(first, last);
        return true;
    }

    bool two_opt(int node) {
        const int at = position_[node];
        const auto p = static_cast<int>(order_.size());
        for (const int other : near_[node]) {
            const int to = position_[other];
            // Make the two adjacent, on either side of the node.
            if (at < to ? try_reverse(at + 1, to) : try_reverse(to + 1, at)) {
                return true;
            }
            if (at < to ? try_reverse(at, to - 1) : try_reverse(to, at - 1)) {
                return true;
            }
        }
        return try_reverse(0, at) || try_reverse(at, p - 1);
    }

    /// Moves a stretch of up to three nodes that begins or ends with `node` beside a near node.
    bool or_opt(int node) {
        const auto p = static_cast<int>(order_.size());
        const int at = position_[node];
        for (int length = 1; length <= 3; ++length) {
            for (const int first : {at, at - length + 1}) {
                const int last = first + length - 1;
                if (first < 0 || last >= p) {
                    continue;
                }
                for (const int other : near_[node]) {
                    const int to = position_[other];
                    if ((to < first || to > last) &&
                        (try_move(first, last, to) || try_move(first, last, to - 1))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /// Moves the stretch between positions `after` and `after` + 1 (-1: to the front), turned if
    /// that is shorter.
    bool try_move(int first, int last, int after) {
        const auto p = static_cast<int>(order_.size());
        if (after >= first - 1 && after <= last) {
            return false;
        }
        const double joined =
            first > 0 && last + 1 < p ? edges_(order_[first - 1], order_[last + 1]) : 0;
        const double gain = link(first - 1, first) + link(last, last + 1) - joined;
        const int left = after < 0 ? -1 : order_[after];
        const int right = after + 1 >= p ? -1 : order_[after + 1];
        const auto cost = [&](int head, int tail) {
            return (left < 0 ? 0 : edges_(left, order_[head])) +
                   (right < 0 ? 0 : edges_(order_[tail], right));
        };
        const double straight = cost(first, last);
        const double turned = cost(last, first);
        const double price = std::min(straight, turned) - link(after, after + 1);
        if (gain - price <= rounding(gain)) {
            return false;
        }
        for (const int position : {first - 1, first, last, last + 1, after, after + 1}) {
            if (position >= 0 && position < p) {
                changed_.push_back(order_[position]);
            }
        }
        const auto begin = order_.begin();
        if (turned < straight) {
            std::reverse(begin + first, begin + last + 1);
        }
        if (after > last) {
            std::rotate(begin + first, begin + last + 1, begin + after + 1);
        } else {
            std::rotate(begin + after + 1, begin + first, begin + last + 1);
        }
        renumber(0, order_.size());
        return true;
    }

    const core::Grid<double>& edges_;
    double dearest_ = 0;
    std::vector<int> order_;
    std::vector<int> position_;
    std::vector<std::vector<int>> near_;
    std::vector<int> changed_;
};

Path as_path(const PathImprover& improver) {
    Path path{improver.length(), improver.order()};
    if (path.order.front() > path.order.back()) {
        std::ranges::reverse(path.order);
    }
    return path;
}

}  // namespace

Path local_path(const core::Grid<double>& edges, const PathOptions& options) {
    const std::size_t p = edges.rows();
    LONGHAUL_ASSERT(p >= 1 && edges.columns() == p);
    std::vector<int> all(p);
    std::iota(all.begin(), all.end(), 0);
    if (p <= 2) {
        return {p == 2 ? edges(0, 1) : 0, all};
    }
    Path best;
    for (std::size_t i = 0; i < std::min(kStarts, p); ++i) {
        PathImprover improver(edges,
                              nearest_neighbour_tour(edges, static_cast<int>(i * p / kStarts % p)));
        improver.improve(all);
        if (best.order.empty() || improver.length() < best.length) {
            best = as_path(improver);
        }
    }
    PathImprover improver(edges, best.order);
    core::Random random(options.seed, 0x70617468U);
    const std::uint64_t kicks = options.kicks > 0 ? options.kicks : kKicksPerStage * p;
    for (std::uint64_t i = 0; i < kicks; ++i) {
        improver.improve(improver.kick(random));
        if (improver.length() < best.length - kImproves * best.length) {
            best = {improver.length(), improver.order()};
        } else {
            improver.restore(best.order);
        }
    }
    improver.restore(best.order);
    return as_path(improver);
}

Path best_path(const core::Grid<double>& edges) {
    const std::size_t p = edges.rows();
    if (p <= static_cast<std::size_t>(kMaxExactStages)) {
        return held_karp(edges);
    }
    if (p <= kProvedStages) {
        return bounded_path(edges, {0, 100, 7}).path;
    }
    return local_path(edges, {kKicksPerStage * kProvedStages * kProvedStages / p + 1, 0, 7});
}

namespace {

/// The given order, 0 to P - 1, where that is no longer.
Path or_as_given(const core::Grid<double>& edges, const Path& path) {
    Path given{0, std::vector<int>(edges.rows())};
    std::iota(given.order.begin(), given.order.end(), 0);
    for (std::size_t i = 1; i < edges.rows(); ++i) {
        given.length += edges(i - 1, i);
    }
    return given.length <= path.length ? given : path;
}

}  // namespace

Path best_path_from(const core::Grid<double>& edges) {
    const Path path = best_path(edges);
    return edges.rows() <= static_cast<std::size_t>(kMaxExactStages) ? path
                                                                     : or_as_given(edges, path);
}

Path quick_path_from(const core::Grid<double>& edges) {
    constexpr std::size_t kQuickExact = 12;
    constexpr std::uint64_t kQuickKicks = 100;
    return edges.rows() <= kQuickExact || edges.rows() > kProvedStages
               ? best_path_from(edges)
               : or_as_given(edges, local_path(edges, {kQuickKicks, 0, 7}));
}

}  // namespace longhaul::placement
