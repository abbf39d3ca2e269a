#include "longhaul/placement/device_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longhaul::placement {
namespace {

constexpr unsigned kDeviceCacheBits = 14;
constexpr std::size_t kMaxLastPairs = std::size_t{1} << 14U;
constexpr int kUpdatesBeforeSum = 64;  // rounding of the sums stays below 1e-14 of them

std::uint64_t scattered(std::uint64_t x) {
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ x >> 29U;
}

double least_cost(const PairMatrix& pipeline) {
    return std::ranges::min(pipeline.table().cells());
}

std::vector<std::uint64_t> device_weights(std::size_t devices) {
    core::Random random(0x64657669636573U);
    std::vector<std::uint64_t> weights;
    for (std::size_t d = 0; d < devices; ++d) {
        const std::uint64_t high = random.next();
        weights.push_back(high << 32U | random.next());
    }
    return weights;
}

StageSequence sequence_of(const Costs& costs, const Stages& stages) {
    BottleneckSolver solver;
    std::vector<double> exchange;
    std::vector<double> edges;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        exchange.push_back(group_exchange(costs.exchange, stages[s]).seconds);
        if (s > 0) {
            edges.push_back(solver.solve(costs.pipeline, stages[s - 1], stages[s]));
        }
    }
    return {std::move(exchange), std::move(edges), least_cost(costs.pipeline)};
}

}  // namespace

DeviceWalk::DeviceWalk(const Costs& costs, const Stages& start)
    : costs_(costs),
      stages_(start),
      sums_(start.size(), start.front().size()),
      weights_(device_weights(costs.pipeline.size())),
      cache_(std::size_t{1} << kDeviceCacheBits),
      matcher_(costs.pipeline),
      last_pairs_(std::min(start.size() * start.size(), kMaxLastPairs)),
      sequence_(sequence_of(costs, start)),
      updates_(start.size(), 0) {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
        sum_up(s);
        std::uint64_t key = 0;
        for (const int device : stages_[s]) {
            key += weights_[device];
        }
        keys_.push_back(key);
    }
}

Stages DeviceWalk::stages() const {
    return in_order(stages_, sequence_.order());
}

auto DeviceWalk::edges() {
    return [this](int a, int b, double budget) {
        return edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), budget);
    };
}

double DeviceWalk::edge(std::size_t a, std::size_t b, double budget) {
    const std::uint64_t key = scattered(keys_[a]) + scattered(keys_[b]);
    Entry& entry = cache_[scattered(key) >> (64 - kDeviceCacheBits)];
    if (entry.key == key && entry.value >= 0 && (entry.exact || entry.value > budget)) {
        return entry.value;
    }
    const std::size_t low = std::min(a, b);
    const std::size_t high = std::max(a, b);
    Pairs& pairs = last_pairs_[(low * stages_.size() + high) % last_pairs_.size()];
    const double value = matcher_.solve(stages_[low], stages_[high], budget, pairs);
    const bool exact = value <= budget;
    // Above the budget all that is known is that the edge exceeds it.
    entry = {
        key, exact ? value : std::nextafter(budget, std::numeric_limits<double>::max()), exact};
    return entry.value;
}

void DeviceWalk::step(double limit, core::Random& random) {
    const std::size_t p = sequence_.size();
    const std::uint32_t kind = random.below(16);
    const std::size_t s = random.index(p);
    const std::size_t t = random.index(p);
    if (s == t) {
        return;
    }
    const auto [first, last] = std::minmax(s, t);
    switch (kind) {
        case 13:
            sequence_.try_reverse(first, last, limit, edges());
            return;
        case 14:
            sequence_.try_rotate(
                first, first + 1 + random.index(last - first), last, limit, edges());
            return;
        case 15:
            sequence_.try_swap(first, last, limit, edges());
            return;
        default: {
            const std::size_t longest = std::min(last - first, p - last);
            swap_devices(s, t, kind < 11 ? 1 : 1 + random.index(longest), limit, random);
        }
    }
}

void DeviceWalk::swap_devices(
    std::size_t s, std::size_t t, std::size_t length, double limit, core::Random& random) {
    swaps_.clear();
    touched_.clear();
    saved_count_ = 0;
    const std::size_t dp = sums_.columns();
    for (std::size_t i = 0; i < length; ++i) {
        const Swap swap{static_cast<std::size_t>(sequence_.slot(s + i)),
                        random.index(dp),
                        static_cast<std::size_t>(sequence_.slot(t + i)),
                        random.index(dp)};
        swaps_.push_back(swap);
        touched_.push_back(s + i);
        touched_.push_back(t + i);
        save_sums(swap.s);
        save_sums(swap.t);
        exchange_places(swap);
        update_sums(swap.s, swap.i, stages_[swap.t][swap.j]);
        update_sums(swap.t, swap.j, stages_[swap.s][swap.i]);
    }
    std::ranges::sort(touched_);
    const auto exchange = [&](int slot) { return worst_of(static_cast<std::size_t>(slot)); };
    if (sequence_.try_contents(touched_, limit, exchange, edges())) {
        for (const Swap& swap : swaps_) {
            for (const std::size_t slot : {swap.s, swap.t}) {
                if (++updates_[slot] >= kUpdatesBeforeSum) {
                    sum_up(slot);
                }
            }
        }
        return;
    }
    std::for_each(swaps_.rbegin(), swaps_.rend(), [&](const Swap& swap) { exchange_places(swap); });
    for (std::size_t i = 0; i < saved_count_; ++i) {
        std::ranges::copy(saved_[i].second, sums_.row(saved_[i].first).begin());
    }
}

void DeviceWalk::exchange_places(const Swap& swap) {
    int& one = stages_[swap.s][swap.i];
    int& two = stages_[swap.t][swap.j];
    const std::uint64_t difference = weights_[two] - weights_[one];
    keys_[swap.s] += difference;
    keys_[swap.t] -= difference;
    std::swap(one, two);
}

/// Sums of a stage after the device at a place has come for the device `before`. O(dp).
void DeviceWalk::update_sums(std::size_t slot, std::size_t place, int before) {
    const std::vector<int>& group = stages_[slot];
    const std::span<double> sums = sums_.row(slot);
    const int now = group[place];
    double own = 0;
    for (std::size_t q = 0; q < group.size(); ++q) {
        if (q != place) {
            const double joined = costs_.exchange(group[q], now);
            sums[q] += joined - costs_.exchange(group[q], before);
            own += joined;
        }
    }
    sums[place] = own;
}

void DeviceWalk::save_sums(std::size_t slot) {
    if (saved_.size() <= saved_count_) {
        saved_.emplace_back();
    }
    saved_[saved_count_].first = slot;
    saved_[saved_count_].second.assign(sums_.row(slot).begin(), sums_.row(slot).end());
    ++saved_count_;
}

void DeviceWalk::sum_up(std::size_t slot) {
    const std::vector<int>& group = stages_[slot];
    for (std::size_t i = 0; i < group.size(); ++i) {
        double sum = 0;
        for (const int peer : group) {
            sum += costs_.exchange(group[i], peer);
        }
        sums_(slot, i) = sum;
    }
    updates_[slot] = 0;
}

double DeviceWalk::worst_of(std::size_t slot) const {
    return std::ranges::max(sums_.row(slot));
}

}  // namespace longhaul::placement
