#include "longhaul/schedule/timed_score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/timed_stream.hpp"
#include "longhaul/schedule/score.hpp"

namespace longhaul::schedule {
namespace {

/// Whether the shares of what all hold stay the targets: pi W = pi in every round.
bool keeps_targets(const std::vector<MixingMatrix>& period, const std::vector<double>& target) {
    const std::size_t n = period.front().rows();
    const double sum = target.empty() ? static_cast<double>(n)
                                      : std::accumulate(target.begin(), target.end(), 0.0);
    const auto share = [&](std::size_t i) { return (target.empty() ? 1 : target[i]) / sum; };
    for (const MixingMatrix& weights : period) {
        for (std::size_t j = 0; j < n; ++j) {
            double held = 0;
            for (std::size_t i = 0; i < n; ++i) {
                held += share(i) * weights(i, j);
            }
            if (std::abs(held - share(j)) > 1e-8) {
                return false;
            }
        }
    }
    return true;
}

const char* without_formula(const TimedSchedule& schedule) {
    for (const TimedRound& round : schedule.rounds) {
        for (const TimedClique& clique : round.cliques) {
            const auto differs = [&](double ms) { return ms != clique.sending_ms; };
            if (std::ranges::any_of(clique.sender_ms, differs)) {
                return "there is no formula for streamed senders with rates of their own";
            }
        }
    }
    return nullptr;
}

}  // namespace

MixingMatrix mixing_matrix(const TimedRound& round, int islands) {
    Round plain;
    for (const TimedClique& clique : round.cliques) {
        plain.cliques.push_back(clique.members);
    }
    MixingMatrix weights = mixing_matrix(plain, islands);
    for (const TimedClique& clique : round.cliques) {
        const std::vector<int> members = members_of(clique.members);
        for (std::size_t i = 0; i < clique.weights.rows(); ++i) {
            for (std::size_t j = 0; j < clique.weights.columns(); ++j) {
                weights(detail::slot(members[i]), detail::slot(members[j])) = clique.weights(i, j);
            }
        }
    }
    return weights;
}

std::optional<double> computed_score(const TimedSchedule& schedule,
                                     const Islands& islands,
                                     std::string* reason) {
    LONGHAUL_ASSERT(!schedule.rounds.empty());
    const auto none = [&](const char* why) {
        if (reason != nullptr) {
            *reason = why;
        }
        return std::nullopt;
    };
    MixingOptions options;
    options.forgetting = schedule.forgetting;
    options = with_targets(std::move(options), islands);
    std::vector<MixingMatrix> period;
    std::vector<double> lengths;
    for (const TimedRound& round : schedule.rounds) {
        period.push_back(mixing_matrix(round, static_cast<int>(islands.size())));
        lengths.push_back(round.length_ms);
    }
    if (!keeps_targets(period, options.target)) {
        return none("the weights do not keep the mean that the islands should agree on");
    }
    const Survival mixing = survival(period, options);
    if (!mixing.mixes) {
        return none("updates never spread to all islands");
    }
    if (islands.size() > 1 && std::ranges::count(lengths, 0) > 0) {
        return none("a round in which all islands are alone takes no time; leave it out");
    }
    if (schedule.pace != Pace::kStreamed) {
        return score_of(lengths, mixing, schedule.pace, schedule.forgetting);
    }
    if (islands.size() < 2) {
        return 0;
    }
    if (const char* why = without_formula(schedule)) {
        return none(why);
    }
    return detail::streamed_score_ms(schedule, islands, period, options);
}

}  // namespace longhaul::schedule
