// Bottleneck matching between two stage groups of n devices: the kernel of the device-level search.
#include <benchmark/benchmark.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

void bottleneck(benchmark::State& state, std::uint32_t levels) {
    const auto n = static_cast<std::size_t>(state.range(0));
    core::Random random(1, n);
    const core::Grid<double> costs = random_costs(2 * n, levels, false, random);
    const std::vector<int> devices = testing::counted(2 * n);
    BottleneckSolver solver;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            solver.solve(costs, std::span(devices).first(n), std::span(devices).last(n)));
    }
    state.SetItemsProcessed(state.iterations());
}

void distinct_costs(benchmark::State& state) {
    bottleneck(state, 0);
}
BENCHMARK(distinct_costs)->Arg(4)->Arg(8)->Arg(16)->Arg(64)->Arg(256);

void five_levels(benchmark::State& state) {
    bottleneck(state, 5);
}
BENCHMARK(five_levels)->Arg(8)->Arg(64)->Arg(256);

}  // namespace
}  // namespace longhaul::placement
