// What an island does with the parts that come in: every block ends as the sum over its clique,
// each member once. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/runtime/payload.hpp"
#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

class Merger {
public:
    /// `own`: the island's own payload, blocks x block_elements. `wanted`: the clique, with `self`.
    Merger(schedule::Clique wanted, int self, std::vector<std::int32_t> own, std::uint32_t blocks);

    enum class Took { kAdded, kDuplicate, kRefused };
    /// A part of a block. Refused: no such block, islands that are none of the clique, or another
    /// number of elements. A duplicate, not added: some island in it is in the block already (the
    /// rest of it must come again, without that one).
    Took take(std::uint32_t block, schedule::Clique mask, std::span<const std::int32_t> sums);

    [[nodiscard]] bool complete() const { return missing_ == 0; }
    [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(masks_.size()); }
    [[nodiscard]] bool has(std::uint32_t block, int island) const {
        return (masks_[block] >> static_cast<unsigned>(island) & 1U) != 0;
    }
    [[nodiscard]] schedule::Clique mask(std::uint32_t block) const { return masks_[block]; }
    [[nodiscard]] const std::vector<std::int32_t>& sums() const { return sums_; }
    /// Which islands are in which blocks.
    [[nodiscard]] std::vector<Stretch> stretches() const;
    /// Mean over the islands that are in each block: what the island goes on with. An island that
    /// is missing leaves its share to the others.
    [[nodiscard]] std::vector<double> means() const;

private:
    schedule::Clique wanted_;
    std::vector<std::int32_t> sums_;
    std::vector<schedule::Clique> masks_;
    std::uint64_t missing_;  ///< pairs of block and island
};

}  // namespace longhaul::runtime
