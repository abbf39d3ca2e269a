#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Cliques whose time alone is computed at most.
constexpr std::size_t kMostCliques = 200'000;

/// What a round of a given length lets each island do.
class Reach {
public:
    /// Rounds of `longest` and more are of no interest.
    Reach(RoundTimes& times, int largest, double longest)
        : n_(times.islands().size()), pair_(n_, n_, 0), least_(n_) {
        const Islands& islands = times.islands();
        const double payload = 8000 * times.capabilities().payload_gb;
        const bool exact = times.capabilities().trees == Trees::kShortest;
        for (std::size_t i = 0; i < n_; ++i) {
            const auto access = [&](std::size_t k) {
                const Island& island = islands.islands[k];
                return payload / std::min(island.ingress_gbps, island.egress_gbps);
            };
            for (std::size_t j = 0; j < n_; ++j) {
                pair_(i, j) =
                    i == j ? 0
                           : std::max(access(i), access(j)) +
                                 std::max(times.latency_ms()(i, j), times.latency_ms()(j, i));
            }
        }
        core_gbps_.assign(n_, 0);
        for (const topology::Link& link : islands.network.links) {
            if (link.to < n_ && !link.down) {
                core_gbps_[link.to] += link.gbps;
            }
        }
        for (double& gbps : core_gbps_) {
            gbps = payload / gbps;  // from here on: ms a stream that comes in
        }
        if (exact) {
            grow_cliques(times, largest, longest);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                events_.push_back(pair_(i, j));
            }
            events_.insert(events_.end(), least_[i].begin(), least_[i].end());
        }
        std::ranges::sort(events_);
        events_.erase(std::ranges::unique(events_).begin(), events_.end());
        std::erase_if(events_, [&](double at) { return at >= longest || at == 0; });
    }

    [[nodiscard]] const std::vector<double>& events() const { return events_; }

    /// Most members of a clique that holds an island, in rounds of [time, next).
    [[nodiscard]] int widest(std::size_t i, double time, double next, int largest) const {
        int near = 0;
        for (std::size_t j = 0; j < n_; ++j) {
            near += pair_(i, j) <= time ? 1 : 0;  // itself too
        }
        // The others' streams come in over the links of the core, one after the other at best.
        const double streams = next == kNever ? 1e9 : next / core_gbps_[i];
        near = std::min({near, largest, 1 + static_cast<int>(std::min(streams, 1e6))});
        // Larger cliques are known up to some size; whoever can have one of that may have more.
        for (std::size_t size = 3; size < least_[i].size() + 3; ++size) {
            if (time < least_[i][size - 3]) {
                return std::min(near, static_cast<int>(size) - 1);
            }
        }
        return near;
    }

    [[nodiscard]] bool near(std::size_t i, std::size_t j, double time) const {
        return pair_(i, j) <= time;
    }
    [[nodiscard]] std::size_t size() const { return n_; }

private:
    /// Least times of cliques of 3, 4, ... members around each island. A clique takes no less than
    /// its parts, so each size grows from the one before, until there are too many.
    void grow_cliques(RoundTimes& times, int largest, double longest) {
        std::vector<Clique> level;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = i + 1; j < n_; ++j) {
                if (pair_(i, j) < longest) {
                    level.push_back(Clique{1} << i | Clique{1} << j);
                }
            }
        }
        std::size_t computed = 0;
        for (int size = 3; size <= largest && !level.empty(); ++size) {
            const std::unordered_set<Clique> known(level.begin(), level.end());
            std::vector<Clique> next;
            std::vector<double> least(n_, kNever);
            for (const Clique clique : level) {
                for (int more = 64 - std::countl_zero(clique); more < static_cast<int>(n_);
                     ++more) {
                    const Clique grown = clique | Clique{1} << more;
                    bool parts = true;
                    for (Clique left = clique; left != 0 && parts; left &= left - 1) {
                        parts = known.contains(grown ^ (left & (~left + 1)));
                    }
                    if (!parts) {
                        continue;
                    }
                    if (++computed > kMostCliques) {
                        return;
                    }
                    const double alone = times.alone_ms(grown);
                    if (alone < longest) {
                        next.push_back(grown);
                        for (const int member : members_of(grown)) {
                            least[slot(member)] = std::min(least[slot(member)], alone);
                        }
                    }
                }
            }
            for (std::size_t i = 0; i < n_; ++i) {
                least_[i].push_back(least[i]);
            }
            level = std::move(next);
        }
    }

    std::size_t n_;
    core::Grid<double> pair_;                 ///< least time of a clique that holds both
    std::vector<std::vector<double>> least_;  ///< [island][size - 3]
    std::vector<double> core_gbps_;
    std::vector<double> events_;
};

/// Least mean over phases of e(1) + e(2) + ... when rounds take less than `next`; infinite when
/// islands cannot be joined.
double least_errors(const Reach& reach,
                    double time,
                    double next,
                    int largest,
                    const SetErrors& errors,
                    bool equal,
                    double forgetting) {
    const std::size_t n = reach.size();
    std::vector<double> support(n);
    double most = 1;
    for (std::size_t i = 0; i < n; ++i) {
        support[i] = reach.widest(i, time, next, largest);
        most = std::max(most, support[i]);
    }
    if (!equal) {
        support.assign(n, most);  // rows count differently then
    }
    if (most <= 1 && n > 1) {
        return kNever;
    }
    std::vector<Clique> reached(n);
    for (std::size_t i = 0; i < n; ++i) {
        reached[i] = Clique{1} << i;
    }
    double sum = 0;
    double worth = 1;
    for (int h = 1; h < 64; ++h) {
        worth *= forgetting;
        std::vector<Clique> wider = reached;
        double error = 0;
        bool grown = false;
        bool all = true;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (reach.near(i, j, time)) {
                    wider[i] |= reached[j];
                }
            }
            grown = grown || wider[i] != reached[i];
            all = all && clique_size(wider[i]) == static_cast<int>(n);
            const double rows = std::min(support[i] * std::pow(most, h - 1),
                                         equal ? double(clique_size(wider[i])) : double(n));
            error += errors.at_least(rows) / static_cast<double>(n);
        }
        if (!grown && !all) {
            return kNever;
        }
        sum += worth * error;
        if (error == 0) {
            break;
        }
        reached = std::move(wider);
    }
    return sum;
}

}  // namespace

double reach_bound(
    RoundTimes& times, int largest, const MixingOptions& mixing, Pace pace, double above) {
    const int n = static_cast<int>(times.islands().size());
    if (n < 2) {
        return 0;
    }
    const SetErrors errors(n, mixing);
    const bool uniform = pace == Pace::kUniform;
    const Reach reach(times, largest, uniform ? above / 1.5 : kNever);
    double bound = above;
    double shortest = kNever;
    for (std::size_t e = 0; e < reach.events().size(); ++e) {
        const double time = reach.events()[e];
        const double next = e + 1 < reach.events().size() ? reach.events()[e + 1] : kNever;
        shortest = std::min(shortest, time);
        const double sum = least_errors(
            reach, time, next, largest, errors, mixing.target.empty(), mixing.forgetting);
        // Own lengths: only one round of the period need be that long, the others as short as any.
        bound = std::min(bound, (uniform ? time : shortest) * (1.5 + sum));
    }
    return bound;
}

}  // namespace longhaul::schedule::detail
