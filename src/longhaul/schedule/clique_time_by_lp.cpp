#include <limits>

#include "longhaul/schedule/clique_time.hpp"
#include "longhaul/schedule/detail/linear_program.hpp"

namespace longhaul::schedule {

std::optional<CliqueTime> clique_time_by_lp(const CliqueProblem& problem) {
    const std::size_t k = problem.size();
    if (k == 1) {
        return CliqueTime{0, 0, {0}, {0}, {0}};
    }
    detail::LinearProgram program;
    const int time = program.add_variable(0, 1);
    const int sending = program.add_variable(problem.least_ms, 0);
    std::vector<int> offset;
    std::vector<int> first;
    std::vector<int> last;
    for (std::size_t i = 0; i < k; ++i) {
        offset.push_back(program.add_variable(0, 0));
        first.push_back(program.add_variable(0, 0));
        last.push_back(program.add_variable(0, 0));
    }
    for (std::size_t r = 0; r < k; ++r) {
        int streams = 0;
        for (std::size_t i = 0; i < k; ++i) {
            streams += problem.has_stream(i, r) ? 1 : 0;
        }
        for (std::size_t i = 0; i < k; ++i) {
            if (!problem.has_stream(i, r)) {
                continue;
            }
            const double latency = problem.latency_ms(i, r);
            program.add_at_least({{time, 1}, {offset[i], -1}, {sending, -1}}, latency);
            program.add_at_least({{last[r], 1}, {offset[i], -1}}, latency);
            program.add_at_least({{offset[i], 1}, {first[r], -1}}, -latency);
        }
        if (streams >= 2) {
            program.add_at_least({{sending, problem.memory_share[r]}, {last[r], -1}, {first[r], 1}},
                                 problem.guard_ms);
        }
    }
    const auto solution = program.minimise();
    if (!solution) {
        return std::nullopt;
    }
    CliqueTime found;
    const auto value = [&](int variable) {
        return solution->values[static_cast<std::size_t>(variable)];
    };
    found.time_ms = value(time);
    found.sending_ms = value(sending);
    for (std::size_t i = 0; i < k; ++i) {
        found.offset_ms.push_back(value(offset[i]));
        found.first_ms.push_back(value(first[i]));
        found.last_ms.push_back(value(last[i]));
    }
    return found;
}

}  // namespace longhaul::schedule
