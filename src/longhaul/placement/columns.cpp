#include "longhaul/placement/columns.hpp"

#include <algorithm>

namespace longhaul::placement {
namespace {

// A ring or tree costs as much as many sums, most of all where it is searched.
constexpr std::uint64_t kOtherExchangeSteps = 200;
constexpr std::uint64_t kSearchedExchangeSteps = 5'000;
constexpr int kMaxExactExchange = 10;

/// Deals dp devices over the classes in every way whose exchange stays below the cap.
class ColumnLister {
public:
    ColumnLister(CountModel& model,
                 const std::vector<int>& sizes,
                 double cap,
                 std::size_t most,
                 std::uint64_t most_steps)
        : model_(model),
          sizes_(sizes),
          cap_(cap),
          most_(most),
          steps_(most_steps),
          row_(sizes.size(), 0) {}

    bool list(int dp) {
        step_ = model_.exchange_grows()   ? 0
                : dp <= kMaxExactExchange ? kOtherExchangeSteps
                                          : kSearchedExchangeSteps;
        return extend(0, dp);
    }
    std::vector<Column> take() && { return std::move(columns_); }

private:
    bool extend(std::size_t k, int left) {
        if (left == 0) {
            if (steps_ < step_) {
                return false;
            }
            steps_ -= step_;
            Column column;
            std::ranges::copy(row_, column.counts.begin());
            column.exchange = model_.exchange(row_);
            if (column.exchange >= cap_) {
                return true;
            }
            column.key = model_.key(row_);
            columns_.push_back(column);
            return columns_.size() <= most_;
        }
        if (k == sizes_.size()) {
            return true;
        }
        bool good = true;
        for (int count = std::min(left, sizes_[k]); count >= 0 && good; --count) {
            row_[k] = count;
            // Further devices only add to a sharded exchange.
            if (steps_ == 0) {
                return false;
            }
            --steps_;
            if (!model_.exchange_grows() || model_.exchange(row_) < cap_) {
                good = extend(k + 1, left - count);
            }
        }
        row_[k] = 0;
        return good;
    }

    CountModel& model_;
    const std::vector<int>& sizes_;
    double cap_;
    std::size_t most_;
    std::uint64_t steps_;
    std::uint64_t step_ = 0;  // of a whole column
    std::vector<int> row_;
    std::vector<Column> columns_;
};

}  // namespace

std::optional<Columns> Columns::list(CountModel& model,
                                     std::span<const Level> levels,
                                     const std::vector<int>& sizes,
                                     int dp,
                                     double cap,
                                     std::size_t most,
                                     std::uint64_t most_steps) {
    ColumnLister lister(model, sizes, cap, most, most_steps);
    if (!lister.list(dp)) {
        return std::nullopt;
    }
    Columns all;
    all.levels_ = levels.size();
    all.columns_ = std::move(lister).take();
    std::ranges::stable_sort(all.columns_, {}, &Column::exchange);
    all.with_class_.resize(sizes.size());
    for (std::size_t i = 0; i < all.columns_.size(); ++i) {
        const Profile& counts = all.columns_[i].counts;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            if (counts[k] > 0) {
                all.with_class_[k].push_back(static_cast<int>(i));
            }
        }
        for (const Level& level : levels) {
            const Profile wide = profile_of(level, counts, sizes.size());
            ColumnProfile bytes{};
            std::ranges::transform(
                wide, bytes.begin(), [](std::uint16_t x) { return static_cast<std::uint8_t>(x); });
            all.profiles_.push_back(bytes);
            all.isolated_.push_back(
                static_cast<std::uint8_t>(isolated_devices(level, counts, sizes.size())));
        }
    }
    return all;
}

}  // namespace longhaul::placement
