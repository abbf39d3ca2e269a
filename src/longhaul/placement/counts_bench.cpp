// The count view on Table 2 (eight classes of eight): edges without and with the cache, and whole
// annealing moves a second.
#include <benchmark/benchmark.h>

#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

ClassCosts table2_classes() {
    const Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 0.65);
    return class_costs(problem.costs, exact_classes(problem.costs));
}

/// Random rows of eight devices.
std::vector<std::vector<int>> random_rows(std::size_t count) {
    core::Random random(1);
    std::vector<std::vector<int>> rows(count, std::vector<int>(8, 0));
    for (std::vector<int>& row : rows) {
        for (int device = 0; device < 8; ++device) {
            ++row[random.index(8)];
        }
    }
    return rows;
}

/// `rows` decides how often an edge is in the cache of 2^16 entries: 16 rows always, 2000 rarely.
void edge_of_counts(benchmark::State& state) {
    CountModel model(table2_classes());
    const auto rows = random_rows(static_cast<std::size_t>(state.range(0)));
    core::Random random(2);
    for (auto _ : state) {
        const std::vector<int>& a = rows[random.index(rows.size())];
        const std::vector<int>& b = rows[random.index(rows.size())];
        benchmark::DoNotOptimize(model.edge(a, model.key(a), b, model.key(b)));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(edge_of_counts)->ArgName("rows")->Arg(16)->Arg(2000);

void exchange_of_counts(benchmark::State& state) {
    const CountModel model(table2_classes());
    const auto rows = random_rows(64);
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(model.exchange(rows[next++ % rows.size()]));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(exchange_of_counts);

void annealing_moves(benchmark::State& state) {
    CountModel model(table2_classes());
    const Counts start(8, 8, 1);
    AnnealOptions options;
    options.evaluations = 20'000;
    std::uint64_t stream = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            anneal_counts(model, start, options, core::Random(7, stream++)).score);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(options.evaluations));
}
BENCHMARK(annealing_moves)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace longhaul::placement
