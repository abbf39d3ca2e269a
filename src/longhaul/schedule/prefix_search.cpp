#include "longhaul/schedule/detail/prefix_search.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr double kSlack = 2e-5;  ///< of the sum of a start; errors are rounded

}  // namespace

PrefixSearch::PrefixSearch(const RoundTable& table,
                           const ErrorFloors& floors,
                           std::span<const StartBounds* const> starts,
                           double forgetting,
                           const std::function<bool()>& stop,
                           const std::function<void(std::span<const std::size_t>)>& seen)
    : table_(table),
      floors_(floors),
      bounds_(starts.begin(), starts.end()),
      stop_(stop),
      seen_(seen),
      depths_(kDeepest + 1),
      none_(table) {
    double worth = 1;
    for (std::size_t h = 0; h <= kDeepest + 1; ++h) {
        worth_.push_back(worth);
        worth *= forgetting;
    }
    for (std::size_t k = 0; k <= kDeepest; ++k) {
        depths_[k] = std::vector<Start>(k, Start(table));
    }
    none_.rounds.take(none_.rounds.unit().data());
    LONGHAUL_ASSERT(bounds_.size() <= kMostBounds);
    none_.products.fill(StartBounds::kNoRound);
    none_.whole = floors.after(0);
    for (const StartBounds* bounds : bounds_) {
        none_.whole = std::max(none_.whole, bounds->least());
    }
}

bool PrefixSearch::proves(double score, double longest, double& work) {
    score_ = score;
    work_ = work;
    prefix_.clear();
    const bool proved = extend(0, longest);
    work = work_;
    return proved;
}

/// What the mean of rho e(1) + rho^2 e(2) + ... must be below.
double PrefixSearch::target(double longest) const {
    return score_ / longest - 1.5;
}

/// Start p before round k.
const PrefixSearch::Start& PrefixSearch::start(std::size_t k, std::size_t p) const {
    return p < k ? depths_[k][p] : none_;
}

/// Whether every m leaves hope: whole(p) is at least what start p sums up to.
template <class Whole>
bool PrefixSearch::hopeful(double longest, std::size_t starts, const Whole& whole) const {
    const double most = target(longest) + kSlack;
    double sum = 0;
    for (std::size_t p = 0; p < starts; ++p) {
        sum += whole(p);
        if (sum >= static_cast<double>(p + 1) * most) {
            return false;
        }
    }
    return true;
}

/// With one round more that is not known yet.
bool PrefixSearch::look_ahead(std::size_t k, double longest) {
    work_ -= 1;
    return hopeful(longest, k + 1, [&](std::size_t p) {
        if (p == k) {
            return none_.whole;
        }
        Start& known = depths_[k][p];
        if (!known.looked) {
            known.rounds.take(known.rows.data());
            known.next = known.rounds.least_after();
            known.looked = true;
            work_ -= 1;
        }
        const std::size_t h = k + 1 - p;
        return std::max(
            known.whole,
            known.sum + std::max(worth_[h] * known.next, floors_.of(h)) + floors_.after(h));
    });
}

/// For every m the most that e of the next round may add to the first m sums.
void PrefixSearch::find_room(std::size_t k, double longest, std::vector<double>& room) const {
    room.resize(k + 1);
    const double most = target(longest) + kSlack;
    double sum = 0;
    for (std::size_t p = 0; p <= k; ++p) {
        sum += start(k, p).sum + floors_.after(k + 1 - p);
        room[p] = static_cast<double>(p + 1) * most - sum;
    }
}

/// e after the round from each start on, weighted; false when there is no room for it.
bool PrefixSearch::errors_with(std::size_t k,
                               std::size_t round,
                               const std::vector<double>& room,
                               Sums& added) const {
    double sum = 0;
    for (std::size_t p = 0; p < k; ++p) {
        added[p] = worth_[k + 1 - p] * depths_[k][p].rounds.error_after(round);
        sum += added[p];
        if (sum >= room[p]) {
            return false;
        }
    }
    added[k] = worth_[1] * table_.rounds[round].error;
    return sum + added[k] < room[k];
}

/// At least the sum of start p when the next round adds so much to it.
double PrefixSearch::whole_with(std::size_t k,
                                std::size_t p,
                                std::size_t round,
                                double added) const {
    const Start& before = start(k, p);
    double whole = std::max(before.whole, before.sum + added + floors_.after(k + 1 - p));
    for (std::size_t b = 0; b < bounds_.size(); ++b) {
        const StartBounds& bounds = *bounds_[b];
        if (bounds.looked_behind(before.products[b])) {
            const StartBounds::Product product = bounds.after(before.products[b], round);
            whole = std::max(
                whole, product.known() ? before.sum + added + bounds.left(product) : bounds.cap());
        }
    }
    return whole;
}

void PrefixSearch::append(std::size_t k, std::size_t round, const Sums& added, const Sums& whole) {
    for (std::size_t p = 0; p <= k; ++p) {
        const Start& before = start(k, p);
        Start& to = depths_[k + 1][p];
        to.looked = false;
        to.sum = before.sum + added[p];
        to.whole = whole[p];
        for (std::size_t b = 0; b < bounds_.size(); ++b) {
            to.products[b] = bounds_[b]->looked_behind(before.products[b])
                                 ? bounds_[b]->after(before.products[b], round)
                                 : StartBounds::Product{};
        }
        before.rounds.apply(round, to.rows.data());
    }
    work_ -= 0.3 * static_cast<double>(k + 1);
}

bool PrefixSearch::extend(std::size_t k, double longest) {
    if (k == kDeepest || work_ <= 0 || (stop_ && stop_())) {
        work_ = std::min(work_, 0.0);
        return false;
    }
    if (!look_ahead(k, longest)) {
        return true;
    }
    if (seen_ && k > 0) {
        seen_(prefix_);
    }
    std::vector<double> room;
    find_room(k, longest, room);
    work_ -= static_cast<double>((k + 1) * table_.size()) / 100;
    Sums added{};
    Sums whole{};
    for (std::size_t round = 0; round < table_.size(); ++round) {
        if (!errors_with(k, round, room, added)) {
            continue;
        }
        const double longer = std::max(longest, table_.rounds[round].time_ms);
        if (!hopeful(longer, k + 1, [&](std::size_t p) {
                whole[p] = whole_with(k, p, round, added[p]);
                return whole[p];
            })) {
            continue;
        }
        append(k, round, added, whole);
        prefix_.push_back(round);
        const bool proved = extend(k + 1, longer);
        prefix_.pop_back();
        if (!proved) {
            return false;
        }
    }
    return true;
}

}  // namespace longhaul::schedule::detail
