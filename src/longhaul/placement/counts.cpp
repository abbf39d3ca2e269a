#include "longhaul/placement/counts.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kEdgeCacheBits = 16;

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ x >> 29U;
}

}  // namespace

CountModel::CountModel(ClassCosts costs) : costs_(std::move(costs)) {
    core::Random random(0x636f756e7473U);
    for (std::size_t k = 0; k < classes(); ++k) {
        const std::uint64_t high = random.next();
        weights_.push_back(high << 32U | random.next() | 1U);
    }
}

std::uint64_t CountModel::key(std::span<const int> row) const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        sum += static_cast<std::uint64_t>(row[k]) * weights_[k];
    }
    return sum;
}

double CountModel::exchange(std::span<const int> row) const {
    double worst = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
        if (row[a] == 0) {
            continue;
        }
        const double* costs = costs_.exchange.row(a).data();
        double seconds = 0;
        for (std::size_t b = 0; b < row.size(); ++b) {
            seconds += row[b] * costs[b];
        }
        worst = std::max(worst, seconds - costs[a]);
    }
    return worst;
}

double CountModel::edge(std::span<const int> a,
                        std::uint64_t key_a,
                        std::span<const int> b,
                        std::uint64_t key_b) {
    if (cache_.empty()) {
        cache_.resize(std::size_t{1} << kEdgeCacheBits);
    }
    const std::uint64_t key = mixed(key_a) + mixed(key_b);  // symmetric, as the edge is
    Entry& entry = cache_[mixed(key) >> (64 - kEdgeCacheBits)];
    if (entry.key != key || entry.value < 0) {
        entry = {key, transport(a, b)};
    }
    return entry.value;
}

/// Starts at the least threshold that leaves no class without a partner, and raises it to the
/// cheapest pair that crosses the cut that stopped the flow, until everything is paired.
double CountModel::transport(std::span<const int> a, std::span<const int> b) {
    const int devices = load(a, b);
    double threshold = lower_threshold();
    int missing = devices;
    while (true) {
        for (std::size_t i = 0; i < left_.size(); ++i) {
            missing -= fill_directly(i, threshold);
        }
        double next = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < left_.size(); ++i) {
            while (supply_[i] > 0) {
                seen_.assign(right_.size(), 0);
                reached_.assign(left_.size(), 0);
                if (!augment(i, threshold)) {
                    next = std::min(next, cheapest_crossing());
                    break;
                }
                --supply_[i];
                --missing;
            }
        }
        if (missing == 0) {
            return threshold;
        }
        LONGHAUL_ASSERT_NORMAL(next > threshold);
        threshold = next;
    }
}

/// Supports, supplies, demands and the costs between them; returns the devices to pair.
int CountModel::load(std::span<const int> a, std::span<const int> b) {
    left_.clear();
    right_.clear();
    supply_.clear();
    demand_.clear();
    int devices = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] > 0) {
            left_.push_back(static_cast<int>(k));
            supply_.push_back(a[k]);
            devices += a[k];
        }
        if (b[k] > 0) {
            right_.push_back(static_cast<int>(k));
            demand_.push_back(b[k]);
        }
    }
    price_.resize(left_.size() * right_.size());
    flow_.assign(price_.size(), 0);
    double* price = price_.data();
    for (const int from : left_) {
        const double* costs = costs_.pipeline.row(from).data();
        for (const int to : right_) {
            *price++ = costs[to];
        }
    }
    return devices;
}

double CountModel::lower_threshold() const {
    double bound = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        double least = price_[i * right_.size()];
        for (std::size_t j = 1; j < right_.size(); ++j) {
            least = std::min(least, price_[i * right_.size() + j]);
        }
        bound = std::max(bound, least);
    }
    for (std::size_t j = 0; j < right_.size(); ++j) {
        double least = price_[j];
        for (std::size_t i = 1; i < left_.size(); ++i) {
            least = std::min(least, price_[i * right_.size() + j]);
        }
        bound = std::max(bound, least);
    }
    return bound;
}

/// The cheapest pair from what the last augmentation reached to what it did not.
double CountModel::cheapest_crossing() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left_.size(); ++i) {
        for (std::size_t j = 0; j < right_.size(); ++j) {
            if (reached_[i] != 0 && seen_[j] == 0) {
                least = std::min(least, price_[i * right_.size() + j]);
            }
        }
    }
    return least;
}

/// Sends what fits from a left class over open pairs without moving earlier flow.
int CountModel::fill_directly(std::size_t left, double threshold) {
    int sent = 0;
    for (std::size_t j = 0; j < right_.size() && supply_[left] > 0; ++j) {
        if (demand_[j] > 0 && price_[left * right_.size() + j] <= threshold) {
            const int units = std::min(supply_[left], demand_[j]);
            supply_[left] -= units;
            demand_[j] -= units;
            flow_[left * right_.size() + j] += units;
            sent += units;
        }
    }
    return sent;
}

/// Sends one more unit from a left class to free demand, moving earlier flow aside when needed.
bool CountModel::augment(std::size_t left, double threshold) {
    reached_[left] = 1;
    for (std::size_t j = 0; j < right_.size(); ++j) {
        if (seen_[j] != 0 || price_[left * right_.size() + j] > threshold) {
            continue;
        }
        seen_[j] = 1;
        if (demand_[j] > 0) {
            --demand_[j];
            ++flow_[left * right_.size() + j];
            return true;
        }
        for (std::size_t i = 0; i < left_.size(); ++i) {
            int& moved = flow_[i * right_.size() + j];
            if (reached_[i] == 0 && moved > 0 && augment(i, threshold)) {
                --moved;
                ++flow_[left * right_.size() + j];
                return true;
            }
        }
    }
    return false;
}

Score score_in_order(CountModel& model, const Counts& counts) {
    Score score;
    for (std::size_t s = 0; s < counts.rows(); ++s) {
        score.data_parallel = std::max(score.data_parallel, model.exchange(counts.row(s)));
        if (s > 0) {
            score.pipeline += model.edge(counts.row(s - 1),
                                         model.key(counts.row(s - 1)),
                                         counts.row(s),
                                         model.key(counts.row(s)));
        }
    }
    return score;
}

Solved score_best_order(CountModel& model, const Counts& counts) {
    Solved solved;
    core::Grid<double> edges(counts.rows(), counts.rows(), 0.0);
    for (std::size_t s = 0; s < counts.rows(); ++s) {
        solved.score.data_parallel =
            std::max(solved.score.data_parallel, model.exchange(counts.row(s)));
        for (std::size_t t = 0; t < s; ++t) {
            edges(s, t) = edges(t, s) = model.edge(
                counts.row(s), model.key(counts.row(s)), counts.row(t), model.key(counts.row(t)));
        }
    }
    Path path = best_path_from(edges);
    solved.score.pipeline = path.length;
    solved.order = std::move(path.order);
    return solved;
}

Counts reordered(const Counts& counts, std::span<const int> order) {
    Counts result(counts.rows(), counts.columns());
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::ranges::copy(counts.row(order[i]), result.row(i).begin());
    }
    return result;
}

Stages realise(const Counts& counts, const Classes& classes) {
    Stages stages(counts.rows());
    for (std::size_t k = 0; k < classes.size(); ++k) {
        std::size_t next = 0;
        for (std::size_t s = 0; s < counts.rows();) {
            std::size_t end = s;
            while (end < counts.rows() && counts(end, k) == counts(s, k)) {
                ++end;
            }
            for (int run = 0; run < counts(s, k); ++run) {
                for (std::size_t stage = s; stage < end; ++stage) {
                    stages[stage].push_back(classes.members[k][next++]);
                }
            }
            s = end;
        }
        LONGHAUL_ASSERT(next == classes.members[k].size());
    }
    return stages;
}

Counts counts_of(const Stages& stages, const Classes& classes) {
    Counts counts(stages.size(), classes.size(), 0);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (const int device : stages[s]) {
            ++counts(s, classes.of_device[device]);
        }
    }
    return counts;
}

}  // namespace longhaul::placement
