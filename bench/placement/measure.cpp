#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "longhaul/placement/find.hpp"
#include "longhaul/placement/seeds.hpp"
#include "fabrics.hpp"

namespace longhaul::bench {
namespace {

using core::Result;
using core::Value;
using placement::Plan;

struct Field {
    const char* name;
    double Measurement::* member;
};
constexpr Field kFields[] = {{"score", &Measurement::score},
                             {"bound", &Measurement::bound},
                             {"optimal", &Measurement::optimal},
                             {"nodes", &Measurement::nodes},
                             {"evaluations", &Measurement::evaluations},
                             {"first_score", &Measurement::first_score},
                             {"first_cpu_s", &Measurement::first_cpu_s},
                             {"first_wall_s", &Measurement::first_wall_s},
                             {"early_score", &Measurement::early_score},
                             {"final_cpu_s", &Measurement::final_cpu_s},
                             {"final_wall_s", &Measurement::final_wall_s},
                             {"seed_score", &Measurement::seed_score},
                             {"peak_mb", &Measurement::peak_mb}};

double wall_seconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

Result<placement::Problem> problem_of(const fabric::Fabric& fabric, const Instance& row) {
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(row.c_pp_gb);
    workload.c_dp = core::Gigabytes(row.c_dp_gb);
    return placement::make_problem(fabric, row.fabric, workload, row.shape);
}

struct Timed {
    Plan plan;
    double cpu_s = 0;
    double wall_s = 0;
};

/// From a fabric to a plan on one thread; told to stop after `limit_s` seconds of CPU. The proof
/// works `proof_effort` times as long as by default.
Result<Timed> timed_plan(const fabric::Fabric& fabric,
                         const Instance& row,
                         std::uint64_t seed,
                         double limit_s,
                         double proof_effort) {
    const double cpu = cpu_seconds();
    const double wall = wall_seconds();
    const Result<placement::Problem> problem = problem_of(fabric, row);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    placement::SolveOptions options;
    options.baseline_samples = 0;
    options.search.seed = seed;
    options.search.threads = 1;
    options.search.stop = [&] { return cpu_seconds() - cpu >= limit_s; };
    options.proof.stop = options.search.stop;
    options.search.budget =
        static_cast<std::uint64_t>(row.search_effort * static_cast<double>(options.search.budget));
    options.proof.work =
        static_cast<std::uint64_t>(proof_effort * static_cast<double>(options.proof.work));
    Result<Plan> plan = placement::solve(*problem, fabric, options);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    return Timed{std::move(*plan), cpu_seconds() - cpu, wall_seconds() - wall};
}

/// Best structural seed of the classes that the fabric has.
double best_seed(const placement::Problem& problem) {
    const placement::Classes classes = placement::exact_classes(problem.costs);
    const placement::ClassCosts costs = placement::class_costs(problem.costs, classes);
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    placement::CountModel model(costs);
    std::uint64_t evaluations = 0;
    const auto seeds =
        placement::structural_seeds(model, costs, problem.shape, sizes, 1, evaluations);
    // Seeds of long paths may have been ordered by a heuristic: score what they are on devices.
    return placement::solve_inner(problem, placement::realise(seeds.front().counts, classes))
        .score.total();
}

}  // namespace

Value to_value(const Measurement& measurement) {
    Value value = Value::object();
    for (const Field& field : kFields) {
        value.set(field.name, measurement.*field.member);
    }
    return value.set("found_by", measurement.found_by).set("method", measurement.method);
}

Result<Measurement> read_measurement(const Value& value) {
    core::Diagnostics problems;
    const core::Document document{"measurement", value};
    const core::Cursor root(document, problems);
    Measurement measurement;
    for (const Field& field : kFields) {
        if (const auto member = root.require(field.name, "a number")) {
            measurement.*field.member = member->number().value_or(0);
        }
    }
    if (const auto found = root.require("found_by", "what found the plan")) {
        measurement.found_by = found->string().value_or("");
    }
    if (const auto method = root.require("method", "how the bound was proved")) {
        measurement.method = method->string().value_or("");
    }
    return problems.empty() ? Result<Measurement>(measurement) : tl::unexpected(problems);
}

std::string one_line(const Value& value) {
    const std::string text = core::write_json(value);
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\n') {
            line += text[i];
            continue;
        }
        while (i + 1 < text.size() && text[i + 1] == ' ') {
            ++i;
        }
        if (i + 1 < text.size() && line.back() == ',') {
            line += ' ';
        }
    }
    return line;
}

double cpu_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<Measurement> plan_row(const fabric::Fabric& fabric,
                             const Instance& row,
                             std::uint64_t seed) {
    const Result<Timed> first = timed_plan(fabric, row, seed, 0, row.proof_effort);
    if (!first) {
        return tl::unexpected(first.error());
    }
    Measurement result;
    result.first_score = first->plan.score.total();
    result.first_cpu_s = first->cpu_s;
    result.first_wall_s = first->wall_s;
    if (row.bar.best_within_s > 0) {
        const Result<Timed> early = timed_plan(fabric, row, seed, row.bar.best_within_s, 1);
        if (!early) {
            return tl::unexpected(early.error());
        }
        result.early_score = early->plan.score.total();
    }
    const Result<Timed> last = timed_plan(fabric, row, seed, row.limit_s, row.proof_effort);
    if (!last) {
        return tl::unexpected(last.error());
    }
    const Plan& plan = last->plan;
    result.score = plan.score.total();
    result.bound = plan.bound.value;
    result.optimal = placement::gap_between(result.score, result.bound).optimal ? 1 : 0;
    result.nodes = static_cast<double>(plan.bound.nodes);
    result.evaluations = static_cast<double>(plan.search.evaluations);
    result.final_cpu_s = last->cpu_s;
    result.final_wall_s = last->wall_s;
    result.found_by = plan.search.found_by;
    result.method = plan.bound.method;
    if (row.bar.beats_seeds) {
        result.seed_score = best_seed(*problem_of(fabric, row));
    }
    return result;
}

Result<Measurement> measure(const std::string& source_folder,
                            const Instance& row,
                            std::uint64_t seed) {
    double peak_mb = 0;
    const Result<Value> value = in_child(
        [&]() -> Result<Value> {
            const Result<fabric::Fabric> fabric = make_fabric(source_folder, row.fabric);
            if (!fabric) {
                return tl::unexpected(fabric.error());
            }
            const Result<Measurement> measured = plan_row(*fabric, row, seed);
            return measured ? Result<Value>(to_value(*measured)) : tl::unexpected(measured.error());
        },
        kChildLimit_s,
        peak_mb);
    if (!value) {
        return tl::unexpected(value.error());
    }
    Result<Measurement> measurement = read_measurement(*value);
    if (measurement) {
        measurement->peak_mb = peak_mb;
    }
    return measurement;
}

namespace {

Result<Value> long_runs(const fabric::Fabric& fabric,
                        const Instance& row,
                        int runs,
                        std::uint64_t budget) {
    const Result<Timed> proved = timed_plan(fabric, row, 7, row.limit_s, row.proof_effort);
    if (!proved) {
        return tl::unexpected(proved.error());
    }
    const Plan& plan = proved->plan;
    double best = plan.score.total();
    const bool optimal = placement::gap_between(best, plan.bound.value).optimal;
    const Result<placement::Problem> problem = problem_of(fabric, row);
    const int needed = optimal ? 0 : runs;
    for (int run = 0; run < needed; ++run) {
        placement::SearchOptions options;
        options.seed = 1000 + static_cast<std::uint64_t>(run);
        options.budget = budget;
        best = std::min(
            best, placement::find(*problem, placement::SearchKind::kPortfolio, options).score);
    }
    return Value::object().set("score", best).set("proved", optimal).set("runs", needed);
}

}  // namespace

Result<LongRuns> run_long(const std::string& source_folder,
                          const Instance& row,
                          int runs,
                          std::uint64_t budget) {
    double peak_mb = 0;
    const Result<Value> value = in_child(
        [&]() -> Result<Value> {
            const Result<fabric::Fabric> fabric = make_fabric(source_folder, row.fabric);
            return fabric ? long_runs(*fabric, row, runs, budget) : tl::unexpected(fabric.error());
        },
        10 * kChildLimit_s,
        peak_mb);
    if (!value) {
        return tl::unexpected(value.error());
    }
    return LongRuns{value->find("score")->number,
                    value->find("proved")->boolean,
                    static_cast<int>(value->find("runs")->number)};
}

}  // namespace longhaul::bench
