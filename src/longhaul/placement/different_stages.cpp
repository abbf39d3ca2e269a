#include "longhaul/placement/different_stages.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>

namespace longhaul::placement {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kWeightSteps = 60;
constexpr double kWeightStep = 15;  // of the relative distance to the largest sum
constexpr std::size_t kNoBranch = static_cast<std::size_t>(-1);

using ClassSet = std::uint64_t;

bool holds(ClassSet set, std::size_t k) {
    return (set >> k & 1U) != 0;
}

/// Stages that hold all classes of one set and none of another.
class StageBounds {
public:
    StageBounds(const core::Grid<double>& exchange, int dp, std::span<const int> caps)
        : exchange_(exchange), dp_(dp), caps_(caps) {}

    struct Node {
        double bound = 0;
        std::size_t number = 0;  // of nodes with equal bounds the first comes first
        ClassSet in = 0, out = 0;
        std::size_t branch = kNoBranch;  // a class that may be in or out
        bool operator<(const Node& other) const {
            return bound != other.bound ? bound > other.bound : number > other.number;
        }
    };

    /// A group term is at least every weighted mean of the sums of its classes, and a mean is least
    /// when the cheapest devices fill the stage. The weights move to the classes with larger sums.
    Node bounded(ClassSet in, ClassSet out, double enough) {
        Node node{0, made_++, in, out, kNoBranch};
        if (!prepare(in, out)) {
            node.bound = kInfinite;
            return node;
        }
        for (int step = 0; step < kWeightSteps && node.bound < enough; ++step) {
            const double value = fill();
            if (value > node.bound || step == 0) {
                node.bound = std::max(node.bound, value);
                keep_weights();
            }
            if (holders_.size() == 1) {
                break;
            }
            reweigh(step);
        }
        double most = 0;
        for (const std::size_t k : open_) {
            if (!holds(in, k) && mean_[k] > most) {
                most = mean_[k];
                node.branch = k;
            }
        }
        return node;
    }

    /// Of the last node, where it had its bound; none when no stage fits.
    [[nodiscard]] const std::vector<std::pair<int, double>>& best_weights() const {
        return best_weights_;
    }

private:
    void keep_weights() {
        best_weights_.clear();
        for (std::size_t i = 0; i < holders_.size(); ++i) {
            best_weights_.emplace_back(static_cast<int>(holders_[i]), weights_[i]);
        }
    }

    bool prepare(ClassSet in, ClassSet out) {
        best_weights_.clear();
        open_.clear();
        holders_.clear();
        int room = 0;
        for (std::size_t k = 0; k < caps_.size(); ++k) {
            if (holds(out, k) || caps_[k] == 0) {
                if (holds(in, k)) {
                    return false;
                }
                continue;
            }
            open_.push_back(k);
            room += caps_[k];
            if (holds(in, k)) {
                holders_.push_back(k);
            }
        }
        weights_.assign(holders_.size(), 1.0 / static_cast<double>(holders_.size()));
        mean_.assign(caps_.size(), 0);
        return room >= dp_ && static_cast<int>(holders_.size()) <= dp_;
    }

    /// The least weighted mean, and the stage that has it.
    double fill() {
        price_.assign(caps_.size(), 0);
        double value = 0;
        for (std::size_t i = 0; i < holders_.size(); ++i) {
            const std::span<const double> row = exchange_.row(holders_[i]);
            for (const std::size_t k : open_) {
                price_[k] += weights_[i] * row[k];
            }
            value -= weights_[i] * row[holders_[i]];
        }
        std::ranges::sort(open_, [&](std::size_t a, std::size_t b) {
            return price_[a] != price_[b] ? price_[a] < price_[b] : a < b;
        });
        stage_.assign(caps_.size(), 0);
        int left = dp_;
        for (const std::size_t k : holders_) {  // one at least of each
            stage_[k] = 1;
            value += price_[k];
            --left;
        }
        for (const std::size_t k : open_) {
            const int units = std::min(left, caps_[k] - stage_[k]);
            stage_[k] += units;
            value += units * price_[k];
            left -= units;
            mean_[k] += stage_[k];
        }
        return value;
    }

    void reweigh(int step) {
        sums_.assign(holders_.size(), 0);
        for (std::size_t i = 0; i < holders_.size(); ++i) {
            const std::span<const double> row = exchange_.row(holders_[i]);
            for (const std::size_t k : open_) {
                sums_[i] += stage_[k] * row[k];
            }
        }
        const double largest = *std::ranges::max_element(sums_);
        if (!(largest > 0)) {
            return;
        }
        for (std::size_t i = 0; i < holders_.size(); ++i) {
            const double behind = (sums_[i] - largest) / largest;
            weights_[i] *= std::exp(kWeightStep * behind / (1 + 0.1 * step));
        }
        const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        for (double& weight : weights_) {
            weight /= all;
        }
    }

    const core::Grid<double>& exchange_;
    int dp_;
    std::span<const int> caps_;
    std::size_t made_ = 0;
    std::vector<std::size_t> open_, holders_;
    std::vector<std::pair<int, double>> best_weights_;
    std::vector<double> weights_, price_, mean_, sums_;
    std::vector<int> stage_;
};

/// The tree of nodes by number, for a log.
class StageTree {
public:
    explicit StageTree(bool kept) : kept_(kept) {}

    void add(const StageBounds::Node& node,
             const StageBounds& bounds,
             const StageBounds::Node* up) {
        if (!kept_) {
            return;
        }
        entries_.resize(std::max(entries_.size(), node.number + 1));
        Entry& entry = entries_[node.number];
        entry.weights = bounds.best_weights();
        if (up == nullptr) {
            return;
        }
        if (node.bound < up->bound) {  // what held above holds below
            entry.weights = entries_[up->number].weights;
        }
        entries_[up->number].branch = static_cast<int>(up->branch);
        entries_[up->number].children.push_back(node.number);
    }

    /// The nodes below `roots` roots, depth first.
    void write(std::size_t roots, std::vector<DifferentLog::Node>& log) const {
        for (std::size_t k = 0; k < roots; ++k) {
            write_node(k, log);
        }
    }

private:
    struct Entry {
        int branch = -1;
        std::vector<std::pair<int, double>> weights;
        std::vector<std::size_t> children;
    };

    void write_node(std::size_t number, std::vector<DifferentLog::Node>& log) const {
        const Entry& entry = entries_[number];
        log.push_back({entry.branch, entry.children.empty() ? entry.weights : Weights{}});
        for (const std::size_t child : entry.children) {
            write_node(child, log);
        }
    }

    using Weights = std::vector<std::pair<int, double>>;
    bool kept_;
    std::vector<Entry> entries_;
};

/// All stages are equal: the one that holds a share of every class.
double equal_stages_bound(const ClassCosts& costs, int pp, const std::vector<int>& sizes) {
    double worst = 0;
    double edge = 0;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        double sum = -costs.exchange(a, a);
        double nearest = kInfinite;
        for (std::size_t b = 0; b < sizes.size(); ++b) {
            const int share = sizes[b] / pp;
            sum += share * costs.exchange(a, b);
            nearest = std::min(nearest, costs.pipeline(a, b));
        }
        worst = std::max(worst, sum);
        edge = std::max(edge, nearest);
    }
    return worst + (pp - 1) * edge;
}

struct Joins {
    double equal = kInfinite;      // the cheapest pair
    double different = kInfinite;  // of two classes
};

Joins joins_of(const core::Grid<double>& pipeline, const std::vector<int>& sizes) {
    Joins joins;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        if (sizes[a] > 1) {
            joins.equal = std::min(joins.equal, pipeline(a, a));
        }
        for (std::size_t b = 0; b < a; ++b) {
            joins.different = std::min(joins.different, pipeline(a, b));
        }
    }
    joins.equal = std::min(joins.equal, joins.different);
    return joins;
}

}  // namespace

double least_exchange_within(const core::Grid<double>& exchange,
                             int dp,
                             std::span<const int> caps,
                             double enough,
                             std::size_t& nodes,
                             std::vector<DifferentLog::Node>* log) {
    StageBounds bounds(exchange, dp, caps);
    StageTree tree(log != nullptr);
    double result = kInfinite;
    std::priority_queue<StageBounds::Node> open;
    ClassSet before = 0;  // stages by the first class that they hold
    for (std::size_t k = 0; k < caps.size(); ++k) {
        const StageBounds::Node root = bounds.bounded(ClassSet{1} << k, before, enough);
        tree.add(root, bounds, nullptr);
        open.push(root);
        before |= ClassSet{1} << k;
    }
    while (!open.empty()) {
        const StageBounds::Node node = open.top();
        if (node.bound >= enough || node.branch == kNoBranch || nodes == 0) {
            result = node.bound;
            break;
        }
        open.pop();
        --nodes;
        const ClassSet bit = ClassSet{1} << node.branch;
        for (const auto& [in, out] :
             {std::pair{node.in | bit, node.out}, std::pair{node.in, node.out | bit}}) {
            StageBounds::Node child = bounds.bounded(in, out, enough);
            tree.add(child, bounds, &node);
            child.bound = std::max(child.bound, node.bound);
            if (child.bound < kInfinite) {
                open.push(child);
            }
        }
    }
    if (log != nullptr) {
        tree.write(caps.size(), *log);
    }
    return result;
}

double different_stages_bound(const ClassCosts& costs,
                              Shape shape,
                              const std::vector<int>& sizes,
                              double enough,
                              std::size_t nodes,
                              DifferentLog* log) {
    const Joins joins = joins_of(costs.pipeline, sizes);
    if (shape.pp < 2 || sizes.size() < 2 || sizes.size() > kMostDifferentClasses ||
        !(joins.equal < joins.different)) {
        return 0;
    }
    const bool even = std::ranges::all_of(sizes, [&](int size) { return size % shape.pp == 0; });
    double least = even ? equal_stages_bound(costs, shape.pp, sizes) : kInfinite;
    std::vector<int> caps(sizes.size());
    for (int different = 2; different <= shape.pp; ++different) {
        const double path =
            (shape.pp - different) * joins.equal + (different - 1) * joins.different;
        const double target = std::min(enough, least);
        if (path >= target) {
            break;  // and so it is for all higher numbers
        }
        const int longest = (shape.pp + different - 1) / different;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            caps[k] = std::min(shape.dp, sizes[k] / longest);
        }
        std::vector<DifferentLog::Node>* tree =
            log == nullptr ? nullptr
                           : &log->numbers.emplace_back(DifferentLog::Number{different, {}}).nodes;
        const double exchange =
            least_exchange_within(costs.exchange, shape.dp, caps, target - path, nodes, tree);
        least = std::min(least, path + exchange);
    }
    return std::min(least, enough);
}

}  // namespace longhaul::placement
