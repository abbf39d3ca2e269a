#include <algorithm>
#include <utility>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Rates that begin (> 0) and end (< 0).
using Edges = std::vector<std::pair<double, double>>;

void add_edges(Edges& edges, double start_ms, double sending_ms, double gbps) {
    edges.emplace_back(start_ms + kSameMs, gbps);
    edges.emplace_back(start_ms + sending_ms, -gbps);
}

double peak_of(Edges& edges) {
    std::ranges::sort(edges);
    double now = 0;
    double peak = 0;
    for (const auto& [time, rate] : edges) {
        now += rate;
        peak = std::max(peak, now);
    }
    return peak;
}

}  // namespace

void measure_loads(const Plan& plan,
                   const Islands& islands,
                   double payload_gb,
                   Simulation& result) {
    std::vector<Edges> links(islands.network.links.size());
    std::vector<Edges> egress(islands.size());
    const int rounds = 2 * static_cast<int>(plan.period()) + 2 * plan.lag();
    for (int k = 0; k < rounds; ++k) {
        for (const CliquePlan& clique : plan.round(k).cliques) {
            for (const StreamPlan& stream : clique.streams) {
                const double gbps = 8000 * payload_gb / stream.sending_ms;
                const double start = plan.start_ms(k) + stream.offset_ms;
                std::vector<double> reached = {start};
                add_edges(egress[slot(stream.sender)], start, stream.sending_ms, gbps);
                for (const Hop& hop : stream.hops) {
                    add_edges(links[hop.link], reached[hop.from], stream.sending_ms, gbps);
                    reached.push_back(reached[hop.from] + hop.latency_ms);
                }
            }
        }
    }
    for (std::size_t id = 0; id < links.size(); ++id) {
        result.link_peak.push_back(peak_of(links[id]) / islands.network.links[id].gbps);
    }
    for (std::size_t i = 0; i < egress.size(); ++i) {
        result.egress_peak.push_back(peak_of(egress[i]) / islands.islands[i].egress_gbps);
    }
}

}  // namespace longhaul::schedule::detail
