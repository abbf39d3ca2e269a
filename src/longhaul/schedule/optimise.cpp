#include "longhaul/schedule/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/local_search.hpp"
#include "longhaul/schedule/detail/prefix_bound.hpp"
#include "longhaul/schedule/detail/round_sequences.hpp"

namespace longhaul::schedule {

using detail::Candidate;
using detail::Judge;
using detail::kNever;
using detail::ListedRound;
using detail::slot;

namespace {

/// Rounds that are listed at most; ten islands have 115,975.
constexpr std::uint64_t kMostPartitions = 150'000;
constexpr std::uint64_t kMostPairs = 3'000'000'000;
/// Rounds of which windows are looked at: all their pairs are.
constexpr std::size_t kMostInWindows = 25'000;
/// Of sequences of rounds, in products looked at.
constexpr double kPrefixWork = 1.5e8;
constexpr double kWideGap = 1.05 * (1 + 1e-9);
/// Windows are looked at when pairs leave no wider gap.
constexpr double kClosePairs = 1.1;
constexpr std::size_t kPairsKept = 2000;
/// Of growing trees anew, in links looked at.
constexpr double kTreeWork = 3e8;
constexpr double kEqual = 1 + 1e-9;
constexpr int kLongestPeriod = 24;  ///< where nothing else is asked for
constexpr int kAnnealedPeriod = 4;
constexpr double kNearBest = 1.1;  ///< scores of sequences that are told apart, of the best

class Search {
public:
    Search(RoundTimes& times, const OptimiseOptions& options)
        : times_(times),
          options_(options),
          judge_(times, options),
          random_(options.seed, 77),
          n_(judge_.islands()),
          annealed_(options.max_period > 0 ? options.max_period : kAnnealedPeriod),
          longest_(options.max_period > 0 || !sequences() ? annealed_ : kLongestPeriod),
          errors_(n_, options.mixing) {}

    Optimised run() {
        Optimised found;
        start();
        if (best_.score_ms == kNever) {
            found.reason = reason_;
            return found;
        }
        if (times_.capabilities().trees == Trees::kFlexible) {
            return with_flexible_trees();
        }
        std::optional<std::vector<ListedRound>> listed;
        if (n_ <= 10) {
            listed = detail::list_rounds(times_, judge_.largest(), errors_, kMostPartitions);
        }
        quick();
        if (listed) {
            found.rounds = listed->size();
            detail::prepare_for_bounds(*listed, n_, options_.pace);
            prove_by_pairs(*listed);
        }
        if (!proved()) {
            improve();
        }
        if (listed && !proved()) {
            try_sequences(*listed);
            tighten(*listed);
        }
        if (!listed) {
            bound_by_reach();
        }
        return finished(std::move(found));
    }

private:
    [[nodiscard]] Optimised finished(Optimised found) {
        if (options_.pace == Pace::kOwn && best_.schedule.rounds.size() > 1) {
            // A round in which all are alone takes no time and does nothing.
            std::erase_if(best_.schedule.rounds,
                          [&](const Round& round) { return std::ssize(round.cliques) == n_; });
        }
        best_.schedule = shortest_period(best_.schedule);
        found.schedule = best_.schedule;
        found.score = score_schedule(best_.schedule, times_, options_.pace, options_.mixing);
        found.bound_ms = std::min(bound_, found.score.score_ms);
        found.bound_method = method_;
        found.optimal = found.score.score_ms <= bound_ * kEqual;
        found.evaluated += judge_.evaluated();
        found.stopped = judge_.stopped();
        return found;
    }

    void bound_by_reach() {
        bound_ = detail::reach_bound(
            times_, judge_.largest(), options_.mixing, options_.pace, best_.score_ms);
        method_ = "reach within a round";
    }

    /// Trees of a round take long to grow, so most of the search runs on shortest ones: what is
    /// best there is timed anew, and improved in few steps.
    Optimised with_flexible_trees() {
        Optimised found;
        Capabilities plain = times_.capabilities();
        plain.trees = Trees::kShortest;
        OptimiseOptions short_periods = options_;
        short_periods.max_period = annealed_;
        for (const Islands& network : detail::without_slow_links(times_.islands())) {
            RoundTimes plain_times(network, plain);
            Search on_shortest(plain_times, short_periods);
            found.evaluated += on_shortest.run().evaluated;
            for (const auto& [period, elite] : on_shortest.elites_) {
                for (const Candidate& candidate : elite) {
                    if (!judge_.stopped()) {
                        offer(candidate.schedule);
                    }
                }
            }
        }
        const std::size_t links = times_.islands().network.links.size();
        const double work = static_cast<double>(n_) * n_ * static_cast<double>(links) *
                            times_.capabilities().tree_rounds;
        const double count = std::clamp(kTreeWork / work, 10.0, 400.0);
        anneal_from(best_.schedule, steps(count));
        bound_by_reach();
        return finished(std::move(found));
    }

    [[nodiscard]] bool proved() const { return best_.score_ms <= bound_ * kEqual; }

    void offer(Candidate candidate) {
        if (candidate.score_ms == kNever) {
            return;
        }
        candidate.score_ms = judge_.exact(candidate.schedule);
        auto& elite = elites_[candidate.schedule.rounds.size()];
        const bool known = std::ranges::any_of(
            elite, [&](const Candidate& other) { return other.schedule == candidate.schedule; });
        if (!known) {
            elite.push_back(candidate);
            std::ranges::stable_sort(elite, {}, &Candidate::score_ms);
            if (elite.size() > 8) {
                elite.pop_back();
            }
        }
        if (candidate.score_ms < best_.score_ms) {
            best_ = std::move(candidate);
        }
    }

    void offer(const Schedule& schedule) { offer({schedule, judge_.score(schedule, kNever)}); }

    /// Schedules that are known to work, before any search.
    void start() {
        const Clique all = n_ == 64 ? ~Clique{0} : (Clique{1} << n_) - 1;
        std::vector<Schedule> starts = options_.starts;
        starts.push_back({{make_round({all}, n_)}});
        const bool slow = times_.capabilities().trees == Trees::kFlexible;
        for (int walk = 0; walk < (slow ? 0 : 3); ++walk) {
            const auto grids = detail::grid_starts(times_.latency_ms(), judge_.largest(), random_);
            starts.insert(starts.end(), grids.begin(), grids.end());
        }
        std::erase_if(starts, [&](const Schedule& schedule) {
            return std::ssize(schedule.rounds) > longest_;
        });
        for (const Schedule& schedule : starts) {
            offer(schedule);
            offer(judge_.repaired(schedule));
        }
        if (best_.score_ms == kNever && longest_ >= 2) {
            offer(detail::chain_start(n_));
        }
        if (best_.score_ms == kNever) {
            reason_ = times_.reason(make_round({all}, n_));
            if (longest_ == 1) {
                reason_ = "no single round joins all islands: " + reason_;
            }
        }
    }

    [[nodiscard]] std::uint64_t steps(double base) const {
        return static_cast<std::uint64_t>(std::max(1.0, base * options_.effort));
    }

    void anneal_from(const Schedule& schedule, std::uint64_t count) {
        Candidate from{schedule, judge_.score(schedule, kNever)};
        if (from.score_ms == kNever) {
            return;
        }
        offer(detail::anneal(judge_, std::move(from), count, random_));
    }

    void quick() {
        if (longest_ >= 2) {
            anneal_from(repeated(best_.schedule, 2), steps(20'000));
        }
    }

    void prove_by_pairs(const std::vector<ListedRound>& listed) {
        if (options_.pace != Pace::kUniform) {
            return;
        }
        const detail::Pairs pairs = detail::least_pairs(listed,
                                                        errors_,
                                                        options_.mixing.forgetting,
                                                        best_.score_ms * kEqual,
                                                        kPairsKept,
                                                        kMostPairs);
        bound_ = pairs.least;
        method_ = pairs.complete ? "pairs of rounds" : "single rounds";
        if (longest_ < 2) {
            return;
        }
        for (const auto& [value, pair] : pairs.best) {
            if (value >= best_.score_ms) {
                break;
            }
            offer(Schedule{{listed[pair.first].round, listed[pair.second].round}});
        }
    }

    void improve() {
        for (int period = 2; period <= annealed_ && !judge_.stopped(); ++period) {
            const auto p = static_cast<std::size_t>(period);
            std::vector<Schedule> from;
            for (const auto& [other, elite] : elites_) {
                if (other > slot(annealed_)) {
                    break;
                }
                for (std::size_t i = 0; i < std::min<std::size_t>(3, elite.size()); ++i) {
                    from.push_back(repeated(elite[i].schedule, p));
                }
            }
            for (const Schedule& schedule : from) {
                if (!judge_.stopped() && !proved()) {
                    anneal_from(schedule, steps(40'000));
                }
            }
            relink_all(p);
        }
    }

    void relink_all(std::size_t period) {
        const std::vector<Candidate> elite = elites_[period];
        for (std::size_t a = 0; a < elite.size(); ++a) {
            for (std::size_t b = 0; b < a && !judge_.stopped(); ++b) {
                if (!proved()) {
                    offer(detail::relink(judge_, elite[a], elite[b], random_));
                }
            }
        }
    }

    /// Whether sequences of rounds are tried where all rounds can be listed.
    [[nodiscard]] bool sequences() const {
        return options_.pace == Pace::kUniform && n_ <= 10 &&
               times_.capabilities().trees == Trees::kShortest;
    }

    /// Periods that are too long to be annealed without a good start.
    void try_sequences(const std::vector<ListedRound>& listed) {
        if (!sequences() || longest_ < 2 || listed.empty()) {
            return;
        }
        const double known = best_.score_ms;
        const auto score = [&](std::span<const std::size_t> sequence) {
            Schedule schedule = schedule_of(listed, sequence);
            const double found = judge_.score(schedule, best_.score_ms * kNearBest);
            if (found < best_.score_ms) {
                offer({std::move(schedule), found});
            }
            return found;
        };
        const auto stop = [&] { return judge_.stopped(); };
        detail::RoundSequences(listed, n_, options_.mixing, slot(longest_))
            .look(known, options_.effort, {score, stop});
        if (best_.score_ms < known) {
            anneal_from(best_.schedule, steps(40'000));
        }
    }

    [[nodiscard]] static Schedule schedule_of(const std::vector<ListedRound>& rounds,
                                              std::span<const std::size_t> sequence) {
        Schedule schedule;
        for (const std::size_t round : sequence) {
            schedule.rounds.push_back(rounds[round].round);
        }
        return schedule;
    }

    /// Sequences that no bound excludes are tried as schedules, too.
    void bound_by_prefixes(detail::PrefixBound& prefixes,
                           const std::vector<ListedRound>& rounds,
                           double part) {
        const double known = best_.score_ms;
        const auto seen = [&](std::span<const std::size_t> sequence) {
            if (std::ssize(sequence) < 2 || std::ssize(sequence) > longest_) {
                return;
            }
            Schedule schedule = schedule_of(rounds, sequence);
            const double score = judge_.score(schedule, best_.score_ms);
            if (score < best_.score_ms) {
                offer({std::move(schedule), score});
            }
        };
        const double bound = prefixes.prove(
            bound_, known, part * options_.effort * kPrefixWork, {options_.stop, seen});
        if (bound > bound_ * (1 + 1e-6)) {
            bound_ = bound;
            method_ = "prefixes of schedules";
        }
        if (best_.score_ms < known) {
            anneal_from(best_.schedule, steps(40'000));
        }
    }

    void tighten(const std::vector<ListedRound>& listed) {
        if (options_.pace == Pace::kOwn) {
            bound_ = detail::own_length_bound(
                listed, errors_, options_.mixing.forgetting, best_.score_ms);
            method_ = "classes of rounds in windows of four";
            return;
        }
        // Rounds that take longer than the best schedule allows are in no better one.
        std::vector<ListedRound> useful;
        for (const ListedRound& round : listed) {
            if (round.time_ms * 1.5 < best_.score_ms) {
                useful.push_back(round);
            }
        }
        if (useful.empty() || useful.size() > kMostInWindows || method_ != "pairs of rounds") {
            return;
        }
        const bool close = best_.score_ms <= bound_ * kClosePairs;
        detail::PrefixBound prefixes(useful, errors_, n_, options_.mixing, best_.score_ms);
        bound_by_prefixes(prefixes, useful, 0.05);
        if (best_.score_ms > bound_ * kWideGap) {
            bound_by_prefixes(prefixes, useful, 0.95);
        }
        if (!close) {
            return;  // windows are too short to tell
        }
        for (int length = 3; length <= 5 && !proved() && !judge_.stopped(); ++length) {
            const double better = detail::window_bound(useful,
                                                       errors_,
                                                       n_,
                                                       options_.mixing,
                                                       length,
                                                       bound_,
                                                       best_.score_ms,
                                                       steps(3e7),
                                                       options_.stop);
            if (better > bound_ * (1 + 1e-6)) {
                bound_ = better;
                method_ = fmt::format("windows of {} rounds", length);
            }
        }
    }

    RoundTimes& times_;
    const OptimiseOptions& options_;
    Judge judge_;
    core::Random random_;
    int n_;
    int annealed_;  ///< rounds of a period that is annealed as a whole
    int longest_;   ///< of any
    detail::SetErrors errors_;
    Candidate best_{{}, kNever};
    std::map<std::size_t, std::vector<Candidate>> elites_;
    double bound_ = 0;
    std::string method_;
    std::string reason_;
};

}  // namespace

Optimised optimise_schedule(RoundTimes& times, const OptimiseOptions& options) {
    LONGHAUL_ASSERT(options.max_period >= 0 && options.pace != Pace::kStreamed);
    OptimiseOptions with = options;
    with.mixing = with_targets(options.mixing, times.islands());
    return Search(times, with).run();
}

}  // namespace longhaul::schedule
