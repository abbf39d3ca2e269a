// A placement as a few blocks of equal stages that moves change in place. Good placements often
// have this form, and as blocks they have far fewer neighbours than as single stages.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/placement/counts.hpp"

namespace longhaul::placement {

/// Blocks in path order. The number of stages of a block never changes; what one of its stages
/// holds does, by random moves that keep the devices of every class and of every stage:
///  * x devices of class a change places with class b in all stages of a block, and other blocks,
///    each by what its length allows, give those of b and take those of a;
///  * two classes change places everywhere, up to the difference of their sizes;
///  * reversal, relocation and exchange of blocks.
class BlockWalk {
public:
    /// `lengths` of the blocks and what a stage of each holds (blocks x classes), blocks >= 1.
    BlockWalk(CountModel& model, std::vector<int> lengths, Counts rows);

    [[nodiscard]] double total() const { return total_; }
    /// One row for every stage, in path order.
    [[nodiscard]] Counts counts() const;
    /// Proposes one move and takes it when the score is at most `limit`.
    void step(double limit, core::Random& random);

private:
    struct Shift {
        std::size_t block, from, to;
        int units;
    };
    [[nodiscard]] std::size_t blocks() const { return lengths_.size(); }
    void shift(std::size_t block, std::size_t from, std::size_t to, int units);
    void undo();
    bool move_chain(core::Random& random);
    bool move_classes(core::Random& random);
    void reorder(core::Random& random);
    bool repair(std::size_t from, std::size_t to, int missing, bool spread, core::Random& random);
    [[nodiscard]] std::size_t class_in(std::size_t block, core::Random& random) const;
    [[nodiscard]] std::size_t class_outside(std::size_t block,
                                            std::size_t other,
                                            core::Random& random) const;
    bool fits(double limit);
    double joint(std::size_t a, std::size_t b, double budget);

    CountModel& model_;
    std::vector<int> lengths_;
    Counts rows_;  // by block
    std::vector<std::uint64_t> keys_;
    std::vector<std::size_t> order_;
    std::vector<double> exchange_, inner_;  // by block; inner: edges between its stages
    double total_ = 0;
    // The move being tried.
    std::vector<Shift> shifts_;
    std::vector<char> touched_;
    std::vector<std::size_t> visits_;
    std::vector<double> new_exchange_, new_inner_;
};

}  // namespace longhaul::placement
