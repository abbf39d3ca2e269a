#include "longhaul/study/validate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"

namespace longhaul::study {
namespace {

constexpr double kMaxSeconds = 1e9;

MeasuredStep read_step(const core::Cursor& object, std::set<std::string>& names) {
    MeasuredStep step;
    if (!object.is_object()) {
        return step;
    }
    object.only_keys({"name", "plan", "seconds"});
    if (const auto plan = object.require("plan", "the file of the plan")) {
        step.plan = plan->string().value_or("");
    }
    step.name = step.plan;
    if (const auto name = object.find("name")) {
        step.name = name->string().value_or("");
    }
    if (!names.insert(step.name).second) {
        object.report(fmt::format("{} occurs twice", core::shown(step.name)),
                      "give each plan once, with all its steps, and a name of its own");
    }
    const auto list = object.require("seconds", "measured seconds of its steps");
    if (!list || !list->is_array()) {
        return step;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const core::Cursor entry = list->item(i);
        const auto seconds = entry.positive_number();
        if (seconds && *seconds > kMaxSeconds) {
            entry.report(fmt::format("found {:g}", *seconds),
                         fmt::format("a step takes at most {:g} seconds", kMaxSeconds));
        }
        step.seconds.push_back(seconds.value_or(1));
    }
    if (step.seconds.empty()) {
        list->report("holds no steps", "give at least one number");
    }
    return step;
}

Ranking ranking_of(const std::vector<double>& predicted,
                   const std::vector<double>& measured,
                   const ValidateOptions& options) {
    if (predicted.size() <= kMostPermuted) {
        return {kendall_tau(predicted, measured),
                spearman_rho(predicted, measured),
                std::nullopt,
                std::nullopt,
                chance_of_tau(predicted, measured)};
    }
    const auto interval = [&](const Correlation& correlation) {
        return bootstrap_interval(predicted, measured, correlation, options.draws, options.seed);
    };
    return {kendall_tau(predicted, measured),
            spearman_rho(predicted, measured),
            interval(kendall_tau),
            interval(spearman_rho),
            std::nullopt};
}

bool all_equal(const std::vector<double>& values) {
    return std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end();
}

/// Which list has no ranking.
std::string equal_text(const std::vector<double>& simulated, const std::vector<double>& measured) {
    const bool both = all_equal(simulated) && all_equal(measured);
    return both                   ? "all simulated steps are equal, and all measured ones too"
           : all_equal(simulated) ? "all simulated steps are equal"
                                  : "all measured steps are equal";
}

std::vector<double> column(const std::vector<ComparedStep>& steps, double ComparedStep::* member) {
    std::vector<double> values;
    for (const ComparedStep& step : steps) {
        values.push_back(step.*member);
    }
    return values;
}

std::size_t least(const std::vector<double>& values) {
    return static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
}

core::Value ranking_value(const Ranking& ranking) {
    core::Value value = core::Value::object();
    const auto set = [&](const char* name,
                         const std::optional<double>& point,
                         const std::optional<CorrelationInterval>& interval) {
        value.set(name, point ? core::Value(*point) : core::Value());
        if (interval) {
            value.set(std::string(name) + "_interval",
                      std::vector<double>{interval->lower, interval->upper});
        }
    };
    set("kendall_tau", ranking.tau, ranking.tau_interval);
    set("spearman_rho", ranking.rho, ranking.rho_interval);
    if (ranking.chance) {
        value.set("chance", *ranking.chance);
    }
    return value;
}

}  // namespace

core::Result<std::vector<MeasuredStep>> read_measured_steps(std::string_view text,
                                                            std::string_view name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.measured-steps"}); !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_document(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    core::check_format(root, "longhaul.measured-steps", 1, true);
    root.only_keys({"format", "steps"});
    std::vector<MeasuredStep> steps;
    std::set<std::string> names;
    const auto list = root.require("steps", "the plans that were run");
    if (list && list->is_array()) {
        for (std::size_t i = 0; i < list->value().size(); ++i) {
            steps.push_back(read_step(list->item(i), names));
        }
        if (steps.size() < 2) {
            list->report(fmt::format("holds {} plan{}", steps.size(), steps.size() == 1 ? "" : "s"),
                         "a ranking needs two or more");
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return steps;
}

CorrelationInterval median_interval(std::vector<double> seconds) {
    constexpr double kLevel = 0.95;
    LONGHAUL_ASSERT(!seconds.empty());
    std::ranges::sort(seconds);
    const std::size_t n = seconds.size();
    // The largest k for which the chance that k values or fewer lie below the median is small.
    double chance = std::exp2(-static_cast<double>(n));
    double below = chance;
    std::size_t k = 0;
    while (2 * (k + 1) < n) {
        chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        if (2 * (below + chance) > 1 - kLevel) {
            break;
        }
        below += chance;
        ++k;
    }
    return {seconds[k], seconds[n - 1 - k]};
}

Validation validate(const std::vector<ComparedStep>& steps, const ValidateOptions& options) {
    LONGHAUL_ASSERT(steps.size() >= 2);
    const std::vector<double> simulated = column(steps, &ComparedStep::simulated);
    const std::vector<double> measured = column(steps, &ComparedStep::measured);
    Validation validation;
    validation.model = ranking_of(column(steps, &ComparedStep::model), measured, options);
    validation.simulated = ranking_of(simulated, measured, options);
    for (const ComparedStep& step : steps) {
        const double error = std::abs(step.simulated / step.measured - 1);
        validation.near += error <= options.near ? 1 : 0;
    }
    validation.best = least(simulated);
    validation.fastest = least(measured);
    validation.lost = measured[validation.best] / measured[validation.fastest] - 1;
    validation.lost_in_spread =
        validation.best != validation.fastest &&
        steps[validation.best].measured_lower <= steps[validation.fastest].measured_upper;
    if (validation.lost > options.fastest_within && !validation.lost_in_spread) {
        validation.reasons.push_back(
            fmt::format("{} is predicted best, and takes {:.1f} % longer than {}",
                        steps[validation.best].name,
                        100 * validation.lost,
                        steps[validation.fastest].name));
    }
    if (!validation.simulated.tau) {
        validation.reasons.push_back(equal_text(simulated, measured));
    } else if (*validation.simulated.tau < options.least_tau) {
        validation.reasons.push_back(fmt::format(
            "Kendall's tau is {:.3f}, below {:g}", *validation.simulated.tau, options.least_tau));
    }
    return validation;
}

core::Value to_value(const std::vector<ComparedStep>& steps, const Validation& validation) {
    core::Value list = core::Value::array();
    for (const ComparedStep& step : steps) {
        core::Value value = core::Value::object();
        value.set("name", step.name)
            .set("model_s", step.model)
            .set("simulated_s", step.simulated)
            .set("measured_s", step.measured)
            .set("measured_interval",
                 std::vector<double>{step.measured_lower, step.measured_upper});
        list.append(std::move(value));
    }
    core::Value reasons = core::Value::array();
    for (const std::string& reason : validation.reasons) {
        reasons.append(reason);
    }
    core::Value root = core::Value::object();
    root.set("steps", std::move(list))
        .set("model", ranking_value(validation.model))
        .set("simulated", ranking_value(validation.simulated))
        .set("near", validation.near)
        .set("predicted_best", steps[validation.best].name)
        .set("measured_fastest", steps[validation.fastest].name)
        .set("lost", validation.lost)
        .set("lost_in_spread", validation.lost_in_spread)
        .set("accepted", validation.reasons.empty())
        .set("reasons", std::move(reasons));
    return root;
}

}  // namespace longhaul::study
