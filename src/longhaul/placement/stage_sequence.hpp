// Stages in path order with the sums that their score is made of, and moves that change only what
// they touch. Both annealers work on it; this is the one place that adds the terms up.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace longhaul::placement {

/// A sequence of p >= 1 stages. A stage is a slot: where its contents lie is the owner's business.
/// Functors: `exchange(slot)` is the group term of a stage; `edge(slot, slot, budget)` joins two
/// stages, exactly when it is at most the budget, and is anything above the budget otherwise.
/// Every try_ function takes the change when the total stays within the limit, else leaves
/// everything as it was.
class StageSequence {
public:
    /// Slots 0 .. p - 1 in this order. No edge is cheaper than `least_edge`.
    StageSequence(std::vector<double> exchange, std::vector<double> edges, double least_edge);

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] int slot(std::size_t position) const { return order_[position]; }
    [[nodiscard]] std::span<const int> order() const { return order_; }
    [[nodiscard]] double edge(std::size_t position) const { return edges_[position]; }
    [[nodiscard]] double exchange(std::size_t position) const { return exchange_[position]; }
    [[nodiscard]] double total() const { return combined(worst_, path_); }
    /// How the two terms make the score.
    [[nodiscard]] static double combined(double worst, double path) { return worst + path; }

    /// The contents of the stages at these positions (ascending) have changed.
    template <class Exchange, class Edge>
    bool try_contents(std::span<const std::size_t> positions,
                      double limit,
                      Exchange exchange,
                      Edge edge);
    /// Positions first .. last turn around.
    template <class Edge>
    bool try_reverse(std::size_t first, std::size_t last, double limit, Edge edge);
    /// [middle, last] moves in front of [first, middle), first < middle <= last.
    template <class Edge>
    bool try_rotate(
        std::size_t first, std::size_t middle, std::size_t last, double limit, Edge edge);
    /// The stages at i < j change places.
    template <class Edge>
    bool try_swap(std::size_t i, std::size_t j, double limit, Edge edge);

private:
    struct Joint {
        std::size_t edge;  // where it will stand
        int a, b;          // slots
        double value = 0;
    };
    void begin();
    void remove(std::size_t edge);
    void add(std::size_t edge, int a, int b) { added_.push_back({edge, a, b}); }
    template <class Edge>
    bool fits(double worst, double limit, Edge edge);
    [[nodiscard]] double worst_without(std::span<const std::size_t> positions) const;
    void reverse(std::size_t first, std::size_t last);
    void settle();
    void sum_up();

    std::vector<int> order_;
    std::vector<double> exchange_;  // by position
    std::vector<double> edges_;     // edges_[s] joins positions s and s + 1
    double least_edge_ = 0;
    double worst_ = 0;
    double path_ = 0;
    // The change being tried.
    double left_ = 0;  // sum of the edges that stay
    std::vector<Joint> added_;
    std::vector<double> new_exchange_;
};

template <class Edge>
bool StageSequence::fits(double worst, double limit, Edge edge) {
    double path = left_ + static_cast<double>(added_.size()) * least_edge_;
    for (Joint& joint : added_) {
        const double budget = limit - combined(worst, path) + least_edge_;
        if (budget < least_edge_) {
            return false;
        }
        joint.value = edge(joint.a, joint.b, budget);
        if (joint.value > budget) {
            return false;
        }
        path += joint.value - least_edge_;
    }
    return combined(worst, path) <= limit;
}

template <class Exchange, class Edge>
bool StageSequence::try_contents(std::span<const std::size_t> positions,
                                 double limit,
                                 Exchange exchange,
                                 Edge edge) {
    begin();
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t s = positions[i];
        if (s > 0 && (i == 0 || positions[i - 1] + 1 != s)) {
            remove(s - 1);
            add(s - 1, order_[s - 1], order_[s]);
        }
        if (s + 1 < size()) {
            remove(s);
            add(s, order_[s], order_[s + 1]);
        }
    }
    const double most = limit - left_ - static_cast<double>(added_.size()) * least_edge_;
    double worst = worst_without(positions);
    new_exchange_.clear();
    for (const std::size_t s : positions) {
        if (combined(worst, 0) > most) {
            return false;
        }
        new_exchange_.push_back(exchange(order_[s]));
        worst = std::max(worst, new_exchange_.back());
    }
    if (!fits(worst, limit, edge)) {
        return false;
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        exchange_[positions[i]] = new_exchange_[i];
    }
    settle();
    return true;
}

template <class Edge>
bool StageSequence::try_reverse(std::size_t first, std::size_t last, double limit, Edge edge) {
    begin();
    if (first > 0) {
        remove(first - 1);
        add(first - 1, order_[first - 1], order_[last]);
    }
    if (last + 1 < size()) {
        remove(last);
        add(last, order_[first], order_[last + 1]);
    }
    if (!fits(worst_, limit, edge)) {
        return false;
    }
    reverse(first, last);
    settle();
    return true;
}

template <class Edge>
bool StageSequence::try_rotate(
    std::size_t first, std::size_t middle, std::size_t last, double limit, Edge edge) {
    begin();
    if (first > 0) {
        remove(first - 1);
        add(first - 1, order_[first - 1], order_[middle]);
    }
    if (last + 1 < size()) {
        remove(last);
        add(last, order_[middle - 1], order_[last + 1]);
    }
    remove(middle - 1);
    add(first + last - middle, order_[last], order_[first]);
    if (!fits(worst_, limit, edge)) {
        return false;
    }
    // Both parts turn around, then the whole: edges inside the parts keep their order.
    reverse(first, middle - 1);
    reverse(middle, last);
    reverse(first, last);
    settle();
    return true;
}

template <class Edge>
bool StageSequence::try_swap(std::size_t i, std::size_t j, double limit, Edge edge) {
    std::swap(order_[i], order_[j]);
    begin();
    for (const std::size_t s : {i, j}) {
        if (s > 0 && !(s == j && i + 1 == j)) {
            remove(s - 1);
            add(s - 1, order_[s - 1], order_[s]);
        }
        if (s + 1 < size()) {
            remove(s);
            add(s, order_[s], order_[s + 1]);
        }
    }
    if (!fits(worst_, limit, edge)) {
        std::swap(order_[i], order_[j]);
        return false;
    }
    std::swap(exchange_[i], exchange_[j]);
    settle();
    return true;
}

}  // namespace longhaul::placement
