#include "longhaul/schedule/detail/prefix_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kDeepest = 40;
constexpr double kSlack = 2e-5;  ///< of the sum of a start; errors are rounded
constexpr double kMostClasses = 24;

/// Below this gap only so much more work is worth while.
constexpr double kCloseGap = 0.0499;
constexpr double kFinishing = 1e6;
/// Rows made from one island's times rounds, for each unit of work.
constexpr double kRowWork = 0.03;
/// Products of up to so many rounds are looked at; numbers added for each unit of work.
constexpr std::size_t kLongestProduct = 10;
constexpr double kProductWork = 60;
constexpr double kLongerProduct = 40;  ///< times the work of one round less, at least
/// Starts are looked at somewhat further than a score asks for, in steps.
constexpr double kFurther = 0.05;
constexpr double kCapStep = 0.05;
constexpr double kHigherCap = 2.5;  ///< times the work of one step less
/// The first part of the work, and how much larger each further one is.
constexpr double kFirstPart = 1e5;
constexpr double kMoreWork = 8;

/// All sequences of rounds of a table, depth first.
class PrefixSearch {
public:
    PrefixSearch(const RoundTable& table,
                 const ErrorFloors& floors,
                 const StartBounds& starts,
                 double forgetting,
                 const std::function<bool()>& stop,
                 const std::function<void(std::span<const std::size_t>)>& seen)
        : table_(table),
          floors_(floors),
          bounds_(starts),
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
        none_.node = StartBounds::kRoot;
        none_.whole = starts.least();
    }

    /// Whether no schedule of any period whose longest round takes at least `longest` scores less;
    /// false also when the work is used up.
    bool proves(double score, double longest, double& work) {
        score_ = score;
        work_ = work;
        prefix_.clear();
        const bool proved = extend(0, longest);
        work = work_;
        return proved;
    }

private:
    /// What is known of a start.
    struct Start {
        explicit Start(const RoundTable& table) : rounds(table), rows(rounds.width()) {}

        RoundsOnRows rounds;      ///< of these rows, when looked at
        std::vector<float> rows;  ///< product of the rounds from there on
        double sum = 0;           ///< rho e(1) + rho^2 e(2) + ... of the known rounds
        double whole = 0;         ///< at least that of all rounds
        double next = 0;          ///< least e after one more round, when looked at
        bool looked = false;
        StartBounds::Node node = StartBounds::kUnknown;
    };

    /// What the mean of rho e(1) + rho^2 e(2) + ... must be below.
    [[nodiscard]] double target(double longest) const { return score_ / longest - 1.5; }

    /// Start p before round k.
    [[nodiscard]] const Start& start(std::size_t k, std::size_t p) const {
        return p < k ? depths_[k][p] : none_;
    }

    /// Whether every m leaves hope: whole(p) is at least what start p sums up to.
    template <class Whole>
    [[nodiscard]] bool hopeful(double longest, std::size_t starts, const Whole& whole) const {
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
    [[nodiscard]] bool look_ahead(std::size_t k, double longest) {
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
    void find_room(std::size_t k, double longest, std::vector<double>& room) const {
        room.resize(k + 1);
        const double most = target(longest) + kSlack;
        double sum = 0;
        for (std::size_t p = 0; p <= k; ++p) {
            sum += start(k, p).sum + floors_.after(k + 1 - p);
            room[p] = static_cast<double>(p + 1) * most - sum;
        }
    }

    /// e after the round from each start on, weighted; false when there is no room for it.
    bool errors_with(std::size_t k,
                     std::size_t round,
                     const std::vector<double>& room,
                     std::array<double, kDeepest + 1>& added) const {
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
    [[nodiscard]] double whole_with(std::size_t k,
                                    std::size_t p,
                                    std::size_t round,
                                    double added) const {
        const Start& before = start(k, p);
        double whole = std::max(before.whole, before.sum + added + floors_.after(k + 1 - p));
        if (before.node != StartBounds::kUnknown && bounds_.looked_behind(before.node)) {
            const StartBounds::Node node = bounds_.after(before.node, round);
            whole =
                std::max(whole,
                         node == StartBounds::kUnknown ? bounds_.cap()
                                                       : before.sum + added + bounds_.left(node));
        }
        return whole;
    }

    void append(std::size_t k,
                std::size_t round,
                const std::array<double, kDeepest + 1>& added,
                const std::array<double, kDeepest + 1>& whole) {
        for (std::size_t p = 0; p <= k; ++p) {
            const Start& before = start(k, p);
            Start& to = depths_[k + 1][p];
            to.looked = false;
            to.sum = before.sum + added[p];
            to.whole = whole[p];
            to.node = before.node != StartBounds::kUnknown && bounds_.looked_behind(before.node)
                          ? bounds_.after(before.node, round)
                          : StartBounds::kUnknown;
            before.rounds.apply(round, to.rows.data());
        }
        work_ -= 0.3 * static_cast<double>(k + 1);
    }

    bool extend(std::size_t k, double longest) {
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
        std::array<double, kDeepest + 1> added{};
        std::array<double, kDeepest + 1> whole{};
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

    const RoundTable& table_;
    const ErrorFloors& floors_;
    const StartBounds& bounds_;
    const std::function<bool()>& stop_;
    const std::function<void(std::span<const std::size_t>)>& seen_;
    std::vector<std::size_t> prefix_;
    std::vector<std::vector<Start>> depths_;
    Start none_;  ///< no round behind it yet
    std::vector<double> worth_;
    double score_ = 0;
    double work_ = 0;
};

/// Where the rounds end whose times are similar, for every class of them.
std::vector<std::size_t> ends_of_classes(const std::vector<ListedRound>& rounds) {
    const double least = rounds.front().time_ms;
    LONGHAUL_ASSERT(least > 0);
    const double step = std::pow(rounds.back().time_ms / least, 1 / kMostClasses);
    std::vector<std::size_t> ends;
    double end = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        if (rounds[r].time_ms > end) {
            ends.push_back(r);
            for (end = std::max(end, least); end <= rounds[r].time_ms && step > 1;) {
                end *= step;
            }
        }
    }
    ends.push_back(rounds.size());
    ends.erase(ends.begin());
    return ends;
}

}  // namespace

PrefixBound::PrefixBound(const std::vector<ListedRound>& rounds,
                         const SetErrors& errors,
                         int islands,
                         const MixingOptions& mixing,
                         double above)
    : forgetting_(mixing.forgetting) {
    LONGHAUL_ASSERT(islands >= 2 && islands <= 10 && !rounds.empty());
    const std::vector<std::size_t> ends = ends_of_classes(rounds);
    const ErrorFloors* wider = nullptr;
    for (std::size_t c = ends.size(); c-- > 0;) {
        const double least_ms = rounds[c == 0 ? 0 : ends[c - 1]].time_ms;
        RoundTable table(std::span<const ListedRound>(rounds).first(ends[c]), islands, mixing);
        ErrorFloors floors(table, errors, forgetting_, wider);
        classes_.push_back(
            std::make_unique<Class>(Class{least_ms, std::move(table), std::move(floors)}));
        wider = &classes_.back()->floors;
    }
    // Longest rounds that leave too little time are in no better schedule.
    std::erase_if(classes_, [&](const std::unique_ptr<Class>& of) {
        return of->least_ms * (1.5 + of->floors.after(0)) >= above;
    });
    std::ranges::reverse(classes_);
}

void PrefixBound::look_at_products(Class& of, double needed, const std::function<bool()>& stop) {
    if (!of.products && of.floors.after(0) < needed) {
        of.products.emplace(of.table);
        of.floors.look_at_rows(of.table, kRowWork / kProductWork * product_work_);
    }
    while (of.next_length <= kLongestProduct && of.floors.after(0) < needed &&
           kLongerProduct * of.product_work < product_work_) {
        double work = product_work_ / 2;
        const double least = of.products->least(of.next_length, work, stop);
        of.product_work = product_work_ / 2 - std::max(0.0, work);
        product_work_ -= of.product_work;
        if (least > 0) {
            of.floors.raise(of.next_length++, least);
        } else {
            // What it takes is not known, but more than this.
            of.product_work = std::max(of.product_work, product_work_);
        }
    }
}

void PrefixBound::look_at_starts(Class& of,
                                 double needed,
                                 double& work,
                                 const std::function<bool()>& stop) const {
    double cap = of.starts ? of.starts->cap() : of.floors.after(0);
    while (work > kHigherCap * of.start_work && cap < needed + kFurther) {
        cap = std::min(cap + kCapStep, needed + kFurther);
        const double before = work;
        StartBounds starts(of.table, of.floors.all(), forgetting_);
        starts.look(cap, work, stop);
        of.start_work = before - work;
        // One that was not finished may say less than one with a lower cap.
        if (work > 0 || !of.starts) {
            of.starts.emplace(std::move(starts));
        }
    }
}

bool PrefixBound::proves(Class& of, double score, double& work, const Calls& calls) {
    const double needed = score / of.least_ms - 1.5;
    look_at_products(of, needed, calls.stop);
    bool proved = of.proved >= score || of.floors.after(0) >= needed;
    for (double part = kFirstPart; !proved; part *= kMoreWork) {
        if (work <= 0 || (calls.stop && calls.stop())) {
            return false;
        }
        const double most = std::min(part, work);
        double left = most;
        look_at_starts(of, needed, left, calls.stop);
        work -= most - std::max(0.0, left);
        proved = of.starts->least() >= needed;
        if (!proved && work > 0) {
            left = std::min(part, work);
            work -= left;
            PrefixSearch search(
                of.table, of.floors, *of.starts, forgetting_, calls.stop, calls.seen);
            proved = search.proves(score, of.least_ms, left);
            work += std::max(0.0, left);
        }
    }
    of.proved = std::max(of.proved, score);
    return true;
}

double PrefixBound::prove(double below, double above, double work, const Calls& calls) {
    if (classes_.empty()) {
        return above;
    }
    product_work_ = kProductWork * work;
    double proved = below;
    for (const double gap : {0.3, 0.2, 0.15, 0.1, 0.07, kCloseGap, 0.04, 0.03, 0.02, 0.015, 0.01}) {
        const double score = above / (1 + gap);
        if (score <= proved) {
            continue;
        }
        work = gap < kCloseGap ? std::min(work, kFinishing) : work;
        for (const std::unique_ptr<Class>& of : classes_) {
            if (!proves(*of, score, work, calls)) {
                return proved;
            }
        }
        proved = score;
    }
    return proved;
}

}  // namespace longhaul::schedule::detail
