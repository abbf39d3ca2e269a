#include "longhaul/placement/replay_rows.hpp"

#include <map>

namespace longhaul::placement {
namespace {

/// How many placements there are, up to one more than are tried.
class Counter {
public:
    Counter(const Problem& problem, KindCounts sizes)
        : shape_(problem.shape),
          spare_(static_cast<int>(problem.devices() - problem.shape.devices())),
          apart_(apart_of(problem)),
          highest_(sizes.size(), problem.shape.dp),
          sizes_(std::move(sizes)) {}

    std::uint64_t run() {
        return apart_ == Apart::kSets ? sets(shape_.pp, sizes_, highest_)
                                      : sequences(shape_.pp, sizes_);
    }

private:
    static constexpr std::uint64_t kTooMany = kMostReplayPlacements + 1;
    static constexpr std::uint64_t kMostSteps = 8 * kMostReplayPlacements;

    std::uint64_t sets(int missing, const KindCounts& left, const KindCounts& highest) {
        if (missing == 0) {
            return 1;
        }
        std::uint64_t sum = 0;
        const auto add = [&](const KindCounts& row) {
            sum += sets(missing - 1, without(left, row), KindCounts(row));
            sum = ++steps_ > kMostSteps ? kTooMany : std::min(sum, kTooMany);
            return sum < kTooMany;
        };
        Rows(left, shape_.dp, &highest, spare_, add);
        return sum;
    }

    std::uint64_t sequences(int missing, const KindCounts& left) {
        if (missing == 0) {
            return 1;
        }
        if (const auto known = known_.find(left); known != known_.end()) {
            return known->second;
        }
        std::uint64_t sum = 0;
        const auto add = [&](const KindCounts& row) {
            const bool words = apart_ == Apart::kMaps && missing < shape_.pp;
            sum += times(words ? words_of(row) : 1, sequences(missing - 1, without(left, row)));
            sum = ++steps_ > kMostSteps ? kTooMany : std::min(sum, kTooMany);
            return sum < kTooMany;
        };
        Rows(left, shape_.dp, nullptr, spare_, add);
        known_.emplace(left, sum);
        return sum;
    }

    static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
        return b > 0 && a > kTooMany / b ? kTooMany : std::min(a * b, kTooMany);
    }

    /// Orders of a stage's devices that differ by kind: binomial coefficients, each exact.
    static std::uint64_t words_of(const KindCounts& row) {
        std::uint64_t words = 1;
        std::uint64_t placed = 0;
        for (const int count : row) {
            for (std::uint64_t i = 1; i <= static_cast<std::uint64_t>(count); ++i) {
                ++placed;
                words = words * placed / i;
                if (words >= kTooMany * kTooMany / 4) {
                    return kTooMany;
                }
            }
        }
        return std::min(words, kTooMany);
    }

    Shape shape_;
    int spare_;
    Apart apart_;
    KindCounts highest_;
    KindCounts sizes_;
    std::uint64_t steps_ = 0;
    std::map<KindCounts, std::uint64_t> known_;
};

}  // namespace

Apart apart_of(const Problem& problem) {
    const workload::Workload& load = problem.workload;
    if (!problem.shared.empty()) {
        return Apart::kMaps;
    }
    const bool times = load.stage_seconds.size() > 1 && !problem.speed.empty();
    return times || !load.layers.empty() ? Apart::kSequences : Apart::kSets;
}

std::uint64_t replay_placements(const Problem& problem, std::span<const int> kinds) {
    KindCounts sizes(static_cast<std::size_t>(std::ranges::max(kinds)) + 1, 0);
    for (const int kind : kinds) {
        ++sizes[static_cast<std::size_t>(kind)];
    }
    return sizes.size() > kMostReplayKinds || problem.shape.pp > kMostStagesOfReplay
               ? kMostReplayPlacements + 1
               : Counter(problem, std::move(sizes)).run();
}

}  // namespace longhaul::placement
