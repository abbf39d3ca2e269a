#include "longhaul/placement/portfolio.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/anneal_devices.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/seeds.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxClasses = 48;  // above, the count view is no smaller than the devices
constexpr double kTolerances[] = {0.05, 0.12, 0.3, 0.7};
constexpr double kStartTemperatures[] = {0.05, 0.2, 0.02, 0.1};
constexpr std::uint64_t kRandomStream = 1'000;

/// Restarts share the seeds: each starts at one of its own while there are any, then at random.
Counts shuffled_counts(Shape shape, const Classes& classes, core::Random& random) {
    std::vector<int> devices(classes.of_device.size());
    std::iota(devices.begin(), devices.end(), 0);
    random.shuffle(std::span<int>(devices));
    return counts_of(Placement(shape, devices).stages(), classes);
}

class Portfolio {
public:
    Portfolio(const Problem& problem, const SearchOptions& options)
        : problem_(problem), options_(options), restarts_(std::max(1, options.restarts)) {}

    SearchResult run() {
        best_ = make_search(SearchKind::kHostOrder)->run(problem_, options_);
        const Classes exact = exact_classes(problem_.costs);
        const bool reducible = exact.size() <= kMaxClasses;
        if (problem_.shape.pp > 1 && problem_.shape.dp > 1 && reducible) {
            search_counts(exact, options_.budget);
        }
        if (!reducible || exact.size() == exact.of_device.size()) {
            search_devices(exact);
        }
        best_.stopped_by = stopped_ ? "time limit" : "budget";
        return std::move(best_);
    }

private:
    /// Streams of different runs lie apart.
    [[nodiscard]] std::uint64_t stream(std::uint64_t number) const {
        return (options_.run << 40U) + number;
    }

    bool stop() {
        if (options_.stop && options_.stop()) {
            stopped_ = true;
        }
        return stopped_;
    }

    void offer(const Stages& stages, double score, const std::string& origin) {
        if (score < best_.score) {
            best_.stages = stages;
            best_.score = score;
            best_.origin = origin;
        }
    }

    AnnealOptions anneal_options(std::uint64_t budget, std::size_t restart) {
        AnnealOptions anneal;
        anneal.evaluations = budget;
        anneal.start_temperature = kStartTemperatures[restart % std::size(kStartTemperatures)];
        anneal.stop = [this] { return stop(); };
        return anneal;
    }

    /// Realises counts on the devices and scores them there. Rows are in path order; read backwards
    /// they cost the same, so they begin at the end that is nearer to the first class.
    void offer_counts(Counts counts,
                      const Classes& classes,
                      const std::string& origin,
                      bool ordered = true) {
        std::size_t front = 0;
        std::size_t back = counts.rows() - 1;
        while (counts(front, 0) == 0 && counts(back, 0) == 0) {
            ++front;
            --back;
        }
        if (counts(front, 0) == 0) {
            std::vector<int> backwards(counts.rows());
            std::iota(backwards.rbegin(), backwards.rend(), 0);
            counts = reordered(counts, backwards);
        }
        Stages stages = realise(counts, classes);
        const Solved solved = solve_inner(problem_, stages);
        if (!classes.exact || !ordered || problem_.shape.pp > kMaxExactStages) {
            stages = in_order(stages, solved.order);
        }
        offer(stages, solved.score.total(), origin);
        starts_.push_back({std::move(stages), solved.score.total()});
    }

    /// Seeds and annealing in the count view of some classes.
    void search_counts(const Classes& classes, std::uint64_t budget) {
        const ClassCosts costs = class_costs(problem_.costs, classes);
        std::vector<int> sizes;
        for (const std::vector<int>& members : classes.members) {
            sizes.push_back(static_cast<int>(members.size()));
        }
        CountModel model(costs);
        const std::vector<Seed> seeds = structural_seeds(
            model, costs, problem_.shape, sizes, 32, best_.evaluations, [this] { return stop(); });
        for (std::size_t i = 0; i < std::min<std::size_t>(seeds.size(), 4); ++i) {
            if (i > 0 && stop()) {
                break;
            }
            offer_counts(seeds[i].counts, classes, seeds[i].origin, seeds[i].ordered);
        }
        const std::uint64_t share = budget / static_cast<std::uint64_t>(restarts_);
        std::vector<AnnealedCounts> found(restarts_);
        core::parallel_for(found.size(), options_.threads, [&](std::size_t i) {
            if (stop()) {
                return;
            }
            CountModel own(costs);
            core::Random random(options_.seed, stream(kRandomStream * classes.size() + i));
            const bool from_seed = i < seeds.size() && i % 4 != 3;
            const Counts start =
                from_seed ? seeds[i].counts : shuffled_counts(problem_.shape, classes, random);
            found[i] = anneal_counts(own, start, anneal_options(share, i), random);
        });
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!found[i].counts.empty()) {
                offer_counts(
                    found[i].counts, classes, fmt::format("annealing over counts, restart {}", i));
                best_.evaluations += found[i].evaluations;
            }
        }
    }

    struct Start {
        Stages stages;
        double score = 0;
    };

    /// Coarse count views for starting points, then annealing over devices.
    void search_devices(const Classes& exact) {
        std::size_t last = exact.size();
        for (const double tolerance : kTolerances) {
            const Classes classes = tolerant_classes(problem_.costs, tolerance);
            if (classes.size() < last && classes.size() > 1 && classes.size() <= kMaxClasses &&
                problem_.shape.pp > 1) {
                search_counts(classes, options_.budget / 16);
                last = classes.size();
            }
        }
        if (problem_.shape.pp == 1) {
            return;
        }
        starts_.push_back({best_.stages, best_.score});
        std::ranges::stable_sort(starts_, {}, &Start::score);
        const std::uint64_t share = options_.budget / 2 / static_cast<std::uint64_t>(restarts_);
        std::vector<AnnealedStages> found(restarts_);
        core::parallel_for(found.size(), options_.threads, [&](std::size_t i) {
            if (stop()) {
                return;
            }
            const core::Random random(options_.seed, stream(kRandomStream * kRandomStream + i));
            const Stages& start = starts_[i / 2 % starts_.size()].stages;
            found[i] = anneal_devices(problem_.costs, start, anneal_options(share, i), random);
        });
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!found[i].stages.empty()) {
                offer(found[i].stages,
                      found[i].score,
                      fmt::format("annealing over devices, restart {}", i));
                best_.evaluations += found[i].evaluations;
            }
        }
    }

    const Problem& problem_;
    const SearchOptions& options_;
    int restarts_;
    SearchResult best_;
    std::vector<Start> starts_;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

SearchResult PortfolioSearch::run(const Problem& problem, const SearchOptions& options) const {
    return Portfolio(problem, options).run();
}

}  // namespace longhaul::placement
