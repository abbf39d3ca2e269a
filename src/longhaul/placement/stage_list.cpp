#include "longhaul/placement/stage_list.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <ranges>

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kStopInterval = 256;

/// Deals dp devices over the classes in every way whose exchange stays within the cap.
class StageLister {
public:
    StageLister(const TableModel& model,
                const std::vector<int>& sizes,
                double cap,
                std::size_t most,
                std::uint64_t most_steps,
                const std::function<bool()>& stop)
        : model_(model), sizes_(sizes), cap_(cap), most_(most), steps_(most_steps), stop_(stop) {}

    bool list(int dp) { return extend(0, dp); }
    std::vector<StageCounts> counts;
    std::vector<double> exchange;

private:
    bool extend(std::size_t k, int left) {
        if (left == 0) {
            steps_ -= std::min(steps_, model_.exchange_work());
            if (++listed_ % kStopInterval == 0 && stop_ && stop_()) {
                return false;
            }
            const double exact = model_.exchange(row_, 1);
            if (exact <= cap_) {
                counts.push_back(row_);
                exchange.push_back(exact);
            }
            return counts.size() <= most_;
        }
        if (k == sizes_.size()) {
            return true;
        }
        if (left > sum_from(k)) {
            return true;
        }
        if (!extend(k + 1, left)) {
            return false;
        }
        const std::array<double, kMaxPackedClasses> before = seconds_;
        bool good = true;
        for (int count = 1; count <= std::min(left, sizes_[k]) && good; ++count) {
            if (steps_ == 0) {
                return false;
            }
            --steps_;
            row_[k] = static_cast<std::uint8_t>(count);
            if (!add(k)) {
                break;  // further devices only add to the exchange
            }
            good = extend(k + 1, left - count);
        }
        row_[k] = 0;
        seconds_ = before;
        return good;
    }

    /// Devices of the classes from k on.
    [[nodiscard]] int sum_from(std::size_t k) const {
        return std::accumulate(sizes_.begin() + static_cast<std::ptrdiff_t>(k), sizes_.end(), 0);
    }

    /// One more device of a class; false when some device pays more than the cap.
    bool add(std::size_t k) {
        if (!model_.exchange_grows()) {
            return true;
        }
        const core::Grid<double>& costs = model_.least().exchange;
        double worst = 0;
        for (std::size_t a = 0; a < sizes_.size(); ++a) {
            seconds_[a] += costs(k, a);
            worst = std::max(worst, row_[a] > 0 ? seconds_[a] - costs(a, a) : 0);
        }
        return worst <= cap_ * (1 + 1e-12);
    }

    const TableModel& model_;
    const std::vector<int>& sizes_;
    double cap_;
    std::size_t most_;
    std::uint64_t steps_;
    const std::function<bool()>& stop_;
    std::uint64_t listed_ = 0;
    StageCounts row_{};
    std::array<double, kMaxPackedClasses> seconds_{};  // to all devices of the row, by class
};

std::uint32_t profile_hash(const Level& level, const StageCounts& counts, std::size_t k) {
    std::array<std::uint64_t, kMaxPackedClasses> profile{};
    for (std::size_t a = 0; a < k; ++a) {
        profile[level.component[a]] += counts[a];
    }
    std::uint64_t hash = 0;
    for (const std::uint64_t devices : profile) {
        hash = (hash ^ devices) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    }
    return static_cast<std::uint32_t>(hash >> 16U);
}

}  // namespace

PackedCounts::PackedCounts(const StageCounts& counts) {
    std::memcpy(&low_, counts.data(), sizeof low_);
    std::memcpy(&high_, counts.data() + sizeof low_, sizeof high_);
}

std::optional<StageList> StageList::list(const TableModel& model,
                                         const std::vector<int>& sizes,
                                         int dp,
                                         double cap,
                                         std::size_t most,
                                         std::uint64_t most_steps,
                                         const std::function<bool()>& stop) {
    StageLister lister(model, sizes, cap, most, most_steps, stop);
    if (!lister.list(dp)) {
        return std::nullopt;
    }
    std::vector<std::size_t> order(lister.counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return lister.exchange[i]; });
    StageList all;
    for (const std::size_t i : order) {
        all.counts_.push_back(lister.counts[i]);
        all.packed_.emplace_back(lister.counts[i]);
        all.exchange_.push_back(lister.exchange[i]);
    }
    all.describe(model, sizes.size());
    return all;
}

void StageList::describe(const TableModel& model, std::size_t k) {
    const std::vector<PathLevel>& levels = model.levels();
    levels_ = static_cast<int>(levels.size());
    for (int l = 0; l < levels_; ++l) {
        if (l == 0 || levels[l].structure.component != levels[l - 1].structure.component) {
            structures_.push_back(l);
        }
    }
    for (const StageCounts& counts : counts_) {
        for (const int l : structures_) {
            profiles_.push_back(profile_hash(levels[l].structure, counts, k));
        }
        int alive = 0;
        while (alive < levels_ &&
               std::ranges::any_of(
                   std::views::iota(std::size_t{0}, k),
                   [&](std::size_t a) { return counts[a] > levels[alive].reach[a]; })) {
            ++alive;
        }
        alive_.push_back(static_cast<std::uint8_t>(alive));
    }
}

std::size_t StageList::up_to(double cap) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(exchange_, cap) - exchange_.begin());
}

}  // namespace longhaul::placement
