#include "longhaul/runtime/merger.hpp"

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {

Merger::Merger(schedule::Clique wanted,
               int self,
               std::vector<std::int32_t> own,
               std::uint32_t blocks)
    : wanted_(wanted),
      sums_(std::move(own)),
      masks_(blocks, schedule::Clique{1} << static_cast<unsigned>(self)),
      missing_(std::uint64_t{blocks} * static_cast<unsigned>(schedule::clique_size(wanted) - 1)) {
    LONGHAUL_ASSERT(blocks > 0 && sums_.size() % blocks == 0 && (wanted & masks_[0]) != 0);
}

Merger::Took Merger::take(std::uint32_t block,
                          schedule::Clique mask,
                          std::span<const std::int32_t> sums) {
    const std::size_t size = sums_.size() / masks_.size();
    if (block >= masks_.size() || mask == 0 || (mask & ~wanted_) != 0 || sums.size() != size) {
        return Took::kRefused;
    }
    if ((masks_[block] & mask) != 0) {
        return Took::kDuplicate;
    }
    const std::span<std::int32_t> held = std::span(sums_).subspan(block * size, size);
    for (std::size_t i = 0; i < size; ++i) {
        held[i] += sums[i];
    }
    masks_[block] |= mask;
    missing_ -= static_cast<unsigned>(schedule::clique_size(mask));
    return Took::kAdded;
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
        means[i] = static_cast<double>(sums_[i]) / schedule::clique_size(masks_[i / size]);
    }
    return means;
}

}  // namespace longhaul::runtime
