// A plain flow simulation: the twin that the simulator must equal. At every event all rates are
// computed anew by fair_rates; every flow is on its own; time is a double.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "longhaul/flowsim/fair_rates.hpp"

namespace longhaul::flowsim {

struct PlainFlow {
    Path path;
    double start_s = 0;
    double gigabits = 0;
    double weight = 1;
    double cap_gbps = std::numeric_limits<double>::infinity();
};

/// Seconds at which each flow was sent. O(flows^2 * sum of path lengths).
inline std::vector<double> plain_simulation(const std::vector<Link>& links,
                                            const std::vector<PlainFlow>& flows) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    std::vector<double> left;
    std::vector<double> sent(flows.size(), kInfinite);
    for (const PlainFlow& flow : flows) {
        left.push_back(flow.gigabits);
    }
    double now = 0;
    for (;;) {
        std::vector<std::size_t> active;
        std::vector<Demand> demands;
        double next_start = kInfinite;
        for (std::size_t f = 0; f < flows.size(); ++f) {
            if (flows[f].start_s > now) {
                next_start = std::min(next_start, flows[f].start_s);
            } else if (sent[f] == kInfinite) {
                active.push_back(f);
                demands.push_back({flows[f].path, flows[f].weight, flows[f].cap_gbps});
            }
        }
        if (active.empty() && next_start == kInfinite) {
            return sent;
        }
        const std::vector<double> rate = fair_rates(links, demands);
        double step = next_start - now;
        for (std::size_t i = 0; i < active.size(); ++i) {
            step = std::min(step, left[active[i]] / rate[i]);
        }
        for (std::size_t i = 0; i < active.size(); ++i) {
            const std::size_t f = active[i];
            const bool ends = left[f] <= rate[i] * step * (1 + 1e-12);
            left[f] = ends ? 0 : left[f] - rate[i] * step;
            sent[f] = ends ? now + step : sent[f];
        }
        now = next_start - now <= step ? next_start : now + step;
    }
}

}  // namespace longhaul::flowsim
