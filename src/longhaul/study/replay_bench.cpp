// A step replayed: build the tasks, name the connections, run the simulator to the end. What is
// required: a step of 64 devices in 0.2 s, of 1,024 devices in 10 s.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "longhaul/fabric/read.hpp"
#include "longhaul/study/build_step.hpp"
#include "longhaul/study/replay.hpp"

namespace longhaul::study {
namespace {

/// Eight regions with an uplink each that all of their devices share; pairs between regions differ.
fabric::Fabric eight_regions(int devices_a_region) {
    core::Value regions = core::Value::array();
    core::Value pairs = core::Value::array();
    core::Value shared = core::Value::array();
    const auto name = [](int region) { return "region" + std::to_string(region); };
    for (int a = 0; a < 8; ++a) {
        core::Value place = core::Value::array();
        place.append(core::Value(name(a)));
        regions.append(place.items.front());
        shared.append(core::Value::object()
                          .set("name", "uplink of " + name(a))
                          .set("gbps", 10 + 5 * (a % 3))
                          .set("of", std::move(place)));
        for (int b = 0; b < a; ++b) {
            pairs.append(core::Value::object()
                             .set("a", name(a))
                             .set("b", name(b))
                             .set("delay_ms", 10 + 13 * (a - b))
                             .set("bandwidth_gbps", 0.5 + 0.1 * (a + b)));
        }
    }
    const core::Value root =
        core::Value::object()
            .set("format", "longhaul.regions/1")
            .set("regions", std::move(regions))
            .set("gpus_per_region", devices_a_region)
            .set("intra_region", core::Value::object().set("delay_ms", 1).set("bandwidth_gbps", 10))
            .set("pairs", std::move(pairs))
            .set("shared", std::move(shared));
    return fabric::read_fabric(core::write_json(root), "bench.json").value();
}

/// Stages in blocks of regions, two messages a micro-batch, a sharded exchange of 0.65 GB a stage.
void step(benchmark::State& state, placement::Shape shape, int batches, bool queues) {
    const fabric::Fabric fabric = eight_regions(static_cast<int>(shape.devices()) / 8);
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(0.512);
    workload.c_dp = core::Gigabytes(0.65);
    workload.pp_messages = batches;
    workload.stage_seconds.assign(static_cast<std::size_t>(shape.pp), 6.0);
    std::vector<int> devices(shape.devices());  // rank = replica x pp + stage
    for (int replica = 0; replica < shape.dp; ++replica) {
        for (int stage = 0; stage < shape.pp; ++stage) {
            devices[static_cast<std::size_t>(replica * shape.pp + stage)] =
                stage * shape.dp + replica;
        }
    }
    const placement::Placement placement(shape, devices);
    const placement::Problem problem =
        placement::make_problem(fabric, "bench", workload, shape, {}).value();
    std::size_t tasks = 0;
    double seconds = 0;
    for (auto _ : state) {
        const StepGraph graph = build_step(problem, fabric, placement, {}).value();
        const Connections connections = connections_of(graph);
        const StepNetwork network = network_of_fabric(fabric, connections.list, true);
        const Replay played = replay(graph, connections, network, {.queues = queues}).value();
        tasks = graph.tasks().size();
        seconds = flowsim::to_seconds(played.times.end).value();
    }
    state.counters["tasks"] = static_cast<double>(tasks);
    state.counters["step_s"] = seconds;
}

BENCHMARK_CAPTURE(step, devices_64_fair, placement::Shape{8, 8}, 64, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, devices_64_queue, placement::Shape{8, 8}, 64, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, devices_1024_fair, placement::Shape{16, 64}, 64, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, devices_1024_queue, placement::Shape{16, 64}, 64, true)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace longhaul::study
