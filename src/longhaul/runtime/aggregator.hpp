// The aggregator in front of an island: adds up the blocks of several streams as they come, in a
// few slots, and hands on one stream. Pure: the caller says what time it is.
//
// Slots are a ring over the blocks of all rounds, in order: streams that arrive together keep to
// different slots until the ring is smaller than what lies between them. A slot is sent on when all
// have contributed, when a newer block needs it, or when it has waited too long; the receiver adds
// up what comes in parts.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "longhaul/schedule/round.hpp"

namespace longhaul::runtime {

/// A block as far as it has been added up.
struct PartialSum {
    std::uint32_t round = 0;
    std::uint32_t block = 0;
    schedule::Clique mask = 0;  ///< islands whose blocks are in it
    std::vector<std::int32_t> sums;
};

struct AggregatorCounts {
    std::uint64_t contributions = 0;  ///< added
    std::uint64_t duplicates = 0;     ///< dropped: that block of that island was here before
    std::uint64_t strangers = 0;      ///< dropped: not of the clique, or no such block or round
    std::uint64_t completed = 0;      ///< slots sent on with all that can come
    std::uint64_t conflicts = 0;      ///< slots sent on because a newer block needed them
    std::uint64_t timeouts = 0;       ///< slots sent on after they had waited too long
    std::uint64_t late = 0;           ///< blocks sent on alone: a newer one holds their slot
    std::uint64_t peak_slots = 0;     ///< in use at once
};

class Aggregator {
public:
    struct Setup {
        std::size_t slots = 1;  ///< >= 1
        std::uint32_t blocks = 1;
        double timeout_ms = 100;
        /// Islands that contribute in a round of the session; 0 where there is no such round.
        std::function<schedule::Clique(std::uint32_t round)> expected;
        /// What elements of an island are multiplied by; none: 1.
        std::function<std::int32_t(std::uint32_t round, int source)> weight = nullptr;
    };
    using Sink = std::function<void(const PartialSum&)>;

    /// `sink` takes what is sent on.
    Aggregator(Setup setup, Sink sink);

    /// A block of one island. O(elements).
    void take(double now_ms,
              std::uint32_t round,
              std::uint32_t block,
              int source,
              std::span<const std::int32_t> elements);
    /// More slots; nothing once a block was taken, or when there are as many.
    void widen(std::size_t slots);
    /// Sends on what has waited too long. O(slots sent on).
    void expire(double now_ms);
    /// When expire() has something to do; infinity when nothing waits.
    [[nodiscard]] double next_ms() const {
        return waiting_.empty() ? std::numeric_limits<double>::infinity()
                                : waiting_.begin()->first + setup_.timeout_ms;
    }
    [[nodiscard]] const AggregatorCounts& counts() const { return counts_; }

private:
    struct Slot {
        bool used = false;
        PartialSum sum;
        std::multimap<double, std::size_t>::iterator waiting;
    };
    struct RoundState {
        schedule::Clique expected = 0;
        std::vector<schedule::Clique> seen;  ///< of each block
    };

    RoundState* round_state(std::uint32_t round);
    [[nodiscard]] std::uint64_t number(std::uint32_t round, std::uint32_t block) const {
        return std::uint64_t{round} * setup_.blocks + block;
    }
    void open(std::size_t at, double now_ms, PartialSum sum);
    void send_on(std::size_t at);

    Setup setup_;
    Sink sink_;
    std::vector<Slot> slots_;
    std::multimap<double, std::size_t> waiting_;  ///< since when, which slot
    std::map<std::uint32_t, RoundState> rounds_;  ///< the last few
    AggregatorCounts counts_;
};

}  // namespace longhaul::runtime
