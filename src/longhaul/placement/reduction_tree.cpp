#include "longhaul/placement/reduction_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

namespace longhaul::placement {
namespace {

using Hops = core::Grid<double>;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What is known of one set and root: seconds, and how the last merge comes about.
struct Best {
    double seconds = kNever;
    double sum = 0;           // of all hops below: decides between equal seconds
    int partner = -1;         // root of the half that sends
    std::uint32_t other = 0;  // that half
};

class SubsetTree {
public:
    explicit SubsetTree(const Hops& hops)
        : hops_(hops), n_(hops.rows()), best_(n_ << n_), sizes_(n_ + 1, 0) {}

    ReductionTree run() {
        sizes_[n_] = 1;
        for (std::size_t size = n_; size > 1; --size) {
            if (sizes_[size] != 0) {
                sizes_[size / 2] = sizes_[size - size / 2] = 1;
            }
        }
        const std::uint32_t all = (1U << n_) - 1;
        for (std::uint32_t set = 1; set <= all; ++set) {
            if (std::popcount(set) == 1) {
                at(set, std::countr_zero(set)).seconds = 0;
            } else if (sizes_[static_cast<std::size_t>(std::popcount(set))] != 0) {
                halve(set);
            }
        }
        ReductionTree tree;
        for (int root = 1; root < static_cast<int>(n_); ++root) {
            const Best& best = at(all, tree.root);
            const Best& found = at(all, root);
            const bool better = found.seconds < best.seconds ||
                                (found.seconds == best.seconds && found.sum < best.sum);
            tree.root = better ? root : tree.root;
        }
        tree.seconds = tree.bound = at(all, tree.root).seconds;
        collect(all, tree.root, tree.merges);
        return tree;
    }

private:
    Best& at(std::uint32_t set, int root) {
        return best_[set * n_ + static_cast<std::size_t>(root)];
    }

    void halve(std::uint32_t set) {
        const int half = std::popcount(set) / 2;
        for (std::uint32_t a = (set - 1) & set; a != 0; a = (a - 1) & set) {
            const int size = std::popcount(a);
            if (size == half || size == std::popcount(set) - half) {
                merge(set, a);
            }
        }
    }

    /// Roots in `a`, senders in the rest of the set.
    void merge(std::uint32_t set, std::uint32_t a) {
        for (std::uint32_t roots = a; roots != 0; roots &= roots - 1) {
            const int root = std::countr_zero(roots);
            const Best below = at(a, root);
            Best& best = at(set, root);
            for (std::uint32_t senders = set & ~a; senders != 0; senders &= senders - 1) {
                const int sender = std::countr_zero(senders);
                const Best& sent = at(set & ~a, sender);
                const double hop = hops_(root, sender);
                const double seconds = std::max(below.seconds, sent.seconds) + hop;
                const double sum = below.sum + sent.sum + hop;
                if (seconds < best.seconds || (seconds == best.seconds && sum < best.sum)) {
                    best = {seconds, sum, sender, set & ~a};
                }
            }
        }
    }

    void collect(std::uint32_t set, int root, std::vector<Merge>& merges) {
        const Best best = at(set, root);
        if (best.partner >= 0) {
            collect(set & ~best.other, root, merges);
            collect(best.other, best.partner, merges);
            merges.push_back({best.partner, root});
        }
    }

    const Hops& hops_;
    std::size_t n_;
    std::vector<Best> best_;
    std::vector<char> sizes_;  // sizes that halving meets
};

/// Halving of members in a given order. Position k of a level holds what is best with the member at
/// position k as root of its segment of that level.
class OrderTree {
public:
    explicit OrderTree(const Hops& hops) : hops_(hops) {}

    double seconds(const std::vector<int>& order) {
        order_ = &order;
        levels_.clear();
        return segment(0, order.size(), 0);
    }

    ReductionTree tree() const {
        ReductionTree tree;
        const std::size_t root = best_root(0, order_->size(), 0);
        tree.root = (*order_)[root];
        tree.seconds = levels_.empty() ? 0 : levels_[0][root].seconds;
        collect(0, order_->size(), 0, root, tree.merges);
        return tree;
    }

    [[nodiscard]] std::uint64_t work() const { return work_; }

private:
    struct Cell {
        double seconds = 0;
        double sum = 0;  // of all hops below: decides between equal seconds
        std::size_t partner = 0;
        friend bool operator<(const Cell& a, const Cell& b) {
            return a.seconds < b.seconds || (a.seconds == b.seconds && a.sum < b.sum);
        }
    };

    static std::size_t middle(std::size_t low, std::size_t high) {
        return low + (high - low + 1) / 2;
    }

    double segment(std::size_t low, std::size_t high, std::size_t level) {
        if (levels_.size() <= level) {
            levels_.emplace_back(order_->size());
        }
        if (high - low == 1) {
            levels_[level][low] = {};
            return 0;
        }
        const std::size_t cut = middle(low, high);
        segment(low, cut, level + 1);
        segment(cut, high, level + 1);
        std::vector<Cell>& here = levels_[level];
        const std::vector<Cell>& below = levels_[level + 1];
        for (std::size_t k = low; k < high; ++k) {
            here[k].seconds = kNever;
        }
        for (std::size_t a = low; a < cut; ++a) {
            for (std::size_t b = cut; b < high; ++b) {
                const double hop = hops_((*order_)[a], (*order_)[b]);
                const double seconds = std::max(below[a].seconds, below[b].seconds) + hop;
                const double sum = below[a].sum + below[b].sum + hop;
                here[a] = std::min(here[a], Cell{seconds, sum, b});
                here[b] = std::min(here[b], Cell{seconds, sum, a});
            }
        }
        work_ += (cut - low) * (high - cut);
        return here[best_root(low, high, level)].seconds;
    }

    [[nodiscard]] std::size_t best_root(std::size_t low,
                                        std::size_t high,
                                        std::size_t level) const {
        std::size_t best = low;
        for (std::size_t k = low; k < high; ++k) {
            best = levels_[level][k] < levels_[level][best] ? k : best;
        }
        return best;
    }

    void collect(std::size_t low,
                 std::size_t high,
                 std::size_t level,
                 std::size_t root,
                 std::vector<Merge>& merges) const {
        if (high - low == 1) {
            return;
        }
        const std::size_t cut = middle(low, high);
        const std::size_t partner = levels_[level][root].partner;
        collect(low, cut, level + 1, root < cut ? root : partner, merges);
        collect(cut, high, level + 1, root < cut ? partner : root, merges);
        merges.push_back({(*order_)[partner], (*order_)[root]});
    }

    const Hops& hops_;
    const std::vector<int>* order_ = nullptr;
    std::vector<std::vector<Cell>> levels_;
    std::uint64_t work_ = 0;
};

/// Members by nearest neighbours from one of them.
std::vector<int> nearest_tour(const Hops& hops, int start) {
    std::vector<int> left(hops.rows());
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> tour;
    int last = start;
    while (true) {
        left.erase(std::ranges::find(left, last));
        tour.push_back(last);
        if (left.empty()) {
            return tour;
        }
        last = *std::ranges::min_element(left, {}, [&](int next) { return hops(last, next); });
    }
}

/// Positions of the members on the slowest branch, from the root down: the ones worth moving.
std::vector<int> slowest_branch(const Hops& hops, const ReductionTree& tree) {
    std::vector<double> done(hops.rows(), 0);
    std::vector<std::vector<int>> branch(hops.rows());
    for (std::size_t i = 0; i < hops.rows(); ++i) {
        branch[i] = {static_cast<int>(i)};
    }
    for (const Merge& merge : tree.merges) {
        const bool late = done[merge.from] > done[merge.to];
        std::vector<int> path = branch[late ? merge.from : merge.to];
        path.push_back(late ? merge.to : merge.from);
        done[merge.to] = std::max(done[merge.from], done[merge.to]) + hops(merge.from, merge.to);
        branch[merge.to] = std::move(path);
    }
    std::vector<int> members = branch[tree.root];
    std::ranges::reverse(members);
    std::vector<int> distinct;
    for (const int member : members) {
        if (std::ranges::find(distinct, member) == distinct.end()) {
            distinct.push_back(member);
        }
    }
    return distinct;
}

/// First swap of a member of the slowest branch that helps; false when none does or work is out.
bool improve(const Hops& hops,
             OrderTree& halving,
             std::vector<int>& order,
             double& seconds,
             std::uint64_t most_work) {
    halving.seconds(order);
    for (const int member : slowest_branch(hops, halving.tree())) {
        const std::size_t at =
            static_cast<std::size_t>(std::ranges::find(order, member) - order.begin());
        for (std::size_t other = 0; other < order.size(); ++other) {
            if (other == at || halving.work() > most_work) {
                continue;
            }
            std::swap(order[at], order[other]);
            const double swapped = halving.seconds(order);
            if (swapped < seconds) {
                seconds = swapped;
                return true;
            }
            std::swap(order[at], order[other]);
        }
    }
    return false;
}

/// Every member leaves through one merge of its own and the merges above it: at least
/// floor(log2 n) in all, and one member at least ceil(log2 n).
double tree_bound(const Hops& hops) {
    const std::size_t n = hops.rows();
    double cheapest = kNever;
    double farthest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double nearest = kNever;
        for (std::size_t j = 0; j < n; ++j) {
            nearest = i == j ? nearest : std::min(nearest, hops(i, j));
        }
        cheapest = std::min(cheapest, nearest);
        farthest = std::max(farthest, nearest);
    }
    const int floor = static_cast<int>(std::bit_width(n)) - 1;
    const int ceil = static_cast<int>(std::bit_width(n - 1));
    return std::max(farthest + (floor - 1) * cheapest, ceil * cheapest);
}

ReductionTree tree_by_search(const Hops& hops) {
    constexpr std::uint64_t kWork = 1U << 15U;
    const auto row_sum = [&](int i) {
        const auto row = hops.row(static_cast<std::size_t>(i));
        return std::accumulate(row.begin(), row.end(), 0.0) - hops(i, i);
    };
    std::vector<int> members(hops.rows());
    std::iota(members.begin(), members.end(), 0);
    const auto [near, far] = std::ranges::minmax_element(members, {}, row_sum);
    OrderTree halving(hops);
    std::vector<int> best = members;
    double seconds = halving.seconds(best);
    for (const int start : {*far, *near}) {
        std::vector<int> tour = nearest_tour(hops, start);
        const double found = halving.seconds(tour);
        if (found < seconds) {
            seconds = found;
            best = std::move(tour);
        }
    }
    const double bound = tree_bound(hops);
    while (seconds > bound && improve(hops, halving, best, seconds, kWork)) {
    }
    halving.seconds(best);
    ReductionTree tree = halving.tree();
    tree.bound = std::min(bound, tree.seconds);
    return tree;
}

}  // namespace

ReductionTree best_reduction_tree(const Hops& hops) {
    if (hops.rows() <= 1) {
        return {};
    }
    return hops.rows() <= kMaxExactTree ? SubsetTree(hops).run() : tree_by_search(hops);
}

double tree_of_order(const Hops& hops, const std::vector<int>& order) {
    return OrderTree(hops).seconds(order);
}

}  // namespace longhaul::placement
