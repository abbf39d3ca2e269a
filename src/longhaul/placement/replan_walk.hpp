// Walks of replan: a placement in path order that changes by swaps, and the best of each number of
// moves that any walk met.
#pragma once

#include <functional>
#include <optional>

#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/ordered.hpp"
#include "longhaul/placement/replan.hpp"

namespace longhaul::placement {

/// The best placement met at each number of moves.
class MoveArchive {
public:
    explicit MoveArchive(std::size_t most_moves) : entries_(most_moves + 1) {}

    struct Entry {
        double score = 0;
        Stages stages;  ///< empty: none met
    };
    void offer(int moves, double score, const Stages& stages);
    void merge(const MoveArchive& other);
    /// The best with at most `limit` moves, fewer moves among equals; nullptr when none was met.
    [[nodiscard]] const Entry* best_within(int limit) const;

private:
    std::vector<Entry> entries_;
};

/// How many ways there are to seat devices in the stages, each of which has an order of its own:
/// devices! / (dp!^pp (devices to spare)!).
[[nodiscard]] double placements_of(Shape shape, std::size_t devices);

/// Calls `meet` for each of them; false when `stop` ended it.
bool seat_every_way(Shape shape,
                    std::size_t devices,
                    const std::function<bool()>& stop,
                    const std::function<void(const Stages&)>& meet);

/// Stages in path order with their terms kept up to date, and the devices that are left out, which
/// count as one stage more.
class MoveWalk {
public:
    MoveWalk(const Problem& problem, const OldWork& old, Stages start);

    [[nodiscard]] const Stages& stages() const { return now_; }
    /// Stages, and one more when devices are left out.
    [[nodiscard]] std::size_t rows() const { return now_.size() + (spare_.empty() ? 0 : 1); }
    [[nodiscard]] const std::vector<int>& row(std::size_t s) const {
        return s < now_.size() ? now_[s] : spare_;
    }
    [[nodiscard]] double score() const { return total_; }
    [[nodiscard]] int moves() const { return moves_; }
    /// Change of moves when the devices at (s, i) and (t, j) change places.
    [[nodiscard]] int move_change(std::size_t s, std::size_t i, std::size_t t, std::size_t j) const;
    /// Swaps them if the score stays within the limit; returns whether it did. O(dp^2) and up to
    /// four matchings with pair costs alone.
    bool try_swap(std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit);

private:
    [[nodiscard]] int& seat(std::size_t s, std::size_t i) {
        return s < now_.size() ? now_[s][i] : spare_[i];
    }
    bool try_pairs(std::size_t s, std::size_t t, double limit);
    bool try_terms(std::size_t s, std::size_t t, double limit);
    void rescore(std::size_t s);
    [[nodiscard]] double sum() const;
    [[nodiscard]] int cost(int device, std::size_t stage) const;

    const Problem& problem_;
    const OldWork& old_;
    Stages now_;
    std::vector<int> spare_;
    BottleneckSolver solver_;
    std::vector<double> exchange_, edges_, kept_exchange_, kept_edges_;
    std::optional<OrderedScore> terms_;  ///< where pair costs do not make the score
    double total_ = 0;
    int moves_ = 0;
};

/// Annealing of score + price * moves, with at most `limit` moves; everything met goes to the
/// archive. Starts within the limit.
void anneal_moves(MoveWalk& walk,
                  double price,
                  int limit,
                  const AnnealOptions& options,
                  core::Random random,
                  MoveArchive& archive);

/// Steps from the walk's placement towards a target, in each the best of at most `width` swaps that
/// bring a device to its stage in the target.
void relink(MoveWalk& walk,
            const Stages& target,
            std::size_t width,
            MoveArchive& archive,
            std::uint64_t& evaluations);

}  // namespace longhaul::placement
