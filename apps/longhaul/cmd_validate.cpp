// validate: predicted steps against measured ones; the answer is no when they rank differently.
#include <filesystem>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/options.hpp"
#include "longhaul/step_inputs.hpp"
#include "longhaul/study/validate.hpp"

namespace longhaul::app {
namespace {

constexpr int kSteps = 4;  // measured steps follow each other too

struct ValidateInputs {
    std::string measured;
    StepInputs step;
    study::ValidateOptions options;
    bool json = false;
};

/// The file of a plan: beside the file of measured steps, unless it is absolute.
std::string plan_path(const ValidateInputs& inputs, const std::string& plan) {
    const std::filesystem::path path(plan);
    if (path.is_absolute() || inputs.measured == "-") {
        return plan;
    }
    return (std::filesystem::path(inputs.measured).parent_path() / path).string();
}

core::Result<std::vector<study::ComparedStep>> compare(const ValidateInputs& inputs) {
    const auto text = read_file(inputs.measured);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto measured = study::read_measured_steps(*text, input_name(inputs.measured));
    if (!measured) {
        return tl::unexpected(measured.error());
    }
    const auto routes = load_step_routes(inputs.step);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    std::vector<study::ComparedStep> steps;
    for (const study::MeasuredStep& step : *measured) {
        const std::string path = plan_path(inputs, step.plan);
        const auto plan = read_file(path);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        const auto played = play_plan(*plan, path, inputs.step, *routes);
        if (!played) {
            return tl::unexpected(played.error());
        }
        const study::CorrelationInterval interval = study::median_interval(step.seconds);
        steps.push_back({step.name,
                         played->score,
                         played->seconds(),
                         core::median(step.seconds),
                         interval.lower,
                         interval.upper});
    }
    return steps;
}

std::string interval_text(const std::optional<double>& value,
                          const std::optional<study::CorrelationInterval>& interval) {
    if (!value) {
        return "none";
    }
    return interval
               ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", *value, interval->lower, interval->upper)
               : fmt::format("{:.3f}", *value);
}

std::string ranking_text(std::string_view name, const study::Ranking& ranking) {
    const std::string chance =
        ranking.chance ? fmt::format("; a random ranking reaches this tau with {:.3g} %",
                                     100 * *ranking.chance)
                       : std::string();
    return fmt::format("{:<10} Kendall {}, Spearman {}{}\n",
                       name,
                       interval_text(ranking.tau, ranking.tau_interval),
                       interval_text(ranking.rho, ranking.rho_interval),
                       chance);
}

std::string text_of(const std::vector<study::ComparedStep>& steps,
                    const study::Validation& validation,
                    const study::ValidateOptions& options) {
    std::size_t width = 4;
    for (const study::ComparedStep& step : steps) {
        width = std::max(width, step.name.size());
    }
    std::string text =
        fmt::format("{:<{}}  model s  simulated s  measured s  off\n", "plan", width);
    for (const study::ComparedStep& step : steps) {
        text += fmt::format("{:<{}}  {:7.3f}  {:11.3f}  {:10.3f}  {:+.1f} %\n",
                            step.name,
                            width,
                            step.model,
                            step.simulated,
                            step.measured,
                            100 * (step.simulated / step.measured - 1));
    }
    text += fmt::format("{} of {} simulated steps are within {:g} % of the measured ones\n",
                        validation.near,
                        steps.size(),
                        100 * options.near);
    text +=
        ranking_text("model", validation.model) + ranking_text("simulated", validation.simulated);
    text +=
        fmt::format("predicted best: {}; measured fastest: {} ({:+.1f} %{})\n",
                    steps[validation.best].name,
                    steps[validation.fastest].name,
                    100 * validation.lost,
                    validation.lost_in_spread ? ", within the spread of the measured steps" : "");
    if (validation.reasons.empty()) {
        return text + "the predictions rank the placements as the runs do\n";
    }
    for (const std::string& reason : validation.reasons) {
        text += "reject the placement: " + reason + "\n";
    }
    return text;
}

core::Result<int> run(const ValidateInputs& inputs) {
    if (auto once = read_once({inputs.measured, inputs.step.fabric, inputs.step.topology}); !once) {
        return tl::unexpected(once.error());
    }
    const auto steps = compare(inputs);
    if (!steps) {
        return tl::unexpected(steps.error());
    }
    const study::Validation validation = study::validate(*steps, inputs.options);
    print(inputs.json ? core::write_json(study::to_value(*steps, validation))
                      : text_of(*steps, validation, inputs.options));
    return validation.reasons.empty() ? kDone : kNo;
}

}  // namespace

void add_validate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "validate", "Compares predicted with measured steps; exits 1 when they rank differently");
    example(*command, "longhaul validate measured-steps.json");
    auto inputs = std::make_shared<ValidateInputs>();
    inputs->step.steps = kSteps;
    command
        ->add_option("STEPS",
                     inputs->measured,
                     "plans and their measured steps (JSON or TOML); - for "
                     "standard input")
        ->required()
        ->type_name("FILE");
    add_step_options(*command, inputs->step);
    command
        ->add_option("--near",
                     inputs->options.near,
                     "share of the measured step that a simulated one may be off")
        ->check(finite_number(0, 10))
        ->capture_default_str();
    command
        ->add_option("--least-tau",
                     inputs->options.least_tau,
                     "Kendall's tau that the simulation must reach")
        ->check(finite_number(-1, 1))
        ->capture_default_str();
    command
        ->add_option("--fastest-within",
                     inputs->options.fastest_within,
                     "share that the plan predicted best may lose to the fastest")
        ->check(finite_number(0, 10))
        ->capture_default_str();
    add_seed(*command, inputs->options.seed);
    command->add_flag("--json", inputs->json, "print one JSON object");
    command->callback([inputs, &session] {
        session.run = [inputs] {
            const core::Result<int> done = run(*inputs);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
