// What the checker of certificates charges stages and neighbouring stages when it tries placements
// one by one: devices by kind, every term of the score. Plain code of its own, straight from the
// formulas of the headers that it names.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"
#include "longhaul/placement/replay_rows.hpp"

namespace longhaul::placement {

/// The kind at each position of a stage.
using KindWord = std::vector<int>;

/// One edge as it stands: seconds (of one message each way where messages follow each other), and
/// what it leaves to all messages after the first.
struct ReplayEdge {
    double seconds = 0;
    double slowness = 0;      ///< of the slowest pair, seconds a GB
    std::vector<Load> loads;  ///< pairs that cross each resource, as 1 GB a pair
};

/// Stages get numbers, by what they hold. One part of the score is its own definition rather than
/// a bound, and comes from where the score has it: who sends what over a shared resource
/// (ExchangeTerm).
class ReplayStages {
public:
    /// `kinds`: of each device; devices of one kind must not differ in any term.
    ReplayStages(const Problem& problem, std::span<const int> kinds);

    [[nodiscard]] const KindCounts& sizes() const { return sizes_; }
    /// Number of the stage that holds these.
    [[nodiscard]] int number_of(const KindCounts& row);
    [[nodiscard]] const KindWord& word(int stage) const { return stages_[at(stage)].word; }
    /// Exchange of a stage alone; no more than the score's for long rings and large trees.
    [[nodiscard]] double exchange(int stage) const { return stages_[at(stage)].exchange; }
    /// What all stages send at once over the busiest shared resource.
    [[nodiscard]] double shared_exchange(std::span<const int> stages) const;

    /// Pairs above this slowness are not used from now on.
    void set_limit(double slowness);
    /// Least bottleneck between two stages over pairs within the limit; infinite where there are no
    /// such pairs. Without shared capacity.
    [[nodiscard]] double edge(int left, int right);
    /// Position r joins left[r] with right[r].
    [[nodiscard]] ReplayEdge mapped_edge(const KindWord& left, const KindWord& right) const;
    /// Seconds a GB that the busiest shared resource takes for the pairs of all edges.
    [[nodiscard]] double steady(const std::vector<Load>& sum) const;

    /// Compute of stages in this order; several where layers are divided in several ways of equal
    /// compute, see replay_divisions.
    [[nodiscard]] const std::vector<ReplayCompute>& compute(std::span<const int> stages);

    /// Slownesses of pairs of devices, rising.
    [[nodiscard]] std::vector<double> slownesses() const;
    [[nodiscard]] double cheapest_pair() const;

private:
    struct Stage {
        KindWord word;
        double exchange = 0;
        std::vector<Load> loads;     ///< of its exchange on each resource
        std::vector<int> devices{};  ///< that stand for it
        int pace = 0;                ///< number of its slowest speed and least memory
    };
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    [[nodiscard]] Stage made(const KindCounts& row);
    [[nodiscard]] std::vector<Load> exchange_loads(const std::vector<int>& group) const;
    /// Slowest speed and least memory.
    [[nodiscard]] std::pair<double, double> pace_of(const std::vector<int>& devices) const;
    [[nodiscard]] std::pair<int, int> pair_of(int a, int b) const;
    [[nodiscard]] double pipeline(int a, int b) const;
    [[nodiscard]] double slowness(int a, int b) const;
    [[nodiscard]] double bottleneck(const KindWord& left, const KindWord& right) const;
    [[nodiscard]] double busiest(const std::vector<Load>& pairs, double forward, double back) const;

    const Problem& problem_;
    ReplayExchange exchange_;
    KindCounts sizes_;
    std::vector<std::vector<int>> members_;
    std::vector<Stage> stages_;
    std::map<KindCounts, int> numbers_;
    std::map<std::pair<double, double>, int> paces_;
    std::map<std::vector<int>, std::vector<ReplayCompute>> computes_;
    std::unordered_map<std::uint64_t, double> edges_;
    double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace longhaul::placement
