// Whole searches with a fixed budget on one thread: evaluations a second, and the score reached.
#include <benchmark/benchmark.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

void search_of(benchmark::State& state, const Problem& problem) {
    SearchOptions options;
    options.budget = 100'000;
    std::uint64_t evaluations = 0;
    double score = 0;
    for (auto _ : state) {
        const SearchResult found = make_search(SearchKind::kPortfolio)->run(problem, options);
        evaluations += found.evaluations;
        score = found.score;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(evaluations));
    state.counters["score"] = score;
}

/// Eight classes: counts only.
void search_table2(benchmark::State& state) {
    search_of(state, testing::shipped_problem("dtfm-table2-worldwide.json", 0.128, 0.65));
}
BENCHMARK(search_table2)->Unit(benchmark::kMillisecond);

void search_spot(benchmark::State& state) {
    search_of(state, testing::shipped_problem("dtfm-spot.json", 0.471249, 0.65));
}
BENCHMARK(search_spot)->Unit(benchmark::kMillisecond);

/// 64 devices that all differ: tolerant counts, then devices.
void search_distinct_devices(benchmark::State& state) {
    core::Random random(1);
    search_of(state, random_problem({8, 8}, 0, false, random));
}
BENCHMARK(search_distinct_devices)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace longhaul::placement
