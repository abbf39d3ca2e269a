#include "longhaul/placement/directed_path.hpp"

#include <algorithm>

#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRealGain = 1e-12;  // relative: sums in another order differ by less
constexpr std::size_t kLongestStretch = 3;
constexpr int kMostRounds = 100;

bool is_symmetric(const core::Grid<double>& edges) {
    for (std::size_t a = 0; a < edges.rows(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (edges(a, b) != edges(b, a)) {
                return false;
            }
        }
    }
    return true;
}

double length_along(const core::Grid<double>& edges, const std::vector<int>& order) {
    double length = 0;
    for (std::size_t s = 1; s < order.size(); ++s) {
        length += edges(static_cast<std::size_t>(order[s - 1]), static_cast<std::size_t>(order[s]));
    }
    return length;
}

/// An order with the sums of its edges read both ways, so that a turned stretch is priced in O(1).
class DirectedImprover {
public:
    DirectedImprover(const core::Grid<double>& edges, std::vector<int> order) : edges_(edges) {
        adopt(std::move(order));
    }

    Path run() && {
        for (int round = 0; round < kMostRounds && better(); ++round) {
        }
        return {length_, std::move(order_)};
    }

private:
    /// The edge between two places; 0 beyond an end.
    [[nodiscard]] double edge(std::size_t from, std::size_t to) const {
        return from >= order_.size() || to >= order_.size()
                   ? 0
                   : edges_(static_cast<std::size_t>(order_[from]),
                            static_cast<std::size_t>(order_[to]));
    }

    void adopt(std::vector<int> order) {
        order_ = std::move(order);
        length_ = length_along(edges_, order_);
        ahead_.assign(order_.size(), 0);
        astern_.assign(order_.size(), 0);
        for (std::size_t s = 1; s < order_.size(); ++s) {
            ahead_[s] = ahead_[s - 1] + edge(s - 1, s);
            astern_[s] = astern_[s - 1] + edge(s, s - 1);
        }
    }

    bool better() {
        bool changed = false;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            for (std::size_t j = i + 1; j < order_.size(); ++j) {
                changed = turned(i, j) || changed;
            }
            for (std::size_t j = i; j < std::min(order_.size(), i + kLongestStretch); ++j) {
                for (std::size_t to = 0; to <= order_.size(); ++to) {
                    changed = ((to < i || to > j + 1) && moved(i, j, to)) || changed;
                }
            }
        }
        return changed;
    }

    /// Places before the first: beyond an end.
    static std::size_t before(std::size_t place) { return place - 1; }  // wraps around

    bool turned(std::size_t i, std::size_t j) {
        const double was = edge(before(i), i) + (ahead_[j] - ahead_[i]) + edge(j, j + 1);
        const double now = edge(before(i), j) + (astern_[j] - astern_[i]) + edge(i, j + 1);
        if (now >= was - kRealGain * length_) {
            return false;
        }
        std::vector<int> order = order_;
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i),
                     order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        return taken(std::move(order));
    }

    /// Places i to j go before place `to`.
    bool moved(std::size_t i, std::size_t j, std::size_t to) {
        const double was = edge(before(i), i) + edge(j, j + 1) + edge(before(to), to);
        const double now = edge(before(i), j + 1) + edge(before(to), i) + edge(j, to);
        if (now >= was - kRealGain * length_) {
            return false;
        }
        std::vector<int> order = order_;
        const auto begin = order.begin();
        const auto at = [&](std::size_t place) {
            return begin + static_cast<std::ptrdiff_t>(place);
        };
        if (to < i) {
            std::rotate(at(to), at(i), at(j + 1));
        } else {
            std::rotate(at(i), at(j + 1), at(to));
        }
        return taken(std::move(order));
    }

    /// Differences of long sums lose digits: the whole length decides.
    bool taken(std::vector<int> order) {
        if (length_along(edges_, order) >= length_ * (1 - kRealGain)) {
            return false;
        }
        adopt(std::move(order));
        return true;
    }

    const core::Grid<double>& edges_;
    std::vector<int> order_;
    double length_ = 0;
    std::vector<double> ahead_;   // edges up to each place
    std::vector<double> astern_;  // the same read backwards
};

}  // namespace

Path best_directed_path(const core::Grid<double>& edges) {
    if (is_symmetric(edges)) {
        return best_path(edges);
    }
    if (edges.rows() <= static_cast<std::size_t>(kMaxExactStages)) {
        return directed_held_karp(edges);
    }
    core::Grid<double> mean(edges.rows(), edges.rows(), 0.0);
    for (std::size_t a = 0; a < edges.rows(); ++a) {
        for (std::size_t b = 0; b < edges.rows(); ++b) {
            mean(a, b) = (edges(a, b) + edges(b, a)) / 2;
        }
    }
    const std::vector<int> order = best_path(mean).order;
    Path path = DirectedImprover(edges, order).run();
    Path turned = DirectedImprover(edges, {order.rbegin(), order.rend()}).run();
    return turned.length < path.length ? std::move(turned) : std::move(path);
}

}  // namespace longhaul::placement
