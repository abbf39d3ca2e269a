#include "longhaul/schedule/detail/prefix_search.hpp"

#include <algorithm>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr double kSlack = 2e-5;  ///< of the sum of a start; errors are rounded
/// A start is raised only when it may stay so far below what some rounds reach.
constexpr double kLeastRoom = 0.15;
constexpr double kOfNone = 0.5;  ///< of the work, for that of no rounds

}  // namespace

PrefixSearch::PrefixSearch(const RoundTable& table,
                           const ErrorFloors& floors,
                           Remainders& remainders,
                           double forgetting,
                           const PrefixCalls& calls)
    : table_(table),
      floors_(floors),
      remainders_(remainders),
      calls_(calls),
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
    none_.rows = none_.rounds.unit();
    none_.rounds.take(none_.rows.data());
    none_.product = remainders.none();
}

bool PrefixSearch::proves(double score, double longest, double& work, double most) {
    score_ = score;
    work_ = work;
    most_ = most;
    prefix_.clear();
    const bool proved = extend(0, longest);
    work = work_;
    return proved;
}

/// What the mean of rho e(1) + rho^2 e(2) + ... must be below.
double PrefixSearch::target(double longest) const {
    return score_ / longest - 1.5 + kSlack;
}

/// Start p before round k.
const PrefixSearch::Start& PrefixSearch::start(std::size_t k, std::size_t p) const {
    return p < k ? depths_[k][p] : none_;
}

/// At least the sum of start p, whatever comes from round k on.
double PrefixSearch::whole(std::size_t k, std::size_t p) const {
    const Start& of = start(k, p);
    return of.sum + worth_[k - p] * remainders_.at_least(of.product);
}

/// Whether all sums of the first starts, one that begins now included, may stay below.
bool PrefixSearch::hopeful(std::size_t k, double longest) const {
    const double most = target(longest);
    double sum = 0;
    for (std::size_t p = 0; p <= k; ++p) {
        sum += whole(k, p);
        if (sum >= static_cast<double>(p + 1) * most) {
            return false;
        }
    }
    return true;
}

/// Whether remainders could be raised until they leave no hope.
bool PrefixSearch::settle(std::size_t k, double longest) {
    const double most = target(longest);
    double sum = 0;
    for (std::size_t p = 0; p <= k; ++p) {
        sum += whole(k, p);
        const double lacking = static_cast<double>(p + 1) * most - sum;
        const Start& of = start(k, p);
        const double before = whole(k, p);
        remainders_.look_ahead(
            of.product, remainders_.at_least(of.product) + lacking / worth_[k - p], work_);
        sum += whole(k, p) - before;
        if (sum >= static_cast<double>(p + 1) * most) {
            return true;
        }
    }
    // Where the sums that some rounds reach leave most room for each start.
    Sums reached{};
    double room = 0;
    std::size_t starts = 0;
    double all = 0;
    for (std::size_t p = 0; p <= k; ++p) {
        const Start& of = start(k, p);
        reached[p] =
            std::max(whole(k, p), of.sum + worth_[k - p] * remainders_.reached(of.product));
        work_ -= 1;
        all += reached[p] - most;
        if (all / static_cast<double>(p + 1) > room) {
            room = all / static_cast<double>(p + 1);
            starts = p + 1;
        }
    }
    if (room < kLeastRoom) {
        return false;
    }
    double left = 0;
    for (std::size_t p = 0; p < starts; ++p) {
        left += whole(k, p) - most;
    }
    for (std::size_t p = 0; p < starts && left < 0; ++p) {
        const Start& of = start(k, p);
        const double before = whole(k, p);
        const double to = (reached[p] - room - of.sum) / worth_[k - p] + 2 * kGrainsInError;
        // What no round is known of is below all sequences.
        double part = k == 0 ? kOfNone * work_ : std::min(most_, work_);
        work_ -= part;
        const bool raised = remainders_.raise(of.product, to, part, calls_.stop);
        work_ += std::max(0.0, part);
        if (!raised) {
            return false;
        }
        left += whole(k, p) - before;
    }
    return !hopeful(k, longest);
}

/// For every m the most that e of the next round may add to the first m sums.
void PrefixSearch::find_room(std::size_t k, double longest, std::vector<double>& room) const {
    room.resize(k + 1);
    const double most = target(longest);
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

void PrefixSearch::append(std::size_t k, std::size_t round, const Sums& added) {
    for (std::size_t p = 0; p <= k; ++p) {
        const Start& before = start(k, p);
        Start& to = depths_[k + 1][p];
        to.sum = before.sum + added[p];
        before.rounds.apply(round, to.rows.data());
        to.product = remainders_.find(to.rows.data(), k + 1 - p);
    }
    work_ -= 0.3 * static_cast<double>(k + 1);
}

bool PrefixSearch::extend(std::size_t k, double longest) {
    if (k == kDeepest || work_ <= 0 || (calls_.stop && calls_.stop())) {
        work_ = std::min(work_, 0.0);
        return false;
    }
    if (!hopeful(k, longest) || settle(k, longest)) {
        return true;
    }
    if (calls_.seen && k > 0) {
        calls_.seen(prefix_);
    }
    for (std::size_t p = 0; p < k; ++p) {
        depths_[k][p].rounds.take(depths_[k][p].rows.data());
    }
    std::vector<double> room;
    find_room(k, longest, room);
    work_ -= static_cast<double>((k + 1) * table_.size()) / 100;
    Sums added{};
    for (std::size_t round = 0; round < table_.size(); ++round) {
        if (!errors_with(k, round, room, added)) {
            continue;
        }
        append(k, round, added);
        prefix_.push_back(round);
        const bool proved = extend(k + 1, std::max(longest, table_.rounds[round].time_ms));
        prefix_.pop_back();
        if (!proved) {
            return false;
        }
    }
    return true;
}

}  // namespace longhaul::schedule::detail
