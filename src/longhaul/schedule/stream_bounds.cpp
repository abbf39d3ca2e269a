#include "longhaul/schedule/detail/stream_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Largest sum of latencies over permutations of the members; members may stay. O(k^2 2^k).
double largest_permutation(const std::vector<int>& members, const core::Grid<double>& latency) {
    const std::size_t k = members.size();
    std::vector<double> best(std::size_t{1} << k, 0);
    for (std::size_t taken = 1; taken < best.size(); ++taken) {
        const auto sender = static_cast<std::size_t>(std::popcount(taken)) - 1;
        for (std::size_t r = 0; r < k; ++r) {
            if ((taken >> r & 1U) != 0) {
                const double hop =
                    r == sender ? 0 : latency(slot(members[sender]), slot(members[r]));
                best[taken] = std::max(best[taken], best[taken & ~(std::size_t{1} << r)] + hop);
            }
        }
    }
    return best.back();
}

}  // namespace

StreamBounds::StreamBounds(RoundTimes& times, double forgetting)
    : times_(times), forgetting_(forgetting), islands_(static_cast<int>(times.islands().size())) {}

const StreamBounds::Known& StreamBounds::known(Clique clique) {
    const auto [entry, fresh] = cliques_.try_emplace(clique);
    Known& found = entry->second;
    if (!fresh) {
        return found;
    }
    found.aligns = std::isfinite(times_.alone_ms(clique));
    const std::vector<int> members = members_of(clique);
    const core::Grid<double>& latency = times_.latency_ms();
    found.latency_ms = largest_permutation(members, latency);
    const auto d = [&](std::size_t i, std::size_t j) {
        return latency(slot(members[i]), slot(members[j]));
    };
    bool star = members.size() > 2 && times_.capabilities().trees == Trees::kShortest;
    for (std::size_t i = 0; i < members.size() && star; ++i) {
        star = times_.capabilities().memory_gb[slot(members[i])] == 0;
        for (std::size_t j = 0; j < i; ++j) {
            star = star && d(i, j) == d(j, i);
        }
    }
    for (std::size_t i = 0; star && i < members.size(); ++i) {
        const std::size_t j = i == 0 ? 1 : 0;
        const std::size_t k = i == 2 ? 1 : 2;
        const std::size_t other = k == j ? 2 : k;
        found.arm_ms.push_back((d(i, j) + d(i, other) - d(j, other)) / 2);
    }
    return found;
}

std::vector<BoundedRound> StreamBounds::rounds() {
    const auto n = slot(islands_);
    const Islands& islands = times_.islands();
    const Capabilities& can = times_.capabilities();
    std::vector<BoundedRound> found;
    for (const Round& round : all_rounds(islands_, islands_)) {
        const bool aligns = std::ranges::all_of(
            round.cliques, [&](Clique c) { return clique_size(c) < 2 || known(c).aligns; });
        if (!aligns || round.cliques.size() == n) {
            continue;
        }
        BoundedRound bounded;
        bounded.round = round;
        bounded.island_ms.assign(n, 0);
        bounded.arm_ms.assign(n, -1);
        bounded.error.assign(n, 0);
        bounded.sending_ms = kNever;
        for (const Clique clique : round.cliques) {
            const std::vector<int> members = members_of(clique);
            const auto size = static_cast<double>(members.size());
            double sending = 0;
            for (const int i : members) {
                const Island& island = islands.islands[slot(i)];
                sending = std::max(
                    sending,
                    8000 * can.payload_gb / std::min(island.egress_gbps, island.ingress_gbps));
                bounded.error[slot(i)] = (static_cast<double>(n) - size) /
                                         (static_cast<double>(n) * (static_cast<double>(n) - 1));
                bounded.error_sum += bounded.error[slot(i)];
            }
            if (members.size() < 2) {
                continue;
            }
            const Known& entry = known(clique);
            bounded.latency_ms += entry.latency_ms / static_cast<double>(n);
            bounded.sending_ms = std::min(bounded.sending_ms, sending);
            for (std::size_t i = 0; i < members.size(); ++i) {
                bounded.island_ms[slot(members[i])] = sending;
                if (!entry.arm_ms.empty()) {
                    bounded.arm_ms[slot(members[i])] = entry.arm_ms[i];
                }
            }
        }
        least_sending_ms_ = std::min(least_sending_ms_, bounded.sending_ms);
        found.push_back(std::move(bounded));
    }
    for (BoundedRound& bounded : found) {
        bounded.alone = least_sending_ms_ / 4 + bounded.latency_ms / 2 +
                        least_sending_ms_ * forgetting_ * bounded.error_sum / 4;
    }
    std::ranges::stable_sort(found, {}, &BoundedRound::alone);
    return found;
}

double StreamBounds::pair(const BoundedRound& a, const BoundedRound& b, double score_ms) const {
    const double sending = std::min(a.sending_ms, b.sending_ms);
    double interval = sending;
    double lower = 0;
    for (std::size_t i = 0; i < a.error.size(); ++i) {
        double least = (a.island_ms[i] + b.island_ms[i]) / 2;
        if (a.arm_ms[i] >= 0 && b.arm_ms[i] >= 0) {
            least += std::abs(a.arm_ms[i] - b.arm_ms[i]);
        }
        interval = std::max(interval, least);
        lower += forgetting_ * std::min(a.error[i], b.error[i]);
    }
    if (interval >= 2 * score_ms) {
        return interval / 2;  // the wait for a snapshot alone
    }
    // L + s (1 + 2 m) + (s^2 / I) (e - 2 m + e_ab - 1/2)
    const double uneven = forgetting_ * (a.error_sum + b.error_sum) / 2 - 2 * lower +
                          forgetting_ * forgetting_ * error_of(a.round, b.round, islands_) - 0.5;
    const double at = uneven > 0 ? 2 * score_ms : interval;
    return (a.latency_ms + b.latency_ms) / 2 + sending * (1 + 2 * lower + sending / at * uneven);
}

}  // namespace longhaul::schedule::detail
