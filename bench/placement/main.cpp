// bench_placement: measures the rows of the table and says which reach what is required.
#include <cstdio>
#include <fstream>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "fabrics.hpp"
#include "rates.hpp"
#include "report.hpp"
#include "subsets.hpp"

namespace longhaul::bench {
namespace {

constexpr int kDone = 0;
constexpr int kMiss = 1;
constexpr int kBadInput = 2;

struct Options {
    std::string only;
    bool quick = false;
    bool list = false;
    bool long_runs = false;
    int rounds = 3;
    int runs = 20;
    std::uint64_t budget = 10'000'000;
    std::uint64_t rates = 0;
    std::uint64_t seed = 7;
    std::string best_known = std::string(LONGHAUL_SOURCE_DIR) + "/bench/placement/best_known.json";
    std::string results;
    std::string lines;
    std::string skyplane;
    double limit_s = 30;
};

int report(const core::Diagnostics& problems) {
    for (const core::Diagnostic& problem : problems) {
        fmt::print(stderr, "bench_placement: {}\n", core::to_string(problem));
    }
    return kBadInput;
}

/// The known answer that is proved fastest, and a row that is compared with best_known.json.
const char* const kQuickRows[] = {"dtfm-spot 8x8 0.471249/0.65", "dtfm-campuses 8x8 0.128/1.3"};

std::vector<Instance> chosen_rows(const Options& options) {
    std::vector<Instance> rows = all_instances();
    std::erase_if(rows, [&](const Instance& row) {
        const bool quick = std::ranges::find(kQuickRows, row.id) != std::end(kQuickRows);
        return row.id.find(options.only) == std::string::npos || (options.quick && !quick);
    });
    return rows;
}

/// Lines of JSON, one a run, to a file or to standard output.
class Lines {
public:
    explicit Lines(const std::string& path) {
        if (!path.empty() && path != "-") {
            file_.open(path);
        }
        to_stdout_ = path == "-";
    }
    void write(const std::string& line) {
        if (to_stdout_) {
            fmt::print("{}\n", line);
            std::fflush(stdout);
        } else if (file_.is_open()) {
            file_ << line << std::endl;  // a run may take hours: nothing is lost when it is stopped
        }
    }

private:
    std::ofstream file_;
    bool to_stdout_ = false;
};

core::Result<std::vector<RowResult>> measure_rows(const Options& options,
                                                  const std::vector<Instance>& rows,
                                                  const BestKnownTable& best_known,
                                                  Lines& lines) {
    std::vector<std::vector<Measurement>> runs(rows.size());
    const int rounds = options.quick ? 1 : options.rounds;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(round);
            const auto run = measure(LONGHAUL_SOURCE_DIR, rows[i], seed);
            if (!run) {
                return tl::unexpected(run.error());
            }
            runs[i].push_back(*run);
            lines.write(one_line(
                to_value(*run).set("id", rows[i].id).set("seed", static_cast<double>(seed))));
            fmt::print(stderr,
                       "round {} of {}, {} of {}: {}: {:.6f}, {:.2f} s\n",
                       round + 1,
                       rounds,
                       i + 1,
                       rows.size(),
                       rows[i].id,
                       run->score,
                       run->final_cpu_s);
        }
    }
    std::vector<RowResult> results;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        results.push_back(judge(rows[i], runs[i], best_known));
    }
    return results;
}

core::Result<BestKnownTable> load_best_known(const std::string& path) {
    const core::Result<std::string> text = read_text(path);
    return text ? read_best_known(*text, path) : tl::unexpected(text.error());
}

/// Rows with a requirement on the best known value, and those of the noise for later comparison.
int run_long_rows(const Options& options) {
    BestKnownTable table = load_best_known(options.best_known).value_or(BestKnownTable());
    for (const Instance& row : chosen_rows(options)) {
        if (!row.bar.best_known) {
            continue;
        }
        const auto found = run_long(LONGHAUL_SOURCE_DIR, row, options.runs, options.budget);
        if (!found) {
            return report(found.error());
        }
        BestKnown& best = table[row.id];
        if (best.score == 0 || found->score <= best.score || found->proved) {
            best = {found->score, found->proved, std::max(best.runs, found->runs)};
        }
        fmt::print(stderr, "{}: {}{}\n", row.id, best.score, best.proved ? ", proved" : "");
        std::ofstream file(options.best_known);
        file << best_known_text(table);
        if (!file.flush()) {
            return report({{options.best_known, "", "cannot be written", "name another file"}});
        }
    }
    return kDone;
}

int print_rates(const Options& options) {
    const core::Result<Rates> rates =
        measure_rates(LONGHAUL_SOURCE_DIR, options.rates, options.seed);
    if (!rates) {
        return report(rates.error());
    }
    fmt::print("{}\n",
               one_line(core::Value::object()
                            .set("counts_per_s", rates->counts_per_s)
                            .set("devices_per_s", rates->devices_per_s)
                            .set("solved_per_s", rates->solved_per_s)));
    return kDone;
}

int run_subsets(const Options& options, const Machine& machine, const std::string& command) {
    const auto throughput = read_text(options.skyplane + "/throughput_2022_11.csv");
    const auto latency = read_text(options.skyplane + "/latency.csv");
    if (!throughput || !latency) {
        return report(throughput ? latency.error() : throughput.error());
    }
    const auto measured = read_regions(*throughput, *latency);
    if (!measured) {
        return report(measured.error());
    }
    Lines lines(options.lines);
    lines.write(one_line(to_value(machine)));
    const auto rows =
        measure_subsets(*measured, options.rounds, options.limit_s, [&](const std::string& line) {
            lines.write(line);
            fmt::print(stderr, "{}\n", line);
        });
    if (!rows) {
        return report(rows.error());
    }
    fmt::print("{}\n{} regions with all pairs measured; {} others lacked some.\n",
               page_text(machine, command, options.rounds, *rows),
               measured->names.size(),
               measured->dropped);
    return kDone;
}

int run_table(const Options& options, const Machine& machine, const std::string& command) {
    const auto best_known = load_best_known(options.best_known);
    if (!best_known) {
        return report(best_known.error());
    }
    const std::vector<Instance> rows = chosen_rows(options);
    if (rows.empty()) {
        return report({{"", "--only", "no row has that in its name", "see --list"}});
    }
    const std::string stem = options.results + "/" + machine.date + "-" + machine.name;
    Lines lines(options.results.empty() ? options.lines : stem + ".jsonl");
    lines.write(one_line(to_value(machine)));
    const auto results = measure_rows(options, rows, *best_known, lines);
    if (!results) {
        return report(results.error());
    }
    const std::string page = page_text(machine, command, results->front().runs, *results);
    if (options.results.empty()) {
        fmt::print("{}", page);
    } else if (std::ofstream file(stem + ".md"); !(file << page).flush()) {
        return report({{stem + ".md", "", "cannot be written", "name a folder that exists"}});
    }
    return std::ranges::all_of(*results, &RowResult::passed) ? kDone : kMiss;
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("--only", options.only, "rows whose name contains this text");
    app.add_flag("--quick", options.quick, "two rows, one round");
    app.add_flag("--list", options.list, "print the names of the rows");
    app.add_option("--rounds", options.rounds, "times that every row is run")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "of the first round")->capture_default_str();
    app.add_option("--best-known", options.best_known, "file of the best known scores");
    app.add_flag("--long", options.long_runs, "look for better scores and update that file");
    app.add_option("--runs", options.runs, "long runs of a row")->capture_default_str();
    app.add_option("--budget", options.budget, "evaluations of a long run")->capture_default_str();
    app.add_option("--rates", options.rates, "only evaluations a second, over about this many");
    app.add_option("--results", options.results, "folder for DATE-MACHINE.md and .jsonl");
    app.add_option("--lines", options.lines, "file for one JSON line a run; - for stdout");
    app.add_option("--skyplane",
                   options.skyplane,
                   "folder with throughput_2022_11.csv and latency.csv of the Skyplane grid: only "
                   "random subsets of its regions");
    app.add_option("--limit", options.limit_s, "CPU seconds of one plan with --skyplane")
        ->capture_default_str();
}

int run(int argc, char** argv) {
    CLI::App app("Measures the placement engine against what is required of it");
    Options options;
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kDone : kBadInput;
    }
    if (options.list) {
        for (const Instance& row : chosen_rows(options)) {
            fmt::print("{}\n", row.id);
        }
        return kDone;
    }
    if (options.rates > 0) {
        return print_rates(options);
    }
    if (options.long_runs) {
        return run_long_rows(options);
    }
    const Machine machine = describe_machine(LONGHAUL_SOURCE_DIR);
    std::string command = "bench_placement";
    for (int i = 1; i < argc; ++i) {
        // Folders of whoever ran it are nobody's business.
        const std::string argument = argv[i];
        command += argument.find('/') == std::string::npos ? " " + argument : " DIR";
    }
    if (!options.skyplane.empty()) {
        return run_subsets(options, machine, command);
    }
    fmt::print(stderr, "random subsets of measured regions: skipped, no --skyplane DIR\n");
    return run_table(options, machine, command);
}

}  // namespace
}  // namespace longhaul::bench

int main(int argc, char** argv) {
    return longhaul::bench::run(argc, argv);
}
