#include "longhaul/placement/count_walk.hpp"

#include <algorithm>
#include <numeric>

namespace longhaul::placement {
namespace {

constexpr std::size_t kNoClass = static_cast<std::size_t>(-1);

std::vector<std::uint64_t> keys_of(const CountModel& model, const Counts& counts) {
    std::vector<std::uint64_t> keys;
    for (std::size_t s = 0; s < counts.rows(); ++s) {
        keys.push_back(model.key(counts.row(s)));
    }
    return keys;
}

StageSequence sequence_of(CountModel& model,
                          const Counts& counts,
                          const std::vector<std::uint64_t>& keys) {
    std::vector<double> exchange;
    std::vector<double> edges;
    for (std::size_t s = 0; s < counts.rows(); ++s) {
        exchange.push_back(model.exchange(counts.row(s)));
        if (s > 0) {
            edges.push_back(model.edge(counts.row(s - 1), keys[s - 1], counts.row(s), keys[s]));
        }
    }
    return {std::move(exchange), std::move(edges), model.least_edge()};
}

int draw(int most, core::Random& random) {
    return 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(most)));
}

}  // namespace

CountWalk::CountWalk(CountModel& model, const Counts& start)
    : model_(model),
      counts_(start),
      keys_(keys_of(model, start)),
      sequence_(sequence_of(model, start, keys_)) {}

Counts CountWalk::counts() const {
    return reordered(counts_, sequence_.order());
}

auto CountWalk::edges() {
    return [this](int a, int b, double budget) {
        return model_.edge_within(counts_.row(static_cast<std::size_t>(a)),
                                  keys_[static_cast<std::size_t>(a)],
                                  counts_.row(static_cast<std::size_t>(b)),
                                  keys_[static_cast<std::size_t>(b)],
                                  budget);
    };
}

void CountWalk::step(double limit, core::Random& random) {
    if (sequence_.size() < 2) {
        return;
    }
    shifts_.clear();
    const std::uint32_t kind = random.below(16);
    if (kind >= 13) {
        reorder(kind, limit, random);
        return;
    }
    const bool moved = kind < 7    ? move_bundle(random)
                       : kind < 11 ? move_blocks(random)
                                   : move_run(random);
    if (moved) {
        try_shifts(limit);
    }
}

void CountWalk::shift(std::size_t position, std::size_t from, std::size_t to, int units) {
    const int slot = sequence_.slot(position);
    const auto row = static_cast<std::size_t>(slot);
    counts_(row, from) -= units;
    counts_(row, to) += units;
    keys_[row] += static_cast<std::uint64_t>(units) * (model_.weight(to) - model_.weight(from));
    shifts_.push_back({slot, from, to, units});
    touched_.push_back(position);
}

/// Takes all shifts back; false, for the caller to return.
bool CountWalk::undo() {
    for (const Shift& done : shifts_) {
        const auto row = static_cast<std::size_t>(done.slot);
        counts_(row, done.from) += done.units;
        counts_(row, done.to) -= done.units;
        keys_[row] -= static_cast<std::uint64_t>(done.units) *
                      (model_.weight(done.to) - model_.weight(done.from));
    }
    touched_.clear();
    return false;
}

void CountWalk::try_shifts(double limit) {
    std::ranges::sort(touched_);
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    std::uint64_t last_key = 0;
    double last = -1;
    const auto exchange = [&](int slot) {
        const auto row = static_cast<std::size_t>(slot);
        if (last < 0 || keys_[row] != last_key) {
            last = model_.exchange(counts_.row(row));
            last_key = keys_[row];
        }
        return last;
    };
    if (!sequence_.try_contents(touched_, limit, exchange, edges())) {
        undo();
    }
    touched_.clear();
}

/// A class that the row holds, drawn by device; kNoClass when all are of class `other`.
std::size_t CountWalk::class_in(std::size_t position,
                                std::size_t other,
                                core::Random& random) const {
    const std::span<const int> held = row(position);
    const int total = std::accumulate(held.begin(), held.end(), 0);
    const int open = total - (other == kNoClass ? 0 : held[other]);
    if (open == 0) {
        return kNoClass;
    }
    auto drawn = static_cast<int>(random.below(static_cast<std::uint32_t>(open)));
    std::size_t k = 0;
    while (true) {
        drawn -= k == other ? 0 : held[k];
        if (drawn < 0) {
            return k;
        }
        ++k;
    }
}

bool CountWalk::move_bundle(core::Random& random) {
    const std::size_t s = random.index(sequence_.size());
    const std::size_t t = random.index(sequence_.size());
    if (s == t) {
        return false;
    }
    const std::size_t a = class_in(s, kNoClass, random);
    const std::size_t b = class_in(t, a, random);
    if (b == kNoClass) {
        return false;
    }
    const int most = std::min(row(s)[a], row(t)[b]);
    const int units = random.below(2) == 0 ? 1 : draw(most, random);
    shift(s, a, b, units);
    shift(t, b, a, units);
    return true;
}

/// The stages around a position that are equal to it.
CountWalk::Stretch CountWalk::run_around(std::size_t position) const {
    std::size_t first = position;
    std::size_t last = position;
    while (first > 0 && key(first - 1) == key(position)) {
        --first;
    }
    while (last + 1 < sequence_.size() && key(last + 1) == key(position)) {
        ++last;
    }
    return {first, last};
}

/// The run around a position, or any stretch that begins there.
CountWalk::Stretch CountWalk::stretch_at(std::size_t position, core::Random& random) const {
    if (random.below(2) == 0) {
        return run_around(position);
    }
    return {position, position + random.index(sequence_.size() - position)};
}

int CountWalk::fewest(Stretch stretch, std::size_t k) const {
    int fewest = row(stretch.first)[k];
    for (std::size_t s = stretch.first; s <= stretch.second; ++s) {
        fewest = std::min(fewest, row(s)[k]);
    }
    return fewest;
}

/// Classes a and b change places between two stretches that do not meet.
bool CountWalk::move_blocks(core::Random& random) {
    Stretch one = stretch_at(random.index(sequence_.size()), random);
    Stretch two = stretch_at(random.index(sequence_.size()), random);
    if (two.first < one.first) {
        std::swap(one, two);
    }
    if (one.second >= two.first) {
        if (one.first == two.first) {
            return false;
        }
        one.second = two.first - 1;
    }
    const std::size_t a = class_in(one.first, kNoClass, random);
    const std::size_t b = class_in(two.first, a, random);
    if (b == kNoClass) {
        return false;
    }
    const std::size_t l = one.second - one.first + 1;
    const std::size_t m = two.second - two.first + 1;
    const std::size_t common = std::gcd(l, m);
    const auto x = static_cast<int>(m / common);
    const auto y = static_cast<int>(l / common);
    const int most = std::min(fewest(one, a) / x, fewest(two, b) / y);
    if (most == 0) {
        return false;
    }
    const int times = draw(most, random);
    for (std::size_t s = one.first; s <= one.second; ++s) {
        shift(s, a, b, times * x);
    }
    for (std::size_t s = two.first; s <= two.second; ++s) {
        shift(s, b, a, times * y);
    }
    return true;
}

/// A run takes class b for class a; the stages from a random one on that hold b give it.
bool CountWalk::move_run(core::Random& random) {
    const auto [first, last] = run_around(random.index(sequence_.size()));
    const std::size_t outside = sequence_.size() - (last - first + 1);
    if (outside == 0) {
        return false;
    }
    const std::size_t start = random.index(outside);
    const auto other = [&](std::size_t i) {
        const std::size_t s = (start + i) % outside;
        return s < first ? s : s + (last - first + 1);
    };
    const std::size_t a = class_in(first, kNoClass, random);
    const std::size_t b = class_in(other(0), a, random);
    if (b == kNoClass) {
        return false;
    }
    auto missing = static_cast<int>(last - first + 1);
    const int portion = draw(missing, random);
    for (std::size_t s = first; s <= last; ++s) {
        shift(s, a, b, 1);
    }
    for (std::size_t i = 0; i < outside && missing > 0; ++i) {
        const std::size_t s = other(i);
        const int units = std::min({row(s)[b], portion, missing});
        if (units > 0) {
            shift(s, b, a, units);
            missing -= units;
        }
    }
    return missing == 0 || undo();
}

void CountWalk::reorder(std::uint32_t kind, double limit, core::Random& random) {
    const std::size_t s = random.index(sequence_.size());
    const std::size_t t = random.index(sequence_.size());
    const auto [first, last] = std::minmax(s, t);
    if (first == last) {
        return;
    }
    if (kind == 13) {
        sequence_.try_reverse(first, last, limit, edges());
    } else if (kind == 14) {
        sequence_.try_rotate(first, first + 1 + random.index(last - first), last, limit, edges());
    } else {
        sequence_.try_swap(first, last, limit, edges());
    }
}

}  // namespace longhaul::placement
