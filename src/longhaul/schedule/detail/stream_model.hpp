// Streamed rounds as numbers: who sends when over which links, and what each moment weighs in the
// score. The linear program, the sweeps and the search share it (docs/mathematics/
// schedule-extensions.md).
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/schedule/mixing.hpp"
#include "longhaul/schedule/round_times.hpp"
#include "longhaul/topology/multicast.hpp"

namespace longhaul::schedule::detail {

/// What an answer may miss, ms and parts of a link.
inline constexpr double kStreamTolerance = 1e-6;

/// What the rows of the mixing products hold of the disagreement.
struct RowWeights {
    std::vector<double> start;  ///< n: part of each row before anything is mixed, sums to 1
    core::Grid<double> gap;     ///< n x period: weight of the time between round k - 1 and round k
    core::Grid<double> born;    ///< n x n: what row r (column) holds of an update of island j (row)
    /// (n period) x (n period): of an update of island j that enters round p (row j period + p),
    /// what row r holds between rounds k - 1 and k (column r period + k).
    core::Grid<double> spread;
    bool mixes = true;
    double area = 0;  ///< A: 1/2 + 1 + the sum of gap
};

/// spread: rho^h E_jr(h) of phase p, summed over the h >= 1 after which round k comes; gap: its sum
/// over j and mean over p. O(period h n^3).
[[nodiscard]] RowWeights row_weights(const std::vector<MixingMatrix>& period,
                                     const MixingOptions& options);

/// A stream on a directed link, from `delay_ms` after it was sent.
struct LinkUse {
    std::uint32_t link = 0;
    std::size_t sender = 0;  ///< by position in the clique
    double delay_ms = 0;
};

/// A clique of two or more, in one round of the period.
struct StreamClique {
    std::size_t round = 0;
    Clique members = 0;
    core::Grid<double> latency_ms;  ///< k x k: sender x receiver
    std::vector<double> share;      ///< k: memory over payload
    double access_ms = 0;           ///< time of sending that access links need
    double least_ms = 0;            ///< the same with equal parts of the links
    std::size_t first_post = 0;
    std::vector<topology::StreamTree> trees;
    std::vector<LinkUse> uses;
};

/// An island in a clique: it sends, receives and mixes once a period.
struct Post {
    std::size_t clique = 0;
    std::size_t position = 0;
    int island = 0;
    std::size_t next = 0;  ///< post of the island in its next round
    int steps = 1;         ///< rounds until then
    double mixed = 0;      ///< weight of the moment at which the middle element is mixed in
    double sent = 0;       ///< weight of the moment at which it is sent, <= 0
};

struct StreamModel {
    std::size_t period = 0;
    std::vector<StreamClique> cliques;
    std::vector<Post> posts;
    core::Grid<std::size_t> post_of;  ///< n x period: of an island that is alone, that of its next
                                      ///< round with others
    RowWeights weights;
    double interval_weight = 0;
    std::vector<double> stream_ms;  ///< payload over the capacity of each link, ms
    double guard_ms = 0;

    [[nodiscard]] const StreamClique& clique_of(const Post& post) const {
        return cliques[post.clique];
    }
    /// One stream alone needs no slack for noise.
    [[nodiscard]] double guard_of(const Post& post) const {
        return clique_of(post).share.size() > 2 ? guard_ms : 0;
    }
};

/// Everything that a point of the program fixes.
struct StreamPoint {
    double score_ms = 0;
    double even_ms = 0;  ///< what the score were if snapshots were evenly spaced: the program's
    double interval_ms = 0;
    std::vector<double> sending_ms;  ///< a clique
    std::vector<double> offset_ms;   ///< a post
    std::vector<double> first_ms;    ///< a post: first arrival of the first byte
    std::vector<double> last_ms;     ///< a post: the first byte of the sum enters the access link
    std::vector<double> mixed_ms;    ///< a post: the first byte of the sum is mixed in
};

/// The model of rounds on given trees, one list of trees a clique of each round; empty lists mean
/// shortest paths.
[[nodiscard]] StreamModel stream_model(const Schedule& schedule,
                                       const RoundTimes& times,
                                       const RowWeights& weights,
                                       const std::vector<TimedRound>& trees);

/// Arrivals and score that follow from interval, times of sending and offsets. A sum enters the
/// access link when its last contribution is there and the sum of the round before has left; it is
/// mixed in then, or when the island takes its own snapshot, whichever is later. O(period posts +
/// streams).
void evaluate(const StreamModel& model, StreamPoint& point);

/// Mean time of disagreement at a point's interval, offsets, times of sending and of mixing. Exact
/// (docs/mathematics/schedule-extensions.md). O((n period)^2).
[[nodiscard]] double exact_score(const StreamModel& model, const StreamPoint& point);

/// What the exact score changes by, a ms of each moment.
struct ScoreSlopes {
    double interval = 0;
    std::vector<double> sending;  ///< a clique
    std::vector<double> offset;   ///< a post
    std::vector<double> mixed;    ///< a post
};
[[nodiscard]] ScoreSlopes score_slopes(const StreamModel& model, const StreamPoint& point);

/// How far the exact score of a period of two rounds may lie below the linear one: it is the linear
/// score, plus sum(sent gamma), plus sum(product gamma delta) / interval for gamma and delta half
/// the differences of the times between snapshots and between mixings. Zeros for other periods.
struct Unevenness {
    std::vector<double> sent;      ///< n: weight of gamma
    core::Grid<double> product;    ///< n x n: weight of gamma (row) times delta (column)
    std::vector<double> least_ms;  ///< n: no time between snapshots or mixings is less
};
[[nodiscard]] Unevenness unevenness(const StreamModel& model);

/// Largest violation, ms, of what islands and access links ask: mixed before the next sending,
/// consecutive rounds apart on access links, sums complete and gone within what the memory bears,
/// times of sending.
[[nodiscard]] double worst_violation(const StreamModel& model, const StreamPoint& point);

/// One stream of one round on one link.
struct Instance {
    std::size_t clique = 0;
    std::size_t use = 0;
    long round = 0;  ///< counted on, period after period
};

/// What is on a link at the moment when it is fullest.
struct Fullest {
    double load = 0;  ///< of the capacity
    std::vector<Instance> streams;
};

/// Exact: every start of a stream is looked at, rounds of all periods in flight. O(uses log uses +
/// the overlaps).
[[nodiscard]] Fullest fullest_link(const StreamModel& model, const StreamPoint& point);

/// Most of the payload that the aggregator of each post's island holds at once, rounds of all
/// periods in flight. One an island.
[[nodiscard]] std::vector<double> peak_shares(const StreamModel& model,
                                              const StreamPoint& point,
                                              std::size_t islands);

}  // namespace longhaul::schedule::detail
