#include "longhaul/placement/replay_layers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostDivisionSteps = 4'000'000;  // stages x layers x layers
constexpr std::size_t kMostPaces = 2'000;
constexpr double kPaceDigits = 1e-12;  // relative: sums in another order

/// Seconds of the stages so far.
struct Pace {
    double sum = 0;
    double slowest = 0;
};

class ReplayDivider {
public:
    ReplayDivider(const Problem& problem, std::span<const ReplayPace> stages)
        : problem_(problem), stages_(stages), layers_(problem.workload.layers.size()) {
        for (const workload::Layer& layer : problem.workload.layers) {
            seconds_.push_back(seconds_.back() + layer.seconds);
            static_gb_.push_back(static_gb_.back() + layer.static_gb);
            activation_gb_.push_back(activation_gb_.back() + layer.activation_gb);
        }
    }

    [[nodiscard]] bool worth_it() const {
        return stages_.size() * layers_ * layers_ <= kMostDivisionSteps;
    }

    /// Pairs of sum and slowest stage that no division beats in both; `too_many`: not all.
    std::vector<Pace> pairs(bool& too_many) const {
        std::vector<std::vector<Pace>> known(layers_ + 1);
        known[0] = {{}};
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            std::vector<std::vector<Pace>> next(layers_ + 1);
            for (std::size_t to = s + 1; to <= layers_; ++to) {
                for (std::size_t from = s; from < to; ++from) {
                    if (needed_gb(s, from, to) > stages_[s].memory_gb * (1 + kPaceDigits)) {
                        continue;
                    }
                    const double here = (seconds_[to] - seconds_[from]) / stages_[s].speed;
                    for (const Pace& pace : known[from]) {
                        next[to].push_back({pace.sum + here, std::max(pace.slowest, here)});
                    }
                }
                too_many = too_many || !unbeaten(next[to]);
            }
            known = std::move(next);
        }
        return known[layers_];
    }

    /// The least worst shortage of any division, GB.
    [[nodiscard]] double shortage() const {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        std::vector<double> worst(layers_ + 1, kNever);
        worst[0] = 0;
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            std::vector<double> next(layers_ + 1, kNever);
            for (std::size_t to = s + 1; to <= layers_; ++to) {
                for (std::size_t from = s; from < to; ++from) {
                    const double missing = needed_gb(s, from, to) - stages_[s].memory_gb;
                    next[to] = std::min(next[to], std::max(worst[from], missing));
                }
            }
            worst = std::move(next);
        }
        return worst[layers_];
    }

private:
    [[nodiscard]] double needed_gb(std::size_t s, std::size_t from, std::size_t to) const {
        const int all = problem_.workload.microbatches.value_or(replay_messages(problem_, true));
        const int left = static_cast<int>(stages_.size() - s);
        const int held = problem_.terms.schedule == Schedule::kGpipe ? all : std::min(all, left);
        return static_gb_[to] - static_gb_[from] +
               held * (activation_gb_[to] - activation_gb_[from]);
    }

    /// Keeps what no other beats; false: some of it had to go.
    static bool unbeaten(std::vector<Pace>& paces) {
        std::ranges::sort(paces, [](const Pace& a, const Pace& b) {
            return std::pair(a.slowest, a.sum) < std::pair(b.slowest, b.sum);
        });
        std::vector<Pace> kept;
        for (const Pace& pace : paces) {
            if (kept.empty() || pace.sum < kept.back().sum * (1 - kPaceDigits)) {
                kept.push_back(pace);
            }
        }
        paces = std::move(kept);
        const bool all = paces.size() <= kMostPaces;
        paces.resize(std::min(paces.size(), kMostPaces));
        return all;
    }

    const Problem& problem_;
    std::span<const ReplayPace> stages_;
    std::size_t layers_;
    std::vector<double> seconds_{0};
    std::vector<double> static_gb_{0};
    std::vector<double> activation_gb_{0};
};

}  // namespace

std::vector<ReplayCompute> replay_divisions(const Problem& problem,
                                            std::span<const ReplayPace> stages) {
    const ReplayDivider divider(problem, stages);
    bool too_many = !divider.worth_it();
    const std::vector<Pace> paces = too_many ? std::vector<Pace>() : divider.pairs(too_many);
    if (too_many) {
        std::vector<double> speeds;
        for (const ReplayPace& stage : stages) {
            speeds.push_back(stage.speed);
        }
        return {replay_compute(problem, std::move(speeds))};
    }
    if (paces.empty()) {
        const double seconds = seconds_without_memory(divider.shortage());
        return {replay_one_message(problem, seconds, seconds)};
    }
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, ReplayCompute>> divisions;
    for (const Pace& pace : paces) {
        const ReplayCompute compute = replay_one_message(problem, pace.sum, pace.slowest);
        const double alone = compute.sum + (replay_messages(problem, true) - 1) * compute.forward +
                             (replay_messages(problem, false) - 1) * compute.backward;
        divisions.emplace_back(alone, compute);
        least = std::min(least, alone);
    }
    std::vector<ReplayCompute> best;
    for (const auto& [alone, compute] : divisions) {
        if (alone <= least * (1 + 1e3 * kPaceDigits)) {
            best.push_back(compute);
        }
    }
    return best;
}

}  // namespace longhaul::placement
