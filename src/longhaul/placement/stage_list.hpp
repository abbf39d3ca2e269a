// The possible stages of a proof over tables, cheapest exchange first, packed for fast filtering.
#pragma once

#include <optional>

#include "longhaul/placement/table_model.hpp"

namespace longhaul::placement {

/// Sixteen counts of one byte each, compared at once. Counts are below 128.
class PackedCounts {
public:
    PackedCounts() = default;
    explicit PackedCounts(const StageCounts& counts);
    /// Whether no count is above that of `most`.
    [[nodiscard]] bool within(const PackedCounts& most) const {
        return (((most.low_ | kHigh) - low_) & ((most.high_ | kHigh) - high_) & kHigh) == kHigh;
    }

private:
    static constexpr std::uint64_t kHigh = 0x8080808080808080U;
    std::uint64_t low_ = 0;
    std::uint64_t high_ = 0;
};

class StageList {
public:
    /// Stages of `dp` devices with an exchange up to `cap`. Empty when there are more than `most`,
    /// or when more than `most_steps` partial stages are met. O(steps K + stages K^2).
    [[nodiscard]] static std::optional<StageList> list(const TableModel& model,
                                                       const std::vector<int>& sizes,
                                                       int dp,
                                                       double cap,
                                                       std::size_t most,
                                                       std::uint64_t most_steps,
                                                       const std::function<bool()>& stop = {});

    [[nodiscard]] std::size_t size() const { return counts_.size(); }
    [[nodiscard]] const StageCounts& counts(std::size_t i) const { return counts_[i]; }
    [[nodiscard]] const PackedCounts& packed(std::size_t i) const { return packed_[i]; }
    [[nodiscard]] double exchange(std::size_t i) const { return exchange_[i]; }
    /// First level at which a stage may have an unbroken edge.
    [[nodiscard]] int alive(std::size_t i) const { return alive_[i]; }
    /// First level at which an edge between two stages may be unbroken.
    [[nodiscard]] int join(std::size_t i, std::size_t j) const {
        const std::uint32_t* a = profiles_.data() + i * structures_.size();
        const std::uint32_t* b = profiles_.data() + j * structures_.size();
        std::size_t s = 0;
        while (s < structures_.size() && a[s] != b[s]) {
            ++s;
        }
        const int equal = s < structures_.size() ? structures_[s] : levels_;
        return std::max({equal, alive(i), alive(j)});
    }
    /// Stages with an exchange up to a cap come first.
    [[nodiscard]] std::size_t up_to(double cap) const;

private:
    void describe(const TableModel& model, std::size_t k);

    int levels_ = 0;
    std::vector<int> structures_;  // first level of each component structure
    std::vector<StageCounts> counts_;
    std::vector<PackedCounts> packed_;
    std::vector<double> exchange_;
    std::vector<std::uint8_t> alive_;
    std::vector<std::uint32_t> profiles_;  // hash of the profile, by stage and structure
};

}  // namespace longhaul::placement
