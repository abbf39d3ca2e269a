#include "longhaul/placement/table_model.hpp"

#include <algorithm>
#include <numeric>

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kGroupWork = 100;  // a ring or tree takes microseconds

}  // namespace

PathLevel class_level(const Level& structure,
                      const core::Grid<double>& pipeline,
                      std::span<const int> sizes) {
    PathLevel level;
    level.structure = structure;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        int others = 0;
        for (std::size_t b = 0; b < sizes.size(); ++b) {
            others += a != b && pipeline(a, b) < structure.next ? sizes[b] : 0;
        }
        // The next stage holds other devices: of this class at most those that are left.
        const bool inside = sizes[a] > 1 && pipeline(a, a) < structure.next;
        level.reach[a] = static_cast<std::uint16_t>(inside ? (others + sizes[a]) / 2 : others);
        const bool isolated = (structure.isolated >> a & 1U) != 0;
        level.cover[structure.component[a]] = static_cast<std::uint16_t>(isolated ? sizes[a] : 1);
    }
    return level;
}

ExactTable::ExactTable(ClassCosts costs, Shape shape, std::vector<int> sizes)
    : costs_(std::move(costs)), shape_(shape), sizes_(std::move(sizes)), model_(costs_) {
    for (const Level& level : structure_levels(costs_.pipeline, sizes_)) {
        levels_.push_back(class_level(level, costs_.pipeline, sizes_));
    }
}

double ExactTable::root_exchange() const {
    if (costs_.group) {
        return std::ranges::max(costs_.least_of_class);
    }
    double worst = 0;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
        std::vector<std::size_t> near(sizes_.size());
        std::iota(near.begin(), near.end(), std::size_t{0});
        std::ranges::stable_sort(near, {}, [&](std::size_t b) { return costs_.exchange(a, b); });
        int needed = shape_.dp - 1;
        double seconds = 0;
        for (const std::size_t b : near) {
            const int taken = std::min(needed, sizes_[b] - (a == b ? 1 : 0));
            seconds += taken * costs_.exchange(a, b);
            needed -= taken;
        }
        worst = std::max(worst, seconds);
    }
    return worst;
}

std::uint64_t ExactTable::exchange_work() const {
    return costs_.group ? kGroupWork : 1;
}

double ExactTable::exchange(const StageCounts& counts, int /*times*/) const {
    if (costs_.group) {
        const std::vector<int> row(counts.begin(),
                                   counts.begin() + static_cast<std::ptrdiff_t>(sizes_.size()));
        return costs_.group(row);
    }
    double worst = 0;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
        if (counts[a] == 0) {
            continue;
        }
        double seconds = 0;
        for (std::size_t b = 0; b < sizes_.size(); ++b) {
            seconds += counts[b] * costs_.exchange(a, b);
        }
        worst = std::max(worst, seconds - costs_.exchange(a, a));
    }
    return worst;
}

double ExactTable::exchange_of(std::span<const StageUse> stages) {
    double worst = 0;
    for (const StageUse& use : stages) {
        worst = std::max(worst, exchange(use.counts, use.times));
    }
    return worst;
}

double ExactTable::edge(const StageCounts& a, const StageCounts& b) {
    const auto size = static_cast<std::ptrdiff_t>(sizes_.size());
    row_a_.assign(a.begin(), a.begin() + size);
    row_b_.assign(b.begin(), b.begin() + size);
    return model_.edge(row_a_, model_.key(row_a_), row_b_, model_.key(row_b_));
}

}  // namespace longhaul::placement
