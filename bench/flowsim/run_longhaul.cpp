#include "longhaul/flowsim/simulator.hpp"
#include "child.hpp"
#include "engines.hpp"

namespace longhaul::bench {
namespace {

FlowRun simulate(const FlowCase& flow_case) {
    using namespace flowsim;  // NOLINT: a function of a benchmark
    const double begin = cpu_seconds();
    Simulator simulator(flow_case.links);
    for (const Transfer& one : flow_case.transfers) {
        const PathId path = simulator.path(flow_case.route(one));
        const Time latency = simulator.latency(path);
        simulator.start({.path = path,
                         .payload = core::Gigabytes(static_cast<double>(one.bytes) / 1e9),
                         .weight = 1 / (1e6 * to_seconds(latency).value())},
                        Time(one.start_ns * 1000) + latency);
    }
    FlowRun run;
    run.arrival_s.resize(flow_case.transfers.size());
    while (const auto event = simulator.next()) {
        if (event->kind == EventKind::kSent) {
            run.arrival_s[event->flow] = to_seconds(event->time).value();
        }
    }
    run.cpu_s = cpu_seconds() - begin;
    return run;
}

}  // namespace

FlowRun run_longhaul(const FlowCase& flow_case) {
    return run_in_child([&] { return simulate(flow_case); });
}

}  // namespace longhaul::bench
