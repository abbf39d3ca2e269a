#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace longhaul::bench {
namespace {

std::string gap_of(const RowResult& row) {
    if (row.proved) {
        return "proved";
    }
    return std::isfinite(row.gap) ? fmt::format("{:.2f} %", 100 * row.gap) : "unknown";
}

/// "a, b: pass", or what was missed.
std::string verdict_of(const RowResult& row) {
    std::string asked;
    std::string missed;
    for (const Verdict& verdict : row.verdicts) {
        asked += (asked.empty() ? "" : ", ") + verdict.asked;
        if (!verdict.reached) {
            missed += (missed.empty() ? "" : ", ") + verdict.asked;
        }
    }
    if (asked.empty()) {
        return "none | -";
    }
    return asked + (missed.empty() ? " | pass" : " | miss: " + missed);
}

std::string count_of(double number) {
    if (number >= 1e6) {
        return fmt::format("{:.1f} M", number / 1e6);
    }
    return number >= 1e4 ? fmt::format("{:.0f} k", number / 1e3) : fmt::format("{:.0f}", number);
}

std::string line_of(const RowResult& row) {
    return fmt::format(
        "| {} | {} | {:.6f} / {:.6f} | {:.6f} | {} | {} | {} | {:.3f} | {:.2f} ({:.2f}) | {:.0f} | "
        "{} |\n",
        row.row.id,
        row.runs,
        row.score_min,
        row.score_median,
        row.bound,
        gap_of(row),
        count_of(row.nodes),
        count_of(row.evaluations),
        row.first_cpu_s,
        row.final_cpu_s,
        row.final_wall_s,
        row.peak_mb,
        verdict_of(row));
}

constexpr const char* kHeading =
    "| instance | runs | score min / median | bound | gap | nodes | evaluations | first plan s | "
    "final s (wall) | MB | required | |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

}  // namespace

std::string table_text(std::span<const RowResult> rows) {
    std::string text;
    std::string group;
    for (const RowResult& row : rows) {
        if (row.row.group != group) {
            group = row.row.group;
            text += fmt::format("{}### {}\n\n{}", text.empty() ? "" : "\n", group, kHeading);
        }
        text += line_of(row);
    }
    return text;
}

std::string page_text(const Machine& machine,
                      const std::string& command,
                      int rounds,
                      std::span<const RowResult> rows) {
    const auto passed = std::ranges::count_if(rows, &RowResult::passed);
    return fmt::format(
        "# Placement bench, {}\n\n"
        "{}, {} cores online, {:.1f} GB; {}; commit {}; mean load {:.1f} at the start.\n"
        "`{}`: {} rounds, every instance once a round, round r with seed 6 + r unless --seed says "
        "otherwise; one thread.\n"
        "Scores and bounds are model seconds. Times are medians of CPU seconds of one core, from a "
        "fabric in memory to a plan (wall seconds in brackets).\n"
        "The first plan is what a search gives that is told to stop at once. MB is the largest "
        "peak of the process.\n\n"
        "{} of {} rows reach what is required.\n\n{}",
        machine.date,
        machine.processor,
        machine.cores,
        machine.memory_gb,
        machine.compiler,
        machine.commit,
        machine.load,
        command,
        rounds,
        passed,
        rows.size(),
        table_text(rows));
}

}  // namespace longhaul::bench
