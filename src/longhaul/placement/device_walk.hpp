// Stage groups of devices that moves change in place: what annealing over devices walks on.
#pragma once

#include "longhaul/core/random.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/placement/group_matching.hpp"
#include "longhaul/placement/stage_sequence.hpp"

namespace longhaul::placement {

/// Proposes one random move at a time and takes it when the score stays within a limit. Moves: two
/// devices of different stages change places; the same for every stage of two stretches of equal
/// length at once; reversal, relocation and exchange of stretches of stages. The exchange sum of
/// every device is kept, so that a swap costs O(dp); matchings begin at the last one between the
/// same stages; values of edges are cached by what the two stages hold.
class DeviceWalk {
public:
    DeviceWalk(const Costs& costs, const Stages& start);

    [[nodiscard]] double total() const { return sequence_.total(); }
    /// Stage groups in path order.
    [[nodiscard]] Stages stages() const;
    void step(double limit, core::Random& random);

private:
    struct Swap {
        std::size_t s, i, t, j;  // slot and place in it, twice
    };
    struct Entry {
        std::uint64_t key = 0;
        double value = -1;
        bool exact = false;
    };
    void swap_devices(
        std::size_t s, std::size_t t, std::size_t length, double limit, core::Random& random);
    void exchange_places(const Swap& swap);
    void update_sums(std::size_t slot, std::size_t place, int before);
    void save_sums(std::size_t slot);
    void sum_up(std::size_t slot);
    [[nodiscard]] double worst_of(std::size_t slot) const;
    double edge(std::size_t a, std::size_t b, double budget);
    [[nodiscard]] auto edges();

    const Costs& costs_;
    Stages stages_;            // by slot
    core::Grid<double> sums_;  // exchange of each device with its stage, by slot and place
    std::vector<std::uint64_t> weights_;  // of devices; a key of a stage is the sum of its devices'
    std::vector<std::uint64_t> keys_;
    std::vector<Entry> cache_;
    GroupMatcher matcher_;
    std::vector<Pairs> last_pairs_;  // of stages a and b; any matching is a valid start
    StageSequence sequence_;
    std::vector<int> updates_;  // of each slot's sums since they were summed up
    std::vector<Swap> swaps_;
    std::vector<std::size_t> touched_;
    std::vector<std::pair<std::size_t, std::vector<double>>> saved_;
    std::size_t saved_count_ = 0;
};

}  // namespace longhaul::placement
