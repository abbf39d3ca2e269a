// bench_measure: errors of completed bandwidths on measured regions, as a table in Markdown.
#include <cstdio>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "holdout.hpp"

namespace longhaul::bench {
namespace {

struct Options {
    std::string folder;
    std::string throughput = "throughput_2022_01.csv";
    std::vector<double> shares{5, 10, 20};
    int draws = 10;
    int threads = 1;
    std::uint64_t seed = 7;
};

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

int run(const Options& options) {
    const auto regions = read_regions(text_of(options.folder + "/" + options.throughput),
                                      text_of(options.folder + "/latency.csv"));
    if (!regions) {
        fmt::print(stderr, "bench_measure: {}\n", core::to_string(regions.error().front()));
        return 2;
    }
    const std::size_t n = regions->names.size();
    fmt::print("{}: {} regions, {} ordered pairs, {} draws, seeds from {}\n\n",
               options.throughput,
               n,
               n * (n - 1),
               options.draws,
               options.seed);
    fmt::print("| measured | method | median | p90 | in 90 % interval | upper / lower |\n");
    fmt::print("| --- | --- | --- | --- | --- | --- |\n");
    for (const double share : options.shares) {
        for (const Method& method : methods()) {
            const auto result = hold_out(
                *regions, method, share / 100, options.draws, options.seed, options.threads);
            if (!result) {
                fmt::print(stderr, "bench_measure: {}\n", core::to_string(result.error().front()));
                return 2;
            }
            fmt::print("| {:g} % ({}) | {} | {:.1f} % | {:.0f} % | {:.0f} % | {:.2f} |\n",
                       share,
                       result->measured,
                       method.name,
                       100 * result->median,
                       100 * result->p90,
                       100 * result->covered,
                       result->width);
            std::fflush(stdout);
        }
    }
    return 0;
}

}  // namespace
}  // namespace longhaul::bench

int main(int argc, char** argv) {
    longhaul::bench::Options options;
    CLI::App app("Hides most bandwidths of measured regions, completes them, and compares");
    app.add_option("folder", options.folder, "folder with the tables")->required();
    app.add_option("--throughput", options.throughput, "file of bandwidths in the folder");
    app.add_option("--shares", options.shares, "percent of the pairs that are shown")
        ->delimiter(',');
    app.add_option("--draws", options.draws, "draws a row")->check(CLI::Range(1, 1000));
    app.add_option("--threads", options.threads, "draws at once")->check(CLI::Range(1, 256));
    app.add_option("--seed", options.seed, "of the first draw");
    CLI11_PARSE(app, argc, argv);
    return longhaul::bench::run(options);
}
