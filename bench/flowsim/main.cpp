// bench_flowsim: flows a second of flowsim and of SimGrid on the same cases, and flowsim's memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engines.hpp"

namespace longhaul::bench {
namespace {

constexpr std::uint64_t kSeed = 7;

struct Choices {
    std::vector<std::string> cases = {
        "star-128", "star-1024", "fat-tree-128", "fat-tree-1024", "wan-1000"};
    std::vector<int> memory = {10'000, 100'000, 1'000'000};
    std::vector<int> trees = {8, 16, 32};
    int repeats = 3;
};

double median_cpu(std::vector<FlowRun>& runs) {
    std::ranges::sort(runs, {}, &FlowRun::cpu_s);
    return runs[runs.size() / 2].cpu_s;
}

/// Largest difference of an arrival, relative to the time since the start of its transfer.
double worst_difference(const FlowCase& flow_case, const FlowRun& a, const FlowRun& b) {
    double worst = 0;
    for (std::size_t t = 0; t < a.arrival_s.size(); ++t) {
        const double start = static_cast<double>(flow_case.transfers[t].start_ns) / 1e9;
        worst =
            std::max(worst, std::abs(a.arrival_s[t] - b.arrival_s[t]) / (b.arrival_s[t] - start));
    }
    return worst;
}

/// One row of the table. The simulators take turns; the ratio is to the faster mode of SimGrid.
void compare(const std::string& name, int repeats) {
    const FlowCase flow_case = case_of(name);
    const auto flows = static_cast<double>(flow_case.transfers.size());
    std::vector<FlowRun> ours;
    std::vector<FlowRun> lazy;
    std::vector<FlowRun> full;
    for (int i = 0; i < repeats; ++i) {
        ours.push_back(run_longhaul(flow_case));
        if (simgrid_version()) {
            lazy.push_back(*run_simgrid(flow_case, true));
            full.push_back(*run_simgrid(flow_case, false));
        }
    }
    const double speed = flows / median_cpu(ours);
    fmt::print("| {} | {} | {:.0f} |", flow_case.name, flow_case.transfers.size(), speed);
    if (lazy.empty()) {
        fmt::print(" - | - | - | - | - |\n");
    } else {
        const double lazy_speed = flows / median_cpu(lazy);
        const double full_speed = flows / median_cpu(full);
        fmt::print(" {:.0f} | {:.0f} | {:.1f} | {:.1e} | {:.1e} |\n",
                   lazy_speed,
                   full_speed,
                   speed / std::max(lazy_speed, full_speed),
                   worst_difference(flow_case, ours.front(), lazy.front()),
                   worst_difference(flow_case, ours.front(), full.front()));
    }
    std::fflush(stdout);
}

/// The child starts as a copy of this process, which holds the transfers: these count, too.
void measure_memory(const FlowCase& flow_case) {
    const FlowRun run = run_longhaul(flow_case);
    fmt::print("| {} | {} | {:.1f} | {:.2f} |\n",
               flow_case.name,
               flow_case.transfers.size(),
               run.peak_mb,
               run.cpu_s);
    std::fflush(stdout);
}

int run(int argc, char** argv) {
    Choices choices;
    CLI::App parser("Flows a second of flowsim and SimGrid, side by side", "bench_flowsim");
    parser.add_option("--cases", choices.cases, "names of cases")->delimiter(',');
    parser.add_option("--memory", choices.memory, "numbers of flows of the WAN cases of memory")
        ->delimiter(',');
    parser.add_option("--trees", choices.trees, "k of the fat trees of memory")->delimiter(',');
    parser.add_option("--repeats", choices.repeats, "runs of each; the median counts");
    CLI11_PARSE(parser, argc, argv);
    fmt::print("SimGrid: {}\n\n", simgrid_version().value_or("not there"));
    fmt::print(
        "| case | flows | flowsim, flows/s | SimGrid lazy | SimGrid full | ratio to the faster | "
        "difference, lazy | difference, full |\n| --- | --- | --- | --- | --- | --- | --- | --- "
        "|\n");
    std::fflush(stdout);
    for (const std::string& name : choices.cases) {
        compare(name, choices.repeats);
    }
    fmt::print("\n| case | flows | peak MB | CPU s |\n| --- | --- | --- | --- |\n");
    std::fflush(stdout);
    for (const int k : choices.trees) {
        measure_memory(fat_tree_case(k, 4, kSeed));
    }
    for (const int flows : choices.memory) {
        measure_memory(wan_case(flows, 0, kSeed));
    }
    return 0;
}

}  // namespace
}  // namespace longhaul::bench

int main(int argc, char** argv) {
    return longhaul::bench::run(argc, argv);
}
