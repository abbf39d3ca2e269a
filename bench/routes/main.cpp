// Prints the table of what is required of compiled routes, as Markdown.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/topology/artifact.hpp"
#include "longhaul/topology/check.hpp"
#include "longhaul/topology/failures.hpp"
#include "longhaul/topology/read.hpp"
#include "report.hpp"

namespace longhaul::bench {
namespace {

using topology::NodeId;
using topology::Routes;
using topology::Topology;

bool all_met = true;

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Least of some runs: others share the machine, and none makes a run faster.
double least_seconds(int runs, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        times.push_back(seconds_of(work));
    }
    return *std::ranges::min_element(times);
}

/// Seconds of a look-up: of each span of 1,024 of them the least of some runs over the whole list,
/// so that what interrupts a run for a moment does not count.
template <class LookUp>
double seconds_a_look_up(int runs, std::size_t count, const LookUp& look_up) {
    constexpr std::size_t kSpan = 1024;
    std::vector<double> least(count / kSpan, std::numeric_limits<double>::infinity());
    for (int run = 0; run < runs; ++run) {
        for (std::size_t span = 0; span < least.size(); ++span) {
            const auto start = std::chrono::steady_clock::now();
            for (std::size_t i = span * kSpan; i < (span + 1) * kSpan; ++i) {
                look_up(i);
            }
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            least[span] = std::min(least[span], took.count());
        }
    }
    return std::accumulate(least.begin(), least.end(), 0.0) / static_cast<double>(count);
}

void row(const std::string& what, const std::string& figure, const std::string& bar, bool met) {
    all_met = all_met && met;
    fmt::print("| {} | {} | {} | {} |\n", what, figure, bar, met ? "yes" : "**no**");
    std::fflush(stdout);
}

std::string fat_tree(int k) {
    return fmt::format(
        "format = \"longhaul.topology/1\"\n[[group]]\nname = \"fabric\"\nendpoints = \"host\"\n"
        "pattern = \"fat-tree\"\nk = {}\ngbps = 100\nlatency_us = 1\n",
        k);
}

/// A network of the bench, which is sound.
Routes compiled(int k) {
    auto topology = topology::read_topology(fat_tree(k), "bench.toml");
    auto routes = Routes::compile(std::move(topology.value()));
    return std::move(routes.value());
}

void compile_rows(int k, bool required) {
    const std::string text = fat_tree(k);
    const double whole = least_seconds(101, [&] {
        auto routes = Routes::compile(topology::read_topology(text, "bench.toml").value());
        if (!routes) {
            std::abort();
        }
    });
    const Routes routes = compiled(k);
    const std::size_t bytes = core::write_json_line(topology::to_value(routes)).size();
    const Topology& net = routes.topology();
    row(fmt::format("fat tree k = {} ({} hosts, {} switches): text to routes",
                    k,
                    net.endpoints(),
                    net.nodes() - net.endpoints()),
        fmt::format("{:.3f} ms", 1000 * whole),
        required ? "10 ms" : "",
        !required || whole < 0.010);
    row(fmt::format("file of routes, k = {}", k),
        fmt::format("{} bytes", bytes),
        required ? "64 KB" : "",
        !required || bytes < 64'000);
}

/// Pairs drawn before the clock starts, many enough that they do not stay in the nearest cache.
struct Draw {
    NodeId from;
    NodeId to;
    std::uint64_t flow;
};

std::vector<Draw> draws(const Topology& net, bool switches) {
    core::Random random(7);
    std::vector<Draw> list(1U << 16U);
    for (Draw& draw : list) {
        draw = {random.below(switches ? net.nodes() : net.endpoints()),
                random.below(net.endpoints()),
                random.next()};
    }
    return list;
}

void look_up_rows(const Routes& routes, const std::string& name, bool required) {
    const std::vector<Draw> list = draws(routes.topology(), true);
    std::uint64_t sum = 0;
    const double ns =
        1e9 * seconds_a_look_up(41, list.size(), [&](std::size_t i) {
            if (const auto next = routes.next_hop(list[i].from, list[i].to, list[i].flow)) {
                sum += next->link;
            }
        });
    row(fmt::format("next hop of a flow, {}", name),
        fmt::format("{:.1f} ns", ns),
        required ? "50 ns" : "",
        !required || ns < 50);
    const std::vector<Draw> pairs = draws(routes.topology(), false);
    std::uint64_t links = 0;
    const int runs = 11;
    const double path_ns =
        1e9 * seconds_a_look_up(runs, pairs.size(), [&](std::size_t i) {
            links += routes.path(pairs[i].from, pairs[i].to, pairs[i].flow).links.size();
        });
    row(fmt::format("whole path of a flow, {}, {:.2f} links on average",
                    name,
                    static_cast<double>(links) / runs / static_cast<double>(pairs.size())),
        fmt::format("{:.0f} ns", path_ns),
        "",
        sum > 0);
}

void check_row(const Routes& routes, const std::string& name, std::uint64_t pairs, int threads) {
    topology::CheckReport report;
    const double time =
        seconds_of([&] { report = topology::check(routes, {pairs, 2, 7, threads}); });
    row(fmt::format("{}: {} pairs and {} next-hop sets against breadth-first search, {} pairs "
                    "without a path, {:.1f} s",
                    name,
                    report.pairs,
                    report.sets,
                    report.unreachable,
                    time),
        fmt::format("{} differ", report.wrong),
        "0",
        report.wrong == 0);
}

void failure_rows(int k, double share, std::uint64_t pairs, int threads) {
    const Routes plain = compiled(k);
    const Topology broken = topology::with_random_failures(plain.topology(), share, 7);
    std::optional<Routes> routes;
    const double time = seconds_of([&] { routes.emplace(Routes::compile(broken).value()); });
    const std::size_t bytes = core::write_json_line(topology::to_value(*routes)).size();
    row(fmt::format("k = {}, {} links ({} %) down: compiled, {} patches, file of {} bytes",
                    k,
                    broken.declaration().exceptions.size(),
                    100 * share,
                    routes->planes().front().sites.front().entries().size(),
                    bytes),
        fmt::format("{:.1f} ms", 1000 * time),
        "",
        true);
    check_row(*routes, fmt::format("k = {}, {} % of links down", k, 100 * share), pairs, threads);
    look_up_rows(*routes, fmt::format("k = {}, {} % of links down", k, 100 * share), true);
}

int run(int threads) {
    const Machine machine = describe_machine(LONGHAUL_SOURCE_DIR);
    fmt::print("# Routes\n\n{}, {} cores, {:.0f} GB, {}; commit {}, {}; load {:.2f}\n\n",
               machine.processor,
               machine.cores,
               machine.memory_gb,
               machine.compiler,
               machine.commit,
               machine.date,
               machine.load);
    fmt::print("| what | figure | required | met |\n| --- | --- | --- | --- |\n");
    compile_rows(16, false);
    compile_rows(48, true);
    const Routes large = compiled(48);
    look_up_rows(large, "k = 48", true);
    check_row(large, "k = 48", 10'000, threads);
    check_row(compiled(16), "k = 16, all pairs", 0, threads);
    failure_rows(16, 0.01, 0, threads);
    return all_met ? 0 : 1;
}

}  // namespace
}  // namespace longhaul::bench

int main(int argc, char** argv) {
    CLI::App parser("Measures compiled routes and prints a table as Markdown.");
    int threads = 2;
    parser.add_option("--threads", threads, "of the checks; the measured parts use one");
    CLI11_PARSE(parser, argc, argv);
    return longhaul::bench::run(threads);
}
