// A sequence of count rows that moves change in place: what annealing and tempering over counts
// walk on.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/placement/counts.hpp"
#include "longhaul/placement/stage_sequence.hpp"

namespace longhaul::placement {

/// Proposes one random move at a time and takes it when the score stays within a limit. Moves keep
/// the row and column sums:
///  * x devices of class a in one stage change places with x of class b in another;
///  * the same between two stretches of stages, preferably runs of equal stages (x per stage times
///    the length of the stretch equal on both sides);
///  * a run of equal stages gives x of class a each for class b, and other stages, whichever hold
///    class b, give those (blocks of unequal lengths);
///  * reversal, relocation and exchange of stretches of stages.
class CountWalk {
public:
    CountWalk(CountModel& model, const Counts& start);

    [[nodiscard]] double total() const { return sequence_.total(); }
    /// Rows in path order.
    [[nodiscard]] Counts counts() const;
    void step(double limit, core::Random& random);

private:
    struct Shift {
        int slot;
        std::size_t from, to;
        int units;
    };
    using Stretch = std::pair<std::size_t, std::size_t>;  // positions first .. last

    bool move_bundle(core::Random& random);
    bool move_blocks(core::Random& random);
    bool move_run(core::Random& random);
    void reorder(std::uint32_t kind, double limit, core::Random& random);
    void shift(std::size_t position, std::size_t from, std::size_t to, int units);
    bool undo();
    void try_shifts(double limit);
    [[nodiscard]] std::size_t class_in(std::size_t position,
                                       std::size_t other,
                                       core::Random& random) const;
    [[nodiscard]] Stretch run_around(std::size_t position) const;
    [[nodiscard]] Stretch stretch_at(std::size_t position, core::Random& random) const;
    [[nodiscard]] int fewest(Stretch stretch, std::size_t k) const;
    [[nodiscard]] std::span<const int> row(std::size_t position) const {
        return counts_.row(static_cast<std::size_t>(sequence_.slot(position)));
    }
    [[nodiscard]] std::uint64_t key(std::size_t position) const {
        return keys_[static_cast<std::size_t>(sequence_.slot(position))];
    }
    [[nodiscard]] auto edges();

    CountModel& model_;
    Counts counts_;  // by slot
    std::vector<std::uint64_t> keys_;
    StageSequence sequence_;
    std::vector<Shift> shifts_;
    std::vector<std::size_t> touched_;
};

}  // namespace longhaul::placement
