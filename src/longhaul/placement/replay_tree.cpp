#include "longhaul/placement/replay_tree.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/ranges.h>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostReplayColumns = 400'000;
constexpr std::size_t kMostPathStates = std::size_t{1} << 22U;
constexpr std::uint64_t kReplayBoundWork = 8;

/// A possible stage.
struct ReplayColumn {
    ReplayRow counts{};
    double exchange = 0;
    int number = -1;  ///< in the log; -1 when the log does not hold it
};

class Replayer {
public:
    Replayer(ReplayModel& model, const ProofLog& log, double target, const ReplayLimits& limits)
        : model_(model),
          log_(log),
          target_(target),
          limits_(limits),
          cap_(target - (model.shape().pp - 1) * model.cheapest_pair()) {}

    Replay run() {
        result_.holds = prepare() && visit(0, model_.root(), -1, {});
        return std::move(result_);
    }

private:
    /// A child of the node at hand, and where it stands in the log.
    struct Child {
        int column;
        int times;
        std::size_t node;
    };

    bool refuse(std::size_t node, std::string why) {
        result_.node = node;
        result_.why = std::move(why);
        return false;
    }

    bool spend(std::size_t node, std::uint64_t work) {
        work_ += work;
        const bool stopped = ++asked_ % 1024 == 0 && limits_.stop && limits_.stop();
        return (work_ <= limits_.work && !stopped) ||
               refuse(node, "the work of the check is used up before the end of the log");
    }

    [[nodiscard]] std::string shown(const ReplayRow& row, int times) const {
        const std::vector<int> counts(row.begin(),
                                      row.begin() + static_cast<std::ptrdiff_t>(model_.classes()));
        return fmt::format(
            "column ({}) for {} stage{}", fmt::join(counts, " "), times, times == 1 ? "" : "s");
    }

    /// The log's own columns, and all that may occur below the target, cheapest exchange first.
    bool prepare() {
        std::map<ReplayRow, int> numbers;
        for (const std::vector<int>& counts : log_.columns) {
            ReplayRow row{};
            std::ranges::copy(counts, row.begin());
            if (!numbers.emplace(row, static_cast<int>(logged_.size())).second) {
                return refuse(0, shown(row, 1) + " is listed twice");
            }
            logged_.push_back({row, model_.exchange(row), static_cast<int>(logged_.size())});
        }
        ReplayRow row{};
        if (!list(0, model_.shape().dp, row)) {
            return false;
        }
        std::ranges::stable_sort(columns_, {}, &ReplayColumn::exchange);
        holding_.resize(model_.classes());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const auto known = numbers.find(columns_[i].counts);
            columns_[i].number = known == numbers.end() ? -1 : known->second;
            for (std::size_t a = 0; a < model_.classes(); ++a) {
                if (columns_[i].counts[a] > 0) {
                    holding_[a].push_back(i);
                }
            }
        }
        return true;
    }

    /// All stages of dp devices whose exchange is below the cap: more devices only add to it.
    bool list(std::size_t a, int missing, ReplayRow& row) {
        const double seconds = model_.exchange(row);
        if (!spend(0, 1) || seconds >= cap_) {
            return result_.why.empty();
        }
        if (missing == 0) {
            columns_.push_back({row, seconds, -1});
            return columns_.size() <= kMostReplayColumns ||
                   refuse(0, "more stages are possible than the check can list");
        }
        bool good = true;
        if (a < model_.classes()) {
            for (row[a] = 0; good && row[a] <= std::min(missing, model_.sizes()[a]); ++row[a]) {
                good = list(a + 1, missing - row[a], row);
            }
            row[a] = 0;
        }
        return good;
    }

    /// Stages that the rest has devices for.
    [[nodiscard]] int most_times(const ReplayState& state, const ReplayRow& counts) const {
        int most = state.left;
        for (std::size_t a = 0; a < model_.classes(); ++a) {
            if (counts[a] > 0) {
                most = std::min(most, state.rest[a] / counts[a]);
            }
        }
        return most;
    }

    /// Checks a node and all below it. `covered` is the class that its parent covers, and `open`
    /// are the log's columns that may still occur while that class is covered, in their order.
    bool visit(std::size_t node, const ReplayState& state, int covered, std::vector<int> open) {
        ++result_.nodes;
        const std::vector<Child> children = children_of(node);
        if (state.left == 0) {
            return children.empty() ? leaf(node, state)
                                    : refuse(children.front().node, "no stage is left for it");
        }
        // The order names every class, and devices are left.
        const int k = *std::ranges::find_if(log_.order, [&](int a) { return state.rest[a] > 0; });
        for (const Child& child : children) {
            const ReplayRow& counts = logged_[child.column].counts;
            if (counts[k] == 0 || child.times > most_times(state, counts)) {
                return refuse(child.node,
                              shown(counts, child.times) + " cannot follow: it does not fit");
            }
        }
        if (k != covered) {
            open.clear();
            for (const Child& child : children) {
                if (open.empty() || open.back() != child.column) {
                    open.push_back(child.column);
                }
            }
        }
        return (k == covered ? exclude_open(node, state, open, children)
                             : exclude_holding(node, state, k, children)) &&
               descend(state, k, open, children);
    }

    /// Children of a node, by column and stages.
    [[nodiscard]] std::vector<Child> children_of(std::size_t node) const {
        const int depth = node == 0 ? 1 : log_.nodes[node - 1].depth + 1;
        std::vector<Child> children;
        for (std::size_t i = node; i < log_.nodes.size() && log_.nodes[i].depth >= depth; ++i) {
            if (log_.nodes[i].depth == depth) {
                children.push_back({log_.nodes[i].column, log_.nodes[i].times, i + 1});
            }
        }
        std::ranges::sort(
            children, {}, [](const Child& c) { return std::pair(c.column, c.times); });
        return children;
    }

    static bool has(const std::vector<Child>& children, int column, int times) {
        return std::ranges::binary_search(
            children, std::pair(column, times), {}, [](const Child& c) {
                return std::pair(c.column, c.times);
            });
    }

    /// Every column with the class, except for what the children have.
    bool exclude_holding(std::size_t node,
                         const ReplayState& state,
                         int k,
                         const std::vector<Child>& children) {
        const double path = model_.path_bound(state);
        for (const std::size_t i : holding_[k]) {
            if (std::max(state.exchange, columns_[i].exchange) + path >= target_) {
                return true;  // and so are all that follow
            }
            if (!exclude(node, state, columns_[i], children)) {
                return false;
            }
        }
        return true;
    }

    /// Every column that is still open, except for what the children have; columns that no child
    /// has are open no more.
    bool exclude_open(std::size_t node,
                      const ReplayState& state,
                      std::vector<int>& open,
                      const std::vector<Child>& children) {
        for (const int column : open) {
            if (!exclude(node, state, logged_[column], children)) {
                return false;
            }
        }
        std::erase_if(open, [&](int column) {
            return std::ranges::find(children, column, &Child::column) == children.end();
        });
        return true;
    }

    /// Whether the column cannot be taken for any number of stages that no child has.
    bool exclude(std::size_t node,
                 const ReplayState& state,
                 const ReplayColumn& column,
                 const std::vector<Child>& children) {
        const int most = most_times(state, column.counts);
        for (int times = 1; times <= most; ++times) {
            if (column.number >= 0 && has(children, column.number, times)) {
                continue;
            }
            if (!spend(node, kReplayBoundWork)) {
                return false;
            }
            const double bound =
                model_.bound(state, column.counts, column.exchange, times, target_);
            if (bound < target_) {
                return refuse(node,
                              fmt::format("{} is left out, but its bound is {:.9f} s, below {:.9f}",
                                          shown(column.counts, times),
                                          bound,
                                          target_));
            }
        }
        return true;
    }

    /// Goes into the children. Below a child, its own column and those before it are open no more.
    /// A child whose column is excluded already is not needed, and passed over.
    bool descend(const ReplayState& state,
                 int k,
                 const std::vector<int>& open,
                 const std::vector<Child>& children) {
        for (std::size_t c = 0; c < children.size(); ++c) {
            const Child& child = children[c];
            const auto at = std::ranges::lower_bound(open, child.column);
            if (at == open.end() || *at != child.column ||
                (c > 0 && same(children[c - 1], child))) {
                continue;
            }
            ReplayState next = model_.after(state, logged_[child.column].counts, child.times);
            next.chosen.emplace_back(child.column, child.times);
            if (!visit(child.node, next, k, {at + 1, open.end()})) {
                return false;
            }
        }
        return true;
    }

    static bool same(const Child& a, const Child& b) {
        return a.column == b.column && a.times == b.times;
    }

    /// All stages are chosen: their order is left, and what it costs at least.
    bool leaf(std::size_t node, const ReplayState& state) {
        const std::size_t n = state.chosen.size();
        core::Grid<double> edges(n, n, 0.0);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                const bool itself = a == b && state.chosen[a].second == 1;
                edges(a, b) = edges(b, a) =
                    itself ? 0 : edge(state.chosen[a].first, state.chosen[b].first);
            }
        }
        const double repeats = (model_.shape().pp - static_cast<int>(n)) * model_.cheapest_pair();
        if (state.exchange + spanning_weight(edges) + repeats >= target_) {
            return true;
        }
        std::size_t states = n;
        for (const auto& [column, times] : state.chosen) {
            states *= static_cast<std::size_t>(times) + 1;
            if (states > kMostPathStates) {
                return refuse(node, "its stages have too many orders to be checked");
            }
        }
        if (!spend(node, states * n / 4)) {
            return false;
        }
        const double score = state.exchange + shortest_order(edges, state.chosen);
        return score >= target_ ||
               refuse(node, fmt::format("its stages score {:.9f} s, below {:.9f}", score, target_));
    }

    double edge(int a, int b) {
        const std::pair<int, int> key = std::minmax(a, b);
        const auto known = edges_.find(key);
        return known != edges_.end()
                   ? known->second
                   : edges_.emplace(key, model_.edge(logged_[a].counts, logged_[b].counts))
                         .first->second;
    }

    /// Kruskal: edges by weight, joined while they join two trees.
    static double spanning_weight(const core::Grid<double>& edges) {
        struct Link {
            double weight;
            std::size_t a, b;
        };
        std::vector<Link> sorted;
        std::vector<std::size_t> tree;
        for (std::size_t a = 0; a < edges.rows(); ++a) {
            tree.push_back(a);
            for (std::size_t b = 0; b < a; ++b) {
                sorted.push_back({edges(a, b), a, b});
            }
        }
        std::ranges::sort(sorted, {}, &Link::weight);
        double total = 0;
        for (const Link& edge : sorted) {
            if (tree[edge.a] != tree[edge.b]) {
                total += edge.weight;
                std::ranges::replace(tree, std::size_t{tree[edge.a]}, std::size_t{tree[edge.b]});
            }
        }
        return total;
    }

    /// Shortest order of the stages, by how many of each column stand already and which stands
    /// last. A mixed-radix number counts the first.
    static double shortest_order(const core::Grid<double>& edges,
                                 const std::vector<std::pair<int, int>>& chosen) {
        const std::size_t n = chosen.size();
        std::vector<std::size_t> weight;
        std::size_t size = 1;
        for (const auto& [column, times] : chosen) {
            weight.push_back(size);
            size *= static_cast<std::size_t>(times) + 1;
        }
        constexpr double kUnreached = std::numeric_limits<double>::infinity();
        std::vector<double> best(size * n, kUnreached);
        for (std::size_t a = 0; a < n; ++a) {
            best[weight[a] * n + a] = 0;
        }
        for (std::size_t set = 1; set < size; ++set) {
            for (std::size_t next = 0; next < n; ++next) {
                const auto most = static_cast<std::size_t>(chosen[next].second);
                if (set / weight[next] % (most + 1) == most) {
                    continue;
                }
                double& length = best[(set + weight[next]) * n + next];
                for (std::size_t last = 0; last < n; ++last) {
                    length = std::min(length, best[set * n + last] + edges(last, next));
                }
            }
        }
        return *std::min_element(best.end() - static_cast<std::ptrdiff_t>(n), best.end());
    }

    ReplayModel& model_;
    const ProofLog& log_;
    double target_;
    const ReplayLimits& limits_;
    double cap_;
    Replay result_;
    std::uint64_t work_ = 0;
    std::uint64_t asked_ = 0;
    std::vector<ReplayColumn> logged_;
    std::vector<ReplayColumn> columns_;
    std::vector<std::vector<std::size_t>> holding_;  ///< columns that hold a class
    std::map<std::pair<int, int>, double> edges_;
};

}  // namespace

Replay replay(ReplayModel& model, const ProofLog& log, double target, const ReplayLimits& limits) {
    return Replayer(model, log, target, limits).run();
}

}  // namespace longhaul::placement
