#include <algorithm>
#include <cmath>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Up to so many islands times of all quadruples are computed.
constexpr std::size_t kMostForQuadruples = 48;

/// What a round of a given length lets each island do.
class Reach {
public:
    Reach(RoundTimes& times, int largest) : n_(times.islands().size()), pair_(n_, n_, 0) {
        const Islands& islands = times.islands();
        const double payload = 8000 * times.capabilities().payload_gb;
        const bool exact = times.capabilities().trees == Trees::kShortest;
        three_.assign(n_, 0);
        four_.assign(n_, 0);
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
        if (exact && largest >= 3 && n_ >= 3) {
            groups_of(times);
        }
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                events_.push_back(pair_(i, j));
            }
            events_.push_back(three_[i]);
            events_.push_back(four_[i]);
        }
        std::ranges::sort(events_);
        events_.erase(std::ranges::unique(events_).begin(), events_.end());
        std::erase_if(events_, [](double at) { return at == kNever || at == 0; });
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
        return time < three_[i] ? std::min(near, 2) : time < four_[i] ? std::min(near, 3) : near;
    }

    [[nodiscard]] bool near(std::size_t i, std::size_t j, double time) const {
        return pair_(i, j) <= time;
    }
    [[nodiscard]] std::size_t size() const { return n_; }

private:
    /// Least times of triples and quadruples around each island.
    void groups_of(RoundTimes& times) {
        three_.assign(n_, kNever);
        four_.assign(n_, kNever);
        const auto bit = [](std::size_t i) { return Clique{1} << i; };
        const auto note = [&](std::vector<double>& least, Clique clique) {
            const double alone = times.alone_ms(clique);
            for (const int member : members_of(clique)) {
                least[slot(member)] = std::min(least[slot(member)], alone);
            }
        };
        for (std::size_t a = 0; a < n_; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                for (std::size_t c = 0; c < b; ++c) {
                    note(three_, bit(a) | bit(b) | bit(c));
                    for (std::size_t d = 0; d < c && n_ <= kMostForQuadruples; ++d) {
                        // Its triples and pairs bound it: only what could be the least is solved.
                        const Clique clique = bit(a) | bit(b) | bit(c) | bit(d);
                        const double least = std::max({pair_(a, b),
                                                       pair_(a, c),
                                                       pair_(a, d),
                                                       pair_(b, c),
                                                       pair_(b, d),
                                                       pair_(c, d)});
                        if (least < std::max({four_[a], four_[b], four_[c], four_[d]})) {
                            note(four_, clique);
                        }
                    }
                }
            }
        }
        if (n_ > kMostForQuadruples) {
            four_ = three_;
        }
    }

    std::size_t n_;
    core::Grid<double> pair_;  ///< least time of a clique that holds both
    std::vector<double> three_;
    std::vector<double> four_;
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

double reach_bound(RoundTimes& times, int largest, const MixingOptions& mixing, Pace pace) {
    const int n = static_cast<int>(times.islands().size());
    if (n < 2) {
        return 0;
    }
    const SetErrors errors(n, mixing);
    const Reach reach(times, largest);
    double bound = kNever;
    double shortest = kNever;
    for (std::size_t e = 0; e < reach.events().size(); ++e) {
        const double time = reach.events()[e];
        const double next = e + 1 < reach.events().size() ? reach.events()[e + 1] : kNever;
        shortest = std::min(shortest, time);
        const double sum = least_errors(
            reach, time, next, largest, errors, mixing.target.empty(), mixing.forgetting);
        // Own lengths: only one round of the period need be that long, the others as short as any.
        bound = std::min(bound, (pace == Pace::kUniform ? time : shortest) * (1.5 + sum));
        if (pace == Pace::kUniform && time * 1.5 >= bound) {
            break;
        }
    }
    return bound == kNever ? 0 : bound;
}

}  // namespace longhaul::schedule::detail
