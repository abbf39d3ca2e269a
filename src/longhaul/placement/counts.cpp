#include "longhaul/placement/counts.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ x >> 29U;
}

}  // namespace

CountModel::CountModel(ClassCosts costs, int cache_bits)
    : costs_(std::move(costs)), cache_bits_(cache_bits) {
    core::Random random(0x636f756e7473U);
    for (std::size_t k = 0; k < classes(); ++k) {
        const std::uint64_t high = random.next();
        weights_.push_back(high << 32U | random.next() | 1U);
    }
    if (classes() <= Transport::kMaxClasses) {
        fast_.emplace(costs_.pipeline);
    }
    least_edge_ = std::ranges::min(costs_.pipeline.cells());
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

double CountModel::edge_within(std::span<const int> a,
                               std::uint64_t key_a,
                               std::span<const int> b,
                               std::uint64_t key_b,
                               double limit) {
    if (cache_.empty()) {
        cache_.resize(std::size_t{1} << static_cast<unsigned>(cache_bits_));
    }
    const std::uint64_t key = mixed(key_a) + mixed(key_b);  // symmetric, as the edge is
    Entry& entry = cache_[mixed(key) >> (64 - cache_bits_)];
    if (entry.key == key && entry.value >= 0 && (entry.exact || entry.value > limit)) {
        return entry.value;
    }
    if (fast_) {
        const Transport::Result found = fast_->solve(a, b, limit);
        entry = {key, found.value, found.exact};
    } else {
        entry = {key, many_.solve(costs_.pipeline, a, b), true};
    }
    return entry.value;
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
    Path path = quick_path_from(edges);
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
