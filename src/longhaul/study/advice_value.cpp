#include <cmath>
#include <string>

#include "longhaul/study/advise.hpp"

namespace longhaul::study {
namespace {

using core::Value;

std::string way_name(int way) {
    return way < 0 ? "none" : std::string(name_of(static_cast<Way>(way)));
}

std::string_view per_step_name(PerStep per_step) {
    switch (per_step) {
        case PerStep::kSlower:
            return "slower";
        case PerStep::kUnsettled:
            return "unsettled";
        case PerStep::kUseful:
            return "useful";
    }
    return "";
}

Value option_value(const Option& option) {
    Value value = Value::object();
    value.set("way", name_of(option.way));
    if (!option.possible()) {
        return value.set("possible", false).set("reason", option.problem);
    }
    value.set("possible", true)
        .set("how", option.how)
        .set("step_s", option.step_s)
        .set("tokens_per_s", option.tokens_per_s)
        .set("idle", option.idle)
        .set("staleness_s", option.staleness_s)
        .set("staleness_steps", option.staleness_steps);
    if (option.inner_steps > 0) {
        value.set("inner_steps", option.inner_steps);
    }
    if (option.way != Way::kPlaced) {
        value.set("exchange_s", option.exchange_s);
    }
    return value.set("pareto", option.pareto);
}

Value crossings_value(const std::vector<ChangePoint>& changes) {
    Value list = Value::array();
    for (const ChangePoint& change : changes) {
        list.append(Value::object()
                        .set("at", change.at)
                        .set("below", way_name(change.before))
                        .set("above", way_name(change.after)));
    }
    return list;
}

Value verdict_value(const Verdict& verdict) {
    Value value = Value::object()
                      .set("per_step", per_step_name(verdict.per_step))
                      .set("compute_s", verdict.window_s);
    if (std::isfinite(verdict.at_least_s)) {
        value.set("exchange_at_least_s", verdict.at_least_s).set("proof", verdict.proof);
    }
    if (std::isfinite(verdict.found_s)) {
        value.set("exchange_found_s", verdict.found_s);
    }
    return value.set("text", verdict.text);
}

Value schedule_value(const schedule::Optimised& optimised, const schedule::Islands& islands) {
    Value value = Value::object()
                      .set("score_ms", optimised.score.score_ms)
                      .set("bound_ms", optimised.bound_ms)
                      .set("optimal", optimised.optimal)
                      .set("a", optimised.score.area)
                      .set("round_ms", Value(optimised.score.round_ms));
    Value rounds = Value::array();
    for (const schedule::Round& round : optimised.schedule->rounds) {
        Value cliques = Value::array();
        for (const schedule::Clique clique : round.cliques) {
            Value names = Value::array();
            for (const int member : schedule::members_of(clique)) {
                names.append(islands.islands[static_cast<std::size_t>(member)].name);
            }
            cliques.append(std::move(names));
        }
        rounds.append(std::move(cliques));
    }
    return value.set("schedule", std::move(rounds));
}

Value placed_value(const PlacedStep& placed) {
    Value value = Value::object()
                      .set("pp", placed.shape.pp)
                      .set("dp", placed.shape.dp)
                      .set("step_s", placed.seconds)
                      .set("step_bound_s", placed.bound.seconds)
                      .set("exchange_bound_s", placed.exchange.seconds)
                      .set("exchange_bound_method", placed.exchange.method);
    if (placed.replayed_s) {
        value.set("replayed_s", *placed.replayed_s);
    }
    std::vector<double> map;
    for (const int rank : placed.placement.rank_map()) {
        map.push_back(rank);
    }
    return value.set("rank_map", Value(std::move(map)));
}

}  // namespace

Value to_value(const Advice& advice, const WaysProblem& problem, const PlacedStep* placed) {
    Value options = Value::array();
    for (const Option& option : advice.options) {
        options.append(option_value(option));
    }
    Value exchanges = Value::array();
    for (const ExchangeTime& time : advice.exchanges) {
        Value one = Value::object().set("kind", name_of(time.kind));
        exchanges.append(std::isfinite(time.ms) ? one.set("s", time.ms / 1000)
                                                : one.set("reason", time.detail));
    }
    Value names = Value::array();
    for (const schedule::Island& island : problem.islands.islands) {
        names.append(island.name);
    }
    Value value = Value::object();
    value.set("format", "longhaul.advice/1")
        .set("islands", std::move(names))
        .set("payload_gb", problem.can.payload_gb)
        .set("gradient_gb", problem.gradient_gb)
        .set("tokens", problem.tokens)
        .set("options", std::move(options))
        .set("best",
             advice.best < 0 ? "none"
                             : name_of(advice.options[static_cast<std::size_t>(advice.best)].way))
        .set("verdict", verdict_value(advice.verdict))
        .set("exchanges", std::move(exchanges))
        .set("crossings",
             Value::object()
                 .set("links", crossings_value(advice.over_links))
                 .set("computing", crossings_value(advice.over_computing)));
    if (advice.optimised.schedule) {
        value.set("schedule", schedule_value(advice.optimised, problem.islands));
    }
    if (placed != nullptr) {
        value.set("placed", placed_value(*placed));
    }
    return value;
}

}  // namespace longhaul::study
