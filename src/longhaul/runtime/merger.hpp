// What an island does with the parts that come in: every block ends as the sum over its clique,
// each member once. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "longhaul/runtime/payload.hpp"
#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

class Merger {
public:
    /// `own`: the island's own payload, blocks x block_elements. `wanted`: the clique, with `self`.
    /// `weights`: one an island by number, whole numbers; empty: 1 each.
    Merger(schedule::Clique wanted,
           int self,
           std::vector<std::int32_t> own,
           std::uint32_t blocks,
           std::vector<std::int32_t> weights = {});

    enum class Took { kAdded, kDuplicate, kRefused };
    /// A part of a block, weights applied. Refused: no such block, islands that are none of the
    /// clique, or another number of elements. A duplicate, not added: nothing in it is new, or some
    /// island in it is in the block already and cannot be taken out (the rest of it must come
    /// again, without that one).
    Took take(std::uint32_t block, schedule::Clique mask, std::span<const std::int32_t> sums);
    /// The block of one island, weights not applied. It is kept, so that it can be taken out of a
    /// sum that comes later and holds it too.
    Took take_alone(std::uint32_t block, int island, std::span<const std::int32_t> elements);

    [[nodiscard]] bool complete() const { return missing_ == 0; }
    [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(masks_.size()); }
    [[nodiscard]] bool has(std::uint32_t block, int island) const {
        return (masks_[block] >> static_cast<unsigned>(island) & 1U) != 0;
    }
    [[nodiscard]] schedule::Clique mask(std::uint32_t block) const { return masks_[block]; }
    /// Whether a block of another island is in the block.
    [[nodiscard]] bool begun(std::uint32_t block) const { return masks_[block] != self_; }
    [[nodiscard]] const std::vector<std::int32_t>& sums() const { return sums_; }
    /// Which islands are in which blocks.
    [[nodiscard]] std::vector<Stretch> stretches() const;
    /// Weighted mean over the islands that are in each block: what the island goes on with. An
    /// island that is missing leaves its share to the others. Not a number where all weights that
    /// are there are 0.
    [[nodiscard]] std::vector<double> means() const;

private:
    [[nodiscard]] std::int32_t weight(int island) const {
        return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(island)];
    }
    void add(std::uint32_t block, std::span<const std::int32_t> sums, bool out);

    schedule::Clique wanted_;
    schedule::Clique self_;
    std::vector<std::int32_t> weights_;
    std::vector<std::int32_t> sums_;
    /// Weighted blocks that came alone, by block and island.
    std::map<std::uint32_t, std::map<int, std::vector<std::int32_t>>> alone_;
    std::vector<schedule::Clique> masks_;
    std::uint64_t missing_;  ///< pairs of block and island
};

}  // namespace longhaul::runtime
