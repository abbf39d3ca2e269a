// What happens when a schedule is run: every block of every stream, slot by slot and event by
// event, with jitter, losses, outages and islands that come and go.
//
// The model is stated in docs/mathematics/schedule-simulation.md. Same inputs and seed, same
// result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/slots.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule {

/// What a receiver puts in the place of contributions that did not come.
enum class Missing {
    kRenormalise,  ///< the weights of those that came are scaled to sum to 1
    kOwn           ///< its own parameters take the weight
};

/// Something that does not work from `from_ms` until `to_ms` (excluded), which may be infinite.
struct Outage {
    enum class What {
        kLink,              ///< what enters it is lost
        kIsland,            ///< neither sends nor receives nor mixes, and keeps its parameters
        kAggregatorClosed,  ///< what arrives is lost
        kAggregatorOpen     ///< what arrives passes one by one
    };
    What what = What::kLink;
    std::uint32_t index = 0;  ///< directed link, or island
    double from_ms = 0;
    double to_ms = 0;
};

/// An island that joins or leaves at the start of a round; all others know. One that joins only
/// listens in its first round: it takes over what it receives.
struct Change {
    int round = 0;
    int island = 0;
    bool joins = false;
};

struct SimulationOptions {
    int rounds = 60;
    int blocks = 1000;  ///< of the payload of one island in one round; a slot holds one
    int births = 2000;  ///< updates that are followed; rounded up to a multiple of the islands
    std::uint64_t seed = 7;
    SlotIndex index = SlotIndex::kRing;
    std::optional<double> jitter_ms;  ///< of every link; nothing: what the network states
    double loss = 0;                  ///< probability that a block is lost on a link, below 1
    double duplication = 0;           ///< probability that a block arrives twice, below 1
    int tries = 3;                    ///< how often a block that did not come is asked for
    double patience_ms = 20;          ///< after it should have come, until it is asked for
    double grace_ms = 200;            ///< after the planned end, until a receiver mixes what it has
    Missing missing = Missing::kRenormalise;
    std::vector<Outage> outages;
    std::vector<Change> changes;
    int log_rounds = 0;  ///< rounds, from the first, that the log describes
};

/// Copies of contributions by where they ended: the sum of all others is `created`.
struct CopyCounts {
    std::uint64_t created = 0;  ///< one a receiver, and one more each resend and duplicate
    std::uint64_t lost_on_links = 0;
    std::uint64_t lost_at_island = 0;  ///< aggregator or island down, slots lost with one
    std::uint64_t merged = 0;
    std::uint64_t duplicate = 0;    ///< the same contribution had been merged
    std::uint64_t overlapping = 0;  ///< in a sum with a duplicate: cannot be taken out of it
    std::uint64_t stale = 0;        ///< came after the receiver had mixed
};

/// Contributions (sender, receiver, round, block): planned = absent + merged + missing.
struct ContributionCounts {
    std::uint64_t planned = 0;
    std::uint64_t absent = 0;  ///< the sender was down when it should have sent
    std::uint64_t merged = 0;
    std::uint64_t missing = 0;  ///< lost or stale: what Missing is about
};

struct AggregatorUse {
    std::size_t slots = 0;  ///< as many blocks as fit into the memory, and the one on the wire
    std::size_t peak_slots = 0;
    double peak_gb = 0;
};

/// One line of the log, for a picture of what went on.
struct SimulationEvent {
    enum class Kind { kSend, kArrive, kMix, kEvict, kLinkDown, kIslandDown, kAggregatorDown };
    Kind kind = Kind::kSend;
    int round = -1;                      ///< -1: of none
    int from = -1;                       ///< sending island; link of kLinkDown
    int to = -1;                         ///< receiving island
    double start_ms = 0;                 ///< first block
    double end_ms = 0;                   ///< last block
    std::uint64_t count = 0;             ///< blocks
    Eviction why = Eviction::kComplete;  ///< of kEvict
};

struct Simulation {
    double score_ms = 0;        ///< mean time of disagreement of the births
    double score_error_ms = 0;  ///< its standard error, births taken as independent
    int births = 0;
    int unsettled = 0;  ///< births whose disagreement lasted longer than what is followed
    double bias = 0;    ///< mean over births of |weight in the end / share - 1|
    std::vector<double> round_ms;  ///< one a round: last merge, behind the access link - start
    std::vector<AggregatorUse> aggregators;  ///< one an island
    std::uint64_t weights = 0;  ///< (receiver, round, block) with two or more expected senders
    std::uint64_t outputs = 0;  ///< of the aggregators for them
    std::uint64_t split = 0;    ///< of them, those with two or more outputs
    std::array<std::uint64_t, kEvictions> evictions{};  ///< by Eviction
    std::uint64_t resends = 0;
    CopyCounts copies;
    ContributionCounts contributions;
    std::uint64_t wrong_sums = 0;     ///< merged sums that are not those of their contributors: 0
    double worst_row_error = 0;       ///< largest |sum of a row of weights - 1|
    std::vector<double> link_peak;    ///< one a directed link: largest planned load over capacity
    std::vector<double> egress_peak;  ///< one an island
    std::vector<SimulationEvent> log;

    /// Outputs of the aggregators a weight; 1 without weights.
    [[nodiscard]] double outputs_per_weight() const;
    [[nodiscard]] double split_rate() const;  ///< part of the weights that were split
};

/// Most (receiver, round, block): what is kept of each takes 32 bytes.
inline constexpr std::uint64_t kMostCells = std::uint64_t{1} << 24U;

/// Runs a schedule. Options that make no sense are reported. The schedule must fit the islands, as
/// read_schedule checks. O(e log e) for e = rounds blocks (links of trees + contributions) without
/// births; a birth costs rounds until it has settled x contributions of a round.
[[nodiscard]] core::Result<Simulation> simulate(const TimedSchedule& schedule,
                                                const Islands& islands,
                                                const SimulationOptions& options = {});

}  // namespace longhaul::schedule
