#include "longhaul/schedule/streamed_search.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_bounds.hpp"
#include "longhaul/schedule/detail/stream_fit.hpp"
#include "longhaul/schedule/detail/stream_program.hpp"
#include "longhaul/schedule/detail/stream_trees.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {

using detail::kNever;
using detail::slot;

namespace {

constexpr int kMostEnumerated = 9;
/// Scores closer than this, relative, are equal.
constexpr double kEqual = 1e-9;
/// Longer intervals, ms, are not looked at while no schedule is known.
constexpr double kLongest = 1e8;
/// Pieces of the interval that the bound of a pair is taken over.
constexpr int kPieces = 6;

class Search {
public:
    Search(RoundTimes& times, MixingOptions options, const StreamedSearch& search)
        : times_(times),
          options_(std::move(options)),
          search_(search),
          islands_(static_cast<int>(times.islands().size())) {}

    std::optional<BestStreamed> run() {
        for (const NamedSchedule& named : times_.islands().schedules) {
            consider(named.schedule);
        }
        const Clique all = islands_ == 64 ? ~Clique{0} : (Clique{1} << islands_) - 1;
        consider({{make_round({all}, islands_)}});
        for (const Schedule& seed : search_.seeds) {
            consider(seed);
        }
        const bool enumerated = islands_ <= kMostEnumerated && options_.target.empty();
        if (enumerated) {
            pairs();
        }
        change();
        if (best_.rounds.empty()) {
            return std::nullopt;
        }
        auto times = stream_schedule(best_, times_, options_);
        if (!times) {
            return std::nullopt;
        }
        BestStreamed found{std::move(*times), 0, programs_};
        found.bound_ms = enumerated ? std::min({bound_, score_, found.best.score_ms}) : 0;
        return found;
    }

private:
    [[nodiscard]] bool stopped() const { return search_.stop && search_.stop(); }

    [[nodiscard]] bool allowed(const Round& round) const {
        return search_.largest <= 0 || std::ranges::all_of(round.cliques, [&](Clique clique) {
                   return clique_size(clique) <= search_.largest;
               });
    }

    [[nodiscard]] bool runs(const Schedule& schedule) {
        if (std::ssize(schedule.rounds) > search_.max_period) {
            return false;
        }
        for (const Round& round : schedule.rounds) {
            if (!allowed(round)) {
                return false;
            }
            for (const Clique clique : round.cliques) {
                if (clique_size(clique) > 1 && !std::isfinite(times_.alone_ms(clique))) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] detail::RowWeights weights_of(const Schedule& schedule) const {
        std::vector<MixingMatrix> matrices;
        for (const Round& round : schedule.rounds) {
            matrices.push_back(mixing_matrix(round, islands_, options_.target));
        }
        return detail::row_weights(matrices, options_);
    }

    /// The model with the least that links ask for, whatever the trees.
    [[nodiscard]] detail::StreamModel relaxed_model(const Schedule& schedule,
                                                    const detail::RowWeights& weights) const {
        detail::StreamModel model = detail::stream_model(schedule, times_, weights, {});
        if (times_.capabilities().trees == Trees::kFlexible) {
            for (detail::StreamClique& clique : model.cliques) {
                clique.least_ms = clique.access_ms;
            }
        }
        return model;
    }

    /// Solves a schedule, and keeps it when it is the best so far.
    void consider(const Schedule& schedule) {
        if (!runs(schedule)) {
            return;
        }
        const detail::RowWeights weights = weights_of(schedule);
        if (!weights.mixes) {
            return;
        }
        detail::StreamModel model = relaxed_model(schedule, weights);
        ++programs_;
        const auto relaxed = detail::relaxed_score(model);
        if (!relaxed || std::min(relaxed->score_ms, relaxed->even_ms) >= score_ * (1 - kEqual)) {
            return;
        }
        fit(schedule, weights, std::move(model));
    }

    void fit(const Schedule& schedule,
             const detail::RowWeights& weights,
             detail::StreamModel model) {
        if (times_.capabilities().trees == Trees::kFlexible) {
            model = detail::stream_model(
                schedule, times_, weights, detail::choose_trees(schedule, times_, weights));
        }
        const auto point = detail::fit(model, true);
        if (point && point->score_ms < score_ * (1 - kEqual)) {
            score_ = point->score_ms;
            best_ = schedule;
        }
    }

    struct Pair {
        double bound = 0;
        std::size_t a = 0;
        std::size_t b = 0;
    };

    /// Pairs whose bound is below the best score, in the order of their bounds.
    [[nodiscard]] std::vector<Pair> open_pairs(const detail::StreamBounds& bounds,
                                               const std::vector<detail::BoundedRound>& rounds) {
        std::vector<Pair> open;
        for (std::size_t a = 0; a < rounds.size() && !stopped(); ++a) {
            for (std::size_t b = a; b < rounds.size(); ++b) {
                if (rounds[a].alone + rounds[b].alone >= score_) {
                    break;
                }
                const double bound = bounds.pair(rounds[a], rounds[b], score_);
                if (bound < score_ * (1 - kEqual)) {
                    open.push_back({bound, a, b});
                }
            }
        }
        std::ranges::stable_sort(open, {}, &Pair::bound);
        return open;
    }

    /// Pairs of rounds in the order of their bounds.
    void pairs() {
        detail::StreamBounds bounds(times_, options_.forgetting);
        std::vector<detail::BoundedRound> rounds = bounds.rounds();
        std::erase_if(rounds, [&](const detail::BoundedRound& one) { return !allowed(one.round); });
        const std::vector<Pair> open = open_pairs(bounds, rounds);
        if (stopped()) {
            return;
        }
        bound_ = kNever;
        std::vector<Pair> left;
        const int until = programs_ + search_.programs;
        for (const Pair& pair : open) {
            if (pair.bound >= score_) {
                break;
            }
            if (programs_ >= until || stopped()) {
                bound_ = pair.bound;
                break;
            }
            const Schedule twice{{rounds[pair.a].round, rounds[pair.b].round}};
            const detail::RowWeights weights = weights_of(twice);
            if (!weights.mixes) {
                continue;
            }
            const double bound = bound_of(relaxed_model(twice, weights), kPieces);
            if (bound < score_) {
                const Schedule once{{rounds[pair.a].round}};
                const Schedule& tried = pair.a == pair.b ? once : twice;
                if (std::ssize(tried.rounds) <= search_.max_period) {
                    const detail::RowWeights its_weights = weights_of(tried);
                    fit(tried, its_weights, relaxed_model(tried, its_weights));
                }
                left.push_back({bound, pair.a, pair.b});
            }
        }
        for (const Pair& pair : left) {
            bound_ = std::min(bound_, pair.bound);
        }
    }

    /// No point of a model of two rounds scores less than this, or than the best so far.
    double bound_of(const detail::StreamModel& model, int pieces) {
        const detail::StreamProgram program(model);
        struct Piece {
            double bound, least, most, at;
        };
        std::vector<Piece> open;
        const auto add = [&](double least, double most) {
            double at = 0;
            ++programs_;
            const double bound = program.bound(least, most, at);
            open.push_back({bound, least, most, at});
        };
        // The wait for a snapshot is half an interval.
        add(0, std::min(2 * score_, kLongest));
        while (true) {
            const auto lowest = std::ranges::min_element(open, {}, &Piece::bound);
            if (lowest->bound >= score_ || --pieces <= 0) {
                return std::min(lowest->bound, score_);
            }
            const Piece split = *lowest;
            open.erase(lowest);
            const double room = (split.most - split.least) / 8;
            const double at = std::clamp(split.at, split.least + room, split.most - room);
            add(split.least, at);
            add(at, split.most);
        }
    }

    /// Random changes of the best schedule.
    void change() {
        core::Random random(search_.seed);
        for (int move = 0; move < search_.moves && !best_.rounds.empty() && !stopped(); ++move) {
            consider(changed(best_, random));
        }
    }

    [[nodiscard]] Schedule changed(Schedule schedule, core::Random& random) const {
        const std::size_t k = random.index(schedule.period());
        const std::uint32_t kind = random.below(8);
        if (kind == 0 && std::ssize(schedule.rounds) < search_.max_period) {
            schedule.rounds.insert(schedule.rounds.begin() + static_cast<std::ptrdiff_t>(k),
                                   schedule.rounds[random.index(schedule.period())]);
        } else if (kind == 1 && schedule.period() > 2) {
            schedule.rounds.erase(schedule.rounds.begin() + static_cast<std::ptrdiff_t>(k));
            return schedule;
        }
        std::vector<Clique> cliques = schedule.rounds[k].cliques;
        cliques.push_back(0);  // a clique of its own
        const Clique one = Clique{1} << random.below(static_cast<std::uint32_t>(islands_));
        const Clique two = Clique{1} << random.below(static_cast<std::uint32_t>(islands_));
        const std::size_t to = random.index(cliques.size());
        for (std::size_t c = 0; c < cliques.size(); ++c) {
            if (kind % 2 == 0) {
                const bool has_one = (cliques[c] & one) != 0;
                const bool has_two = (cliques[c] & two) != 0;
                if (has_one != has_two) {
                    cliques[c] ^= one | two;
                }
            } else {
                cliques[c] = c == to ? cliques[c] | one : cliques[c] & ~one;
            }
        }
        schedule.rounds[k] = make_round(std::move(cliques), islands_);
        return schedule;
    }

    RoundTimes& times_;
    MixingOptions options_;
    const StreamedSearch& search_;
    int islands_;
    Schedule best_;
    double score_ = kNever;
    double bound_ = 0;
    int programs_ = 0;
};

}  // namespace

std::optional<BestStreamed> best_streamed(RoundTimes& times,
                                          const MixingOptions& mixing,
                                          const StreamedSearch& search) {
    if (times.islands().size() < 2) {
        return std::nullopt;
    }
    return Search(times, with_targets(mixing, times.islands()), search).run();
}

}  // namespace longhaul::schedule
