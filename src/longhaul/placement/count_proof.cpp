#include "longhaul/placement/count_proof.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/levels.hpp"

namespace longhaul::placement {
namespace proof {

constexpr std::size_t kMaxColumns = 2'000'000;
constexpr std::size_t kMaxRemembered = 4'000'000;
constexpr std::uint64_t kBoundWork = 8;  // a bound costs about as much as passing over 8 columns

/// Counts below 128 packed into bytes, so that "fits into what is left" is two subtractions.
using Packed = std::array<std::uint64_t, 2>;

Packed packed(const Profile& counts) {
    Packed bytes{};
    for (std::size_t i = 0; i < kMaxPackedClasses; ++i) {
        bytes[i / 8] |= std::uint64_t{std::min<std::uint16_t>(counts[i], 127)} << (i % 8 * 8);
    }
    return bytes;
}

/// Whether every byte of `column` is at most that of `rest`: no byte borrows from its guard bit.
bool fits(const Packed& column, const Packed& rest) {
    constexpr std::uint64_t kGuard = 0x8080808080808080U;
    const std::uint64_t low = (rest[0] | kGuard) - column[0];
    const std::uint64_t high = (rest[1] | kGuard) - column[1];
    return (low & high & kGuard) == kGuard;
}

/// A possible stage.
struct Column {
    Packed bytes{};
    double exchange = 0;
    Profile counts{};
    std::uint64_t key = 0;
};

Profile minus(const Profile& a, const Profile& b) {
    Profile difference{};
    for (std::size_t i = 0; i < kMaxPackedClasses; ++i) {
        difference[i] = static_cast<std::uint16_t>(a[i] - b[i]);
    }
    return difference;
}

}  // namespace proof

using namespace proof;  // NOLINT(google-build-using-namespace): of this file alone

class CountProof::Engine {
public:
    Engine(Costs costs, Shape shape, std::vector<int> sizes)
        : costs_(std::move(costs)),
          shape_(shape),
          sizes_(std::move(sizes)),
          k_(sizes_.size()),
          model_(costs_),
          levels_(structure_levels(costs_.pipeline, sizes_)),
          breaks_(shape.dp) {
        cheapest_edge_ = std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a < k_; ++a) {
            all_[a] = static_cast<std::uint16_t>(sizes_[a]);
            std::vector<int> near(k_);
            std::iota(near.begin(), near.end(), 0);
            std::ranges::stable_sort(near, {}, [&](int b) { return costs_.exchange(a, b); });
            nearest_.push_back(std::move(near));
            for (std::size_t b = 0; b < k_; ++b) {
                if (a != b || sizes_[a] > 1) {
                    cheapest_edge_ = std::min(cheapest_edge_, costs_.pipeline(a, b));
                }
            }
        }
        if (shape.devices() == 1) {
            cheapest_edge_ = 0;  // there is no pair, and 0 edges of infinite cost are no number
        }
    }

    [[nodiscard]] double root_bound() {
        return exchange_bound(all_) + path_bound(nullptr, views_of(all_), shape_.pp);
    }

    ProofResult run(double target, const ProofOptions& options) {
        target_ = target;
        options_ = &options;
        result_ = {};
        result_.best = target;
        remembered_.clear();
        path_.clear();
        stopped_ = !list_columns();
        if (!stopped_ && root_bound() < target_) {
            std::vector<int> all(columns_.size());
            std::iota(all.begin(), all.end(), 0);
            visit(all_, all, -1, shape_.pp, 0, 0);
        }
        result_.complete = !stopped_;
        return result_;
    }

private:
    struct Child {
        double bound;
        int column;
        double cost;
        double exchange;
    };

    /// Cheapest dp - 1 peers of each device that is left; the worst device counts.
    [[nodiscard]] double exchange_bound(const Profile& rest) const {
        double worst = 0;
        for (std::size_t a = 0; a < k_; ++a) {
            if (rest[a] == 0) {
                continue;
            }
            int needed = shape_.dp - 1;
            double seconds = 0;
            for (const int b : nearest_[a]) {
                const int available = rest[b] - (static_cast<std::size_t>(b) == a ? 1 : 0);
                const int taken = std::min(needed, available);
                seconds += taken * costs_.exchange(a, b);
                needed -= taken;
                if (needed == 0) {
                    break;
                }
            }
            worst = std::max(worst, seconds);
        }
        return worst;
    }

    /// Under every level.
    [[nodiscard]] std::vector<LevelView> views_of(const Profile& counts) const {
        std::vector<LevelView> views;
        for (const Level& level : levels_) {
            views.push_back({profile_of(level, counts, k_), isolated_devices(level, counts, k_)});
        }
        return views;
    }

    /// Edges of `left` further stages that hold `rest`, after the stage `last`.
    [[nodiscard]] double path_bound(const LevelView* last,
                                    std::span<const LevelView> rest,
                                    int left) {
        const int edges = last == nullptr ? left - 1 : left;
        if (edges <= 0) {
            return 0;
        }
        double bound = edges * cheapest_edge_;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            const int breaks = breaks_.fewest(
                levels_[l].components, last == nullptr ? nullptr : last + l, rest[l], left);
            if (breaks == 0) {
                break;
            }
            bound += breaks * (levels_[l].next - levels_[l].threshold);
        }
        return bound;
    }

    /// Least cost of the edge between two columns by their profiles.
    [[nodiscard]] double edge_bound(const LevelView* a, const LevelView* b) const {
        double bound = cheapest_edge_;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            if (a[l].isolated + b[l].isolated == 0 && a[l].profile == b[l].profile) {
                break;
            }
            bound = levels_[l].next;
        }
        return bound;
    }

    [[nodiscard]] const LevelView* views(int column) const {
        return views_.data() + static_cast<std::size_t>(column) * levels_.size();
    }

    /// All columns that could be part of a solution below the target, cheapest exchange first.
    bool list_columns() {
        columns_.clear();
        const double cap = target_ - (shape_.pp - 1) * cheapest_edge_;
        Column column;
        const bool listed = extend(column, 0, shape_.dp, cap);
        std::ranges::stable_sort(columns_, {}, &Column::exchange);
        views_.clear();
        for (Column& each : columns_) {
            each.bytes = packed(each.counts);
            std::ranges::copy(views_of(each.counts), std::back_inserter(views_));
        }
        return listed;
    }

    bool extend(Column& column, std::size_t k, int left, double cap) {
        if (left == 0) {
            std::vector<int> row(column.counts.begin(),
                                 column.counts.begin() + static_cast<std::ptrdiff_t>(k_));
            column.exchange = model_.exchange(row);
            column.key = model_.key(row);
            if (column.exchange < cap) {
                columns_.push_back(column);
            }
            return columns_.size() <= kMaxColumns;
        }
        if (k == k_) {
            return true;
        }
        bool good = true;
        for (int count = std::min(left, sizes_[k]); count >= 0 && good; --count) {
            column.counts[k] = static_cast<std::uint16_t>(count);
            // Exchanges only grow with further devices.
            std::vector<int> row(column.counts.begin(),
                                 column.counts.begin() + static_cast<std::ptrdiff_t>(k_));
            if (model_.exchange(row) < cap) {
                good = extend(column, k + 1, left - count, cap);
            }
        }
        column.counts[k] = 0;
        return good;
    }

    std::span<const int> row_of(const Profile& counts, std::vector<int>& buffer) const {
        buffer.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(k_));
        return buffer;
    }

    double edge(const Column& a, const Column& b) {
        return model_.edge(row_of(a.counts, row_a_), a.key, row_of(b.counts, row_b_), b.key);
    }

    void visit(const Profile& rest,
               std::span<const int> candidates,
               int last,
               int left,
               double cost,
               double exchange) {
        ++result_.nodes;
        if (result_.work > options_->work ||
            (result_.nodes % 16 == 0 && options_->stop && options_->stop())) {
            stopped_ = true;
        }
        if (left == 0) {
            accept(cost + exchange);
            return;
        }
        std::vector<int> fitting;  // columns that a descendant could use
        std::vector<Child> children;
        collect(rest, candidates, last, left, cost, exchange, fitting, children);
        std::ranges::stable_sort(children, {}, &Child::bound);
        for (const Child& child : children) {
            if (stopped_ || child.bound >= target_) {
                return;
            }
            path_.push_back(child.column);
            visit(minus(rest, columns_[child.column].counts),
                  fitting,
                  child.column,
                  left - 1,
                  child.cost,
                  child.exchange);
            path_.pop_back();
        }
    }

    /// Columns that fit, and those that may come next with their bounds below the target.
    void collect(const Profile& rest,
                 std::span<const int> candidates,
                 int last,
                 int left,
                 double cost,
                 double exchange,
                 std::vector<int>& fitting,
                 std::vector<Child>& children) {
        const double edges = (left - (last < 0 ? 1 : 0)) * cheapest_edge_;
        const Packed room = packed(rest);
        const std::vector<LevelView> total = views_of(rest);
        std::vector<LevelView> ahead_views(levels_.size());
        result_.work += candidates.size();
        for (const int i : candidates) {
            const Column& column = columns_[i];
            if (column.exchange + cost + edges >= target_) {
                break;
            }
            if (!fits(column.bytes, room)) {
                continue;
            }
            fitting.push_back(i);
            const double worst = std::max(exchange, column.exchange);
            const double least = last < 0 ? 0 : edge_bound(views(last), views(i));
            if (worst + cost + least + (left - 1) * cheapest_edge_ >= target_) {
                continue;
            }
            result_.work += kBoundWork;
            for (std::size_t l = 0; l < levels_.size(); ++l) {
                ahead_views[l] = {minus(total[l].profile, views(i)[l].profile),
                                  total[l].isolated - views(i)[l].isolated};
            }
            const double ahead = path_bound(views(i), ahead_views, left - 1);
            if (worst + cost + least + ahead >= target_) {
                continue;
            }
            const Profile after = minus(rest, column.counts);
            const double reach = std::max(worst, exchange_bound(after));
            if (reach + cost + least + ahead >= target_) {
                continue;
            }
            const double spent = cost + (last < 0 ? 0 : edge(columns_[last], column));
            const double bound = reach + spent + ahead;
            if (bound < target_ && !dominated(after, i, spent, worst)) {
                children.push_back({bound, i, spent, worst});
            }
        }
    }

    /// Whether an equal state was reached at no greater cost before; remembers this one otherwise.
    bool dominated(const Profile& rest, int last, double cost, double exchange) {
        std::vector<int> buffer;
        const std::uint64_t state =
            model_.key(row_of(rest, buffer)) * 0x9E3779B97F4A7C15U + columns_[last].key;
        if (remembered_.size() > kMaxRemembered) {
            return false;
        }
        std::vector<std::pair<double, double>>& seen = remembered_[state];
        for (const auto& [earlier_cost, earlier_exchange] : seen) {
            if (earlier_cost <= cost && earlier_exchange <= exchange) {
                return true;
            }
        }
        seen.emplace_back(cost, exchange);
        return false;
    }

    void accept(double score) {
        if (score >= target_) {
            return;
        }
        target_ = score;
        result_.best = score;
        result_.counts = Counts(shape_.pp, k_);
        for (std::size_t s = 0; s < path_.size(); ++s) {
            for (std::size_t c = 0; c < k_; ++c) {
                result_.counts(s, c) = columns_[path_[s]].counts[c];
            }
        }
    }

    Costs costs_;
    Shape shape_;
    std::vector<int> sizes_;
    std::size_t k_;
    CountModel model_;
    std::vector<Level> levels_;
    BreakCounter breaks_;
    std::vector<std::vector<int>> nearest_;
    Profile all_{};
    double cheapest_edge_ = 0;

    double target_ = 0;
    const ProofOptions* options_ = nullptr;
    ProofResult result_;
    bool stopped_ = false;
    std::vector<Column> columns_;
    std::vector<LevelView> views_;  // of column i under level l: [i * levels + l]
    std::vector<int> path_;
    std::unordered_map<std::uint64_t, std::vector<std::pair<double, double>>> remembered_;
    std::vector<int> row_a_;
    std::vector<int> row_b_;
};

CountProof::CountProof(Costs costs, Shape shape, std::vector<int> sizes)
    : engine_(std::make_unique<Engine>(std::move(costs), shape, std::move(sizes))) {}
CountProof::~CountProof() = default;

bool CountProof::applicable(Shape shape, const std::vector<int>& sizes) {
    return sizes.size() <= kMaxPackedClasses && shape.dp <= kMaxStageDevices &&
           std::ranges::max(sizes) <= 60'000;
}

double CountProof::root_bound() {
    return engine_->root_bound();
}

ProofResult CountProof::run(double target, const ProofOptions& options) {
    return engine_->run(target, options);
}

}  // namespace longhaul::placement
