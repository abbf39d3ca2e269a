// After devices left or joined: the best placement within a number of moves from an old plan, and
// what each move is worth.
#pragma once

#include <optional>
#include <span>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {

/// What the devices of the new fabric did before.
struct OldWork {
    int pp = 1;                 ///< stages of the old plan
    std::vector<int> stage_of;  ///< old stage of each device; -1: it joined
    /// With tensor groups (see replan_tensor.hpp), which then stand for devices: old stage of each
    /// member, -1 for one that joined or held another shard. Empty: single devices.
    std::vector<std::vector<int>> members{};
    /// Most moves that a device stands for.
    [[nodiscard]] int weight() const {
        return members.empty() ? 1 : static_cast<int>(members.front().size());
    }
};

/// Whether a device that held stage `old_stage` of `old_pp` has all state of stage `stage` of `pp`:
/// layers are taken as divided evenly, so with equal pp only of the same stage; with more stages of
/// those that lie inside the old one.
[[nodiscard]] bool keeps_state(int old_stage, int old_pp, int stage, int pp);

/// Devices of a unit that must load state to hold a stage of `pp`.
[[nodiscard]] int moves_of(const OldWork& old, int unit, int stage, int pp);

/// Moves: devices that must load state they do not hold, that is devices that joined, and devices
/// whose stage is not the old one (keeps_state). Stages count by their place on the path, since
/// that says which layers they hold. Another order of replicas or other pairs move nothing. O(n).
[[nodiscard]] int count_moves(const OldWork& old, const Stages& stages);

/// The least moves of any placement of that shape: each place of a stage is filled by a device that
/// holds its state, as far as there are any. O(n), O(units^3) with tensor groups.
[[nodiscard]] int forced_moves(const OldWork& old, Shape shape);

/// Stages with the least moves, by assignment. O(units^3).
[[nodiscard]] Stages fewest_moves(const OldWork& old, Shape shape);

/// The best placement found with at most `limit` moves.
struct ReplanPoint {
    std::optional<int> limit;  ///< none: unlimited
    int moves = 0;
    Placement placement;
    Score score;  ///< of the placement as it stands
};

struct Replan {
    int forced = 0;
    std::vector<ReplanPoint> curve;     ///< rising limits, unlimited last; scores never rise
    std::optional<ReplanPoint> chosen;  ///< within ReplanOptions::moves; none when below `forced`
    std::uint64_t evaluations = 0;
};

struct ReplanOptions {
    SearchOptions search;      ///< budget: over all chains
    std::optional<int> moves;  ///< none: unlimited
    /// With no more placements than this, and than the budget, each is tried instead of a search.
    std::uint64_t most_placements = 50'000;
};

/// `best`: the best placement regardless of moves, stages in path order. Its stages are laid over
/// the old ones by exact assignment of overlaps and by paths that pay for moves; swaps lead from
/// the old plan to it and back, each the best of its step; annealing at a ladder of prices per move
/// and then under each limit of the curve searches around them. Swaps also exchange devices that
/// are used and left out. Under every term of the problem (tp = 1; with tensor groups the problem
/// of the groups): pair costs alone are kept up by sums, other terms by OrderedScore, which costs
/// more, so that fewer swaps are tried (evaluation_cost). Every point is composed and scored as it
/// stands; fails (a defect) when that is another score than the search claimed. `host_of`: see
/// compose. Limits of the curve: the forced moves and 1, 2, 3, 4, 6, 8, 12, 16, ... more.
[[nodiscard]] core::Result<Replan> replan(const Problem& problem,
                                          const OldWork& old,
                                          const Stages& best,
                                          std::span<const int> host_of,
                                          const ReplanOptions& options);

}  // namespace longhaul::placement
