#include "longhaul/placement/count_search.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/block_search.hpp"
#include "longhaul/placement/cluster_search.hpp"
#include "longhaul/placement/count_walk.hpp"
#include "longhaul/placement/tempering.hpp"

namespace longhaul::placement {
namespace {

constexpr double kStartTemperatures[] = {0.05, 0.02, 0.1, 0.2};
constexpr double kUsualDevices = 64;  // for which the temperatures were chosen
constexpr double kHottestWalk = 0.03;
constexpr double kColdest = 0.0005;
constexpr std::size_t kSeeds = 32;
constexpr std::size_t kKeptSeeds = 4;
constexpr std::size_t kClusterSeeds = 8;
constexpr std::uint64_t kClusterShare = 8;  // of the budget
constexpr std::size_t kBlockSeeds = 8;
constexpr std::uint64_t kBlockShare = 2;  // of the budget
constexpr std::size_t kWalks = 6;
constexpr std::uint64_t kStreamsOfRestart = 64;
constexpr std::uint64_t kClusterStreams = std::uint64_t{1} << 20U;
constexpr std::uint64_t kFirstBlockStream = std::uint64_t{1} << 21U;

class CountSearch {
public:
    CountSearch(const ClassCosts& costs,
                Shape shape,
                const Counts& host_order,
                const CountSearchOptions& options)
        : costs_(costs), shape_(shape), options_(options), sizes_(costs.pipeline.rows(), 0) {
        for (std::size_t s = 0; s < host_order.rows(); ++s) {
            for (std::size_t k = 0; k < sizes_.size(); ++k) {
                sizes_[k] += host_order(s, k);
            }
        }
        const auto devices = static_cast<double>(shape.cells());
        heat_ = std::pow(std::min(1.0, kUsualDevices / devices), 1.5);
        CountModel model(costs_);
        take(model, host_order, "host order");
        evaluations_ = 1;
    }

    std::vector<Seed> run(std::uint64_t& evaluations) {
        make_seeds();
        const auto restarts = static_cast<std::size_t>(std::max(1, options_.restarts));
        const std::uint64_t share =
            (options_.budget - std::min(3 * options_.budget / 4, evaluations_)) / restarts;
        std::vector<Seed> found(restarts);
        std::vector<std::uint64_t> done(restarts, 0);
        core::parallel_for(restarts, options_.threads, [&](std::size_t i) {
            if (share > 0 && !stop()) {
                found[i] = i % 2 == 0 ? anneal(i, share, done[i]) : temper_walks(i, share, done[i]);
            }
        });
        for (std::size_t i = 0; i < restarts; ++i) {
            evaluations_ += done[i];
            if (!found[i].counts.empty()) {
                found_.push_back(std::move(found[i]));
            }
        }
        std::ranges::stable_sort(found_, {}, &Seed::score);
        evaluations += evaluations_;
        return std::move(found_);
    }

private:
    [[nodiscard]] bool stop() const { return options_.stop && options_.stop(); }

    void take(CountModel& model, const Counts& counts, const std::string& origin) {
        const Solved solved = score_best_order(model, counts);
        found_.push_back({reordered(counts, solved.order), solved.score.total(), origin});
    }

    /// Structural seeds, clusters and blocks, best first; the best few are results themselves.
    void make_seeds() {
        if (stop()) {
            return;
        }
        CountModel model(costs_);
        seeds_ =
            structural_seeds(model, costs_, shape_, sizes_, kSeeds, evaluations_, options_.stop);
        if (shape_.pp > 1 && sizes_.size() > 1) {
            add_clusters(model);
            add_blocks();
            std::ranges::stable_sort(seeds_, {}, &Seed::score);
        }
        for (std::size_t i = 0; i < std::min(kKeptSeeds, seeds_.size()); ++i) {
            if (seeds_[i].ordered) {
                found_.push_back(seeds_[i]);
            } else if (i == 0 || shape_.pp <= kMaxExactStages) {
                take(model, seeds_[i].counts, seeds_[i].origin);
            }
        }
    }

    void add_clusters(CountModel& model) {
        if (shape_.pp > kMaxExactStages) {
            return;
        }
        ClusterOptions clusters;
        clusters.evaluations = options_.budget / kClusterShare;
        clusters.seed = options_.seed;
        clusters.stream = options_.stream + kClusterStreams;
        clusters.threads = options_.threads;
        clusters.stop = options_.stop;
        std::vector<Seed> more =
            cluster_seeds(model, costs_, shape_, sizes_, kClusterSeeds, clusters, evaluations_);
        std::ranges::move(more, std::back_inserter(seeds_));
    }

    void add_blocks() {
        if (stop()) {
            return;
        }
        BlockOptions blocks;
        blocks.evaluations = options_.budget / kBlockShare;
        blocks.seed = options_.seed;
        blocks.stream = options_.stream + kFirstBlockStream;
        blocks.threads = options_.threads;
        blocks.stop = options_.stop;
        std::vector<Seed> more =
            block_seeds(costs_, shape_, sizes_, kBlockSeeds, blocks, evaluations_);
        std::ranges::move(more, std::back_inserter(seeds_));
    }

    [[nodiscard]] Counts shuffled(core::Random& random) const {
        std::vector<int> devices;
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            devices.insert(devices.end(), sizes_[k], static_cast<int>(k));
        }
        random.shuffle(std::span<int>(devices));
        Counts counts(shape_.pp, sizes_.size(), 0);
        for (std::size_t d = 0; d < devices.size(); ++d) {
            ++counts(d / shape_.dp, devices[d]);
        }
        return counts;
    }

    /// Starts of the restarts: seeds in turn, every fourth at random.
    [[nodiscard]] Counts start(std::size_t number, core::Random& random) const {
        return seeds_.empty() || number % 4 == 3 ? shuffled(random)
                                                 : seeds_[number % seeds_.size()].counts;
    }

    Seed anneal(std::size_t restart, std::uint64_t share, std::uint64_t& done) const {
        const std::size_t number = restart / 2;
        core::Random random(options_.seed, options_.stream + restart * kStreamsOfRestart);
        AnnealOptions anneal;
        anneal.evaluations = share;
        anneal.start_temperature =
            heat_ * kStartTemperatures[number % std::size(kStartTemperatures)];
        anneal.end_temperature = heat_ * kColdest;
        anneal.stop = options_.stop;
        CountModel model(costs_);
        AnnealedCounts found = anneal_counts(model, start(number, random), anneal, random);
        done = found.evaluations;
        return {std::move(found.counts),
                found.score,
                fmt::format("annealing over counts, restart {}", restart)};
    }

    Seed temper_walks(std::size_t restart, std::uint64_t share, std::uint64_t& done) const {
        TemperingOptions tempering;
        tempering.evaluations = share;
        tempering.hottest = heat_ * kHottestWalk;
        tempering.coldest = heat_ * kColdest;
        tempering.seed = options_.seed;
        tempering.stream = options_.stream + restart * kStreamsOfRestart;
        tempering.stop = options_.stop;
        core::Random random(options_.seed, tempering.stream + kStreamsOfRestart - 1);
        CountModel model(costs_);
        std::vector<CountWalk> walks;
        std::vector<Counts> best;
        std::vector<double> scores;
        for (std::size_t i = 0; i < kWalks; ++i) {
            walks.emplace_back(model, start(restart / 2 + 3 - i % 4, random));
            best.push_back(walks.back().counts());
            scores.push_back(walks.back().total());
        }
        done = temper<CountWalk>(walks, tempering, [&](std::size_t i) {
            best[i] = walks[i].counts();
            scores[i] = walks[i].total();
        });
        const auto winner = std::ranges::min_element(scores) - scores.begin();
        const Solved solved = score_best_order(model, best[winner]);
        return {reordered(best[winner], solved.order),
                solved.score.total(),
                fmt::format("tempering over counts, restart {}", restart)};
    }

    const ClassCosts& costs_;
    Shape shape_;
    const CountSearchOptions& options_;
    std::vector<int> sizes_;
    std::vector<Seed> seeds_;
    std::vector<Seed> found_;
    std::uint64_t evaluations_ = 0;
    double heat_ = 1;  // the more devices, the less one of them changes the score
};

}  // namespace

std::vector<Seed> search_counts(const ClassCosts& costs,
                                Shape shape,
                                const Counts& host_order,
                                const CountSearchOptions& options,
                                std::uint64_t& evaluations) {
    return CountSearch(costs, shape, host_order, options).run(evaluations);
}

}  // namespace longhaul::placement
