#include <algorithm>
#include <map>

#include "longhaul/placement/replan.hpp"

namespace longhaul::placement {

bool keeps_state(int old_stage, int old_pp, int stage, int pp) {
    // [stage / pp, (stage + 1) / pp) lies inside [old_stage / old_pp, (old_stage + 1) / old_pp).
    const auto wide = [](int a, int b) { return static_cast<std::int64_t>(a) * b; };
    return old_stage >= 0 && wide(stage, old_pp) >= wide(old_stage, pp) &&
           wide(stage + 1, old_pp) <= wide(old_stage + 1, pp);
}

int count_moves(const OldWork& old, const Stages& stages) {
    int moves = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (const int device : stages[s]) {
            moves += keeps_state(old.stage_of[static_cast<std::size_t>(device)],
                                 old.pp,
                                 static_cast<int>(s),
                                 static_cast<int>(stages.size()))
                         ? 0
                         : 1;
        }
    }
    return moves;
}

int forced_moves(const OldWork& old, Shape shape) {
    // Each new stage lies inside one old stage at most, so the old stages share no places.
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

}  // namespace longhaul::placement
