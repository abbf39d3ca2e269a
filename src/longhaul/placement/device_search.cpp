#include "longhaul/placement/device_search.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_devices.hpp"
#include "longhaul/placement/crossover.hpp"

namespace longhaul::placement {
namespace {

constexpr double kStartsHot[] = {0.004, 0.01, 0.004, 0.02};
constexpr double kChildrenHot = 0.002;
constexpr double kDevicesCold = 0.00005;
constexpr std::size_t kParents = 6;

class DeviceSearch {
public:
    DeviceSearch(const Costs& costs,
                 std::vector<DeviceResult> starts,
                 const DeviceSearchOptions& options)
        : costs_(costs),
          options_(options),
          restarts_(static_cast<std::size_t>(std::max(1, options.restarts))),
          population_(std::move(starts)) {
        std::ranges::stable_sort(population_, {}, &DeviceResult::score);
    }

    DeviceResult run(std::uint64_t& evaluations) {
        const auto generations = static_cast<std::uint64_t>(std::max(0, options_.generations));
        const std::uint64_t first =
            generations == 0 ? options_.budget : options_.budget - options_.budget / 2;
        const std::vector<DeviceResult> starts = population_;
        advance(first, evaluations, [&](std::size_t i, core::Random& /*random*/) {
            const DeviceResult& start = starts[i / 2 % starts.size()];
            return Job{start.stages,
                       start.score,
                       kStartsHot[i % std::size(kStartsHot)],
                       fmt::format("annealing over devices, restart {}", i)};
        });
        for (std::uint64_t generation = 1; generation <= generations; ++generation) {
            const std::vector<DeviceResult> parents = population_;
            advance(options_.budget / 2 / generations,
                    evaluations,
                    [&](std::size_t i, core::Random& random) {
                        const auto [one, two] = pair_of(i, parents.size());
                        return Job{crossover(parents[one].stages, parents[two].stages, random),
                                   std::nullopt,
                                   kChildrenHot,
                                   fmt::format("crossover, generation {}", generation)};
                    });
        }
        return population_.front();
    }

private:
    struct Job {
        Stages start;
        std::optional<double> score;  // of a start whose order has been solved
        double hot;
        std::string origin;
    };

    /// The i-th pair of parents: (0, 1), (0, 2), (1, 2), (0, 3), ….
    static std::pair<std::size_t, std::size_t> pair_of(std::size_t i, std::size_t parents) {
        const std::size_t most = std::min(parents, kParents);
        if (most < 2) {
            return {0, 0};
        }
        i %= most * (most - 1) / 2;
        std::size_t two = 1;
        while (i >= two) {
            i -= two;
            ++two;
        }
        return {i, two};
    }

    /// Anneals one job for each restart; the results join the population.
    template <class Make>
    void advance(std::uint64_t budget, std::uint64_t& evaluations, Make make) {
        std::vector<DeviceResult> found(restarts_);
        std::vector<std::uint64_t> done(restarts_, 0);
        core::parallel_for(restarts_, options_.threads, [&](std::size_t i) {
            if (options_.stop && options_.stop()) {
                return;
            }
            core::Random random(options_.seed, options_.stream + streams_ + i);
            Job job = make(i, random);
            AnnealOptions anneal;
            anneal.evaluations = budget / restarts_;
            anneal.start_temperature = job.hot;
            anneal.end_temperature = kDevicesCold;
            anneal.stop = options_.stop;
            AnnealedStages result = anneal_devices(costs_, job.start, job.score, anneal, random);
            found[i] = {std::move(result.stages), result.score, std::move(job.origin)};
            done[i] = result.evaluations;
        });
        streams_ += restarts_;
        for (std::size_t i = 0; i < restarts_; ++i) {
            evaluations += done[i];
            if (!found[i].stages.empty()) {
                population_.push_back(std::move(found[i]));
            }
        }
        std::ranges::stable_sort(population_, {}, &DeviceResult::score);
        const auto same = std::ranges::unique(population_, {}, &DeviceResult::score);
        population_.erase(same.begin(), same.end());
    }

    const Costs& costs_;
    const DeviceSearchOptions& options_;
    std::size_t restarts_;
    std::vector<DeviceResult> population_;  // best first
    std::uint64_t streams_ = 0;
};

}  // namespace

DeviceResult search_over_devices(const Costs& costs,
                                 std::vector<DeviceResult> starts,
                                 const DeviceSearchOptions& options,
                                 std::uint64_t& evaluations) {
    return DeviceSearch(costs, std::move(starts), options).run(evaluations);
}

}  // namespace longhaul::placement
