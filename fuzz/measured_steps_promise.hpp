// What must hold for any file of measured steps: clear problems, or steps that are compared with
// any predictions.
#pragma once

#include "longhaul/core/statistics.hpp"
#include "longhaul/study/validate.hpp"
#include "round_trip.hpp"

namespace longhaul::fuzz {

/// Empty when all holds, else what does not. The predictions are made up: the model says how long
/// the name is, the simulation is right.
inline std::string broken_measured_steps_promise(std::string_view text) {
    const bool json = !text.empty() && text.front() == '{';
    const auto measured = study::read_measured_steps(text, json ? "input.json" : "input.toml");
    if (!measured) {
        return clear_problems(measured.error()) ? "" : "problems that are not lines of text";
    }
    std::vector<study::ComparedStep> steps;
    for (const study::MeasuredStep& step : *measured) {
        const double median = core::median(step.seconds);
        steps.push_back({step.name, static_cast<double>(step.name.size() + 1), median, median});
    }
    study::ValidateOptions options;
    options.draws = 20;
    const study::Validation validation = study::validate(steps, options);
    if (validation.lost != 0) {
        return "a simulation that is right loses to the fastest";
    }
    const std::string written = core::write_json(study::to_value(steps, validation));
    return core::parse_json(written, "written") ? "" : "the comparison does not read back";
}

}  // namespace longhaul::fuzz
