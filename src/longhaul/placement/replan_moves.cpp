#include <algorithm>

#include "longhaul/placement/assignment.hpp"
#include "longhaul/placement/replan.hpp"

namespace longhaul::placement {

bool keeps_state(int old_stage, int old_pp, int stage, int pp) {
    // [stage / pp, (stage + 1) / pp) lies inside [old_stage / old_pp, (old_stage + 1) / old_pp).
    const auto wide = [](int a, int b) { return static_cast<std::int64_t>(a) * b; };
    return old_stage >= 0 && wide(stage, old_pp) >= wide(old_stage, pp) &&
           wide(stage + 1, old_pp) <= wide(old_stage + 1, pp);
}

int moves_of(const OldWork& old, int unit, int stage, int pp) {
    const auto at = static_cast<std::size_t>(unit);
    if (old.members.empty()) {
        return keeps_state(old.stage_of[at], old.pp, stage, pp) ? 0 : 1;
    }
    return static_cast<int>(std::ranges::count_if(old.members[at], [&](int old_stage) {
        return !keeps_state(old_stage, old.pp, stage, pp);
    }));
}

int count_moves(const OldWork& old, const Stages& stages) {
    int moves = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (const int unit : stages[s]) {
            moves += moves_of(old, unit, static_cast<int>(s), static_cast<int>(stages.size()));
        }
    }
    return moves;
}

namespace {

/// Each new stage lies inside one old stage at most, so the old stages share no places.
int forced_moves_of_devices(const OldWork& old, Shape shape) {
    int kept = 0;
    for (int o = 0; o < old.pp; ++o) {
        int places = 0;
        for (int s = 0; s < shape.pp; ++s) {
            places += keeps_state(o, old.pp, s, shape.pp) ? shape.dp : 0;
        }
        kept += std::min(places, static_cast<int>(std::ranges::count(old.stage_of, o)));
    }
    return static_cast<int>(shape.devices()) - kept;
}

}  // namespace

Stages fewest_moves(const OldWork& old, Shape shape) {
    const std::size_t n = old.stage_of.size();
    core::Grid<LexCost> costs(n, n);
    for (std::size_t unit = 0; unit < n; ++unit) {
        for (std::size_t place = 0; place < shape.cells(); ++place) {
            const int stage = static_cast<int>(place) / shape.dp;
            costs(unit, place).part[0] = moves_of(old, static_cast<int>(unit), stage, shape.pp);
        }
    }
    const std::vector<int> place_of = least_assignment(costs);
    Stages stages(static_cast<std::size_t>(shape.pp));
    for (std::size_t unit = 0; unit < n; ++unit) {
        if (static_cast<std::size_t>(place_of[unit]) < shape.cells()) {
            stages[static_cast<std::size_t>(place_of[unit] / shape.dp)].push_back(
                static_cast<int>(unit));
        }
    }
    return stages;
}

int forced_moves(const OldWork& old, Shape shape) {
    return old.members.empty() ? forced_moves_of_devices(old, shape)
                               : count_moves(old, fewest_moves(old, shape));
}

}  // namespace longhaul::placement
