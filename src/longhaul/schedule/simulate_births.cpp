#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr double kSettled = 1e-9;  ///< disagreement that counts as none
// Any run of multiples of the golden ratio is even in the unit interval, as even as can be; with
// those of the square root of two it is so in the square.
constexpr double kMoments = 0.6180339887498949;
constexpr double kBlocks = 0.41421356237309503;
constexpr int kMostTail = 2000;  ///< rounds that births are followed beyond the simulated ones

/// A change of the weight that an island holds of a birth.
struct Step {
    double time_ms = 0;
    int island = 0;
    double change = 0;
};

/// One birth: an update of one island, in one block. What an island holds of it changes when it
/// mixes: by the mixed weights minus what it sent, so that updates made in flight are kept.
class Birth {
public:
    Birth(const Plan& plan,
          const World& world,
          const Carried& carried,
          Missing missing,
          const std::vector<double>& share)
        : plan_(plan),
          world_(world),
          carried_(carried),
          missing_(missing),
          share_(share),
          held_(slot(plan.islands)),
          sent_(slot(plan.islands)),
          waiting_(slot(plan.islands)),
          later_(slot(plan.rounds) + 1, plan.presence(plan.rounds).senders) {
        for (int k = plan.rounds - 1; k >= 0; --k) {
            later_[slot(k)] = later_[slot(k) + 1] | plan.presence(k).senders;
        }
    }

    /// Disagreement over time from birth to agreement, ms; `settled` false when it was cut off.
    double follow(double time_ms, int island, int block) {
        steps_.clear();
        std::ranges::fill(held_, 0.0);
        std::ranges::fill(sent_, 0.0);
        for (auto& waiting : waiting_) {
            waiting.clear();
        }
        add({time_ms, island, 1});
        settled = false;
        const int last = plan_.rounds + kMostTail;
        int quiet = 0;
        for (int k = std::max(0, plan_.round_at(time_ms) - plan_.lag()); k < last; ++k) {
            mix_round(k, block);
            quiet = disagreement(held_) + held_back(k + 1) < kSettled ? quiet + 1 : 0;
            if (quiet > plan_.lag()) {
                settled = true;
                break;
            }
        }
        return area(time_ms);
    }

    /// sum_i share_i |held_i - mean|.
    [[nodiscard]] double disagreement(const std::vector<double>& held) const {
        const double middle = mean(held);
        double sum = 0;
        for (std::size_t i = 0; i < held.size(); ++i) {
            sum += share_[i] * std::abs(held[i] - middle);
        }
        return sum;
    }
    /// What islands that are not measured would still bring in: sum |held_i - mean| over those that
    /// send in a round from k on.
    [[nodiscard]] double held_back(int k) const {
        const double middle = mean(held_);
        double sum = 0;
        for (const int i : members_of(later_[slot(std::min(k, plan_.rounds))])) {
            sum += share_[slot(i)] > 0 ? 0 : std::abs(held_[slot(i)] - middle);
        }
        return sum;
    }
    [[nodiscard]] double mean(const std::vector<double>& held) const {
        return std::inner_product(held.begin(), held.end(), share_.begin(), 0.0);
    }
    [[nodiscard]] const std::vector<double>& held() const { return held_; }

    bool settled = false;
    double worst_row_error = 0;

private:
    void add(const Step& step) {
        steps_.push_back(step);
        waiting_[slot(step.island)].push_back(step);
        held_[slot(step.island)] += step.change;
    }

    /// What an island holds when it takes its parameters at that time; times do not go back.
    double take(int island, double time_ms) {
        auto& waiting = waiting_[slot(island)];
        double& sent = sent_[slot(island)];
        std::erase_if(waiting, [&](const Step& step) {
            const bool in = step.time_ms <= time_ms + kSameMs;
            sent += in ? step.change : 0;
            return in;
        });
        return sent;
    }

    void mix_round(int k, int block) {
        for (const CliquePlan& clique : plan_.round(k).cliques) {
            bool any = false;
            taken_.clear();
            for (const int island : clique.list) {
                taken_.push_back(take(island, plan_.taken_ms(k, island, block)));
                any = any || taken_.back() != 0;
            }
            for (std::size_t place = 0; any && place < clique.list.size(); ++place) {
                mix(k, block, clique, place);
            }
        }
    }

    void mix(int k, int block, const CliquePlan& clique, std::size_t place) {
        const int receiver = clique.list[place];
        const Clique expected = plan_.expected(k, receiver);
        if (expected == 0) {
            return;
        }
        Clique merged = expected;
        double complete = 0;
        if (k < plan_.rounds) {
            const Cell& cell = carried_.cells[Carried::at(plan_, k, receiver, block)];
            merged = cell.merged;
            complete = merged == expected ? cell.time_ms : plan_.closed_ms(k, receiver, block);
        } else {
            complete = plan_.arrived_ms(k, receiver, block);
        }
        const double time = plan_.mixed_ms(k, receiver, block, complete);
        if (merged == 0 || (k < plan_.rounds && world_.island_down(receiver, time))) {
            return;
        }
        const Clique known = clique.members & plan_.presence(k).senders;
        double change = -taken_[place];
        if (known == clique.members && merged == expected) {
            for (std::size_t j = 0; j < taken_.size(); ++j) {
                change += clique.weights(place, j) * taken_[j];
            }
        } else {
            const std::vector<double> row = row_of(clique, receiver, known, merged, missing_);
            double sum = 0;
            for (std::size_t j = 0; j < taken_.size(); ++j) {
                change += row[j] * taken_[j];
                sum += row[j];
            }
            worst_row_error = std::max(worst_row_error, std::abs(sum - 1));
        }
        if (change != 0) {
            add({time, receiver, change});
        }
    }

    /// sum_i share_i |held_i - what all agree on in the end|, over time.
    double area(double born_ms) {
        std::ranges::stable_sort(steps_, {}, &Step::time_ms);
        const double agreed = mean(held_);
        std::vector<double> now(held_.size(), 0);
        double area = 0;
        double since = born_ms;
        double height = 0;
        for (const double share : share_) {
            height += share * std::abs(agreed);
        }
        for (const Step& step : steps_) {
            area += height * (step.time_ms - since);
            since = step.time_ms;
            double& held = now[slot(step.island)];
            const double before = std::abs(held - agreed);
            held += step.change;
            height += share_[slot(step.island)] * (std::abs(held - agreed) - before);
        }
        return area;
    }

    const Plan& plan_;
    const World& world_;
    const Carried& carried_;
    Missing missing_;
    const std::vector<double>& share_;
    std::vector<double> held_;                // when all steps are done
    std::vector<double> sent_;                // what was last taken
    std::vector<std::vector<Step>> waiting_;  // steps after that
    std::vector<double> taken_;
    std::vector<Step> steps_;
    std::vector<Clique> later_;  // who sends in a round or in a later one
};

/// Shares of the islands that are there all the time and up in the end; 0 for others.
std::vector<double> measured_shares(const Plan& plan,
                                    const Islands& islands,
                                    const SimulationOptions& options) {
    Clique there = plan.presence(plan.rounds).members;
    for (const Change& change : options.changes) {
        there &= ~(Clique{1} << change.island);
    }
    std::vector<double> share(islands.size(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < share.size(); ++i) {
        share[i] = (there >> i & 1U) != 0 ? islands.islands[i].target : 0;
        sum += share[i];
    }
    for (double& part : share) {
        part = sum > 0 ? part / sum : 0;
    }
    return share;
}

}  // namespace

Births::Births(const Plan& plan, int strata, std::uint64_t seed)
    : plan_(plan), strata_(strata), random_(seed, ~std::uint64_t{0}) {
    for (int i = 0; i < plan.islands; ++i) {
        auto& of_island = next_.emplace_back();
        for (std::size_t k = 0; k < plan.period(); ++k) {
            of_island.emplace_back(random_.uniform(), random_.uniform());
        }
    }
    for (const CliquePlan& clique : plan.round(0).cliques) {
        if (plan.pace == Pace::kStreamed) {
            stagger_ms_ = clique.streams.front().sending_ms;
        }
    }
}

std::pair<double, int> Births::draw(int stratum, int island) {
    const double end = plan_.start_ms(plan_.rounds);
    const int k = plan_.round_at((stratum + random_.uniform()) / strata_ * end);
    auto& [moment, place] = next_[slot(island)][slot(k) % plan_.period()];
    // One after the other in each round of the period: counted over all rounds, every second or
    // third multiple could fall into the same parts of it.
    const auto part = [](double at) { return at - std::floor(at); };
    moment = part(moment + kMoments);
    place = part(place + kBlocks);
    const double time = plan_.start_ms(k) + moment * plan_.round(k).length_ms + place * stagger_ms_;
    const int x = std::min(plan_.blocks - 1, static_cast<int>(place * plan_.blocks));
    return {std::fmod(time, end), x};
}

std::vector<double> row_of(
    const CliquePlan& clique, int receiver, Clique known, Clique merged, Missing missing) {
    const std::size_t k = clique.list.size();
    std::vector<double> row(k, 0);
    const auto place =
        static_cast<std::size_t>(std::ranges::find(clique.list, receiver) - clique.list.begin());
    const Clique own = (Clique{1} << receiver) & known;
    double all = 0;
    double here = 0;
    for (std::size_t j = 0; j < k; ++j) {
        const Clique bit = Clique{1} << clique.list[j];
        row[j] = (known & bit) != 0 ? clique.weights(place, j) : 0;
        all += row[j];
        row[j] = ((merged | own) & bit) != 0 ? row[j] : 0;
        here += row[j];
    }
    const bool to_own = missing == Missing::kOwn && own != 0 && all > 0;
    const double divisor = to_own ? all : here;
    if (!(divisor > 0)) {
        std::ranges::fill(row, 0.0);
        row[place] = 1;
        return row;
    }
    for (double& weight : row) {
        weight /= divisor;
    }
    if (to_own) {
        row[place] += (all - here) / all;
    }
    return row;
}

void follow_births(const Plan& plan,
                   const World& world,
                   const Carried& carried,
                   const Islands& islands,
                   const SimulationOptions& options,
                   Simulation& result) {
    const std::vector<double> share = measured_shares(plan, islands, options);
    std::vector<int> measured;
    double normal = 0;
    for (int i = 0; i < plan.islands; ++i) {
        if (share[slot(i)] > 0) {
            measured.push_back(i);
            normal += 2 * share[slot(i)] * (1 - share[slot(i)]);
        }
    }
    if (measured.size() < 2 || options.births == 0) {
        return;
    }
    normal /= static_cast<double>(measured.size());
    const int strata = (options.births + static_cast<int>(measured.size()) - 1) /
                       static_cast<int>(measured.size());
    Births births(plan, strata, options.seed);
    Birth birth(plan, world, carried, options.missing, share);
    double sum = 0;
    double squares = 0;
    for (int q = 0; q < strata; ++q) {
        for (const int island : measured) {
            const auto [time, block] = births.draw(q, island);
            if (world.island_down(island, time)) {
                continue;
            }
            const double lifetime = birth.follow(time, island, block) / normal;
            ++result.births;
            result.unsettled += birth.settled ? 0 : 1;
            sum += lifetime;
            squares += lifetime * lifetime;
            result.bias += std::abs(birth.mean(birth.held()) / share[slot(island)] - 1);
        }
    }
    const double count = result.births;
    if (count > 0) {
        result.score_ms = sum / count;
        result.bias /= count;
        const double variance = std::max(0.0, squares / count - result.score_ms * result.score_ms);
        result.score_error_ms = std::sqrt(variance / count);
    }
    result.worst_row_error = birth.worst_row_error;
}

}  // namespace longhaul::schedule::detail
