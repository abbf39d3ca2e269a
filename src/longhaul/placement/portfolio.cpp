#include "longhaul/placement/portfolio.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_devices.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/count_search.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMaxClasses = 48;  // above, the count view is no smaller than the devices
constexpr double kTolerances[] = {0.05, 0.12, 0.3, 0.7};
constexpr double kDeviceTemperatures[] = {0.02, 0.05, 0.01, 0.1};
constexpr std::uint64_t kDeviceStream = std::uint64_t{1} << 38U;

class Portfolio {
public:
    Portfolio(const Problem& problem, const SearchOptions& options)
        : problem_(problem), options_(options), restarts_(std::max(1, options.restarts)) {}

    SearchResult run() {
        const Classes exact = exact_classes(problem_.costs);
        const bool reducible = exact.size() <= kMaxClasses;
        if (reducible) {
            search_in(exact, options_.budget);
        } else {
            best_ = make_search(SearchKind::kHostOrder)->run(problem_, options_);
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
        if (best_.stages.empty() || score < best_.score) {
            best_.stages = stages;
            best_.score = score;
            best_.origin = origin;
        }
    }

    /// Rows are in path order; read backwards they cost the same, so they begin at the end that is
    /// nearer to the first class.
    static Stages realised(Counts counts, const Classes& classes) {
        std::size_t front = 0;
        std::size_t back = counts.rows() - 1;
        while (front < back && counts(front, 0) == 0 && counts(back, 0) == 0) {
            ++front;
            --back;
        }
        if (counts(front, 0) == 0 && counts(back, 0) > 0) {
            std::vector<int> backwards(counts.rows());
            std::iota(backwards.rbegin(), backwards.rend(), 0);
            counts = reordered(counts, backwards);
        }
        return realise(counts, classes);
    }

    /// Searches the count view of some classes. Of exact classes the best result is taken as it is,
    /// of others each is scored on the devices and kept as a start.
    void search_in(const Classes& classes, std::uint64_t budget) {
        CountSearchOptions counts;
        counts.budget = problem_.shape.pp > 1 && problem_.shape.dp > 1 ? budget : 0;
        counts.restarts = counts.budget == 0 ? 1 : restarts_;
        counts.threads = options_.threads;
        counts.seed = options_.seed;
        counts.stream = stream(kCountSearchStreams * searches_++);
        counts.stop = [this] { return stop(); };
        std::vector<int> ranks(problem_.devices());
        std::iota(ranks.begin(), ranks.end(), 0);
        const Stages host_order = Placement(problem_.shape, ranks).stages();
        const std::vector<Seed> found = search_counts(class_costs(problem_.costs, classes),
                                                      problem_.shape,
                                                      counts_of(host_order, classes),
                                                      counts,
                                                      best_.evaluations);
        if (classes.exact) {
            offer(
                realised(found.front().counts, classes), found.front().score, found.front().origin);
            return;
        }
        for (const Seed& seed : found) {
            Stages stages = realised(seed.counts, classes);
            const Solved solved = solve_inner(problem_, stages);
            stages = in_order(stages, solved.order);
            offer(stages, solved.score.total(), seed.origin);
            starts_.push_back({std::move(stages), solved.score.total()});
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
            if (classes.size() < last && classes.size() > 1 && classes.size() <= kMaxClasses) {
                search_in(classes, options_.budget / 16);
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
            AnnealOptions anneal;
            anneal.evaluations = share;
            anneal.start_temperature = kDeviceTemperatures[i % std::size(kDeviceTemperatures)];
            anneal.stop = [this] { return stop(); };
            const core::Random random(options_.seed, stream(kDeviceStream + i));
            const Stages& start = starts_[i / 2 % starts_.size()].stages;
            found[i] = anneal_devices(problem_.costs, start, anneal, random);
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
    std::uint64_t searches_ = 0;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

SearchResult PortfolioSearch::run(const Problem& problem, const SearchOptions& options) const {
    return Portfolio(problem, options).run();
}

}  // namespace longhaul::placement
