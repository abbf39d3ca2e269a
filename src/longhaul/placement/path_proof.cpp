// Branch and bound for open paths: one-tree bounds on the tour that a free node closes.
#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

constexpr double kPathRounding = 1e-12;
constexpr double kNoTree = std::numeric_limits<double>::infinity();
constexpr int kRootSteps = 300;
constexpr int kNodeSteps = 30;

enum class Edge : char { kFree, kForced, kForbidden };

/// Tours of p + 1 nodes, node p joined to all others at no cost: the open paths of p nodes.
class TourProof {
public:
    TourProof(const core::Grid<double>& edges, Path path, std::uint64_t nodes)
        : p_(edges.rows()),
          n_(p_ + 1),
          costs_(n_, n_, 0.0),
          state_(n_, n_, Edge::kFree),
          best_(std::move(path)),
          nodes_(nodes) {
        for (std::size_t i = 0; i < p_; ++i) {
            for (std::size_t j = 0; j < p_; ++j) {
                costs_(i, j) = edges(i, j);
            }
        }
    }

    BoundedPath run() && {
        penalties_.assign(n_, 0.0);
        BoundedPath result;
        root_bound_ = ascend(kRootSteps);
        result.bound = std::min(best_.length, root_bound_);
        bool complete = pruned(root_bound_);
        if (!complete && nodes_ > 0) {
            complete = branch();
        }
        if (complete) {
            result.bound = best_.length;
        }
        result.optimal = best_.length <= result.bound * (1 + kPathRounding);
        result.path = std::move(best_);
        return result;
    }

private:
    [[nodiscard]] bool pruned(double bound) const {
        return bound >= best_.length * (1 - kPathRounding);
    }

    /// Minimum 1-tree under the penalties: a spanning tree of nodes 0 .. p - 1 and the two cheapest
    /// edges of node p. Forced edges first, forbidden never. Infinity when there is none.
    double one_tree() {
        degree_.assign(n_, 0);
        tree_.clear();
        std::vector<double> nearest(p_, kNoTree);
        std::vector<int> from(p_, -1);
        std::vector<char> inside(p_, 0);
        double total = 0;
        nearest[0] = 0;
        for (std::size_t step = 0; step < p_; ++step) {
            std::size_t next = p_;
            for (std::size_t i = 0; i < p_; ++i) {
                if (inside[i] == 0 && (next == p_ || nearest[i] < nearest[next])) {
                    next = i;
                }
            }
            if (nearest[next] == kNoTree) {
                return kNoTree;
            }
            inside[next] = 1;
            if (from[next] >= 0) {
                add(from[next], static_cast<int>(next), total);
            }
            for (std::size_t i = 0; i < p_; ++i) {
                if (inside[i] == 0 && price(next, i) < nearest[i]) {
                    nearest[i] = price(next, i);
                    from[i] = static_cast<int>(next);
                }
            }
        }
        std::vector<int> ends(p_);
        std::iota(ends.begin(), ends.end(), 0);
        std::ranges::partial_sort(ends, ends.begin() + 2, {}, [&](int i) { return price(p_, i); });
        for (int i = 0; i < 2; ++i) {
            if (price(p_, ends[i]) == kNoTree) {
                return kNoTree;
            }
            add(static_cast<int>(p_), ends[i], total);
        }
        for (const double penalty : penalties_) {
            total -= 2 * penalty;
        }
        return total;
    }

    void add(int a, int b, double& total) {
        tree_.emplace_back(a, b);
        ++degree_[a];
        ++degree_[b];
        total += costs_(a, b) + penalties_[a] + penalties_[b];
    }

    [[nodiscard]] double price(std::size_t a, std::size_t b) const {
        switch (state_(a, b)) {
            case Edge::kForced:
                return -1e300;
            case Edge::kForbidden:
                return std::numeric_limits<double>::infinity();
            case Edge::kFree:
                break;
        }
        return costs_(a, b) + penalties_[a] + penalties_[b];
    }

    /// Subgradient steps; leaves the penalties of the best bound and its tree behind.
    double ascend(int steps) {
        double best = -std::numeric_limits<double>::infinity();
        std::vector<double> best_penalties = penalties_;
        double scale = 2;
        int stale = 0;
        for (int step = 0; step < steps; ++step) {
            const double bound = one_tree();
            if (bound == std::numeric_limits<double>::infinity()) {
                return bound;
            }
            stale = bound > best + 1e-9 * std::abs(best) ? 0 : stale + 1;
            if (bound > best) {
                best = bound;
                best_penalties = penalties_;
            }
            double squares = 0;
            for (const int degree : degree_) {
                squares += (degree - 2) * (degree - 2);
            }
            if (squares == 0 || pruned(best)) {
                break;
            }
            if (stale >= 5) {
                scale /= 2;
                stale = 0;
            }
            const double length =
                scale * std::max(best_.length - bound, 1e-6 * best_.length) / squares;
            for (std::size_t i = 0; i < n_; ++i) {
                penalties_[i] += length * (degree_[i] - 2);
            }
        }
        penalties_ = best_penalties;
        const double bound = one_tree();
        return std::max(bound, best);
    }

    void accept() {
        std::vector<std::vector<int>> joined(n_);
        double length = 0;
        for (const auto& [a, b] : tree_) {
            joined[a].push_back(b);
            joined[b].push_back(a);
            length += costs_(a, b);
        }
        if (length >= best_.length) {
            return;
        }
        std::vector<int> order;
        int before = static_cast<int>(p_);
        int at = joined[p_].front();
        while (at != static_cast<int>(p_)) {
            order.push_back(at);
            const int next = joined[at][0] == before ? joined[at][1] : joined[at][0];
            before = at;
            at = next;
        }
        if (order.front() > order.back()) {
            std::ranges::reverse(order);
        }
        best_ = {length, std::move(order)};
    }

    void set(int a, int b, Edge edge) { state_(a, b) = state_(b, a) = edge; }

    /// Explores the current restrictions below their bound, whose tree is in place. False when the
    /// nodes ran out.
    bool branch() {
        if (nodes_ == 0) {
            return false;
        }
        --nodes_;
        const auto crowded = std::ranges::max_element(degree_);
        if (*crowded <= 2) {
            accept();
            return true;
        }
        const auto node = static_cast<int>(crowded - degree_.begin());
        std::vector<int> open;
        int forced = 0;
        for (const auto& [a, b] : tree_) {
            if (a != node && b != node) {
                continue;
            }
            if (state_(a, b) == Edge::kForced) {
                ++forced;
            } else {
                open.push_back(a == node ? b : a);
            }
        }
        if (forced > 2) {
            return true;  // no tour
        }
        // Without the first edge; with it, without the second; with both.
        const std::vector<double> penalties = penalties_;
        bool complete = true;
        std::vector<int> fixed;
        for (std::size_t i = 0; i < open.size() && complete; ++i) {
            set(node, open[i], Edge::kForbidden);
            complete = explore(penalties);
            set(node, open[i], Edge::kForced);
            fixed.push_back(open[i]);
            if (forced + static_cast<int>(fixed.size()) == 2) {
                break;
            }
        }
        if (complete && forced + static_cast<int>(fixed.size()) == 2) {
            complete = with_all_others_forbidden(node, penalties);
        }
        for (const int other : fixed) {
            set(node, other, Edge::kFree);
        }
        return complete;
    }

    bool with_all_others_forbidden(int node, const std::vector<double>& penalties) {
        std::vector<int> closed;
        for (std::size_t i = 0; i < n_; ++i) {
            if (i != static_cast<std::size_t>(node) && state_(node, i) == Edge::kFree) {
                set(node, static_cast<int>(i), Edge::kForbidden);
                closed.push_back(static_cast<int>(i));
            }
        }
        const bool complete = explore(penalties);
        for (const int other : closed) {
            set(node, other, Edge::kFree);
        }
        return complete;
    }

    bool explore(const std::vector<double>& penalties) {
        penalties_ = penalties;
        const double bound = ascend(kNodeSteps);
        return pruned(bound) || branch();
    }

    std::size_t p_;
    std::size_t n_;
    core::Grid<double> costs_;
    core::Grid<Edge> state_;
    Path best_;
    std::uint64_t nodes_;
    double root_bound_ = 0;
    std::vector<double> penalties_;
    std::vector<int> degree_;
    std::vector<std::pair<int, int>> tree_;
};

}  // namespace

BoundedPath bounded_path(const core::Grid<double>& edges, const PathOptions& options) {
    Path path = local_path(edges, options);
    if (edges.rows() <= 2) {
        const double length = path.length;
        return {std::move(path), length, true};
    }
    return TourProof(edges, std::move(path), options.nodes).run();
}

}  // namespace longhaul::placement
