#include "longhaul/runtime/merger.hpp"

#include <limits>

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {

Merger::Merger(schedule::Clique wanted,
               int self,
               std::vector<std::int32_t> own,
               std::uint32_t blocks,
               std::vector<std::int32_t> weights)
    : wanted_(wanted),
      self_(schedule::Clique{1} << static_cast<unsigned>(self)),
      weights_(std::move(weights)),
      sums_(std::move(own)),
      masks_(blocks, self_),
      missing_(std::uint64_t{blocks} * static_cast<unsigned>(schedule::clique_size(wanted) - 1)) {
    LONGHAUL_ASSERT(blocks > 0 && sums_.size() % blocks == 0 && (wanted & self_) != 0);
    const std::int32_t mine = weight(self);
    for (std::int32_t& element : sums_) {
        element *= mine;
    }
}

/// Adds to a block, or takes out of it.
void Merger::add(std::uint32_t block, std::span<const std::int32_t> sums, bool out) {
    const std::size_t size = sums.size();
    const std::span<std::int32_t> held = std::span(sums_).subspan(block * size, size);
    for (std::size_t i = 0; i < size; ++i) {
        held[i] += out ? -sums[i] : sums[i];
    }
}

Merger::Took Merger::take(std::uint32_t block,
                          schedule::Clique mask,
                          std::span<const std::int32_t> sums) {
    const std::size_t size = sums_.size() / masks_.size();
    if (block >= masks_.size() || mask == 0 || (mask & ~wanted_) != 0 || sums.size() != size) {
        return Took::kRefused;
    }
    const schedule::Clique twice = masks_[block] & mask;
    if (twice == mask) {
        return Took::kDuplicate;
    }
    const auto alone = alone_.find(block);
    for (const int island : schedule::members_of(twice)) {
        if (alone == alone_.end() || !alone->second.contains(island)) {
            return Took::kDuplicate;
        }
    }
    for (const int island : schedule::members_of(twice)) {
        add(block, alone->second[island], true);
        alone->second.erase(island);
    }
    add(block, sums, false);
    masks_[block] |= mask;
    missing_ -= static_cast<unsigned>(schedule::clique_size(mask & ~twice));
    if (masks_[block] == wanted_ && alone != alone_.end()) {
        alone_.erase(alone);
    }
    return Took::kAdded;
}

Merger::Took Merger::take_alone(std::uint32_t block,
                                int island,
                                std::span<const std::int32_t> elements) {
    if (island < 0 || island >= std::numeric_limits<schedule::Clique>::digits ||
        (wanted_ & ~self_ & (schedule::Clique{1} << static_cast<unsigned>(island))) == 0) {
        return Took::kRefused;
    }
    std::vector<std::int32_t> weighted(elements.begin(), elements.end());
    for (std::int32_t& element : weighted) {
        element *= weight(island);
    }
    const Took took = take(block, schedule::Clique{1} << static_cast<unsigned>(island), weighted);
    if (took == Took::kAdded && masks_[block] != wanted_) {
        alone_[block][island] = std::move(weighted);
    }
    return took;
}

std::vector<Stretch> Merger::stretches() const {
    std::vector<Stretch> found;
    for (const schedule::Clique mask : masks_) {
        if (found.empty() || found.back().mask != mask) {
            found.push_back({0, mask});
        }
        ++found.back().blocks;
    }
    return found;
}

std::vector<double> Merger::means() const {
    const std::size_t size = sums_.size() / masks_.size();
    std::vector<double> means(sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        double total = 0;
        for (const int island : schedule::members_of(masks_[i / size])) {
            total += weight(island);
        }
        means[i] = static_cast<double>(sums_[i]) / total;
    }
    return means;
}

}  // namespace longhaul::runtime
