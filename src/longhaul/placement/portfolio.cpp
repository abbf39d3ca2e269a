#include "longhaul/placement/portfolio.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/count_search.hpp"
#include "longhaul/placement/device_search.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr double kRoundingOfCounts = 1e-12;
constexpr std::size_t kMaxClasses = 48;  // above, the count view is no smaller than the devices
constexpr double kTolerances[] = {0.05, 0.12, 0.3, 0.7};
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

    /// Takes a result of exact classes. Where the time was up its rows may wait for their order.
    void offer_counts(const Seed& seed, const Classes& classes) {
        CountModel model(class_costs(problem_.costs, classes));
        const double here = score_in_order(model, seed.counts).total();
        if (here <= seed.score * (1 + kRoundingOfCounts)) {
            offer(realised(seed.counts, classes), here, seed.origin);
            return;
        }
        const Solved solved = score_best_order(model, seed.counts);
        offer(realised(reordered(seed.counts, solved.order), classes),
              solved.score.total(),
              seed.origin);
    }

    /// Searches the count view of some classes. Of exact classes the best result is taken as it is
    /// when counts say all that the score counts; else each is scored on the devices and kept as a
    /// start.
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
            offer_counts(found.front(), classes);
            return;
        }
        for (const Seed& seed : found) {
            Stages stages = realised(seed.counts, classes);
            const Solved solved = solve_inner_quickly(problem_, stages);
            stages = in_order(stages, solved.order);
            offer(stages, solved.score.total(), seed.origin);
            starts_.push_back({std::move(stages), solved.score.total(), seed.origin});
        }
    }

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
        starts_.push_back({best_.stages, best_.score, best_.origin});
        DeviceSearchOptions devices;
        devices.budget = options_.budget;
        devices.restarts = restarts_;
        devices.threads = options_.threads;
        devices.seed = options_.seed;
        devices.stream = stream(kDeviceStream);
        devices.stop = [this] { return stop(); };
        const DeviceResult found =
            search_over_devices(problem_.costs, std::move(starts_), devices, best_.evaluations);
        offer(found.stages, found.score, found.origin);
    }

    const Problem& problem_;
    const SearchOptions& options_;
    int restarts_;
    SearchResult best_;
    std::vector<DeviceResult> starts_;
    std::uint64_t searches_ = 0;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

SearchResult PortfolioSearch::run(const Problem& problem, const SearchOptions& options) const {
    if (!has_compute(problem)) {
        return Portfolio(problem, options).run();
    }
    Problem pairs = problem;
    pairs.workload.stage_seconds.clear();
    pairs.workload.layers.clear();
    SearchResult found = Portfolio(pairs, options).run();
    rescore(problem, found);
    return found;
}

}  // namespace longhaul::placement
