#include "longhaul/study/exchange_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/ring.hpp"

namespace longhaul::study {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMsOfGb = 8000;  // one GB at one Gbit/s

/// The one-way path of a pair: directed links.
using Path = std::vector<std::uint32_t>;

Path path_of(const schedule::Islands& islands, std::size_t from, std::size_t to) {
    const topology::Stream stream{static_cast<int>(from), {static_cast<int>(to)}, 1};
    return topology::shortest_trees(islands.network, {stream}).front().links;
}

double latency_of(const schedule::Islands& islands, const Path& path) {
    double ms = 0;
    for (const std::uint32_t link : path) {
        ms += islands.network.links[link].latency_ms;
    }
    return ms;
}

/// Time to send a payload along each path at once when paths share links equally and each ends at
/// access links of its own; without latency.
double sending_ms(const schedule::Islands& islands,
                  const Path& path,
                  const std::vector<double>& on_link,
                  double payload_gb) {
    double ms = 0;
    for (const std::uint32_t link : path) {
        ms = std::max(ms, kMsOfGb * payload_gb * on_link[link] / islands.network.links[link].gbps);
    }
    return ms;
}

std::vector<double> loads_of(const schedule::Islands& islands, const std::vector<Path>& paths) {
    std::vector<double> on_link(islands.network.links.size(), 0);
    for (const Path& path : paths) {
        for (const std::uint32_t link : path) {
            on_link[link] += 1;
        }
    }
    return on_link;
}

/// One step over a hop that has its links to itself.
double hop_ms(const schedule::Islands& islands,
              std::size_t from,
              std::size_t to,
              const Path& path,
              double chunk_gb) {
    const std::vector<double> alone(islands.network.links.size(), 1);
    const double access =
        kMsOfGb * chunk_gb /
        std::min(islands.islands[from].egress_gbps, islands.islands[to].ingress_gbps);
    return latency_of(islands, path) + std::max(access, sending_ms(islands, path, alone, chunk_gb));
}

/// The slowest step of a ring in one direction, with what its hops share.
double slowest_step_ms(const schedule::Islands& islands,
                       const std::vector<int>& order,
                       double chunk_gb) {
    std::vector<Path> paths;
    const std::size_t n = order.size();
    const auto member = [&](std::size_t i) { return static_cast<std::size_t>(order[i % n]); };
    for (std::size_t i = 0; i < n; ++i) {
        paths.push_back(path_of(islands, member(i), member(i + 1)));
    }
    const std::vector<double> on_link = loads_of(islands, paths);
    double slowest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double access = kMsOfGb * chunk_gb /
                              std::min(islands.islands[member(i)].egress_gbps,
                                       islands.islands[member(i + 1)].ingress_gbps);
        const double sending = std::max(access, sending_ms(islands, paths[i], on_link, chunk_gb));
        slowest = std::max(slowest, sending + latency_of(islands, paths[i]));
    }
    return slowest;
}

/// Least latency from an island to each node, over any links that are up.
std::vector<double> least_latency_ms(const schedule::Islands& islands, std::size_t from) {
    std::vector<double> ms(static_cast<std::size_t>(islands.network.nodes), kNever);
    ms[from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const topology::Link& link : islands.network.links) {
            const double there = ms[link.from] + link.latency_ms;
            if (!link.down && there < ms[link.to]) {
                ms[link.to] = there;
                changed = true;
            }
        }
    }
    return ms;
}

}  // namespace

std::string_view name_of(ExchangeKind kind) {
    switch (kind) {
        case ExchangeKind::kMulticast:
            return "multicast";
        case ExchangeKind::kRing:
            return "ring";
        case ExchangeKind::kUnicast:
            return "unicast";
    }
    return "";
}

ExchangeTime multicast_time(schedule::RoundTimes& times) {
    const std::size_t n = times.islands().size();
    ExchangeTime found{ExchangeKind::kMulticast, 0, ""};
    if (n < 2) {
        return found;
    }
    const schedule::Clique all = n == 64 ? ~schedule::Clique{0} : (schedule::Clique{1} << n) - 1;
    const schedule::Round round{{all}};
    found.ms = times.time_ms(round);
    if (!std::isfinite(found.ms)) {
        found.detail = times.reason(round);
    }
    return found;
}

ExchangeTime ring_time(schedule::RoundTimes& times) {
    const schedule::Islands& islands = times.islands();
    const std::size_t n = islands.size();
    ExchangeTime found{ExchangeKind::kRing, 0, ""};
    if (n < 2) {
        return found;
    }
    const double chunk_gb = times.capabilities().payload_gb / static_cast<double>(n);
    core::Grid<double> hops(n, n, 0);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            if (a != b) {
                const double ms = hop_ms(islands, a, b, path_of(islands, a, b), chunk_gb);
                hops(a, b) = std::max(hops(a, b), ms);
                hops(b, a) = std::max(hops(b, a), ms);
            }
        }
    }
    placement::Ring ring = placement::best_ring(hops);
    placement::shorten(ring, hops);
    std::vector<int> back(ring.order.rbegin(), ring.order.rend());
    const double there_ms = slowest_step_ms(islands, ring.order, chunk_gb);
    const double back_ms = slowest_step_ms(islands, back, chunk_gb);
    found.ms = 2 * static_cast<double>(n - 1) * std::min(there_ms, back_ms);
    for (const int member : back_ms < there_ms ? back : ring.order) {
        found.detail += (found.detail.empty() ? "" : " - ") +
                        islands.islands[static_cast<std::size_t>(member)].name;
    }
    return found;
}

ExchangeTime unicast_time(schedule::RoundTimes& times) {
    const schedule::Islands& islands = times.islands();
    const std::size_t n = islands.size();
    const double payload_gb = times.capabilities().payload_gb;
    ExchangeTime found{ExchangeKind::kUnicast, 0, ""};
    std::vector<Path> paths;
    double latency = 0;
    for (std::size_t a = 0; a < n; ++a) {
        const schedule::Island& island = islands.islands[a];
        const double copies = static_cast<double>(n - 1) * payload_gb;
        found.ms = std::max(found.ms,
                            kMsOfGb * copies / std::min(island.egress_gbps, island.ingress_gbps));
        for (std::size_t b = 0; b < n; ++b) {
            if (a != b) {
                paths.push_back(path_of(islands, a, b));
                latency = std::max(latency, latency_of(islands, paths.back()));
            }
        }
    }
    const std::vector<double> on_link = loads_of(islands, paths);
    for (const Path& path : paths) {
        found.ms = std::max(found.ms, sending_ms(islands, path, on_link, payload_gb));
    }
    found.ms = n < 2 ? 0 : found.ms + latency;
    return found;
}

std::vector<ExchangeTime> exchange_times(schedule::RoundTimes& times, bool multicast) {
    std::vector<ExchangeTime> all;
    if (multicast) {
        all.push_back(multicast_time(times));
    }
    all.push_back(ring_time(times));
    all.push_back(unicast_time(times));
    return all;
}

const ExchangeTime& fastest(const std::vector<ExchangeTime>& times) {
    LONGHAUL_ASSERT(!times.empty());
    return *std::ranges::min_element(times, {}, &ExchangeTime::ms);
}

double exchange_bound_ms(const schedule::Islands& islands, double payload_gb) {
    const std::size_t n = islands.size();
    std::vector<double> out(n, 0);
    std::vector<double> in(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double> ms = least_latency_ms(islands, i);
        for (std::size_t j = 0; j < n; ++j) {
            out[i] = std::max(out[i], ms[j]);
            in[j] = std::max(in[j], ms[j]);
        }
    }
    double bound = 0;
    for (std::size_t i = 0; i < n && n > 1; ++i) {
        const schedule::Island& island = islands.islands[i];
        bound = std::max({bound,
                          out[i] + kMsOfGb * payload_gb / island.egress_gbps,
                          in[i] + kMsOfGb * payload_gb / island.ingress_gbps});
    }
    return bound;
}

}  // namespace longhaul::study
