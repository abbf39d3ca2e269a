// schedule optimise: the best schedule, its bound, and what others do.
#include <chrono>
#include <cmath>

#include "longhaul/schedule/optimise.hpp"
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
    int max_period = 4;
    std::uint64_t seed = 1;
    double effort = 1;
    double time_limit_s = 0;
    bool compare = true;
    bool json = false;
};

std::string proof_text(const schedule::Optimised& found) {
    if (found.optimal) {
        return fmt::format("proved: no schedule of any period scores less ({})",
                           found.bound_method);
    }
    return fmt::format("no schedule of any period scores less than {:.3f} ms ({}): gap {:.2f} %{}",
                       found.bound_ms,
                       found.bound_method,
                       100 * found.gap(),
                       found.stopped ? "; the time limit ended the search" : "");
}

std::string text_of(const LoadedIslands& loaded, const schedule::Optimised& found) {
    return network_line(loaded) +
           rounds_text(*found.schedule, found.score.round_ms, loaded.islands) +
           fmt::format(
               "A          {:.6g} rounds until an update has spread\n"
               "score      {:.3f} ms of disagreement about an update\n"
               "bound      {}\n"
               "search     {}{} schedules scored\n",
               found.score.area,
               found.score.score_ms,
               proof_text(found),
               found.rounds > 0 ? fmt::format("{} rounds listed, ", found.rounds) : "",
               found.evaluated);
}

core::Value value_of(const LoadedIslands& loaded, const schedule::Optimised& found) {
    return core::Value::object()
        .set("network", loaded.islands.name)
        .set("score", number_or_null(found.score.score_ms))
        .set("bound", found.bound_ms)
        .set("bound_method", found.bound_method)
        .set("optimal", found.optimal)
        .set("gap", found.gap())
        .set("a", number_or_null(found.score.area))
        .set("round_ms", numbers_or_null(found.score.round_ms))
        .set("schedule", rounds_value(*found.schedule, loaded.islands))
        .set("rounds_listed", static_cast<double>(found.rounds))
        .set("evaluated", static_cast<double>(found.evaluated));
}

core::Result<int> optimise(const OptimiseInputs& options) {
    auto loaded = load_islands(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    if (const auto writable =
            check_outputs(options.output, options.pictures, {options.inputs.network});
        !writable) {
        return tl::unexpected(writable.error());
    }
    schedule::RoundTimes times(loaded->islands, loaded->can);
    std::vector<schedule::Comparator> others;
    if (options.compare) {
        others = schedule::compare_schedules(
            times, {.pace = loaded->pace, .mixing = loaded->mixing, .seed = options.seed});
    }
    schedule::OptimiseOptions how;
    how.largest = options.largest;
    how.max_period = options.max_period;
    how.pace = loaded->pace;
    how.mixing = loaded->mixing;
    how.seed = options.seed;
    how.effort = options.effort;
    for (const auto& named : loaded->islands.schedules) {
        how.starts.push_back(named.schedule);
    }
    for (const schedule::Comparator& other : others) {
        if (other.feasible && other.schedule &&
            std::ssize(other.schedule->rounds) <= options.max_period) {
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
    const schedule::Optimised found = schedule::optimise_schedule(times, how);
    if (!found.schedule) {
        print(options.json
                  ? core::write_json(
                        core::Value::object().set("feasible", false).set("reason", found.reason))
                  : network_line(*loaded) + "schedule   none: " + found.reason + "\n");
        return kNo;
    }
    const auto timed = schedule::timed_schedule(*found.schedule, times, loaded->pace);
    if (const auto written = write_all(options.output,
                                       options.pictures,
                                       *loaded,
                                       {"the best schedule found",
                                        timed,
                                        found.score.round_ms,
                                        found.score.mixing,
                                        found.score.score_ms,
                                        others});
        !written) {
        return tl::unexpected(written.error());
    }
    if (options.json) {
        core::Value value = value_of(*loaded, found);
        if (options.compare) {
            value.set("others", comparators_value(others));
        }
        print(core::write_json(value));
    } else {
        print(text_of(*loaded, found) + (options.compare ? comparators_text(others) : ""));
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
    command->add_option("--largest", options->largest, "members of a clique at most; 0: no limit")
        ->check(CLI::Range(0, schedule::kMaxIslands))
        ->capture_default_str();
    command->add_option("--max-period", options->max_period, "rounds of a period at most")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
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
    command->add_flag("!--no-compare", options->compare, "leave out what others do");
    command
        ->add_option("-o,--output",
                     options->output,
                     "schedule with offsets, rates and trees to write; - is standard output")
        ->type_name("FILE");
    add_pictures(*command, options->pictures);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = optimise(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
