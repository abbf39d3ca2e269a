#include "longhaul/placement/block_walk.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longhaul::placement {

BlockWalk::BlockWalk(CountModel& model, std::vector<int> lengths, Counts rows)
    : model_(model),
      lengths_(std::move(lengths)),
      rows_(std::move(rows)),
      order_(lengths_.size()),
      exchange_(lengths_.size()),
      inner_(lengths_.size()),
      touched_(lengths_.size(), 1),
      visits_(lengths_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::iota(visits_.begin(), visits_.end(), std::size_t{0});
    for (std::size_t i = 0; i < blocks(); ++i) {
        keys_.push_back(model_.key(rows_.row(i)));
    }
    fits(std::numeric_limits<double>::infinity());
}

Counts BlockWalk::counts() const {
    const int stages = std::accumulate(lengths_.begin(), lengths_.end(), 0);
    Counts counts(static_cast<std::size_t>(stages), rows_.columns());
    std::size_t stage = 0;
    for (const std::size_t block : order_) {
        for (int i = 0; i < lengths_[block]; ++i) {
            std::ranges::copy(rows_.row(block), counts.row(stage++).begin());
        }
    }
    return counts;
}

void BlockWalk::step(double limit, core::Random& random) {
    if (blocks() < 2) {
        return;
    }
    shifts_.clear();
    std::ranges::fill(touched_, char{0});
    const std::uint32_t kind = random.below(16);
    if (kind >= 13) {
        const std::vector<std::size_t> before = order_;
        reorder(random);
        if (!fits(limit)) {
            order_ = before;
        }
        return;
    }
    const bool moved = kind >= 11 ? move_classes(random) : move_chain(random);
    if (!moved || !fits(limit)) {
        undo();
    }
}

void BlockWalk::shift(std::size_t block, std::size_t from, std::size_t to, int units) {
    rows_(block, from) -= units;
    rows_(block, to) += units;
    keys_[block] += static_cast<std::uint64_t>(units) * (model_.weight(to) - model_.weight(from));
    shifts_.push_back({block, from, to, units});
    touched_[block] = 1;
}

void BlockWalk::undo() {
    for (const Shift& done : shifts_) {
        rows_(done.block, done.from) += done.units;
        rows_(done.block, done.to) -= done.units;
        keys_[done.block] += static_cast<std::uint64_t>(done.units) *
                             (model_.weight(done.from) - model_.weight(done.to));
    }
    shifts_.clear();
}

/// A class of the block, drawn by device.
std::size_t BlockWalk::class_in(std::size_t block, core::Random& random) const {
    const std::span<const int> row = rows_.row(block);
    const int all = std::accumulate(row.begin(), row.end(), 0);
    auto drawn = static_cast<int>(random.below(static_cast<std::uint32_t>(all)));
    std::size_t k = 0;
    while (drawn >= row[k]) {
        drawn -= row[k++];
    }
    return k;
}

/// A class that other blocks hold, drawn by device of a stage; `other` when they hold nothing else.
std::size_t BlockWalk::class_outside(std::size_t block,
                                     std::size_t other,
                                     core::Random& random) const {
    const std::size_t some = random.index(blocks());
    for (std::size_t i = 0; i < blocks(); ++i) {
        const std::size_t from = (some + i) % blocks();
        const std::span<const int> row = rows_.row(from);
        const int all = std::accumulate(row.begin(), row.end(), 0) - row[other];
        if (from == block || all == 0) {
            continue;
        }
        auto drawn = static_cast<int>(random.below(static_cast<std::uint32_t>(all)));
        std::size_t k = 0;
        while (true) {
            drawn -= k == other ? 0 : row[k];
            if (drawn < 0) {
                return k;
            }
            ++k;
        }
    }
    return other;
}

/// Turns `missing` devices of class `from` into class `to`, in blocks that are not touched yet;
/// `spread` over them by chance, else as much as fits into the first ones.
bool BlockWalk::repair(
    std::size_t from, std::size_t to, int missing, bool spread, core::Random& random) {
    random.shuffle(std::span<std::size_t>(visits_));
    for (const bool all : {false, true}) {
        if (!all && !spread) {
            continue;
        }
        for (const std::size_t block : visits_) {
            if (missing == 0) {
                return true;
            }
            const int most = std::min(rows_(block, from), missing / lengths_[block]);
            if (touched_[block] == 2 || most == 0) {
                continue;
            }
            const int units =
                all ? most : static_cast<int>(random.below(static_cast<std::uint32_t>(most) + 1));
            if (units > 0) {
                shift(block, from, to, units);
                missing -= units * lengths_[block];
            }
        }
    }
    return missing == 0;
}

bool BlockWalk::move_chain(core::Random& random) {
    const std::size_t block = random.index(blocks());
    const std::size_t a = class_in(block, random);
    const std::size_t b = class_outside(block, a, random);
    if (a == b) {
        return false;
    }
    const auto most = static_cast<std::uint32_t>(rows_(block, a));
    const int units = random.below(2) == 0 ? 1 : 1 + static_cast<int>(random.below(most));
    shift(block, a, b, units);
    touched_[block] = 2;
    return repair(b, a, units * lengths_[block], random.below(2) == 0, random);
}

bool BlockWalk::move_classes(core::Random& random) {
    const std::size_t a = random.index(rows_.columns());
    const std::size_t b = random.index(rows_.columns());
    int surplus = 0;  // of class a afterwards
    for (std::size_t i = 0; i < blocks(); ++i) {
        const int units = rows_(i, b) - rows_(i, a);
        surplus += units * lengths_[i];
        if (units > 0) {
            shift(i, b, a, units);
        } else if (units < 0) {
            shift(i, a, b, -units);
        }
    }
    if (shifts_.empty()) {
        return false;
    }
    return surplus >= 0 ? repair(a, b, surplus, false, random)
                        : repair(b, a, -surplus, false, random);
}

void BlockWalk::reorder(core::Random& random) {
    const std::size_t s = random.index(blocks());
    const std::size_t t = random.index(blocks());
    const auto [first, last] = std::minmax(s, t);
    const auto from = order_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = order_.begin() + static_cast<std::ptrdiff_t>(last);
    switch (random.below(3)) {
        case 0:
            std::reverse(from, to + 1);
            break;
        case 1:
            std::rotate(from, first == last ? from : from + 1, to + 1);
            break;
        default:
            std::iter_swap(from, to);
    }
}

double BlockWalk::joint(std::size_t a, std::size_t b, double budget) {
    return model_.edge_within(rows_.row(a), keys_[a], rows_.row(b), keys_[b], budget);
}

/// Scores the blocks as they stand; keeps the values when the score is within the limit.
bool BlockWalk::fits(double limit) {
    new_exchange_ = exchange_;
    new_inner_ = inner_;
    double path = static_cast<double>(blocks() - 1) * model_.least_edge();
    double worst = 0;
    for (std::size_t i = 0; i < blocks(); ++i) {
        if (touched_[i] != 0) {
            new_exchange_[i] = model_.exchange(rows_.row(i));
        }
        worst = std::max(worst, new_exchange_[i]);
    }
    for (std::size_t i = 0; i < blocks(); ++i) {
        if (worst + path > limit) {
            return false;
        }
        if (touched_[i] != 0 && lengths_[i] > 1) {
            const double edge = joint(i, i, limit);
            if (edge > limit) {
                return false;
            }
            new_inner_[i] = (lengths_[i] - 1) * edge;
        }
        path += new_inner_[i];
    }
    for (std::size_t i = 1; i < blocks(); ++i) {
        const double budget = limit - worst - path + model_.least_edge();
        if (budget < model_.least_edge()) {
            return false;
        }
        const double edge = joint(order_[i - 1], order_[i], budget);
        if (edge > budget) {  // not exact then
            return false;
        }
        path += edge - model_.least_edge();
    }
    if (worst + path > limit) {
        return false;
    }
    exchange_.swap(new_exchange_);
    inner_.swap(new_inner_);
    total_ = worst + path;
    return true;
}

}  // namespace longhaul::placement
