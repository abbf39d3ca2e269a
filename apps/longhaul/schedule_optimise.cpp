// schedule optimise: the best schedule, its bound, and what others do.
#include <chrono>
#include <cmath>
#include <functional>

#include "longhaul/schedule/optimise.hpp"
#include "longhaul/schedule/streamed_search.hpp"
#include "longhaul/schedule_commands.hpp"
#include "longhaul/schedule_pictures.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {
namespace {

struct OptimiseInputs {
    ScheduleInputs inputs;
    std::string output;
    SchedulePictures pictures;
    int largest = 0;
    int max_period = 0;
    std::uint64_t seed = 1;
    double effort = 1;
    double time_limit_s = 0;
    bool no_compare = false;
    bool json = false;
};

/// What --largest leaves out is not bounded either.
std::string of_cliques(int largest) {
    return largest > 0 ? fmt::format(" of cliques of at most {}", largest) : "";
}

std::string proof_text(const schedule::Optimised& found, int largest) {
    if (found.optimal) {
        return fmt::format(
            "proved: no schedule{} of any period scores less, at this pace and on these trees ({})",
            of_cliques(largest),
            found.bound_method);
    }
    return fmt::format(
        "no schedule{} of any period, at this pace and on these trees, scores less than {:.3f} ms "
        "({}): gap {:.2f} %{}",
        of_cliques(largest),
        found.bound_ms,
        found.bound_method,
        100 * found.gap(),
        found.stopped ? "; the time limit ended the search" : "");
}

/// The best of either kind of search, in one form.
struct Found {
    Scored scored;
    schedule::Schedule schedule;
    double bound_ms = 0;
    std::string proof;
    std::string bound_method;
    bool optimal = false;
    double gap = 0;
    std::string effort;
    std::string reason;  ///< why there is none
    core::Value figures = core::Value::object();
};

/// What is proved is proved of one rate a clique and equal weights: others may score less.
void leave_bound(const schedule::Optimised& best, int largest, Found& found) {
    found.proof = fmt::format(
        "none with rates or weights of their own; with one rate a clique and equal weights the "
        "schedule scores {:.3f} ms, and none{} of any period less than {:.3f} ms ({})",
        best.score.score_ms,
        of_cliques(largest),
        best.bound_ms,
        best.bound_method);
    found.figures.set("equal_score", best.score.score_ms).set("equal_bound", best.bound_ms);
    found.bound_ms = 0;
    found.bound_method = "none";
    found.optimal = false;
    found.gap = 0;
}

Found of_rounds(const schedule::Optimised& best,
                int largest,
                schedule::RoundTimes& times,
                const LoadedIslands& loaded) {
    Found found;
    found.reason = best.reason;
    if (!best.schedule) {
        return found;
    }
    found.schedule = *best.schedule;
    found.scored = scored(*best.schedule, times, loaded);
    found.bound_ms = best.bound_ms;
    found.bound_method = best.bound_method;
    found.optimal = best.optimal;
    found.gap = best.gap();
    found.proof = proof_text(best, largest);
    found.effort =
        fmt::format("{}{} schedules scored",
                    best.rounds > 0 ? fmt::format("{} rounds listed, ", best.rounds) : "",
                    best.evaluated);
    found.figures.set("rounds_listed", static_cast<double>(best.rounds))
        .set("evaluated", static_cast<double>(best.evaluated));
    if (loaded.own_rates || loaded.best_weights) {
        leave_bound(best, largest, found);
    }
    return found;
}

Found of_streams(const OptimiseInputs& options,
                 int max_period,
                 std::vector<schedule::Schedule> seeds,
                 const std::function<bool()>& stop,
                 schedule::RoundTimes& times,
                 const LoadedIslands& loaded) {
    Found found;
    schedule::StreamedSearch search;
    search.seeds = std::move(seeds);
    search.stop = stop;
    search.largest = options.largest;
    search.max_period = max_period;
    search.seed = options.seed;
    search.programs = std::max(1, static_cast<int>(search.programs * options.effort));
    search.moves = std::max(1, static_cast<int>(search.moves * options.effort));
    const auto best = schedule::best_streamed(times, loaded.mixing, search);
    if (!best) {
        found.reason = "no schedule that was tried can be run: see schedule score";
        return found;
    }
    found.schedule = best->best.schedule.schedule();
    found.scored = scored(best->best, times, loaded);
    found.bound_ms = best->bound_ms;
    found.bound_method = best->bound_ms > 0 ? "pairs of rounds" : "none";
    found.gap = best->bound_ms > 0 ? best->best.score_ms / best->bound_ms - 1 : 0;
    found.proof =
        best->bound_ms > 0
            ? fmt::format(
                  "no streamed schedule{} of one or two rounds scores less than {:.3f} ms: "
                  "gap {:.2f} %",
                  of_cliques(options.largest),
                  best->bound_ms,
                  100 * std::max(0.0, found.gap))
            : std::string(
                  "none: streamed rounds of more than nine islands, or of unequal targets, "
                  "have no bound");
    found.effort = fmt::format("{} linear programs", best->programs);
    found.figures.set("programs", best->programs).set("bound_periods", best->bound_ms > 0 ? 2 : 0);
    return found;
}

std::string text_of(const LoadedIslands& loaded, const Found& found) {
    const schedule::ScheduleScore& score = found.scored.score;
    return network_line(loaded) + rounds_text(found.schedule, score.round_ms, loaded.islands) +
           fmt::format("A          {:.6g} rounds until an update has spread\n", score.area) +
           streamed_text(found.scored) + score_text(found.scored, loaded) +
           fmt::format("bound      {}\nsearch     {}\n", found.proof, found.effort);
}

core::Value value_of(const LoadedIslands& loaded, const Found& found) {
    const schedule::ScheduleScore& score = found.scored.score;
    core::Value value = core::Value::object()
                            .set("network", loaded.islands.name)
                            .set("score", number_or_null(score.score_ms))
                            .set("bound", found.bound_ms)
                            .set("bound_method", found.bound_method)
                            .set("optimal", found.optimal)
                            .set("gap", found.gap)
                            .set("a", number_or_null(score.area))
                            .set("round_ms", numbers_or_null(score.round_ms))
                            .set("schedule", rounds_value(found.schedule, loaded.islands));
    add_streamed(found.scored, value);
    value.set("memory_needed_gb", memory_value(found.scored, loaded));
    for (const core::Member& member : found.figures.members) {
        value.set(member.key, member.value);
    }
    return value;
}

/// Ways that are no rounds of cliques can be faster where links are slow.
std::string beaten_text(const std::vector<schedule::Comparator>& others, double score_ms) {
    std::string text;
    for (const schedule::Comparator& other : others) {
        if (other.feasible && !other.equal_shares && other.score_ms < score_ms * (1 - 1e-9)) {
            text += fmt::format("note       {} scores less than this schedule: {:.3f} ms\n",
                                other.name,
                                other.score_ms);
        }
    }
    return text;
}

/// From the schedules of the network and of others.
Found find_best(const OptimiseInputs& options,
                const std::vector<schedule::Comparator>& others,
                schedule::RoundTimes& times,
                const LoadedIslands& loaded) {
    schedule::OptimiseOptions how;
    how.largest = options.largest;
    how.max_period = options.max_period;
    how.pace = comparable_pace(loaded);
    how.mixing = loaded.mixing;
    how.seed = options.seed;
    how.effort = options.effort;
    for (const auto& named : loaded.islands.schedules) {
        how.starts.push_back(named.schedule);
    }
    for (const schedule::Comparator& other : others) {
        if (other.feasible && other.schedule) {
            how.starts.push_back(*other.schedule);
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    if (options.time_limit_s > 0) {
        how.stop = [&] {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            return passed.count() > options.time_limit_s;
        };
    }
    const bool streamed = loaded.pace == schedule::Pace::kStreamed;
    if (streamed && how.max_period == 0) {
        how.max_period = schedule::StreamedSearch{}.max_period;
    }
    if (streamed) {
        // The best of rounds that do not overlap is where to start from.
        schedule::OptimiseOptions first = how;
        first.effort = how.effort / 10;
        if (auto best = schedule::optimise_schedule(times, first); best.schedule) {
            how.starts.push_back(std::move(*best.schedule));
        }
    }
    return streamed
               ? of_streams(options, how.max_period, how.starts, how.stop, times, loaded)
               : of_rounds(schedule::optimise_schedule(times, how), options.largest, times, loaded);
}

core::Result<int> optimise(const OptimiseInputs& options) {
    auto loaded = load_islands(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    if (const auto writable =
            check_outputs(options.output, options.pictures, {options.inputs.network}, options.json);
        !writable) {
        return tl::unexpected(writable.error());
    }
    if (options.largest == 1) {
        return core::fail({"",
                           "--largest",
                           "cliques of one island average nothing",
                           "2 or more, or 0 for no limit"});
    }
    schedule::RoundTimes times(loaded->islands, loaded->can);
    std::vector<schedule::Comparator> others;
    if (!options.no_compare) {
        others = schedule::compare_schedules(
            times,
            {.pace = comparable_pace(*loaded), .mixing = loaded->mixing, .seed = options.seed});
    }
    const Found found = find_best(options, others, times, *loaded);
    if (!found.scored.timed) {
        print(options.json
                  ? core::write_json(
                        core::Value::object().set("feasible", false).set("reason", found.reason))
                  : network_line(*loaded) + "schedule   none: " + found.reason + "\n");
        return kNo;
    }
    const schedule::ScheduleScore& score = found.scored.score;
    if (const auto written = write_all(options.output,
                                       options.pictures,
                                       *loaded,
                                       {"the best schedule found",
                                        *found.scored.timed,
                                        score.round_ms,
                                        score.mixing,
                                        score.score_ms,
                                        others});
        !written) {
        return tl::unexpected(written.error());
    }
    if (options.json) {
        core::Value value = value_of(*loaded, found);
        if (!options.no_compare) {
            value.set("others", comparators_value(others));
        }
        print(core::write_json(value));
    } else if (!on_stdout(written_files(options.output, options.pictures))) {
        print(text_of(*loaded, found) + (!options.no_compare ? comparators_text(others) : "") +
              beaten_text(others, score.score_ms));
    }
    return kDone;
}

}  // namespace

void add_schedule_optimise(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "optimise", "The best schedule of a network, how good it is, and what others do");
    example(*command, "longhaul schedule optimise --network islands/nine-city.json --memory-gb 0");
    auto options = std::make_shared<OptimiseInputs>();
    add_network_inputs(*command, options->inputs);
    add_model_inputs(*command, options->inputs);
    command
        ->add_option(
            "--largest", options->largest, "members of a clique at most, 2 or more; 0: no limit")
        ->check(CLI::Range(0, schedule::kMaxIslands))
        ->capture_default_str();
    command
        ->add_option("--max-period",
                     options->max_period,
                     "rounds of a period at most (default: 4, and 24 where all rounds are listed)")
        ->check(CLI::Range(1, kMostPeriod));
    command->add_option("--seed", options->seed, "of the search")
        ->check(whole_number())
        ->capture_default_str();
    command->add_option("--effort", options->effort, "scales how many schedules are looked at")
        ->check(finite_number(0.001, 1000))
        ->capture_default_str();
    command
        ->add_option("--time-limit",
                     options->time_limit_s,
                     "seconds after which the search ends with what it has; 0: none. Results then "
                     "depend on the machine")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command->add_flag("--no-compare", options->no_compare, "leave out what others do");
    add_schedule_outputs(*command, options->output, options->pictures, options->json);
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = optimise(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
