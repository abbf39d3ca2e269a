#include "longhaul/placement/block_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/block_walk.hpp"

namespace longhaul::placement {
namespace {

constexpr int kMostStagesListed = 17;  // beyond, partitions are too many to list
constexpr int kMostBlocks = 5;
constexpr int kMostEqualBlocks = 6;
constexpr int kStartTries = 50;
constexpr double kChanceInStart = 0.3;     // devices
constexpr double kChanceInDistance = 0.8;  // of a distance
constexpr std::uint64_t kBlockRounds = 5;
constexpr int kCacheBitsOfBlocks = 13;
constexpr int kSmallStages = 16;  // devices: compact blocks are worth many starts
constexpr double kAnnealedShareOfSmall = 0.125;
constexpr double kAnnealedShareOfLarge = 0.875;
constexpr double kStartTemperatureOfBlocks = 0.03;
constexpr double kStartTemperatureOfDescents = 0.004;
constexpr std::uint64_t kDescent = 12;  // evaluations for each block and class
constexpr std::uint64_t kTrial = 24;    // after this part of them only the best go on:
constexpr std::size_t kGoOn = 10;       // one in so many

/// All ways to write `left` as descending parts of at most `most`, `parts` of them at most.
void partitions(
    int left, int most, int parts, std::vector<int>& taken, std::vector<std::vector<int>>& all) {
    if (left == 0) {
        all.push_back(taken);
    }
    if (left == 0 || parts == 0) {
        return;
    }
    for (int part = std::min(left, most); part >= 1; --part) {
        taken.push_back(part);
        partitions(left - part, part, parts - 1, taken, all);
        taken.pop_back();
    }
}

struct BlockCandidate {
    std::vector<int> lengths;
    Counts best;  // rows of stages in path order; empty before the first start
    double score = 0;
    std::uint64_t evaluations = 0;
    std::vector<double> trials;  // scores, ascending
};

class BlockSearch {
public:
    BlockSearch(const ClassCosts& costs,
                Shape shape,
                const std::vector<int>& sizes,
                const BlockOptions& options)
        : costs_(costs), shape_(shape), sizes_(sizes), options_(options) {}

    std::vector<Seed> run(std::size_t limit, std::uint64_t& evaluations) {
        for (std::vector<int>& lengths : block_lengths(shape_.pp)) {
            if (!rows_may_exist(lengths)) {
                continue;
            }
            core::Random random(options_.seed, options_.stream + candidates_.size());
            if (!even_blocks(lengths, shape_.dp, sizes_, random).empty() ||
                !compact_blocks(lengths, shape_.dp, sizes_, costs_.exchange, random).empty()) {
                candidates_.push_back({std::move(lengths), {}, 0, 0, {}});
            }
        }
        for (std::uint64_t round = 0; round < kBlockRounds && !candidates_.empty(); ++round) {
            anneal_all(round, options_.evaluations / kBlockRounds / candidates_.size());
            std::erase_if(candidates_, [](const BlockCandidate& one) { return one.best.empty(); });
            std::ranges::stable_sort(candidates_, {}, &BlockCandidate::score);
            const std::size_t kept = (3 * candidates_.size() + 3) / 4;
            std::move(candidates_.begin() + static_cast<std::ptrdiff_t>(kept),
                      candidates_.end(),
                      std::back_inserter(done_));
            candidates_.resize(kept);
        }
        std::ranges::move(candidates_, std::back_inserter(done_));
        std::ranges::stable_sort(done_, {}, &BlockCandidate::score);
        std::vector<Seed> seeds;
        for (BlockCandidate& one : done_) {
            evaluations += one.evaluations;
            const bool known = std::ranges::any_of(
                seeds, [&](const Seed& seed) { return seed.counts == one.best; });
            if (seeds.size() < limit && !known) {
                seeds.push_back({std::move(one.best),
                                 one.score,
                                 fmt::format("{} blocks of equal stages", one.lengths.size())});
            }
        }
        return seeds;
    }

private:
    /// Whether classes are large enough: each device of a stage of a block needs as many of its
    /// class as the block is long. Tries to fill blocks would find that out slowly.
    [[nodiscard]] bool rows_may_exist(const std::vector<int>& lengths) const {
        return std::ranges::all_of(lengths, [&](int length) {
            int devices = 0;
            for (const int size : sizes_) {
                devices += size / length;
            }
            return devices >= shape_.dp;
        });
    }

    void anneal_all(std::uint64_t round, std::uint64_t share) {
        core::parallel_for(candidates_.size(), options_.threads, [&](std::size_t i) {
            if (share > 0 && (!options_.stop || !options_.stop())) {
                const std::uint64_t stream = round * (kBlockStreams / kBlockRounds) + i;
                anneal_one(
                    candidates_[i], share, core::Random(options_.seed, options_.stream + stream));
            }
        });
    }

    void anneal_one(BlockCandidate& one, std::uint64_t share, core::Random random) const {
        CountModel model(costs_, kCacheBitsOfBlocks);
        const std::uint64_t end = one.evaluations + share;
        Counts even = even_blocks(one.lengths, shape_.dp, sizes_, random);
        if (!even.empty()) {
            BlockWalk walk(model, one.lengths, std::move(even));
            const double part =
                shape_.dp <= kSmallStages ? kAnnealedShareOfSmall : kAnnealedShareOfLarge;
            follow(one,
                   walk,
                   static_cast<std::uint64_t>(part * static_cast<double>(share)),
                   kStartTemperatureOfBlocks,
                   random);
        }
        const std::uint64_t descent = kDescent * one.lengths.size() * sizes_.size();
        while (one.evaluations + descent <= end && !(options_.stop && options_.stop())) {
            Counts rows = compact_blocks(one.lengths, shape_.dp, sizes_, costs_.exchange, random);
            if (rows.empty()) {
                return;
            }
            BlockWalk walk(model, one.lengths, std::move(rows));
            follow(one, walk, descent / kTrial, kStartTemperatureOfDescents, random);
            const auto rank = std::ranges::upper_bound(one.trials, walk.total());
            if (kGoOn * static_cast<std::size_t>(rank - one.trials.begin()) <= one.trials.size()) {
                follow(one, walk, descent, kStartTemperatureOfDescents, random);
            }
            one.trials.insert(rank, walk.total());
        }
    }

    /// Cools a walk and keeps the best that it meets.
    void follow(BlockCandidate& one,
                BlockWalk& walk,
                std::uint64_t evaluations,
                double temperature,
                core::Random& random) const {
        const auto take = [&] {
            if (one.best.empty() || walk.total() < one.score) {
                one.best = walk.counts();
                one.score = walk.total();
            }
        };
        take();
        AnnealOptions cooling;
        cooling.evaluations = evaluations;
        cooling.start_temperature = temperature;
        cooling.stop = options_.stop;
        one.evaluations += anneal(walk, cooling, random, take);
    }

    const ClassCosts& costs_;
    Shape shape_;
    const std::vector<int>& sizes_;
    const BlockOptions& options_;
    std::vector<BlockCandidate> candidates_, done_;
};

}  // namespace

std::vector<std::vector<int>> block_lengths(int stages) {
    std::vector<std::vector<int>> all;
    std::vector<int> taken;
    if (stages <= kMostStagesListed) {
        partitions(stages, stages - 1, kMostBlocks, taken, all);
        return all;
    }
    for (int equal = 1; equal <= kMostEqualBlocks; ++equal) {
        for (int length = (stages - (equal == 1 ? 1 : 0)) / equal; length * equal > stages / 2;
             --length) {
            const int rest = stages - equal * length;
            if (rest > length) {
                break;
            }
            for (int single = 0; single <= std::min(2, rest); ++single) {
                taken.assign(static_cast<std::size_t>(equal), length);
                if (rest > single) {
                    taken.push_back(rest - single);
                }
                taken.insert(taken.end(), static_cast<std::size_t>(single), 1);
                if (taken.size() > 1) {
                    all.push_back(taken);
                }
            }
        }
    }
    std::ranges::sort(all, std::greater<>());  // the longest blocks first
    const auto same = std::ranges::unique(all);
    all.erase(same.begin(), same.end());
    return all;
}

namespace {

/// Rows of one block that are filled device by device where a whole block still fits.
bool fill_even(std::span<int> row,
               int length,
               int dp,
               int stages,
               const std::vector<int>& left,
               core::Random& random) {
    int open = dp;
    std::vector<double> wish(row.size());
    for (std::size_t a = 0; a < row.size(); ++a) {
        wish[a] = static_cast<double>(left[a]) / stages;
        row[a] = static_cast<int>(wish[a]);
        open -= row[a];
    }
    for (; open > 0; --open) {
        std::size_t next = row.size();
        double most = 0;
        for (std::size_t a = 0; a < row.size(); ++a) {
            const double missing = wish[a] - row[a] + kChanceInStart * random.uniform();
            if ((row[a] + 1) * length <= left[a] && (next == row.size() || missing > most)) {
                next = a;
                most = missing;
            }
        }
        if (next == row.size()) {
            return false;
        }
        ++row[next];
    }
    return true;
}

bool fill_compact(std::span<int> row,
                  int length,
                  int dp,
                  const std::vector<int>& left,
                  const core::Grid<double>& exchange,
                  core::Random& random) {
    std::size_t centre = random.index(row.size());
    for (std::size_t i = 1; i < row.size() && left[centre] < length; ++i) {
        centre = (centre + 1) % row.size();
    }
    std::vector<std::pair<double, std::size_t>> nearest;
    for (std::size_t a = 0; a < row.size(); ++a) {
        const double far = 1 + kChanceInDistance * random.uniform();
        nearest.emplace_back(a == centre ? -1 : exchange(centre, a) * far, a);
    }
    std::ranges::sort(nearest);
    int open = dp;
    for (const auto& [distance, a] : nearest) {
        row[a] = std::min(open, left[a] / length);
        open -= row[a];
    }
    return open == 0;
}

/// Fills one block after another with fill(row, length, stages left, devices left).
template <class Fill>
Counts filled(const std::vector<int>& lengths, const std::vector<int>& class_sizes, Fill fill) {
    const int all = std::accumulate(lengths.begin(), lengths.end(), 0);
    for (int tries = 0; tries < kStartTries; ++tries) {
        Counts rows(lengths.size(), class_sizes.size(), 0);
        std::vector<int> left = class_sizes;
        int stages = all;
        bool full = true;
        for (std::size_t i = 0; i < lengths.size() && full; ++i) {
            full = fill(rows.row(i), lengths[i], stages, left);
            for (std::size_t a = 0; a < left.size(); ++a) {
                left[a] -= lengths[i] * rows(i, a);
                full = full && left[a] >= 0;
            }
            stages -= lengths[i];
        }
        if (full && std::ranges::all_of(left, [](int devices) { return devices == 0; })) {
            return rows;
        }
    }
    return {};
}

}  // namespace

Counts even_blocks(const std::vector<int>& lengths,
                   int dp,
                   const std::vector<int>& class_sizes,
                   core::Random& random) {
    return filled(lengths,
                  class_sizes,
                  [&](std::span<int> row, int length, int stages, const std::vector<int>& left) {
                      return fill_even(row, length, dp, stages, left, random);
                  });
}

Counts compact_blocks(const std::vector<int>& lengths,
                      int dp,
                      const std::vector<int>& class_sizes,
                      const core::Grid<double>& exchange,
                      core::Random& random) {
    return filled(
        lengths,
        class_sizes,
        [&](std::span<int> row, int length, int /*stages*/, const std::vector<int>& left) {
            return fill_compact(row, length, dp, left, exchange, random);
        });
}

std::vector<Seed> block_seeds(const ClassCosts& costs,
                              Shape shape,
                              const std::vector<int>& class_sizes,
                              std::size_t limit,
                              const BlockOptions& options,
                              std::uint64_t& evaluations) {
    return BlockSearch(costs, shape, class_sizes, options).run(limit, evaluations);
}

}  // namespace longhaul::placement
