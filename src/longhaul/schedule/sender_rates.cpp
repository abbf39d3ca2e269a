#include "longhaul/schedule/sender_rates.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/linear_program.hpp"

namespace longhaul::schedule {

using detail::slot;

namespace {

/// What an optimum may miss, relative.
constexpr double kSlack = 1e-10;

struct Program {
    detail::LinearProgram program;
    int time = 0;
    std::vector<int> sending;  ///< one variable for all, or one a member
    std::vector<int> offset;
};

std::vector<std::size_t> senders_to(const CliqueProblem& problem, std::size_t r) {
    std::vector<std::size_t> senders;
    for (std::size_t i = 0; i < problem.size(); ++i) {
        if (problem.has_stream(i, r)) {
            senders.push_back(i);
        }
    }
    return senders;
}

/// x of sender i is there before x + m of sender j, at both ends of x.
void add_memory(Program& p, const CliqueProblem& problem, std::size_t r) {
    const double share = problem.memory_share[r];
    const std::vector<std::size_t> senders = senders_to(problem, r);
    if (senders.size() < 2 || share >= 1) {
        return;
    }
    for (const std::size_t i : senders) {
        for (const std::size_t j : senders) {
            const double behind =
                problem.latency_ms(i, r) - problem.latency_ms(j, r) + problem.guard_ms;
            for (const double x : {0.0, 1 - share}) {
                p.program.add_at_least({{p.offset[j], 1},
                                        {p.sending[j], x + share},
                                        {p.offset[i], -1},
                                        {p.sending[i], -x}},
                                       behind);
            }
        }
    }
}

Program program_of(const CliqueProblem& problem,
                   const std::vector<double>& floor_ms,
                   bool one_rate) {
    const std::size_t k = problem.size();
    Program p;
    p.time = p.program.add_variable(0, 1);
    for (std::size_t i = 0; i < k; ++i) {
        p.offset.push_back(p.program.add_variable(0, 0));
        const double least = std::max(problem.least_ms, floor_ms[i]);
        if (one_rate && i > 0) {
            p.sending.push_back(p.sending.front());
            p.program.add_at_least({{p.sending.front(), 1}}, least);
        } else {
            p.sending.push_back(p.program.add_variable(least, 0));
        }
    }
    for (std::size_t r = 0; r < k; ++r) {
        for (const std::size_t i : senders_to(problem, r)) {
            p.program.add_at_least({{p.time, 1}, {p.offset[i], -1}, {p.sending[i], -1}},
                                   problem.latency_ms(i, r));
        }
        add_memory(p, problem, r);
    }
    return p;
}

}  // namespace

std::optional<SenderTimes> sender_times(const CliqueProblem& problem,
                                        const std::vector<double>& floor_ms,
                                        bool one_rate) {
    const std::size_t k = problem.size();
    LONGHAUL_ASSERT(floor_ms.size() == k);
    if (k == 1) {
        return SenderTimes{0, {0}, {0}};
    }
    Program p = program_of(problem, floor_ms, one_rate);
    auto solution = p.program.minimise();
    if (!solution) {
        return std::nullopt;
    }
    SenderTimes found;
    found.time_ms = solution->values[slot(p.time)];
    // Of all that end then, late ones.
    p.program.add_at_most({{p.time, 1}}, found.time_ms * (1 + kSlack));
    p.program.set_cost(p.time, 0);
    for (const int offset : p.offset) {
        p.program.set_cost(offset, -1);
    }
    if (auto late = p.program.minimise()) {
        solution = std::move(late);
    }
    for (std::size_t i = 0; i < k; ++i) {
        found.offset_ms.push_back(solution->values[slot(p.offset[i])]);
        found.sending_ms.push_back(solution->values[slot(p.sending[i])]);
    }
    return found;
}

std::vector<double> held_shares(const CliqueProblem& problem, const SenderTimes& times) {
    std::vector<double> held(problem.size(), 0);
    for (std::size_t r = 0; r < problem.size(); ++r) {
        const std::vector<std::size_t> senders = senders_to(problem, r);
        if (senders.size() < 2) {
            continue;
        }
        const auto start = [&](std::size_t i) {
            return times.offset_ms[i] + problem.latency_ms(i, r);
        };
        // What has come from the first less what has come from the last: pieces meet where streams
        // start, end, or one overtakes another.
        std::vector<double> moments;
        for (const std::size_t i : senders) {
            moments.push_back(start(i));
            moments.push_back(start(i) + times.sending_ms[i]);
            for (const std::size_t j : senders) {
                const double faster = times.sending_ms[j] - times.sending_ms[i];
                if (faster != 0) {
                    moments.push_back(
                        (start(i) * times.sending_ms[j] - start(j) * times.sending_ms[i]) / faster);
                }
            }
        }
        for (const double moment : moments) {
            double most = 0;
            double least = 1;
            for (const std::size_t i : senders) {
                const double come = std::clamp((moment - start(i)) / times.sending_ms[i], 0.0, 1.0);
                most = std::max(most, come);
                least = std::min(least, come);
            }
            held[r] = std::max(held[r], most - least);
        }
    }
    return held;
}

std::optional<LeastMemory> least_memory(const CliqueProblem& problem,
                                        const std::vector<double>& floor_ms,
                                        double time_ms,
                                        bool one_rate) {
    const auto with = [&](double share) {
        CliqueProblem other = problem;
        std::ranges::fill(other.memory_share, share);
        auto found = sender_times(other, floor_ms, one_rate);
        if (found && found->time_ms > time_ms * (1 + kSlack)) {
            found.reset();
        }
        return found;
    };
    LeastMemory least;
    double low = 0;
    double high = 1;
    if (auto none = with(0)) {
        return LeastMemory{0, std::move(*none)};
    }
    auto whole = with(1);
    if (!whole) {
        return std::nullopt;
    }
    least = {1, std::move(*whole)};
    while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        if (auto found = with(middle)) {
            least = {middle, std::move(*found)};
            high = middle;
        } else {
            low = middle;
        }
    }
    return least;
}

}  // namespace longhaul::schedule
