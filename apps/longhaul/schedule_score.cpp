// schedule score: how long one schedule takes and how fast it mixes.
#include <cmath>

#include "longhaul/schedule_commands.hpp"
#include "longhaul/schedule_pictures.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {
namespace {

struct ScoreOptions {
    ScheduleInputs inputs;
    std::string schedule;
    std::string output;
    SchedulePictures pictures;
    bool compare = false;
    bool json = false;
};

std::string text_of(const LoadedIslands& loaded, const NamedRounds& named, const Scored& found) {
    const schedule::ScheduleScore& score = found.score;
    std::string text = network_line(loaded);
    text += fmt::format("schedule   {}: {} round{}\n",
                        named.name,
                        named.schedule.rounds.size(),
                        named.schedule.rounds.size() == 1 ? "" : "s");
    text += rounds_text(named.schedule, score.round_ms, loaded.islands);
    text += std::isfinite(score.area)
                ? fmt::format("A          {:.6g} rounds until an update has spread\n", score.area)
                : std::string("A          infinite: updates never spread to all islands\n");
    text += streamed_text(found);
    text += score.feasible ? fmt::format("score      {:.3f} ms of disagreement about an update\n",
                                         score.score_ms)
                           : fmt::format("score      none: {}\n", score.reason);
    return text;
}

core::Value value_of(const LoadedIslands& loaded, const NamedRounds& named, const Scored& found) {
    const schedule::ScheduleScore& score = found.score;
    core::Value value = core::Value::object()
                            .set("network", loaded.islands.name)
                            .set("name", named.name)
                            .set("feasible", score.feasible)
                            .set("reason", score.reason)
                            .set("score", number_or_null(score.score_ms))
                            .set("a", number_or_null(score.area))
                            .set("round_ms", numbers_or_null(score.round_ms))
                            .set("schedule", rounds_value(named.schedule, loaded.islands));
    add_streamed(found, value);
    core::Value curves = core::Value::array();
    for (const auto& curve : score.mixing.curves) {
        curves.append(core::Value(std::vector<double>(
            curve.begin(), curve.begin() + std::min<std::ptrdiff_t>(64, std::ssize(curve)))));
    }
    value.set("survival", std::move(curves));
    return value;
}

core::Result<int> score(const ScoreOptions& options) {
    if (auto once = read_once({options.inputs.network, options.schedule}); !once) {
        return tl::unexpected(std::move(once.error()));
    }
    auto loaded = load_islands(options.inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    if (const auto writable = check_outputs(
            options.output, options.pictures, {options.inputs.network, options.schedule});
        !writable) {
        return tl::unexpected(writable.error());
    }
    const auto named = load_rounds(options.schedule, *loaded);
    if (!named) {
        return tl::unexpected(named.error());
    }
    if (named->timed) {
        warn(
            named->name +
            ": only its cliques count here; pace, memory, rates and weights come from the options");
    }
    schedule::RoundTimes times(loaded->islands, loaded->can);
    const Scored found = scored(named->schedule, times, *loaded);
    std::vector<schedule::Comparator> others;
    if (options.compare) {
        others = schedule::compare_schedules(
            times, {.pace = comparable_pace(*loaded), .mixing = loaded->mixing});
    }
    if (found.timed) {
        if (const auto written = write_all(options.output,
                                           options.pictures,
                                           *loaded,
                                           {named->name,
                                            *found.timed,
                                            found.score.round_ms,
                                            found.score.mixing,
                                            found.score.score_ms,
                                            others});
            !written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.json) {
        core::Value value = value_of(*loaded, *named, found);
        if (options.compare) {
            value.set("others", comparators_value(others));
        }
        print(core::write_json(value));
    } else {
        print(text_of(*loaded, *named, found) + (options.compare ? comparators_text(others) : ""));
    }
    return found.timed ? kDone : kNo;
}

}  // namespace

void add_schedule_score(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "score", "Times of the rounds of a schedule, how fast it mixes, and its score");
    example(*command,
            "longhaul schedule score --network islands/nine-city.json --schedule triangles "
            "--memory-gb 0");
    auto options = std::make_shared<ScoreOptions>();
    add_network_inputs(*command, options->inputs);
    add_schedule_choice(*command, options->schedule);
    add_model_inputs(*command, options->inputs);
    command->add_flag("--compare", options->compare, "what others do under the same model");
    add_schedule_outputs(*command, options->output, options->pictures, options->json);
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = score(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
