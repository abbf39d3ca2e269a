#include "longhaul/schedule/clique_time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule {

using detail::kNever;

namespace {

/// More steps than T(s) has pieces: a guard against rounding that goes in circles.
constexpr int kMaxSteps = 200;

/// A line a + b s through the point that was looked at: its value there and its slope.
struct Line {
    double value = kNever;
    double slope = 0;
};

/// A function of the time of sending at one point, or the condition that fails there.
struct Look {
    bool feasible = true;
    Line line;  ///< T(s) when feasible; else a sum of conditions around a circle, negative
    core::Grid<Line> closure;  ///< (i, j): the most by which offset i may exceed offset j
};

/// The program of one clique as a function of the time of sending.
class Sending {
public:
    explicit Sending(const CliqueProblem& problem) : problem_(problem), far_(problem.size(), 0) {
        double longest = 1;
        for (std::size_t i = 0; i < size(); ++i) {
            for (std::size_t r = 0; r < size(); ++r) {
                if (problem.has_stream(i, r)) {
                    far_[i] = std::max(far_[i], problem.latency_ms(i, r));
                    longest = std::max(longest, problem.latency_ms(i, r));
                }
            }
        }
        slack_ = 1e-10 * longest;
    }

    [[nodiscard]] std::size_t size() const { return problem_.size(); }
    [[nodiscard]] double slack() const { return slack_; }
    [[nodiscard]] double farthest() const { return *std::ranges::max_element(far_); }

    [[nodiscard]] Look at(double sending) const {
        Look look;
        look.closure = conditions(sending);
        core::Grid<Line>& d = look.closure;
        for (std::size_t via = 0; via < size(); ++via) {
            for (std::size_t i = 0; i < size(); ++i) {
                if (d(i, via).value == kNever) {
                    continue;
                }
                for (std::size_t j = 0; j < size(); ++j) {
                    const double through = d(i, via).value + d(via, j).value;
                    if (through < d(i, j).value) {
                        d(i, j) = {through, d(i, via).slope + d(via, j).slope};
                    }
                }
                if (d(i, i).value < -slack_) {
                    look.feasible = false;
                    look.line = d(i, i);
                    return look;
                }
                d(i, i) = {0, 0};
            }
        }
        look.line = longest_chain(d, sending);
        return look;
    }

    /// Everything at a time of sending, with the latest offsets that end by `time`.
    [[nodiscard]] CliqueTime schedule(const core::Grid<Line>& closure,
                                      double sending,
                                      double time) const {
        CliqueTime found{time, sending, {}, {}, {}};
        for (std::size_t i = 0; i < size(); ++i) {
            double latest = kNever;
            for (std::size_t j = 0; j < size(); ++j) {
                latest = std::min(latest, time - sending - far_[j] + closure(i, j).value);
            }
            found.offset_ms.push_back(std::max(0.0, latest));
        }
        for (std::size_t r = 0; r < size(); ++r) {
            double first = kNever;
            double last = 0;
            for (std::size_t i = 0; i < size(); ++i) {
                if (problem_.has_stream(i, r)) {
                    const double arrival = found.offset_ms[i] + problem_.latency_ms(i, r);
                    first = std::min(first, arrival);
                    last = std::max(last, arrival);
                }
            }
            found.first_ms.push_back(first == kNever ? 0 : first);
            found.last_ms.push_back(last);
        }
        return found;
    }

private:
    /// What the memory of each common receiver asks of two offsets: o_i <= o_j + (i, j).
    [[nodiscard]] core::Grid<Line> conditions(double sending) const {
        core::Grid<Line> d(size(), size());
        for (std::size_t r = 0; r < size(); ++r) {
            const double share = problem_.memory_share[r];
            for (std::size_t i = 0; i < size(); ++i) {
                if (!problem_.has_stream(i, r)) {
                    continue;
                }
                for (std::size_t j = 0; j < size(); ++j) {
                    if (i == j || !problem_.has_stream(j, r)) {
                        continue;
                    }
                    const double most = share * sending - problem_.guard_ms +
                                        problem_.latency_ms(j, r) - problem_.latency_ms(i, r);
                    if (most < d(i, j).value) {
                        d(i, j) = {most, share};
                    }
                }
            }
        }
        for (std::size_t i = 0; i < size(); ++i) {
            d(i, i) = {0, 0};
        }
        return d;
    }

    /// T: the time of sending and the longest chain of an offset that another forces, then its
    /// farthest receiver. Among equals the steepest, so that its slope is the one to the right.
    [[nodiscard]] Line longest_chain(const core::Grid<Line>& d, double sending) const {
        Line best{-kNever, 0};
        for (std::size_t i = 0; i < size(); ++i) {
            for (std::size_t j = 0; j < size(); ++j) {
                if (d(i, j).value == kNever) {
                    continue;
                }
                const Line chain{sending + far_[j] - d(i, j).value, 1 - d(i, j).slope};
                const double more = chain.value - best.value;
                if (more > slack_ || (more >= -slack_ && chain.slope > best.slope)) {
                    best = {std::max(chain.value, best.value), chain.slope};
                }
            }
        }
        return best;
    }

    const CliqueProblem& problem_;
    std::vector<double> far_;
    double slack_ = 0;
};

/// The least time of sending from `least` on at which all conditions can hold.
std::optional<std::pair<double, Look>> first_feasible(const Sending& clique, double least) {
    double sending = least;
    for (int step = 0; step < kMaxSteps; ++step) {
        Look look = clique.at(sending);
        if (look.feasible) {
            return std::pair(sending, std::move(look));
        }
        if (look.line.slope <= 0) {
            return std::nullopt;
        }
        // At least the slack, so that rounding does not make steps of nothing.
        sending += std::max(-look.line.value / look.line.slope, 1e-12 * (1 + sending));
    }
    return std::nullopt;
}

}  // namespace

std::optional<CliqueTime> clique_time(const CliqueProblem& problem) {
    LONGHAUL_ASSERT(problem.size() > 0);
    if (problem.size() == 1) {
        return CliqueTime{0, 0, {0}, {0}, {0}};
    }
    const Sending clique(problem);
    auto start = first_feasible(clique, problem.least_ms);
    if (!start) {
        return std::nullopt;
    }
    auto [sending, look] = std::move(*start);
    if (look.line.slope >= 0) {
        return clique.schedule(look.closure, sending, look.line.value);
    }
    // T falls here, and rises in the end: T >= s + the farthest receiver. Cut planes from both.
    Line left = look.line;
    double left_at = sending;
    Line right{sending + clique.farthest(), 1};
    double right_at = sending;
    for (int step = 0; step < kMaxSteps; ++step) {
        const double meet =
            (right.value - right.slope * right_at - left.value + left.slope * left_at) /
            (left.slope - right.slope);
        const double least = left.value + left.slope * (meet - left_at);
        Look there = clique.at(meet);
        LONGHAUL_ASSERT(there.feasible);  // to the right of a feasible point
        if (there.line.value <= least + 10 * clique.slack() || step + 1 == kMaxSteps) {
            return clique.schedule(there.closure, meet, there.line.value);
        }
        if (there.line.slope < 0) {
            left = there.line;
            left_at = meet;
        } else {
            right = there.line;
            right_at = meet;
        }
    }
    return std::nullopt;
}

std::optional<CliqueTime> slowest_within(const CliqueProblem& problem, double time_ms) {
    LONGHAUL_ASSERT(problem.size() > 0);
    if (problem.size() == 1) {
        return CliqueTime{time_ms, time_ms, {0}, {0}, {0}};
    }
    const Sending clique(problem);
    double sending = time_ms - clique.farthest();
    for (int step = 0; step < kMaxSteps && sending >= problem.least_ms; ++step) {
        const Look look = clique.at(sending);
        if (!look.feasible) {
            return std::nullopt;
        }
        if (look.line.value <= time_ms + 10 * clique.slack()) {
            return clique.schedule(look.closure, sending, std::max(time_ms, look.line.value));
        }
        if (look.line.slope <= 0) {
            return std::nullopt;
        }
        sending -= (look.line.value - time_ms) / look.line.slope;
    }
    return std::nullopt;
}

std::optional<Misaligned> why_not(const CliqueProblem& problem) {
    if (problem.size() < 3 || clique_time(problem)) {
        return std::nullopt;
    }
    const std::size_t k = problem.size();
    std::optional<Misaligned> worst;
    const auto consider = [&](const std::vector<int>& members) {
        CliqueProblem part;
        part.latency_ms = core::Grid<double>(members.size(), members.size());
        part.guard_ms = problem.guard_ms;
        for (std::size_t i = 0; i < members.size(); ++i) {
            part.memory_share.push_back(problem.memory_share[static_cast<std::size_t>(members[i])]);
            for (std::size_t j = 0; j < members.size(); ++j) {
                part.latency_ms(i, j) = problem.latency_ms(static_cast<std::size_t>(members[i]),
                                                           static_cast<std::size_t>(members[j]));
            }
        }
        if (first_feasible(Sending(part), problem.least_ms)) {
            return;
        }
        // With memory for the whole of s, the least s that is feasible is the spread.
        std::ranges::fill(part.memory_share, 1.0);
        const auto spread = first_feasible(Sending(part), 0);
        if (spread && (!worst || spread->first > worst->spread_ms)) {
            worst = Misaligned{members, spread->first};
        }
    };
    const int n = static_cast<int>(k);
    for (int a = 0; problem.sends.empty() && a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
            for (int c = b + 1; c < n; ++c) {
                consider({a, b, c});
            }
        }
    }
    for (int a = 0; problem.sends.empty() && !worst && a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
            for (int c = b + 1; c < n; ++c) {
                for (int d = c + 1; d < n; ++d) {
                    consider({a, b, c, d});
                }
            }
        }
    }
    if (worst) {
        return worst;
    }
    Misaligned all;
    for (int i = 0; i < n; ++i) {
        all.members.push_back(i);
    }
    CliqueProblem whole = problem;
    std::ranges::fill(whole.memory_share, 1.0);
    const auto spread = first_feasible(Sending(whole), 0);
    all.spread_ms = spread ? spread->first : 0;
    return all;
}

}  // namespace longhaul::schedule
