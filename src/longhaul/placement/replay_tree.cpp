#include "longhaul/placement/replay_tree.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/ranges.h>

#include "longhaul/placement/replay_columns.hpp"
#include "longhaul/placement/replay_order.hpp"

namespace longhaul::placement {
namespace {

constexpr double kReplayRounding = 1e-9;  // of terms that lie on the border of two slices
constexpr int kNarrowPasses = 3;
constexpr std::size_t kMostPathStates = std::size_t{1} << 22U;
constexpr std::uint64_t kReplayBoundWork = 8;

class Replayer {
public:
    Replayer(ReplayModel& model, const ProofLog& log, double target, const ReplayLimits& limits)
        : model_(model), log_(log), target_(target), limits_(limits), columns_(model) {}

    Replay run() {
        result_.holds = follows_up() && prepare() && replay_slices();
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

    /// All stages up to the last cap, cheapest exchange first, and the number of each column of
    /// the log among them.
    bool prepare() {
        if (log_.slices.empty()) {
            return true;
        }
        const bool listed =
            columns_.list(with_rounding(log_.slices.back().cap), [this] { return spend(0, 1); });
        if (!listed) {
            return result_.why.empty()
                       ? refuse(0, "more stages are possible than the check can list")
                       : false;
        }
        const std::map<ReplayRow, int> numbers = columns_.numbers();
        for (const std::vector<int>& counts : log_.columns) {
            ReplayRow logged{};
            std::ranges::copy(counts, logged.begin());
            const auto known = numbers.find(logged);
            if (known == numbers.end()) {
                return refuse(0, shown(logged, 1) + " does not fit into any slice");
            }
            number_.push_back(known->second);
        }
        return true;
    }

    static double with_rounding(double seconds) { return seconds * (1 + kReplayRounding); }

    /// Whether slices follow each other from the least data-parallel term to the one that leaves
    /// too little for any path.
    bool follows_up() {
        const ReplayState root = model_.root();
        root_path_ = model_.path_bound(root, target_);
        double reached = with_rounding(model_.least_exchange());
        for (std::size_t i = 0; i < log_.slices.size(); ++i) {
            result_.slice = i;
            if (log_.slices[i].floor > reached) {
                return refuse(0, fmt::format("terms from {:.9f} s are in no slice", reached));
            }
            reached = std::max(i == 0 ? 0 : reached, log_.slices[i].cap);
        }
        return reached + root_path_ >= target_ ||
               refuse(
                   0,
                   fmt::format("the slices end at {:.9f} s, where the path may still take {:.9f}",
                               reached,
                               target_ - reached));
    }

    bool replay_slices() {
        for (std::size_t i = 0; i < log_.slices.size(); ++i) {
            result_.slice = i;
            slice_ = &log_.slices[i];
            if (slice_->floor + root_path_ >= target_) {
                continue;
            }
            budget_ = target_ - slice_->floor;
            ReplayState root = model_.root();
            root.exchange = slice_->floor;
            std::vector<int> open;
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                if (columns_[c].exchange <= with_rounding(slice_->cap) &&
                    columns_[c].exchange + root_path_ < target_) {
                    open.push_back(static_cast<int>(c));
                }
            }
            // What members differ in may lift any set above the floor.
            if (!visit(0, root, std::move(open), i == 0 || model_.members() != nullptr)) {
                return false;
            }
        }
        return true;
    }

    /// Checks a node and all below it. `open` are the columns that may still occur; `top` tells
    /// whether one with a term above the floor of the slice is chosen.
    bool visit(std::size_t node, const ReplayState& state, std::vector<int> open, bool top) {
        ++result_.nodes;
        const std::vector<Child> children = children_of(node);
        if (state.left == 0) {
            return children.empty() ? leaf(node, state)
                                    : refuse(children.front().node, "no stage is left for it");
        }
        bool possible = true;
        if (!narrow(node, state, open, top, possible)) {
            return false;
        }
        if (!possible) {
            return true;
        }
        const int logged = node == 0 ? slice_->covers : slice_->nodes[node - 1].covers;
        const int k = logged >= 0 ? logged : columns_.scarcest(state, open);
        return fit(node, state, k, children) && exclude(node, state, k, open, children) &&
               descend(state, open, children, top);
    }

    /// Children of a node in the order of the log.
    [[nodiscard]] std::vector<Child> children_of(std::size_t node) const {
        const std::vector<SliceLog::Node>& nodes = slice_->nodes;
        const int depth = node == 0 ? 1 : nodes[node - 1].depth + 1;
        std::vector<Child> children;
        for (std::size_t i = node; i < nodes.size() && nodes[i].depth >= depth; ++i) {
            if (nodes[i].depth == depth) {
                children.push_back({number_[nodes[i].column], nodes[i].times, i + 1});
            }
        }
        return children;
    }

    /// Children hold the class, fit into the rest, and those of one column stand together.
    bool fit(std::size_t node,
             const ReplayState& state,
             int k,
             const std::vector<Child>& children) {
        if (state.rest[k] == 0) {
            return refuse(node, fmt::format("covers class {}, of which no device is left", k));
        }
        std::vector<int> done;
        for (const Child& child : children) {
            const ReplayRow& counts = columns_[child.column].counts;
            if (counts[k] == 0 || child.times > columns_.most_times(state, counts)) {
                return refuse(child.node, shown(counts, child.times) + " does not fit");
            }
            if (done.empty() || done.back() != child.column) {
                if (std::ranges::find(done, child.column) != done.end()) {
                    return refuse(child.node,
                                  shown(counts, child.times) + " stands apart from its like");
                }
                done.push_back(child.column);
            }
        }
        return true;
    }

    /// Leaves the open columns that still fit: into the rest, with what the other stages can take,
    /// and into the path. `possible` says whether any set is left.
    bool narrow(std::size_t node,
                const ReplayState& state,
                std::vector<int>& open,
                bool top,
                bool& possible) {
        const bool joins = node != 0 && model_.path_with_another(state) >= budget_;
        for (int pass = 0; pass < kNarrowPasses; ++pass) {
            if (!spend(node, open.size() / 4 + 1)) {
                return false;
            }
            const CountRange range = columns_.range_of(open, slice_->floor);
            possible = (top || range.above) && !open.empty() && columns_.may_fill(state, range);
            if (!possible) {
                return true;
            }
            const auto cannot = [&](int c) {
                const ReplayRow& counts = columns_[c].counts;
                return !columns_.others_may_fill(state, counts, range) ||
                       (joins && pass == 0 && model_.path_with(state, counts) >= budget_);
            };
            if (std::erase_if(open, cannot) == 0) {
                return true;
            }
        }
        possible = !open.empty();
        return true;
    }

    /// Whether every open column with the class is excluded for every number of stages that no
    /// child has. Columns that no child has are open no more.
    bool exclude(std::size_t node,
                 const ReplayState& state,
                 int k,
                 std::vector<int>& open,
                 const std::vector<Child>& children) {
        std::vector<std::pair<int, int>> kept;
        for (const Child& child : children) {
            kept.emplace_back(child.column, child.times);
        }
        std::ranges::sort(kept);
        for (const int c : open) {
            const ReplayRow& counts = columns_[c].counts;
            const int most = counts[k] > 0 ? columns_.most_times(state, counts) : 0;
            for (int times = 1; times <= most; ++times) {
                if (std::ranges::binary_search(kept, std::pair(c, times))) {
                    continue;
                }
                if (times > 1 && model_.members() != nullptr &&
                    model_.exchange(counts, times) > slice_->cap) {
                    break;  // so many stages are above the cap, and more are, too
                }
                if (!spend(node, kReplayBoundWork)) {
                    return false;
                }
                const double path = model_.path_bound(state, counts, times, budget_);
                if (path < budget_) {
                    return refuse(
                        node,
                        fmt::format("{} is left out, but its bound is {:.9f} s, below {:.9f}",
                                    shown(counts, times),
                                    slice_->floor + path,
                                    target_));
                }
            }
        }
        std::erase_if(open, [&](int c) {
            const auto at = std::ranges::lower_bound(kept, std::pair(c, 0));
            return columns_[c].counts[k] > 0 && (at == kept.end() || at->first != c);
        });
        return true;
    }

    /// Goes into the children. Below a child, its own column and those before it are open no more.
    /// A child whose column is not open is not needed, and passed over.
    bool descend(const ReplayState& state,
                 std::vector<int> open,
                 const std::vector<Child>& children,
                 bool top) {
        int column = -1;
        bool needed = false;
        for (const Child& child : children) {
            if (child.column != column) {
                column = child.column;
                const auto at = std::ranges::lower_bound(open, column);
                needed = at != open.end() && *at == column;
                if (needed) {
                    open.erase(at);
                }
            }
            if (!needed) {
                continue;
            }
            ReplayState next = model_.after(state, columns_[column].counts, child.times);
            next.chosen.emplace_back(column, child.times);
            if (!visit(child.node, next, open, top || columns_[column].exchange > slice_->floor)) {
                return false;
            }
        }
        return true;
    }

    /// Where members differ: what all stages together must exchange at least.
    [[nodiscard]] double exchange_of(const ReplayState& state) const {
        std::vector<std::pair<ReplayRow, int>> stages;
        for (const auto& [column, times] : state.chosen) {
            stages.emplace_back(columns_[column].counts, times);
        }
        return std::max(state.exchange, model_.members()->exchange_of(stages));
    }

    /// Whether the tree of least weight over all stages shows that they reach the target.
    bool tree_suffices(const ReplayState& state, const core::Grid<double>& edges) {
        if (model_.members() == nullptr) {
            const double repeats =
                (model_.shape().pp - static_cast<int>(edges.rows())) * model_.cheapest_pair();
            return state.exchange + spanning_weight(edges) + repeats >= target_ ||
                   model_.path_bound(state, budget_) >= target_ - state.exchange;
        }
        std::vector<std::size_t> stages;
        for (std::size_t a = 0; a < edges.rows(); ++a) {
            stages.insert(stages.end(), static_cast<std::size_t>(state.chosen[a].second), a);
        }
        core::Grid<double> all(stages.size(), stages.size(), 0.0);
        for (std::size_t a = 0; a < stages.size(); ++a) {
            for (std::size_t b = 0; b < stages.size(); ++b) {
                all(a, b) = edges(stages[a], stages[b]);
            }
        }
        return state.exchange + model_.path_with_tree(state, spanning_edges(all)) >= target_;
    }

    /// All stages are chosen: their order is left, and what it costs at least.
    bool leaf(std::size_t node, ReplayState state) {
        if (model_.members() != nullptr) {
            state.exchange = exchange_of(state);
        }
        const std::size_t n = state.chosen.size();
        core::Grid<double> edges(n, n, 0.0);
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                const bool itself = a == b && state.chosen[a].second == 1;
                edges(a, b) = edges(b, a) =
                    itself ? 0 : edge(state.chosen[a].first, state.chosen[b].first);
            }
        }
        if (tree_suffices(state, edges)) {
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
                   : edges_.emplace(key, model_.edge(columns_[a].counts, columns_[b].counts))
                         .first->second;
    }

    ReplayModel& model_;
    const ProofLog& log_;
    double target_;
    const ReplayLimits& limits_;
    Replay result_;
    std::uint64_t work_ = 0;
    std::uint64_t asked_ = 0;
    ReplayColumns columns_;
    std::vector<int> number_;  ///< of the log's columns among them
    double root_path_ = 0;
    const SliceLog* slice_ = nullptr;
    double budget_ = 0;  ///< of the path in the slice
    std::map<std::pair<int, int>, double> edges_;
};

}  // namespace

Replay replay(ReplayModel& model, const ProofLog& log, double target, const ReplayLimits& limits) {
    return Replayer(model, log, target, limits).run();
}

}  // namespace longhaul::placement
