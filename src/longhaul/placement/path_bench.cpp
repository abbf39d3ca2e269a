// Shortest open path over pp stages: once per scored partition, and exponential in pp.
#include <benchmark/benchmark.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/path.hpp"

namespace longhaul::placement {
namespace {

void path_over_stages(benchmark::State& state) {
    core::Random random(1);
    const core::Grid<double> edges =
        random_costs(static_cast<std::size_t>(state.range(0)), 0, false, random);
    for (auto _ : state) {
        benchmark::DoNotOptimize(held_karp(edges).length);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(path_over_stages)->Arg(4)->Arg(8)->Arg(12)->Arg(16);

}  // namespace
}  // namespace longhaul::placement
