#include "longhaul/placement/count_proof.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/count_bounds.hpp"
#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxDevices = 60'000;  // counts are 16 bits wide
constexpr std::size_t kMaxColumns = 400'000;
constexpr std::uint64_t kBoundWork = 8;  // a bound costs about as much as passing over 8 columns
constexpr std::uint64_t kLeafWork = 100;
constexpr std::uint64_t kLeafPathNodes = 50;  // of branch and bound, for paths beyond Held-Karp

/// Weight of a minimum spanning tree (Prim).
double spanning_tree(const core::Grid<double>& edges) {
    const std::size_t n = edges.rows();
    std::vector<double> nearest(edges.row(0).begin(), edges.row(0).end());
    std::vector<char> inside(n, 0);
    inside[0] = 1;
    double weight = 0;
    for (std::size_t step = 1; step < n; ++step) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (inside[i] == 0 && (inside[next] != 0 || nearest[i] < nearest[next])) {
                next = i;
            }
        }
        inside[next] = 1;
        weight += nearest[next];
        for (std::size_t i = 0; i < n; ++i) {
            nearest[i] = std::min(nearest[i], edges(next, i));
        }
    }
    return weight;
}

}  // namespace

class CountProof::Engine {
public:
    Engine(ClassCosts costs, Shape shape, std::vector<int> sizes)
        : costs_(std::move(costs)),
          shape_(shape),
          sizes_(std::move(sizes)),
          k_(sizes_.size()),
          model_(costs_),
          bounds_(costs_, shape_, sizes_) {}

    [[nodiscard]] double root_bound() {
        return bounds_.exchange_bound(bounds_.all()) +
               bounds_.path_bound(bounds_.rests_of(bounds_.all()), shape_.pp);
    }

    ProofResult run(double target, const ProofOptions& options) {
        target_ = target;
        options_ = &options;
        result_ = {};
        result_.best = target;
        stopped_ = false;
        if (root_bound() < target_ && shape_.dp > kMaxStageDevices) {
            stopped_ = true;
        } else if (root_bound() < target_) {
            std::optional<Columns> columns =
                Columns::list(model_,
                              bounds_.levels(),
                              sizes_,
                              shape_.dp,
                              target_ - (shape_.pp - 1) * bounds_.cheapest_edge(),
                              kMaxColumns,
                              options.work);
            if (columns) {
                columns_ = std::move(*columns);
                order_classes();
                visit(bounds_.all(), bounds_.rests_of(bounds_.all()), shape_.pp, 0, kNone, -1);
            } else {
                stopped_ = true;
            }
        }
        result_.complete = !stopped_;
        return result_;
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    /// A column, used for `times` stages.
    struct Choice {
        double bound;
        int column;
        int times;
        double exchange;
    };

    /// The class with the fewest columns is covered first.
    void order_classes() {
        priority_.resize(k_);
        std::iota(priority_.begin(), priority_.end(), std::size_t{0});
        std::ranges::stable_sort(
            priority_, {}, [&](std::size_t k) { return columns_.with_class(k).size(); });
    }

    /// Covers one more class. Sets of columns are enumerated, not sequences: all columns that hold
    /// the first uncovered class come one after another in rising order, each with all its stages
    /// at once, so that none is taken twice and each set is met once. The order of stages is left
    /// to the leaf.
    void visit(const Profile& rest,
               const std::vector<Rest>& rests,
               int left,
               double exchange,
               std::size_t last_class,
               int last_column) {
        ++result_.nodes;
        if (result_.work > options_->work ||
            (result_.nodes % 16 == 0 && options_->stop && options_->stop())) {
            stopped_ = true;
        }
        if (stopped_) {
            return;
        }
        if (left == 0) {
            leaf(exchange);
            return;
        }
        const std::size_t k =
            *std::ranges::find_if(priority_, [&](std::size_t a) { return rest[a] > 0; });
        std::vector<Choice> choices =
            collect(rest, rests, left, exchange, k, k == last_class ? last_column : -1);
        std::ranges::stable_sort(choices, {}, &Choice::bound);
        for (const Choice& choice : choices) {
            if (stopped_ || choice.bound >= target_) {
                return;
            }
            bounds_.choose(columns_, choice.column, choice.times);
            Profile after = rest;
            take(after, columns_[choice.column].counts, choice.times);
            visit(after,
                  bounds_.rests_of(after),
                  left - choice.times,
                  choice.exchange,
                  k,
                  choice.column);
            bounds_.unchoose(columns_);
        }
    }

    void take(Profile& rest, const Profile& counts, int times) const {
        for (std::size_t a = 0; a < k_; ++a) {
            rest[a] = static_cast<std::uint16_t>(rest[a] - times * counts[a]);
        }
    }

    /// Stages that the rest has devices for.
    [[nodiscard]] int most_times(const Profile& rest, const Profile& counts, int left) const {
        for (std::size_t a = 0; a < k_; ++a) {
            if (counts[a] > 0) {
                left = std::min(left, rest[a] / counts[a]);
            }
        }
        return left;
    }

    std::vector<Choice> collect(const Profile& rest,
                                const std::vector<Rest>& rests,
                                int left,
                                double exchange,
                                std::size_t k,
                                int after_column) {
        std::vector<Choice> choices;
        const double base = bounds_.path_bound(rests, left);
        const std::vector<int>& candidates = columns_.with_class(k);
        const auto first = std::ranges::upper_bound(candidates, after_column);
        std::vector<Rest> after_rests = rests;
        for (auto at = first; at != candidates.end(); ++at) {
            ++result_.work;
            const double worst = std::max(exchange, columns_[*at].exchange);
            if (worst + base >= target_) {
                break;
            }
            const int most = most_times(rest, columns_[*at].counts, left);
            for (int times = 1; times <= most; ++times) {
                const double bound =
                    choice_bound(rest, rests, after_rests, left, worst, *at, times);
                if (bound < target_) {
                    choices.push_back({bound, *at, times, worst});
                }
            }
        }
        return choices;
    }

    double choice_bound(const Profile& rest,
                        const std::vector<Rest>& rests,
                        std::vector<Rest>& after_rests,
                        int left,
                        double worst,
                        int column,
                        int times) {
        result_.work += kBoundWork;
        Profile after = rest;
        take(after, columns_[column].counts, times);
        const double reach = std::max(worst, bounds_.exchange_bound(after));
        if (reach + (shape_.pp - 1) * bounds_.cheapest_edge() >= target_) {
            return target_;
        }
        for (std::size_t l = 0; l < bounds_.levels().size(); ++l) {
            const ColumnProfile& profile = columns_.profile(column, l);
            for (std::size_t c = 0; c < bounds_.levels()[l].components; ++c) {
                after_rests[l].profile[c] =
                    static_cast<std::uint16_t>(rests[l].profile[c] - times * profile[c]);
            }
            after_rests[l].isolated =
                rests[l].isolated - times * columns_.isolated_count(column, l);
        }
        bounds_.choose(columns_, column, times);
        const double path = bounds_.path_bound(after_rests, left - times);
        bounds_.unchoose(columns_);
        return reach + path;
    }

    /// All devices are in chosen columns: what is left is the order of the stages.
    void leaf(double exchange) {
        result_.work += kLeafWork;
        const std::size_t different = bounds_.chosen().size();
        core::Grid<double> between(different, different, 0.0);
        for (std::size_t a = 0; a < different; ++a) {
            for (std::size_t b = 0; b < different; ++b) {
                between(a, b) = edge(bounds_.chosen()[a].first, bounds_.chosen()[b].first);
            }
        }
        const double repeats = (shape_.pp - static_cast<int>(different)) * bounds_.cheapest_edge();
        if (exchange + spanning_tree(between) + repeats >= target_) {
            return;
        }
        std::vector<int> column_of;
        for (std::size_t a = 0; a < different; ++a) {
            column_of.insert(column_of.end(), bounds_.chosen()[a].second, static_cast<int>(a));
        }
        core::Grid<double> edges(column_of.size(), column_of.size(), 0.0);
        for (std::size_t s = 0; s < column_of.size(); ++s) {
            for (std::size_t t = 0; t < column_of.size(); ++t) {
                edges(s, t) = s == t ? 0 : between(column_of[s], column_of[t]);
            }
        }
        result_.work +=
            edges.rows() * (std::uint64_t{1} << std::min<std::size_t>(edges.rows(), 16)) / 8;
        accept(exchange, edges, column_of);
    }

    double edge(int a, int b) {
        const auto row = [&](int i, std::vector<int>& buffer) {
            buffer.assign(columns_[i].counts.begin(),
                          columns_[i].counts.begin() + static_cast<std::ptrdiff_t>(k_));
            return std::span<const int>(buffer);
        };
        return model_.edge(row(a, row_a_), columns_[a].key, row(b, row_b_), columns_[b].key);
    }

    void accept(double exchange,
                const core::Grid<double>& edges,
                const std::vector<int>& column_of) {
        Path path;
        if (shape_.pp <= kMaxExactStages) {
            path = held_karp(edges);
        } else {
            BoundedPath bounded = bounded_path(edges, {0, kLeafPathNodes, 7});
            // A path that may still be shortened below the target leaves the proof open.
            stopped_ = stopped_ || (exchange + bounded.bound < target_ && !bounded.optimal);
            path = std::move(bounded.path);
        }
        if (exchange + path.length >= target_) {
            return;
        }
        target_ = exchange + path.length;
        result_.best = target_;
        result_.counts = Counts(shape_.pp, k_);
        for (std::size_t s = 0; s < path.order.size(); ++s) {
            const int column = bounds_.chosen()[column_of[path.order[s]]].first;
            for (std::size_t c = 0; c < k_; ++c) {
                result_.counts(s, c) = columns_[column].counts[c];
            }
        }
    }

    ClassCosts costs_;
    Shape shape_;
    std::vector<int> sizes_;
    std::size_t k_;
    CountModel model_;
    CountBounds bounds_;

    double target_ = 0;
    const ProofOptions* options_ = nullptr;
    ProofResult result_;
    bool stopped_ = false;
    Columns columns_;
    std::vector<std::size_t> priority_;
    std::vector<int> row_a_;
    std::vector<int> row_b_;
};

CountProof::CountProof(ClassCosts costs, Shape shape, std::vector<int> sizes)
    : engine_(std::make_unique<Engine>(std::move(costs), shape, std::move(sizes))) {}
CountProof::~CountProof() = default;

bool CountProof::applicable(Shape shape, const std::vector<int>& sizes) {
    return sizes.size() <= kMaxPackedClasses && shape.devices() <= kMaxDevices;
}

double CountProof::root_bound() {
    return engine_->root_bound();
}

ProofResult CountProof::run(double target, const ProofOptions& options) {
    return engine_->run(target, options);
}

}  // namespace longhaul::placement
