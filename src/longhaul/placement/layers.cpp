#include "longhaul/placement/layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/grid.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr int kHalvings = 20;
constexpr double kDivisionTie = 1e-12;  // relative

/// Sums over stretches of layers.
class Divider {
public:
    Divider(const std::vector<Layer>& layers,
            const std::vector<StageDevices>& stages,
            const PipelineCompute& compute)
        : stages_(stages),
          compute_(compute),
          l_(static_cast<int>(layers.size())),
          p_(static_cast<int>(stages.size())) {
        for (const Layer& layer : layers) {
            seconds_.push_back(seconds_.back() + layer.seconds);
            static_gb_.push_back(static_gb_.back() + layer.static_gb);
            activation_gb_.push_back(activation_gb_.back() + layer.activation_gb);
        }
    }

    LayerDivision run() {
        const std::vector<int> unlimited = least_sum(kNone);
        if (unlimited.empty()) {
            return {{}, {}, {}, 0, what_is_missing()};
        }
        LayerDivision best = division(unlimited);
        const double m = compute_.parts();
        const double least = sum_of(best);
        const double fastest = fastest_limit(best);
        // From the highest limit that can win or draw level downwards: a lower limit makes the sum
        // larger. What is left cannot win once the sum so far with the fastest slowest stage does
        // not.
        double sum = least;
        while (m > 1 && sum + (m - 1) * fastest <= m * best.seconds * (1 + kDivisionTie)) {
            const double winning = (m * best.seconds - least) / (m - 1) * (1 + 2 * kDivisionTie);
            const std::vector<int> first = least_sum(std::min(limit_, winning));
            if (first.empty()) {
                break;
            }
            LayerDivision found = division(first);
            limit_ = std::ranges::max(found.stage_seconds);
            sum = sum_of(found);
            if (better(found, best)) {
                best = std::move(found);
            }
        }
        return best;
    }

private:
    [[nodiscard]] double stage_seconds(int stage, int from, int to) const {
        return (seconds_[to] - seconds_[from]) / stages_[stage].speed;
    }
    [[nodiscard]] double stage_gb(int stage, int from, int to) const {
        return static_gb_[to] - static_gb_[from] +
               compute_.in_flight(stage, p_) * (activation_gb_[to] - activation_gb_[from]);
    }
    [[nodiscard]] bool fits(int stage, int from, int to) const {
        // Sums of layers may differ in their last digits from the memory that they fill exactly.
        return stage_gb(stage, from, to) <= stages_[stage].memory_gb * (1 + 1e-12);
    }

    static double sum_of(const LayerDivision& division) {
        return std::accumulate(division.stage_seconds.begin(), division.stage_seconds.end(), 0.0);
    }

    /// Of equal compute, a smaller sum: its slowest stage takes longer, and may do so while the
    /// next message is under way.
    static bool better(const LayerDivision& found, const LayerDivision& best) {
        const double rounding = kDivisionTie * best.seconds;
        return found.seconds < best.seconds - rounding ||
               (found.seconds <= best.seconds + rounding &&
                sum_of(found) < sum_of(best) - kDivisionTie * sum_of(best));
    }

    /// No division has a faster slowest stage; `best` is a division, and becomes a better one when
    /// one is met.
    double fastest_limit(LayerDivision& best) {
        double low = 0;
        double high = limit_ = std::ranges::max(best.stage_seconds);
        for (int i = 0; i < kHalvings && low < high; ++i) {
            const double middle = low + (high - low) / 2;
            const std::vector<int> first = least_sum(middle);
            if (first.empty()) {
                low = middle;
                continue;
            }
            LayerDivision found = division(first);
            high = std::ranges::max(found.stage_seconds);
            if (better(found, best)) {
                best = std::move(found);
            }
        }
        return low;
    }

    /// First layers of the division of least sum of stage seconds, all below the limit; empty when
    /// there is none. With least[s][l] the least sum of s stages that hold the first l layers,
    ///     least[s + 1][l] = seconds(l) / v + min over from < l of least[s][from] - seconds(from) /
    ///     v
    /// where `from` runs over a window that only moves up with l: a queue of falling values holds
    /// it.
    std::vector<int> least_sum(double limit) const {
        std::vector<double> least(l_ + 1, kNone);
        least[0] = 0;
        core::Grid<int> from(p_, l_ + 1, -1);
        std::vector<int> queue(l_ + 1);
        std::vector<double> value(l_ + 1);
        for (int s = 0; s < p_; ++s) {
            for (int j = 0; j <= l_; ++j) {
                value[j] = least[j] - seconds_[j] / stages_[s].speed;
            }
            int head = 0;
            int tail = 0;
            std::vector<double> next(l_ + 1, kNone);
            for (int l = s + 1; l <= l_ - (p_ - 1 - s); ++l) {
                if (value[l - 1] < kNone) {
                    while (tail > head && value[queue[tail - 1]] >= value[l - 1]) {
                        --tail;
                    }
                    queue[tail++] = l - 1;
                }
                while (head < tail &&
                       !(stage_seconds(s, queue[head], l) < limit && fits(s, queue[head], l))) {
                    ++head;
                }
                if (head < tail) {
                    from(s, l) = queue[head];
                    next[l] = least[queue[head]] + stage_seconds(s, queue[head], l);
                }
            }
            least = std::move(next);
        }
        return least[l_] < kNone ? walk_back(from) : std::vector<int>();
    }

    [[nodiscard]] std::vector<int> walk_back(const core::Grid<int>& from) const {
        std::vector<int> first(p_);
        int end = l_;
        for (int s = p_ - 1; s >= 0; --s) {
            end = first[s] = from(s, end);
        }
        return first;
    }

    [[nodiscard]] LayerDivision division(const std::vector<int>& first) const {
        LayerDivision division;
        division.first = first;
        for (int s = 0; s < p_; ++s) {
            const int end = s + 1 < p_ ? first[s + 1] : l_;
            division.stage_seconds.push_back(stage_seconds(s, first[s], end));
            division.stage_gb.push_back(stage_gb(s, first[s], end));
        }
        division.seconds = compute_.seconds(division.stage_seconds);
        return division;
    }

    /// The division whose worst shortage is least, by dynamic programming over (stage, layer).
    [[nodiscard]] MissingMemory what_is_missing() const {
        if (l_ < p_) {
            return {};
        }
        const auto shortage = [this](int s, int from, int to) {
            return std::max(0.0, stage_gb(s, from, to) - stages_[s].memory_gb);
        };
        std::vector<double> worst(l_ + 1, kNone);
        worst[0] = 0;
        core::Grid<int> from(p_, l_ + 1, -1);
        for (int s = 0; s < p_; ++s) {
            std::vector<double> next(l_ + 1, kNone);
            for (int l = s + 1; l <= l_ - (p_ - 1 - s); ++l) {
                for (int j = s; j < l; ++j) {
                    const double here = std::max(worst[j], shortage(s, j, l));
                    if (here < next[l]) {
                        next[l] = here;
                        from(s, l) = j;
                    }
                }
            }
            worst = std::move(next);
        }
        const LayerDivision closest = division(walk_back(from));
        MissingMemory missing;
        for (int s = 0; s < p_; ++s) {
            const double gb = closest.stage_gb[s] - stages_[s].memory_gb;
            if (gb > missing.missing_gb) {
                missing = {s, closest.stage_gb[s], gb};
            }
        }
        return missing;
    }

    const std::vector<StageDevices>& stages_;
    const PipelineCompute& compute_;
    int l_;
    int p_;
    std::vector<double> seconds_{0};
    std::vector<double> static_gb_{0};
    std::vector<double> activation_gb_{0};
    double limit_ = kNone;  // every division with a slower or equally slow stage is done with
};

}  // namespace

std::string_view name_of(Schedule schedule) {
    return schedule == Schedule::kGpipe ? "gpipe" : "1f1b";
}

std::optional<Schedule> schedule_of_name(std::string_view name) {
    for (const Schedule schedule : {Schedule::kGpipe, Schedule::kOneForwardOneBackward}) {
        if (name_of(schedule) == name) {
            return schedule;
        }
    }
    return std::nullopt;
}

int PipelineCompute::in_flight(int s, int stages) const {
    return schedule == Schedule::kGpipe ? microbatches : std::min(microbatches, stages - s);
}

double PipelineCompute::seconds(const std::vector<double>& stage_seconds) const {
    const double sum = std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0);
    const double slowest = stage_seconds.empty() ? 0 : std::ranges::max(stage_seconds);
    return (sum + (parts() - 1) * slowest) / parts();
}

LayerDivision divide_layers(const std::vector<Layer>& layers,
                            const std::vector<StageDevices>& stages,
                            const PipelineCompute& compute) {
    LONGHAUL_ASSERT(!stages.empty() && compute.microbatches >= 1);
    if (layers.size() < stages.size()) {
        return {{}, {}, {}, 0, MissingMemory{}};
    }
    return Divider(layers, stages, compute).run();
}

double compute_bound(std::vector<double> speeds,
                     int stages,
                     int dp,
                     double work,
                     double slowest_layer,
                     double parts) {
    LONGHAUL_ASSERT(speeds.size() >= static_cast<std::size_t>(stages) * dp && stages >= 1);
    std::ranges::sort(speeds, std::greater());
    std::vector<double> fastest;  // of stages, at best
    for (int s = 0; s < stages; ++s) {
        fastest.push_back(speeds[static_cast<std::size_t>(s + 1) * dp - 1]);
    }
    // Given a limit x on the slowest stage, the least sum fills the fastest stages up to x. Both
    // the sum and x are then linear in x between the limits at which one more stage is full.
    const double least_limit = slowest_layer / fastest.front();
    const auto seconds = [&](double limit) {
        double left = work;
        double sum = 0;
        for (const double speed : fastest) {
            const double t = std::min(limit, left / speed);
            sum += t;
            left -= t * speed;
        }
        return (sum + (parts - 1) * limit) / parts;
    };
    double best = kNone;
    double together = 0;
    for (const double speed : fastest) {
        together += speed;
        best = std::min(best, seconds(std::max(least_limit, work / together)));
    }
    return best;
}

}  // namespace longhaul::placement
