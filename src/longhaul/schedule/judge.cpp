// What searches ask of a schedule: whether it can be run, and its score.
#include <algorithm>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/local_search.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Of the ends of curves, while searching.
constexpr double kCoarse = 1e-3;

/// Whether all are alone. Where each round has its own length this one takes no time, yet would
/// count as a round of forgetting.
bool idle(const Round& round, int islands) {
    return islands > 1 && std::ssize(round.cliques) == islands;
}

}  // namespace

Judge::Judge(RoundTimes& times, const OptimiseOptions& options)
    : times_(times),
      options_(options),
      islands_(static_cast<int>(times.islands().size())),
      largest_(options.largest == 0 ? islands_ : std::min(islands_, options.largest)),
      mixing_(islands_, options.mixing, kCoarse),
      exact_mixing_(islands_, options.mixing) {}

bool Judge::stopped() {
    if (!stopped_ && options_.stop && options_.stop()) {
        stopped_ = true;
    }
    return stopped_ || evaluated_ >= options_.most_evaluated;
}

bool Judge::can(Clique clique) {
    return clique_size(clique) <= largest_ && times_.alone_ms(clique) != kNever;
}

double Judge::score(const Schedule& schedule, double most) {
    return score_with(mixing_, schedule, most);
}

double Judge::exact(const Schedule& schedule) {
    return score_with(exact_mixing_, schedule, kNever);
}

bool Judge::can_all(const Schedule& schedule) {
    return std::ranges::all_of(schedule.rounds, [&](const Round& round) {
        return std::ranges::all_of(round.cliques, [&](Clique clique) { return can(clique); });
    });
}

double Judge::score_with(FastMixing& mixing, const Schedule& schedule, double most) {
    if (!can_all(schedule)) {
        return kNever;
    }
    if (options_.pace == Pace::kOwn) {
        const auto rests = [&](const Round& round) { return idle(round, islands_); };
        if (std::ranges::none_of(schedule.rounds, rests)) {
            return own_score_with(mixing, schedule, most);
        }
        Schedule busy = schedule;
        std::erase_if(busy.rounds, rests);
        return own_score_with(mixing, busy, most);
    }
    const auto period = static_cast<double>(schedule.rounds.size());
    double longest = 0;
    double errors = 0;
    for (const Round& round : schedule.rounds) {
        longest = std::max(longest, times_.time_ms(round));
        errors += error_of(round, islands_);
    }
    const double rho = options_.mixing.forgetting;
    const double known = options_.mixing.target.empty() ? 1.5 + rho * errors / period : 1.5;
    if (longest == kNever || longest * known >= most) {
        return kNever;
    }
    ++evaluated_;
    const double sum = mixing.area(schedule, (most / longest - 0.5) * period);
    return longest * (0.5 + sum / period);
}

double Judge::own_score_with(FastMixing& mixing, const Schedule& schedule, double most) {
    const std::size_t period = schedule.rounds.size();
    round_ms_.clear();
    double total = 0;
    for (const Round& round : schedule.rounds) {
        round_ms_.push_back(times_.time_ms(round));
        total += round_ms_.back();
    }
    if (period == 0 || total == kNever) {
        return kNever;
    }
    // Of each update the half round of waiting, the round on the way, and what one round leaves.
    const double rho = options_.mixing.target.empty() ? options_.mixing.forgetting : 0;
    double known = 0;
    for (std::size_t k = 0; k < period; ++k) {
        const std::size_t next = (k + 1) % period;
        known += round_ms_[k] * (round_ms_[k] / 2 + round_ms_[next]);
        if (rho > 0) {
            known += round_ms_[k] * rho * error_of(schedule.rounds[next], islands_) *
                     round_ms_[(k + 2) % period];
        }
    }
    if (known >= most * total) {
        return kNever;
    }
    ++evaluated_;
    return mixing.own_score(schedule, round_ms_);
}

Round Judge::repaired(const Round& round) {
    std::vector<Clique> cliques;
    for (const Clique clique : round.cliques) {
        Clique left = clique;
        while (left != 0) {
            Clique kept = 0;
            for (const int member : members_of(left)) {
                if (can(kept | Clique{1} << member)) {
                    kept |= Clique{1} << member;
                }
            }
            cliques.push_back(kept);
            left &= ~kept;
        }
    }
    return make_round(std::move(cliques), islands_);
}

Schedule Judge::repaired(const Schedule& schedule) {
    Schedule sound;
    for (const Round& round : schedule.rounds) {
        sound.rounds.push_back(repaired(round));
    }
    return sound;
}

}  // namespace longhaul::schedule::detail
