// Bounds of the streamed score of pairs of rounds, from what is known of each round.
#pragma once

#include <unordered_map>
#include <vector>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"

namespace longhaul::schedule::detail {

/// A round that can be aligned.
struct BoundedRound {
    Round round;
    double alone = 0;               ///< the bound of a pair is at least the sum of two of these
    double latency_ms = 0;          ///< least mean time in flight
    double sending_ms = 0;          ///< least time of sending of any clique
    std::vector<double> island_ms;  ///< n: least time of sending; 0: alone
    std::vector<double> arm_ms;     ///< n: arm of the star; negative: not bound to one
    std::vector<double> error;      ///< n: what the row holds of the disagreement after the round
    double error_sum = 0;
};

class StreamBounds {
public:
    StreamBounds(RoundTimes& times, double forgetting);

    /// Every round of up to 10 islands that can be aligned, in the order of `alone`.
    [[nodiscard]] std::vector<BoundedRound> rounds();

    /// The score of a period of the two rounds, in either order, is at least this or `score_ms`.
    [[nodiscard]] double pair(const BoundedRound& a, const BoundedRound& b, double score_ms) const;

private:
    struct Known {
        bool aligns = false;
        double latency_ms = 0;       ///< sum over members
        std::vector<double> arm_ms;  ///< empty: not bound to a star
    };
    const Known& known(Clique clique);

    RoundTimes& times_;
    double forgetting_;
    int islands_;
    double least_sending_ms_ = kNever;
    std::unordered_map<Clique, Known> cliques_;
};

}  // namespace longhaul::schedule::detail
