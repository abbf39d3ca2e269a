#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/prefix_bound.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kDeepest = 40;
constexpr double kSlack = 1e-10;  ///< of sums of errors; theirs are rounded
/// Looks at triples are worth while up to so many, in rounds times rounds times cliques, for each
/// product that may be looked at.
constexpr double kTriplesForWork = 150;

/// Below this gap only so much more work is worth while.
constexpr double kCloseGap = 0.05;
constexpr double kFinishing = 1e6;
/// Rows made from one island's times rounds.
constexpr double kMostRows = 3e5;

/// What is known of the first rounds of a sequence.
struct Depth {
    struct Start {
        std::vector<double> rows;    ///< product of the rounds from here on
        std::vector<double> errors;  ///< of the means of cliques over these rows
        double sum = 0;              ///< rho e(1) + rho^2 e(2) + ...
        double next = 0;             ///< least e after one more round
        bool looked = false;         ///< errors and next are known
    };
    std::vector<Start> starts;
};

/// Bits of classes of times: that the longest round of the whole schedule is of class c is still
/// possible.
using Classes = std::uint64_t;

class PrefixSearch {
public:
    PrefixSearch(const RoundTable& table,
                 const ErrorFloors& floors,
                 double forgetting,
                 const std::function<bool()>& stop,
                 const std::function<void(std::span<const std::size_t>)>& seen)
        : table_(table), floors_(floors), stop_(stop), seen_(seen), depths_(kDeepest + 1) {
        double worth = 1;
        for (std::size_t h = 0; h <= kDeepest + 1; ++h) {
            worth_.push_back(worth);
            worth *= forgetting;
        }
        for (std::size_t k = 0; k <= kDeepest; ++k) {
            depths_[k].starts.resize(k);
            for (auto& start : depths_[k].starts) {
                start.rows.resize(table.n * RoundTable::kWidth);
            }
        }
        unit_.assign(table.n * RoundTable::kWidth, 0);
        for (std::size_t i = 0; i < table.n; ++i) {
            unit_[i * RoundTable::kWidth + i] = 1;
        }
    }

    /// Whether no schedule of any period scores less; false also when the work is used up.
    bool proves(double score, double& work) {
        score_ = score;
        work_ = work;
        prefix_.clear();
        const std::size_t count = table_.class_ms.size();
        const bool proved = extend(0, 0, count == 64 ? ~Classes{0} : (Classes{1} << count) - 1);
        work = work_;
        return proved;
    }

private:
    /// What the mean of rho e(1) + rho^2 e(2) + ... must be below.
    [[nodiscard]] double target(double longest, std::size_t c) const {
        return score_ / std::max(longest, table_.class_ms[c]) - 1.5;
    }

    /// The rounds of the sequence from start p on.
    [[nodiscard]] std::span<const std::size_t> from(std::size_t p) const {
        return std::span(prefix_).subspan(std::min(p, prefix_.size()));
    }

    /// Classes for which every m leaves hope: known(p) is what start p adds at least but for the
    /// rounds after the first `rounds`.
    template <class Known>
    [[nodiscard]] Classes hopeful(Classes classes,
                                  double longest,
                                  std::size_t rounds,
                                  std::size_t starts,
                                  const Known& known) const {
        Classes left = 0;
        for (Classes open = classes; open != 0; open &= open - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(open));
            const double most = target(longest, c);
            double sum = 0;
            bool hope = true;
            for (std::size_t p = 0; p < starts && hope; ++p) {
                sum += known(p, c) + floors_.after(c, rounds - p, from(p));
                hope = sum < static_cast<double>(p + 1) * most + kSlack;
            }
            left |= hope ? Classes{1} << c : 0;
        }
        return left;
    }

    /// With one round more that is not known yet.
    [[nodiscard]] Classes look_ahead(std::size_t k, double longest, Classes classes) {
        work_ -= 1;
        return hopeful(classes, longest, k + 1, k + 1, [&](std::size_t p, std::size_t c) {
            if (p == k) {
                return floors_.of(c, 1);
            }
            auto& start = depths_[k].starts[p];
            if (!start.looked) {
                table_.errors_of_means(start.rows.data(), start.errors);
                start.next = table_.least_of_rows(start.errors);
                start.looked = true;
                work_ -= 1;
            }
            return start.sum +
                   std::max(worth_[k + 1 - p] * start.next, floors_.of(c, k + 1 - p, from(p)));
        });
    }

    /// For every m the most that e of the next round may add to the first m sums.
    void find_room(std::size_t k, double longest, Classes classes, std::vector<double>& room) {
        room.assign(k + 1, -kNever);
        for (Classes open = classes; open != 0; open &= open - 1) {
            const auto c = static_cast<std::size_t>(std::countr_zero(open));
            const double most = target(longest, c);
            double sum = 0;
            for (std::size_t p = 0; p <= k; ++p) {
                sum +=
                    (p < k ? depths_[k].starts[p].sum : 0) + floors_.after(c, k + 1 - p, from(p));
                room[p] = std::max(room[p], static_cast<double>(p + 1) * most + kSlack - sum);
            }
        }
    }

    /// e after the round from each start on, weighted; false when there is no room for it.
    bool errors_with(std::size_t k,
                     std::size_t round,
                     const std::vector<double>& room,
                     std::array<double, kDeepest + 1>& added) const {
        double sum = 0;
        for (std::size_t p = 0; p < k; ++p) {
            const std::vector<double>& errors = depths_[k].starts[p].errors;
            double error = 0;
            for (const std::uint32_t id : table_.cliques_of(round)) {
                error += errors[id];
            }
            added[p] = worth_[k + 1 - p] * error;
            sum += added[p];
            if (sum >= room[p]) {
                return false;
            }
        }
        added[k] = worth_[1] * table_.rounds[round].error;
        return sum + added[k] < room[k];
    }

    void append(std::size_t k, std::size_t round, const std::array<double, kDeepest + 1>& added) {
        for (std::size_t p = 0; p <= k; ++p) {
            auto& to = depths_[k + 1].starts[p];
            to.looked = false;
            to.sum = added[p] + (p < k ? depths_[k].starts[p].sum : 0);
            table_.apply(
                round, p < k ? depths_[k].starts[p].rows.data() : unit_.data(), to.rows.data());
        }
        work_ -= 0.3 * static_cast<double>(k + 1);
    }

    bool extend(std::size_t k, double longest, Classes classes) {
        if (k == kDeepest || work_ <= 0 || (stop_ && stop_())) {
            work_ = std::min(work_, 0.0);
            return false;
        }
        classes = look_ahead(k, longest, classes);
        if (classes == 0) {
            return true;
        }
        if (seen_ && k > 0) {
            seen_(prefix_);
        }
        const auto last = static_cast<std::size_t>(63 - std::countl_zero(classes));
        std::vector<double> room;
        find_room(k, longest, classes, room);
        work_ -= static_cast<double>((k + 1) * table_.size()) / 100;
        std::array<double, kDeepest + 1> added{};
        for (std::size_t round = 0; round < table_.size() && table_.classes[round] <= last;
             ++round) {
            if (!errors_with(k, round, room, added)) {
                continue;
            }
            const double longer = std::max(longest, table_.rounds[round].time_ms);
            const Classes possible = classes & ~((Classes{1} << table_.classes[round]) - 1);
            prefix_.push_back(round);
            const Classes left =
                hopeful(possible, longer, k + 1, k + 1, [&](std::size_t p, std::size_t) {
                    return added[p] + (p < k ? depths_[k].starts[p].sum : 0);
                });
            bool proved = true;
            if (left != 0) {
                append(k, round, added);
                proved = extend(k + 1, longer, left);
            }
            prefix_.pop_back();
            if (!proved) {
                return false;
            }
        }
        return true;
    }

    const RoundTable& table_;
    const ErrorFloors& floors_;
    const std::function<bool()>& stop_;
    const std::function<void(std::span<const std::size_t>)>& seen_;
    std::vector<std::size_t> prefix_;
    std::vector<Depth> depths_;
    std::vector<double> unit_;
    std::vector<double> worth_;
    double score_ = 0;
    double work_ = 0;
};

}  // namespace

PrefixBound::PrefixBound(const std::vector<ListedRound>& rounds,
                         const SetErrors& errors,
                         int islands,
                         const MixingOptions& mixing,
                         double above)
    : errors_(errors),
      forgetting_(mixing.forgetting),
      table_(rounds, islands, mixing),
      floors_(table_, errors, mixing.forgetting) {
    LONGHAUL_ASSERT(islands >= 2 && islands <= 10);
    // Longest rounds that leave too little time are in no better schedule.
    std::size_t count = 0;
    for (std::size_t c = 0; c < table_.class_ms.size(); ++c) {
        if (table_.class_ms[c] * (1.5 + floors_.after(c, 0)) < above) {
            count = c + 1;
        }
    }
    nothing_better_ = count == 0;
    if (!nothing_better_) {
        table_.keep_classes(count);
        floors_.look_at_rows(table_, kMostRows);
    }
}

double PrefixBound::prove(double below,
                          double above,
                          double work,
                          const std::function<bool()>& stop,
                          const std::function<void(std::span<const std::size_t>)>& seen) {
    if (nothing_better_) {
        return above;
    }
    const auto size = static_cast<double>(table_.size());
    const auto cliques = static_cast<double>(table_.cliques.size());
    if (!triples_ && size * cliques * (size + cliques) <= kTriplesForWork * work) {
        triples_ = floors_.look_at_triples(table_, errors_, stop);
    }
    PrefixSearch search(table_, floors_, forgetting_, stop, seen);
    double proved = below;
    for (const double gap : {0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01}) {
        const double score = above / (1 + gap);
        if (score <= proved) {
            continue;
        }
        work = gap < kCloseGap ? std::min(work, kFinishing) : work;
        if (!search.proves(score, work)) {
            break;
        }
        proved = score;
    }
    return proved;
}

}  // namespace longhaul::schedule::detail
