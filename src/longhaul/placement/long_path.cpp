#include "longhaul/placement/long_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <span>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/dendrogram.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kStarts = 8;
constexpr std::uint64_t kKicksPerStage = 20;
constexpr std::size_t kQuickExact = 10;    // inside a search; of more, all subsets take longer
constexpr std::size_t kBetteredExact = 8;  // at the end of a walk
constexpr std::size_t kProvedStages = 32;  // above, evaluation takes the local search alone
constexpr double kDigits = 1e-14;
constexpr double kImproves = 1e-12;  // a change must gain more than rounding

/// What improvers of one matrix share: the costs with a free node P that stands before and after
/// every path, and the nearest nodes of each.
class Ground {
public:
    explicit Ground(const core::Grid<double>& edges)
        : nodes_(static_cast<int>(edges.rows())),
          dearest_(*std::ranges::max_element(edges.cells())),
          kept_(std::min(kNeighbours, edges.rows() - 1)),
          cost_(edges.rows() + 1, edges.rows() + 1, 0.0) {
        const std::size_t p = edges.rows();
        near_.reserve(p * kept_);
        std::vector<int> near;
        for (std::size_t i = 0; i < p; ++i) {
            std::ranges::copy(edges.row(i), cost_.row(i).begin());
            near.resize(p);
            std::iota(near.begin(), near.end(), 0);
            near.erase(near.begin() + static_cast<std::ptrdiff_t>(i));
            const auto last = near.begin() + static_cast<std::ptrdiff_t>(kept_);
            std::ranges::partial_sort(
                near, last, {}, [&](int j) { return std::pair(edges(i, j), j); });
            near_.insert(near_.end(), near.begin(), last);
        }
    }

    [[nodiscard]] int nodes() const { return nodes_; }
    [[nodiscard]] const double* from(int node) const { return cost_.row(node).data(); }
    [[nodiscard]] std::span<const int> near(int node) const {
        return std::span(near_).subspan(static_cast<std::size_t>(node) * kept_, kept_);
    }
    /// What a change must gain at least: sums of dear edges lose the digits of cheap ones.
    [[nodiscard]] double rounding(double sum) const {
        return std::max(kImproves * (1 + std::abs(sum)), kDigits * dearest_);
    }

private:
    int nodes_;
    double dearest_;
    std::size_t kept_;
    core::Grid<double> cost_;
    std::vector<int> near_;
};

/// A path as a sequence, improved in place: nodes at positions 1 to P, the free node at 0 and
/// P + 1. Moves are those of a tour that the free node closes: ends may change without cost.
class PathImprover {
public:
    PathImprover(const Ground& ground, const std::vector<int>& order)
        : ground_(ground),
          nodes_(ground.nodes()),
          at_(order.size() + 2, nodes_),
          position_(order.size()),
          queued_(order.size(), 0) {
        restore(order);
    }

    [[nodiscard]] std::vector<int> order() const { return {at_.begin() + 1, at_.end() - 1}; }

    [[nodiscard]] double length() const {
        double length = 0;
        for (int i = 2; i <= nodes_; ++i) {
            length += link(i - 1, i);
        }
        return length;
    }

    /// Until no move of any node helps.
    void improve_all() {
        for (int node = 0; node < nodes_; ++node) {
            put(node);
        }
        improve();
    }

    /// Three cuts, the two inner parts change places; then until no move of the nodes at the cuts
    /// helps, nor of those that such moves touch.
    void improve_kicked(core::Random& random) {
        const auto p = static_cast<std::size_t>(nodes_);
        std::array<std::size_t, 3> cut{
            1 + random.index(p - 1), 1 + random.index(p - 1), 1 + random.index(p)};
        std::ranges::sort(cut);
        for (const std::size_t c : cut) {
            put(at_[c]);
            if (c < p) {
                put(at_[c + 1]);
            }
        }
        const auto first = at_.begin() + 1;
        std::rotate(first + static_cast<std::ptrdiff_t>(cut[0]),
                    first + static_cast<std::ptrdiff_t>(cut[1]),
                    first + static_cast<std::ptrdiff_t>(cut[2]));
        renumber(static_cast<int>(cut[0]) + 1, static_cast<int>(cut[2]));
        improve();
    }

    void restore(const std::vector<int>& order) {
        std::ranges::copy(order, at_.begin() + 1);
        renumber(1, nodes_);
    }

private:
    /// A node may stand in the queue twice at the start of an improvement, see improve_kicked.
    void put(int node) {
        queued_[node] = 1;
        queue_.push_back(node);
    }

    void improve() {
        while (!queue_.empty()) {
            const int node = queue_.back();
            queue_.pop_back();
            queued_[node] = 0;
            changed_.clear();
            while (two_opt(node) || or_opt(node)) {
            }
            for (const int other : changed_) {
                if (queued_[other] == 0) {
                    put(other);
                }
            }
        }
    }

    void renumber(int first, int last) {
        for (int i = first; i <= last; ++i) {
            position_[at_[i]] = i;
        }
    }

    [[nodiscard]] double link(int i, int j) const { return ground_.from(at_[i])[at_[j]]; }

    void note_changed(std::initializer_list<int> positions) {
        for (const int position : positions) {
            if (at_[position] != nodes_) {
                changed_.push_back(at_[position]);
            }
        }
    }

    bool try_reverse(int first, int last) {
        if (first >= last) {
            return false;
        }
        const double before = link(first - 1, first) + link(last, last + 1);
        const double after = link(first - 1, last) + link(first, last + 1);
        if (before - after <= ground_.rounding(before)) {
            return false;
        }
        note_changed({first - 1, first, last, last + 1});
        std::reverse(at_.begin() + first, at_.begin() + last + 1);
        renumber(first, last);
        return true;
    }

    bool two_opt(int node) {
        const int at = position_[node];
        for (const int other : ground_.near(node)) {
            const int to = position_[other];
            // Make the two adjacent, on either side of the node.
            if (at < to ? try_reverse(at + 1, to) : try_reverse(to + 1, at)) {
                return true;
            }
            if (at < to ? try_reverse(at, to - 1) : try_reverse(to, at - 1)) {
                return true;
            }
        }
        return try_reverse(1, at) || try_reverse(at, nodes_);
    }

    /// Moves a stretch of up to three nodes that begins or ends with `node` beside a near node.
    bool or_opt(int node) {
        const int at = position_[node];
        for (int length = 1; length <= 3; ++length) {
            if (at + length - 1 <= nodes_ && move_stretch(node, at, at + length - 1)) {
                return true;
            }
            if (length > 1 && at - length + 1 >= 1 && move_stretch(node, at - length + 1, at)) {
                return true;
            }
        }
        return false;
    }

    /// Beside one of the nodes near to `node`, turned if that is shorter.
    bool move_stretch(int node, int first, int last) {
        const double gain =
            link(first - 1, first) + link(last, last + 1) - link(first - 1, last + 1);
        const double rounding = ground_.rounding(gain);
        const int head = at_[first];
        const int tail = at_[last];
        const double* const to_head = ground_.from(head);
        const double* const to_tail = ground_.from(tail);
        for (const int other : ground_.near(node)) {
            const int to = position_[other];
            if (to >= first && to <= last) {
                continue;
            }
            for (const int after : {to, to - 1}) {
                if (after == first - 1 || after == last) {
                    continue;
                }
                const int left = at_[after];
                const int right = at_[after + 1];
                const double straight = to_head[left] + to_tail[right];
                const double turned = to_tail[left] + to_head[right];
                const double price = std::min(straight, turned) - ground_.from(left)[right];
                if (gain - price > rounding) {
                    move(first, last, after, turned < straight);
                    return true;
                }
            }
        }
        return false;
    }

    /// Moves a stretch between positions `after` and `after` + 1.
    void move(int first, int last, int after, bool turned) {
        note_changed({first - 1, first, last, last + 1, after, after + 1});
        const auto begin = at_.begin();
        if (turned) {
            std::reverse(begin + first, begin + last + 1);
        }
        if (after > last) {
            std::rotate(begin + first, begin + last + 1, begin + after + 1);
        } else {
            std::rotate(begin + after + 1, begin + first, begin + last + 1);
        }
        renumber(std::min(first, after + 1), std::max(last, after));
    }

    const Ground& ground_;
    int nodes_;
    std::vector<int> at_;        // node at each position
    std::vector<int> position_;  // of each node
    std::vector<int> queue_;
    std::vector<char> queued_;
    std::vector<int> changed_;
};

Path as_path(const PathImprover& improver) {
    Path path{improver.length(), improver.order()};
    if (path.order.front() > path.order.back()) {
        std::ranges::reverse(path.order);
    }
    return path;
}

/// Kicks a path that no single move betters; keeps what is shorter.
Path kicked(const Ground& ground, Path best, std::uint64_t kicks, std::uint64_t seed) {
    PathImprover improver(ground, best.order);
    core::Random random(seed, 0x70617468U);
    for (std::uint64_t i = 0; i < kicks; ++i) {
        improver.improve_kicked(random);
        const double length = improver.length();
        if (length < best.length - kImproves * best.length) {
            best = {length, improver.order()};
        } else {
            improver.restore(best.order);
        }
    }
    improver.restore(best.order);
    return as_path(improver);
}

}  // namespace

Path local_path(const core::Grid<double>& edges, const PathOptions& options) {
    const std::size_t p = edges.rows();
    LONGHAUL_ASSERT(p >= 1 && edges.columns() == p);
    if (p <= 2) {
        std::vector<int> all(p);
        std::iota(all.begin(), all.end(), 0);
        return {p == 2 ? edges(0, 1) : 0, all};
    }
    const Ground ground(edges);
    Path best;
    for (std::size_t i = 0; i < std::min(kStarts, p); ++i) {
        PathImprover improver(ground,
                              nearest_neighbour_tour(edges, static_cast<int>(i * p / kStarts % p)));
        improver.improve_all();
        if (best.order.empty() || improver.length() < best.length) {
            best = as_path(improver);
        }
    }
    return kicked(ground,
                  std::move(best),
                  options.kicks > 0 ? options.kicks : kKicksPerStage * p,
                  options.seed);
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

Path bettered_path(const core::Grid<double>& edges) {
    if (edges.rows() <= kBetteredExact) {
        return held_karp(edges);
    }
    const Ground ground(edges);
    std::vector<int> given(edges.rows());
    std::iota(given.begin(), given.end(), 0);
    PathImprover improver(ground, given);
    improver.improve_all();
    const Path path =
        kicked(ground, {improver.length(), improver.order()}, edges.rows(), PathOptions{}.seed);
    return or_as_given(edges, path);
}

Path quick_path_from(const core::Grid<double>& edges) {
    constexpr std::uint64_t kQuickKicks = 100;
    return edges.rows() <= kQuickExact || edges.rows() > kProvedStages
               ? best_path_from(edges)
               : or_as_given(edges, local_path(edges, {kQuickKicks, 0, 7}));
}

}  // namespace longhaul::placement
