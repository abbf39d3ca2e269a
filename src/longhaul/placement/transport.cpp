#include "longhaul/placement/transport.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t bit_of(int index) {
    return std::uint64_t{1} << static_cast<unsigned>(index);
}

/// Calls f(index) for every member of a set, ascending.
template <class F>
void for_members(std::uint64_t set, F f) {
    for (; set != 0; set &= set - 1) {
        f(std::countr_zero(set));
    }
}

}  // namespace

Transport::Transport(const core::Grid<double>& prices) : classes_(prices.rows()) {
    LONGHAUL_ASSERT(classes_ <= kMaxClasses);
    levels_.assign(prices.cells().begin(), prices.cells().end());
    std::ranges::sort(levels_);
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    for (const double price : prices.cells()) {
        const auto level = std::ranges::lower_bound(levels_, price) - levels_.begin();
        level_.push_back(static_cast<std::uint16_t>(level));
    }
    open_.assign(levels_.size() * classes_, 0);
    std::vector<std::uint8_t> order(classes_);
    for (std::size_t i = 0; i < classes_; ++i) {
        const std::uint16_t* level = &level_[i * classes_];
        std::iota(order.begin(), order.end(), std::uint8_t{0});
        std::ranges::stable_sort(order, {}, [&](std::uint8_t j) { return level[j]; });
        nearest_.insert(nearest_.end(), order.begin(), order.end());
        Word open = 0;
        std::size_t next = 0;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            for (; next < classes_ && level[order[next]] <= l; ++next) {
                open |= bit_of(order[next]);
            }
            open_[l * classes_ + i] = open;
        }
    }
    flow_.assign(classes_ * classes_, 0);
}

Transport::Result Transport::solve(std::span<const int> a, std::span<const int> b, double limit) {
    Word left = 0;
    right_ = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
        supply_[k] = a[k];
        demand_[k] = b[k];
        holders_[k] = 0;
        left |= static_cast<Word>(a[k] > 0) << k;
        right_ |= static_cast<Word>(b[k] > 0) << k;
    }
    wanting_ = right_;
    int level = lower_level(left, right_);
    if (levels_[level] > limit) {
        return {levels_[level], false};
    }
    fill(left, level);
    for (; left != 0; left &= left - 1) {
        const int from = std::countr_zero(left);
        while (supply_[from] > 0) {
            if (augment(from, level)) {
                continue;
            }
            level = next_level();
            if (levels_[level] > limit) {
                return {levels_[level], false};
            }
        }
    }
    return {levels_[level], true};
}

/// No threshold below the cheapest partner of some class can do.
int Transport::lower_level(Word left, Word right) const {
    int bound = 0;
    const auto raise = [&](Word from, Word to) {
        for_members(from, [&](int i) {
            const std::uint8_t* near = &nearest_[static_cast<std::size_t>(i) * classes_];
            while ((to & bit_of(*near)) == 0) {
                ++near;
            }
            bound = std::max<int>(bound, level_[static_cast<std::size_t>(i) * classes_ + *near]);
        });
    };
    raise(left, right);
    raise(right, left);
    return bound;
}

/// Sends what fits over open pairs without moving earlier flow, a class to itself first.
void Transport::fill(Word left, int level) {
    const Word* open = &open_[static_cast<std::size_t>(level) * classes_];
    const auto send = [&](int i, int j) {
        const int units = std::min(supply_[i], demand_[j]);
        supply_[i] -= units;
        demand_[j] -= units;
        flow(i, j) = units;
        holders_[j] |= bit_of(i);
        if (demand_[j] == 0) {
            wanting_ &= ~bit_of(j);
        }
    };
    for_members(left & right_, [&](int i) {
        if ((open[i] & bit_of(i)) != 0) {
            send(i, i);
        }
    });
    for_members(left, [&](int i) {
        for (Word to = open[i] & wanting_ & ~bit_of(i); to != 0 && supply_[i] > 0; to &= to - 1) {
            send(i, std::countr_zero(to));
        }
    });
}

/// Breadth-first search for a way from a left class to demand; sends as much as fits along it.
bool Transport::augment(int from, int level) {
    const Word* open = &open_[static_cast<std::size_t>(level) * classes_];
    reached_ = bit_of(from);
    seen_ = 0;
    Word frontier = reached_;
    while (frontier != 0) {
        Word next = 0;
        for (; frontier != 0; frontier &= frontier - 1) {
            const int i = std::countr_zero(frontier);
            const Word fresh = open[i] & right_ & ~seen_;
            seen_ |= fresh;
            for (Word to = fresh; to != 0; to &= to - 1) {
                const int j = std::countr_zero(to);
                parent_of_right_[j] = static_cast<std::uint8_t>(i);
                if ((wanting_ & bit_of(j)) != 0) {
                    carry(from, j);
                    return true;
                }
                const Word owners = holders_[j] & ~reached_;
                reached_ |= owners;
                next |= owners;
                for_members(owners, [&](int owner) {
                    parent_of_left_[owner] = static_cast<std::uint8_t>(j);
                });
            }
        }
        frontier = next;
    }
    return false;
}

/// Sends what fits along the way that the parents describe.
void Transport::carry(int from, int to) {
    int units = std::min(supply_[from], demand_[to]);
    for (int i = parent_of_right_[to]; i != from;) {
        const int j = parent_of_left_[i];
        units = std::min(units, flow(i, j));
        i = parent_of_right_[j];
    }
    supply_[from] -= units;
    demand_[to] -= units;
    if (demand_[to] == 0) {
        wanting_ &= ~bit_of(to);
    }
    int j = to;
    while (true) {
        const int i = parent_of_right_[j];
        flow(i, j) = ((holders_[j] & bit_of(i)) != 0 ? flow(i, j) : 0) + units;
        holders_[j] |= bit_of(i);
        if (i == from) {
            return;
        }
        j = parent_of_left_[i];
        flow(i, j) -= units;
        if (flow(i, j) == 0) {
            holders_[j] &= ~bit_of(i);
        }
    }
}

/// The cheapest pair from what the last augmentation reached to what it did not.
int Transport::next_level() const {
    int least = static_cast<int>(levels_.size());
    for_members(reached_, [&](int i) {
        const std::uint16_t* level = &level_[static_cast<std::size_t>(i) * classes_];
        for_members(right_ & ~seen_, [&](int j) { least = std::min<int>(least, level[j]); });
    });
    LONGHAUL_ASSERT_NORMAL(least < static_cast<int>(levels_.size()));
    return least;
}

}  // namespace longhaul::placement
