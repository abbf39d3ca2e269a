#include <tuple>

#include <fmt/format.h>

#include "longhaul/place_from.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/plan_text.hpp"

namespace longhaul::app {
namespace {

std::string limit_text(const ReplanPoint& point) {
    return point.limit ? std::to_string(*point.limit) : std::string("any");
}

/// Seconds won against the point before, for each move more; nothing for the first.
std::optional<double> gain_per_move(const std::vector<ReplanPoint>& curve, std::size_t i) {
    if (i == 0 || curve[i].moves <= curve[i - 1].moves ||
        curve[i - 1].score.compute >= placement::kDoesNotFit) {
        return std::nullopt;
    }
    return (curve[i - 1].score.total() - curve[i].score.total()) /
           (curve[i].moves - curve[i - 1].moves);
}

/// Whether a device has what it needs at a stage and a place of its tensor group.
bool keeps(const FromRun& run, int device, int stage, int tensor) {
    const placement::Shape old = run.old_plan.placement.shape();
    const placement::Shape shape = run.replan.chosen->placement.shape();
    const placement::OldPlace& place = run.match.places[static_cast<std::size_t>(device)];
    return placement::keeps_state(place.stage, old.pp, stage, shape.pp) &&
           placement::keeps_state(place.tensor, old.tp, tensor, shape.tp);
}

/// "stage 3 -> stage 5", or "joined  -> stage 5"; with another number of stages "stage 3 of 4 ->
/// stage 3 of 6", since a number then stands for other layers.
std::string move_lines(const FromRun& run) {
    constexpr int kShown = 24;
    const int old_pp = run.old_plan.placement.shape().pp;
    const int pp = run.replan.chosen->placement.shape().pp;
    const auto stage_text = [&](int stage, int of) {
        return old_pp == pp ? fmt::format("stage {}", stage)
                            : fmt::format("stage {} of {}", stage, of);
    };
    std::string text;
    int listed = 0;
    const auto stages = run.replan.chosen->placement.stages();
    const int tp = run.replan.chosen->placement.shape().tp;
    for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
        const std::vector<int>& stage = stages[static_cast<std::size_t>(s)];
        for (std::size_t i = 0; i < stage.size(); ++i) {
            const int device = stage[i];
            if (keeps(run, device, s, static_cast<int>(i) % tp) || ++listed > kShown) {
                continue;
            }
            const int old = run.match.places[static_cast<std::size_t>(device)].stage;
            text += fmt::format("  {:<24} {} -> {}\n",
                                run.match.names[static_cast<std::size_t>(device)],
                                old >= 0 ? stage_text(old, old_pp)
                                : run.match.known[static_cast<std::size_t>(device)] != 0
                                    ? std::string("left out")
                                    : std::string("joined "),
                                stage_text(s, pp));
        }
    }
    return listed > kShown ? text + fmt::format("  and {} more\n", listed - kShown) : text;
}

/// Whether the new plan is for other payloads, messages or micro-batches than the old one.
bool other_workload(const FromRun& run) {
    const auto sent = [](const workload::Workload& workload) {
        return std::tuple(workload.c_pp,
                          workload.pp_messages,
                          workload.c_pp_backward.value_or(workload.c_pp),
                          workload.pp_backward_messages.value_or(workload.pp_messages),
                          workload.c_dp,
                          workload.dp_messages,
                          workload.microbatches.value_or(workload.pp_messages));
    };
    return sent(run.old_plan.workload) != sent(run.plan.workload);
}

std::string score_text(const placement::Score& score) {
    return score.compute >= placement::kDoesNotFit ? fmt::format("{:>14}", "no fit")
                                                   : fmt::format("{:>12.6f} s", score.total());
}

}  // namespace

std::string from_text(const FromRun& run, const std::string& old_path) {
    const placement::Shape shape = run.old_plan.placement.shape();
    std::string text = fmt::format(
        "old plan     {}: pp {} x dp {}{}; by {}: {} devices stay, {} left, "
        "{} joined\n",
        old_path,
        shape.pp,
        shape.dp,
        shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : "",
        run.match.by,
        run.match.stayed,
        run.match.left,
        run.match.joined);
    if (other_workload(run)) {
        text += "old job      " + payloads_text(run.old_plan.workload) +
                "; all scores are for the new one\n";
    }
    text += "moves        devices that must load state, and what they are worth\n";
    text += "  within   moves         score      gain a move\n";
    const auto& curve = run.replan.curve;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const auto gain = gain_per_move(curve, i);
        text += fmt::format("  {:>6}  {:>6}  {}{}{}\n",
                            limit_text(curve[i]),
                            curve[i].moves,
                            score_text(curve[i].score),
                            gain ? fmt::format("  {:>12.6f} s", *gain) : std::string(),
                            i == 0 && curve[i].moves == run.replan.forced ? "  (forced)" : "");
    }
    text += fmt::format("chosen       {} move{}\n",
                        run.replan.chosen->moves,
                        run.replan.chosen->moves == 1 ? "" : "s") +
            move_lines(run);
    return text + plan_text(run.plan, run.fabric.fabric);
}

core::Value from_value(const FromRun& run, const std::string& old_path) {
    core::Value curve = core::Value::array();
    for (std::size_t i = 0; i < run.replan.curve.size(); ++i) {
        const ReplanPoint& point = run.replan.curve[i];
        const auto gain = gain_per_move(run.replan.curve, i);
        core::Value ranks = core::Value::array();
        for (const int rank : point.placement.rank_map()) {
            ranks.append(rank);
        }
        curve.append(core::Value::object()
                         .set("limit", point.limit ? core::Value(*point.limit) : core::Value())
                         .set("moves", point.moves)
                         .set("score",
                              point.score.compute >= placement::kDoesNotFit
                                  ? core::Value()
                                  : core::Value(point.score.total()))
                         .set("gain_per_move", gain ? core::Value(*gain) : core::Value())
                         .set("rank_map", std::move(ranks)));
    }
    core::Value root = core::Value::object();
    root.set("old_plan", old_path)
        .set("matched_by", run.match.by)
        .set("stayed", run.match.stayed)
        .set("left", run.match.left)
        .set("joined", run.match.joined)
        .set("same_workload", !other_workload(run))
        .set("forced_moves", run.replan.forced)
        .set("moves", run.replan.chosen->moves)
        .set("curve", std::move(curve))
        .set("plan", placement::to_value(run.plan));
    return root;
}

}  // namespace longhaul::app
