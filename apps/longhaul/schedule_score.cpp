// schedule score: how long one schedule takes and how fast it mixes.
#include <cmath>

#include "longhaul/schedule_commands.hpp"
#include "longhaul/schedule_given.hpp"
#include "longhaul/schedule_pictures.hpp"
#include "longhaul/schedule_text.hpp"

namespace longhaul::app {
namespace {

struct ScoreOptions {
    ScheduleInputs inputs;
    std::string schedule;
    TypedOptions typed;
    bool other_network = false;
    std::string output;
    SchedulePictures pictures;
    bool compare = false;
    bool json = false;

    [[nodiscard]] std::vector<std::string> files() const { return written_files(output, pictures); }
};

/// ", own, as it stands" of a schedule file.
std::string stands_text(const ScoreOptions& options,
                        const LoadedIslands& loaded,
                        const NamedRounds& named) {
    if (!named.timed) {
        return "";
    }
    const std::string why = why_anew(*named.timed, options.typed, loaded);
    return fmt::format(", {}, {}",
                       schedule::name_of(loaded.pace),
                       why.empty() ? "as it stands" : "planned anew: " + why);
}

std::string text_of(const ScoreOptions& options,
                    const LoadedIslands& loaded,
                    const NamedRounds& named,
                    const Scored& found) {
    const schedule::ScheduleScore& score = found.score;
    std::string text = network_line(loaded);
    text += fmt::format("schedule   {}: {} round{}{}\n",
                        named.name,
                        named.schedule.rounds.size(),
                        named.schedule.rounds.size() == 1 ? "" : "s",
                        stands_text(options, loaded, named));
    text += rounds_text(named.schedule, score.round_ms, loaded.islands);
    text += std::isfinite(score.area)
                ? fmt::format("A          {:.6g} rounds until an update has spread\n", score.area)
                : std::string("A          infinite: updates never spread to all islands\n");
    text += streamed_text(found);
    return text + score_text(found, loaded);
}

core::Value value_of(const ScoreOptions& options,
                     const LoadedIslands& loaded,
                     const NamedRounds& named,
                     const Scored& found) {
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
    if (found.timed) {
        value.set("memory_needed_gb", memory_value(found, loaded));
    }
    if (named.timed) {
        value.set("pace", schedule::name_of(loaded.pace))
            .set("planned_anew", why_anew(*named.timed, options.typed, loaded));
    }
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
    if (const auto writable = check_outputs(options.output,
                                            options.pictures,
                                            {options.inputs.network, options.schedule},
                                            options.json);
        !writable) {
        return tl::unexpected(writable.error());
    }
    const auto named =
        load_rounds(options.schedule,
                    *loaded,
                    {.network_sha256 = loaded->sha256, .other_network = options.other_network});
    if (!named) {
        return tl::unexpected(named.error());
    }
    if (named->timed) {
        if (auto taken = take_from_file(*named->timed, options.typed, *loaded); !taken) {
            return tl::unexpected(std::move(taken.error()));
        }
    }
    schedule::RoundTimes times(loaded->islands, loaded->can);
    const core::Result<Scored> of_file =
        named->timed ? scored_file(*named->timed, options.typed, times, *loaded)
                     : core::Result<Scored>(scored(named->schedule, times, *loaded));
    if (!of_file) {
        return tl::unexpected(of_file.error());
    }
    const Scored& found = *of_file;
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
        core::Value value = value_of(options, *loaded, *named, found);
        if (options.compare) {
            value.set("others", comparators_value(others));
        }
        print(core::write_json(value));
    } else if (!on_stdout(options.files())) {
        print(text_of(options, *loaded, *named, found) +
              (options.compare ? comparators_text(others) : ""));
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
    command->add_flag("--other-network",
                      options->other_network,
                      "a schedule file that was made for another network with the same islands: "
                      "planned anew");
    add_model_inputs(*command, options->inputs);
    command->add_flag("--compare", options->compare, "what others do under the same model");
    add_schedule_outputs(*command, options->output, options->pictures, options->json);
    command->callback([command, options, &session] {
        options->typed = typed_options(*command);
        session.run = [options] {
            const core::Result<int> done = score(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
