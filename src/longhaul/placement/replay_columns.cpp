#include "longhaul/placement/replay_columns.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostReplayColumns = 2'000'000;

}  // namespace

bool ReplayColumns::list(double cap, const std::function<bool()>& spend) {
    ReplayRow row{};
    const bool complete = extend(0, model_->shape().dp, cap, spend, row);
    std::ranges::stable_sort(columns_, {}, &ReplayColumn::exchange);
    return complete;
}

bool ReplayColumns::extend(
    std::size_t a, int missing, double cap, const std::function<bool()>& spend, ReplayRow& row) {
    if (!spend()) {
        return false;
    }
    // A part of a stage tells nothing of an exchange that may get cheaper by a member.
    const bool counts = missing == 0 || model_->exchange_grows();
    const double seconds = counts ? model_->exchange(row) : 0;
    if (seconds > cap) {
        return true;
    }
    if (missing == 0) {
        const double all = model_->members() != nullptr ? model_->exchange(row, 1) : seconds;
        if (all > cap) {
            return true;
        }
        columns_.push_back({row, all});
        return columns_.size() <= kMostReplayColumns;
    }
    bool good = true;
    if (a < model_->classes()) {
        for (row[a] = 0; good && row[a] <= std::min(missing, model_->sizes()[a]); ++row[a]) {
            good = extend(a + 1, missing - row[a], cap, spend, row);
        }
        row[a] = 0;
    }
    return good;
}

std::map<ReplayRow, int> ReplayColumns::numbers() const {
    std::map<ReplayRow, int> numbers;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        numbers.emplace(columns_[i].counts, static_cast<int>(i));
    }
    return numbers;
}

int ReplayColumns::most_times(const ReplayState& state, const ReplayRow& counts) const {
    int most = state.left;
    for (std::size_t a = 0; a < model_->classes(); ++a) {
        if (counts[a] > 0) {
            most = std::min(most, state.rest[a] / counts[a]);
        }
    }
    return most;
}

int ReplayColumns::scarcest(const ReplayState& state, const std::vector<int>& open) const {
    int best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t a = 0; a < model_->classes(); ++a) {
        std::size_t holders = 0;
        for (const int c : open) {
            holders += columns_[c].counts[a] > 0 ? 1 : 0;
        }
        if (state.rest[a] > 0 && holders < fewest) {
            fewest = holders;
            best = static_cast<int>(a);
        }
    }
    return best;
}

CountRange ReplayColumns::range_of(const std::vector<int>& open, double floor) const {
    CountRange range;
    range.least.fill(std::numeric_limits<int>::max());
    for (const int c : open) {
        range.above = range.above || columns_[c].exchange > floor;
        for (std::size_t a = 0; a < model_->classes(); ++a) {
            range.most[a] = std::max(range.most[a], columns_[c].counts[a]);
            range.least[a] = std::min(range.least[a], columns_[c].counts[a]);
        }
    }
    return range;
}

bool ReplayColumns::may_fill(const ReplayState& state, const CountRange& range) const {
    for (std::size_t a = 0; a < model_->classes(); ++a) {
        if (state.left * range.most[a] < state.rest[a] ||
            state.left * range.least[a] > state.rest[a]) {
            return false;
        }
    }
    return true;
}

bool ReplayColumns::others_may_fill(const ReplayState& state,
                                    const ReplayRow& counts,
                                    const CountRange& range) const {
    for (std::size_t a = 0; a < model_->classes(); ++a) {
        const int others = state.rest[a] - counts[a];
        if (others < (state.left - 1) * range.least[a] ||
            others > (state.left - 1) * range.most[a]) {
            return false;
        }
    }
    return true;
}

}  // namespace longhaul::placement
