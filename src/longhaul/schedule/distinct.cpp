#include "longhaul/schedule/detail/distinct.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "longhaul/schedule/detail/round_table.hpp"

namespace longhaul::schedule::detail {

namespace {

std::uint32_t grains(float number) {
    return nearest_step(number, 1 / kGrain);
}

}  // namespace

std::size_t Distinct::keep_last(std::vector<float>& list) {
    const std::size_t count = list.size() / width_ - 1;
    if (2 * (count + 1) > slots_.size()) {
        grow(list, count);
    }
    const float* last = &list[count * width_];
    std::size_t at = slot_of(last);
    while (slots_[at] != kFree) {
        const std::size_t other = slots_[at];
        if (equal(&list[other * width_], last)) {
            list.resize(count * width_);
            return other;
        }
        at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<std::uint32_t>(count);
    last_ = at;
    return count;
}

void Distinct::forget_last(std::vector<float>& list) {
    // Nothing was put behind it in its chain since.
    slots_[last_] = kFree;
    list.resize(list.size() - width_);
}

std::size_t Distinct::slot_of(const float* stretch) const {
    std::uint64_t hash = 1;
    for (std::size_t x = 0; x < width_; ++x) {
        hash = (hash ^ grains(stretch[x])) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 29U;
    }
    return hash & (slots_.size() - 1);
}

bool Distinct::equal(const float* a, const float* b) const {
    for (std::size_t x = 0; x < width_; ++x) {
        if (grains(a[x]) != grains(b[x])) {
            return false;
        }
    }
    return true;
}

void Distinct::grow(const std::vector<float>& list, std::size_t count) {
    slots_.assign(2 * slots_.size(), kFree);
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t at = slot_of(&list[k * width_]);
        while (slots_[at] != kFree) {
            at = (at + 1) & (slots_.size() - 1);
        }
        slots_[at] = static_cast<std::uint32_t>(k);
    }
}

void sort_columns(float* numbers, std::size_t rows, std::size_t columns) {
    constexpr float kSteps = 1U << 20U;
    std::array<std::pair<std::uint64_t, std::uint32_t>, RoundTable::kMostIslands> order{};
    for (std::size_t b = 0; b < columns; ++b) {
        std::uint64_t print = 1;
        for (std::size_t i = 0; i < rows; ++i) {
            const float number = numbers[i * columns + b];
            print = (print ^ nearest_step(number, kSteps)) * 0x9E3779B97F4A7C15U;
            print ^= print >> 29U;
        }
        order[b] = {print, static_cast<std::uint32_t>(b)};
    }
    std::ranges::sort(std::span(order).first(columns));
    std::array<float, RoundTable::kMostIslands> row{};
    for (std::size_t i = 0; i < rows; ++i) {
        float* of = numbers + i * columns;
        std::copy_n(of, columns, row.begin());
        for (std::size_t b = 0; b < columns; ++b) {
            of[b] = row[order[b].second];
        }
    }
}

}  // namespace longhaul::schedule::detail
