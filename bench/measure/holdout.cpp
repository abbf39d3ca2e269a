#include "holdout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/design.hpp"

namespace longhaul::bench {
namespace {

using measure::Completion;
using measure::CompletionInput;
using measure::KernelScales;
using measure::SitePair;

KernelScales nothing() {
    KernelScales scales;
    scales.class_pair = scales.slope = scales.slope_class_pair = 0;
    scales.curve = scales.curve_class_pair = scales.out_to_class = scales.in_from_class = 0;
    scales.near = scales.near_class_pair = scales.both_ways = 0;
    scales.out = scales.in = 0.3;
    return scales;
}

std::vector<SitePair> shown_pairs(const CompletionInput& input,
                                  Choice choice,
                                  std::size_t count,
                                  std::uint64_t seed) {
    const std::size_t n = input.names.size();
    if (choice == Choice::kDesigned) {
        const core::Grid<char> measured(n, n, 0);
        return measure::design_pairs(
            input.classes, input.rtt_ms, measured, count, KernelScales(), 2000, seed);
    }
    std::vector<SitePair> all;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                all.push_back({i, j});
            }
        }
    }
    core::Random random(seed);
    random.shuffle(std::span(all));
    all.resize(count);
    return all;
}

CompletionInput without_bandwidths(const MeasuredRegions& regions) {
    CompletionInput input;
    input.names = regions.names;
    for (const std::string& name : regions.names) {
        input.classes.push_back(measure::class_of_site(name));
    }
    input.rtt_ms = regions.delay_ms;
    for (double& value : input.rtt_ms.cells()) {
        value *= 2;
    }
    input.beta_gbps = core::Grid<double>(regions.names.size(), regions.names.size(), 0.0);
    return input;
}

Holdout compare(const MeasuredRegions& regions, const Completion& completed) {
    std::vector<double> errors;
    std::vector<double> widths;
    int inside = 0;
    for (std::size_t i = 0; i < regions.names.size(); ++i) {
        for (std::size_t j = 0; j < regions.names.size(); ++j) {
            if (i == j || completed.estimated(i, j) == 0) {
                continue;
            }
            const double truth = regions.rate_gbps(i, j);
            errors.push_back(std::abs(completed.beta_gbps(i, j) / truth - 1));
            widths.push_back(completed.upper(i, j) / completed.lower(i, j));
            inside += truth >= completed.lower(i, j) && truth <= completed.upper(i, j) ? 1 : 0;
        }
    }
    const core::Summary error = core::summarise(errors);
    return {error.median,
            error.p90,
            inside / static_cast<double>(errors.size()),
            core::summarise(widths).median,
            static_cast<int>(completed.measured)};
}

}  // namespace

std::vector<Method> methods() {
    KernelScales providers = nothing();
    providers.class_pair = providers.slope = 0.5;
    providers.slope_class_pair = 0.3;
    KernelScales curves = providers;
    curves.out = curves.in = 0;
    curves.out_to_class = curves.in_from_class = 0.15;
    curves.curve = 0.4;
    curves.curve_class_pair = 0.2;
    return {{"sender + receiver effects", nothing(), Choice::kRandom},
            {"+ provider pairs, lines in log RTT", providers, Choice::kRandom},
            {"+ curves in log RTT, effects by provider", curves, Choice::kRandom},
            {"+ near regions, both directions (one covariance)", KernelScales(), Choice::kRandom},
            {"default: covariance chosen, factors", std::nullopt, Choice::kRandom},
            {"default, pairs chosen by design", std::nullopt, Choice::kDesigned}};
}

core::Result<Holdout> hold_out(const MeasuredRegions& regions,
                               const Method& method,
                               double share,
                               int draws,
                               std::uint64_t seed,
                               int threads) {
    const CompletionInput hidden = without_bandwidths(regions);
    const double pairs =
        static_cast<double>(regions.names.size()) * static_cast<double>(regions.names.size() - 1);
    const auto count = static_cast<std::size_t>(std::lround(share * pairs));
    std::vector<core::Result<Holdout>> results(static_cast<std::size_t>(draws));
    core::parallel_for(results.size(), threads, [&](std::size_t draw) {
        CompletionInput input = hidden;
        for (const SitePair& pair : shown_pairs(input, method.choice, count, seed + draw)) {
            input.beta_gbps(pair.from, pair.to) = regions.rate_gbps(pair.from, pair.to);
        }
        measure::CompletionOptions options;
        options.only = method.only;
        results[draw] = measure::complete(input, options).map([&](const Completion& completed) {
            return compare(regions, completed);
        });
    });
    Holdout mean;
    for (const core::Result<Holdout>& result : results) {
        if (!result) {
            return result;
        }
        mean.median += result->median / draws;
        mean.p90 += result->p90 / draws;
        mean.covered += result->covered / draws;
        mean.width += result->width / draws;
        mean.measured = result->measured;
    }
    return mean;
}

}  // namespace longhaul::bench
