// The parts of the event simulation: the plan laid out, the world that disturbs it, the network
// that carries it, and the births that measure it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/simulate.hpp"

namespace longhaul::schedule::detail {

/// Times closer than this are the same, ms: sums of the same numbers in another order.
inline constexpr double kSameMs = 1e-6;

/// A link of a tree; nodes by their place in the tree, 0 the sender.
struct Hop {
    std::uint32_t link = 0;
    std::uint32_t from = 0;
    double latency_ms = 0;
    double jitter_ms = 0;
};

/// Where a stream is merged.
struct Destination {
    int island = 0;
    std::uint32_t node = 0;  ///< by its place in the tree
    double latency_ms = 0;
    std::vector<Hop> path;  ///< from the sender
};

struct StreamPlan {
    int sender = 0;
    double offset_ms = 0;
    double sending_ms = 0;
    std::vector<Hop> hops;  ///< hop h leads to node h + 1
    std::vector<Destination> destinations;
};

/// A block is represented by its last element: it is sent, and taken from the parameters, at
/// offset + (x + 1) / blocks x sending.
struct CliquePlan {
    Clique members = 0;
    std::vector<int> list;
    core::Grid<double> weights;  ///< k x k
    std::vector<StreamPlan> streams;
};

struct RoundPlan {
    double length_ms = 0;
    std::vector<CliquePlan> cliques;  ///< of two or more
    std::vector<int> clique_of;       ///< n: -1 alone
    std::vector<int> place_of;        ///< n: in its clique
    double first_ms = 0;              ///< first sending, from the start of the round
};

/// Who is there in a round, as sets.
struct Presence {
    Clique members = 0;
    Clique senders = 0;  ///< without those that only listen
};

class Plan {
public:
    Plan(const TimedSchedule& schedule, const Islands& islands, const SimulationOptions& options);

    [[nodiscard]] const RoundPlan& round(int k) const {
        return rounds_[static_cast<std::size_t>(k) % rounds_.size()];
    }
    [[nodiscard]] std::size_t period() const { return rounds_.size(); }
    [[nodiscard]] double start_ms(int k) const;
    /// The round that time lies in, at least 0.
    [[nodiscard]] int round_at(double time_ms) const;
    /// Rounds before the one at a time whose parameters may still be taken after it.
    [[nodiscard]] int lag() const { return lag_; }
    [[nodiscard]] const Presence& presence(int k) const;
    /// Senders whose contributions receiver r awaits in round k.
    [[nodiscard]] Clique expected(int k, int receiver) const;
    /// When an island takes block x of its parameters.
    [[nodiscard]] double taken_ms(int k, int island, int block) const;
    /// When everything has arrived if nothing goes wrong, and when the receiver stops to wait.
    [[nodiscard]] double arrived_ms(int k, int receiver, int block) const;
    [[nodiscard]] double closed_ms(int k, int receiver, int block) const;
    /// When the receiver mixes what had arrived at `complete_ms`.
    [[nodiscard]] double mixed_ms(int k, int receiver, int block, double complete_ms) const;

    int islands = 0;
    int rounds = 0;
    int blocks = 0;
    Pace pace = Pace::kUniform;
    double grace_ms = 0;
    double block_gb = 0;

private:
    std::vector<RoundPlan> rounds_;
    std::vector<double> prefix_;  // starts within a period; then its length
    std::vector<Presence> presence_;
    int lag_ = 2;
};

/// Outages by what they hit.
class World {
public:
    World(const std::vector<Outage>& outages, std::size_t links, std::size_t islands);

    [[nodiscard]] bool quiet() const { return quiet_; }
    [[nodiscard]] bool link_down(std::uint32_t link, double time_ms) const;
    [[nodiscard]] bool island_down(int island, double time_ms) const;
    [[nodiscard]] bool closed(int island, double time_ms) const;
    [[nodiscard]] bool open(int island, double time_ms) const;
    /// Starts of failures of an aggregator, ascending.
    [[nodiscard]] const std::vector<double>& failures(int island) const;

private:
    struct Span {
        double from_ms, to_ms;
    };
    using Spans = std::vector<std::vector<Span>>;
    static bool within(const std::vector<Span>& spans, double time_ms);

    bool quiet_ = true;
    Spans links_, islands_, closed_, open_;
    std::vector<std::vector<double>> failures_;
};

/// What a receiver knows of one block of one round.
struct Cell {
    std::uint64_t merged = 0;
    std::int64_t sum = 0;
    double time_ms = 0;  ///< the last merge
    std::uint32_t outputs = 0;
};

/// The value that a sender contributes: 48 random bits, so that sums of 64 are exact.
[[nodiscard]] std::int64_t value_of(std::uint64_t seed, int round, int sender, int block);

/// Carries all rounds over the network; `cells` by (round, receiver, block).
struct Carried {
    std::vector<Cell> cells;
    [[nodiscard]] static std::size_t at(const Plan& plan, int k, int receiver, int block) {
        return (static_cast<std::size_t>(k) * static_cast<std::size_t>(plan.islands) +
                static_cast<std::size_t>(receiver)) *
                   static_cast<std::size_t>(plan.blocks) +
               static_cast<std::size_t>(block);
    }
};
[[nodiscard]] Carried carry(const Plan& plan,
                            const World& world,
                            const TimedSchedule& schedule,
                            const Islands& islands,
                            const SimulationOptions& options,
                            Simulation& result);

/// Row of weights that a receiver uses, by place in its clique.
[[nodiscard]] std::vector<double> row_of(
    const CliquePlan& clique, int receiver, Clique known, Clique merged, Missing missing);

/// Times and blocks of births: uniform over all rounds and blocks, and even over the moments of
/// each round of the period, so that the mean settles faster than that of independent births.
class Births {
public:
    Births(const Plan& plan, int strata, std::uint64_t seed);
    /// The next birth of an island: time, ms, and block. Each stratum lies in a part of all rounds.
    [[nodiscard]] std::pair<double, int> draw(int stratum, int island);

private:
    const Plan& plan_;
    int strata_;
    core::Random random_;
    /// Where the births of an island in a round of the period have got to: moment and block.
    std::vector<std::vector<std::pair<double, double>>> next_;
    double stagger_ms_ = 0;  // blocks of streamed rounds are taken one after the other
};

/// Follows births through what was carried: score, error, bias.
void follow_births(const Plan& plan,
                   const World& world,
                   const Carried& carried,
                   const Islands& islands,
                   const SimulationOptions& options,
                   Simulation& result);

/// Peak loads of links and of what leaves islands, over all rounds in flight.
void measure_loads(const Plan& plan, const Islands& islands, double payload_gb, Simulation& result);

/// Two normal deviates a call of two uniforms (Box and Muller, 1958).
class Normal {
public:
    explicit Normal(core::Random random) : random_(random) {}
    [[nodiscard]] double operator()();
    [[nodiscard]] double uniform() { return random_.uniform(); }

private:
    core::Random random_;
    double spare_ = 0;
    bool has_spare_ = false;
};

/// When a block that enters a link at a time is over it; never when it is lost there.
[[nodiscard]] double cross(const Hop& hop,
                           double time_ms,
                           const SimulationOptions& options,
                           const World& world,
                           Normal& random);

}  // namespace longhaul::schedule::detail
