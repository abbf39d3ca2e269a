// The accumulators of an aggregator: a table of slots that sums contributions with equal ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace longhaul::schedule {

/// How an id finds its slot.
enum class SlotIndex {
    kRing,  ///< id mod slots: no conflict as long as the ids in flight fit
    kHash   ///< a random function of the id
};

/// Why a sum left its slot.
enum class Eviction {
    kComplete,  ///< all that were expected are in it
    kTimeout,   ///< the first contribution has waited too long
    kConflict,  ///< another id came to the slot
    kFlush      ///< the end of the run
};
inline constexpr std::size_t kEvictions = 4;

/// What leaves a slot: an exact sum of integers, and who is in it.
struct Partial {
    std::uint64_t id = 0;
    std::uint64_t contributors = 0;  ///< bit i: contributor i
    std::int64_t sum = 0;
    double time_ms = 0;
    Eviction why = Eviction::kComplete;
};

/// One contribution on its arrival.
struct Contribution {
    std::uint64_t id = 0;
    std::uint64_t contributor = 0;  ///< one bit
    std::uint64_t expected = 0;     ///< bits of all that the sum should hold
    std::int64_t value = 0;
    double time_ms = 0;
};

/// Slots in the order of time: calls must not go back in it. What leaves is appended to `out`.
class SlotTable {
public:
    /// `slots` >= 1; `timeout_ms` 0: sums wait as long as no other id comes.
    SlotTable(std::size_t slots, SlotIndex index, double timeout_ms, std::uint64_t seed = 0);

    /// Adds to the sum of its id. A slot that holds another id is emptied first: its partial sum
    /// leaves. False when the contributor is in the sum already: nothing is added. O(1) amortised.
    bool arrive(const Contribution& contribution, std::vector<Partial>& out);

    /// Lets sums leave whose first contribution arrived `timeout_ms` before `time_ms` or earlier;
    /// each at the time it is due.
    void expire(double time_ms, std::vector<Partial>& out);

    /// Lets everything leave. O(slots).
    void flush(double time_ms, std::vector<Partial>& out);

    /// Loses everything: what was lost is appended to `lost`. O(slots).
    void wipe(std::vector<Partial>& lost);

    [[nodiscard]] std::size_t slots() const { return table_.size(); }
    [[nodiscard]] std::size_t occupied() const { return occupied_; }
    [[nodiscard]] std::size_t peak() const { return peak_; }

private:
    struct Slot {
        std::uint64_t id = 0;
        std::uint64_t contributors = 0;  // 0: empty
        std::int64_t sum = 0;
        std::uint64_t tenant = 0;  // counts the sums that were begun
    };
    struct Due {
        double time_ms;
        std::size_t slot;
        std::uint64_t tenant;
    };

    [[nodiscard]] std::size_t place_of(std::uint64_t id) const;
    void leave(Slot& slot, double time_ms, Eviction why, std::vector<Partial>& out);

    std::vector<Slot> table_;
    SlotIndex index_;
    double timeout_ms_;
    std::uint64_t seed_;
    std::size_t occupied_ = 0;
    std::size_t peak_ = 0;
    std::uint64_t tenants_ = 0;
    std::deque<Due> due_;
};

/// A random function of 64 bits: the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace longhaul::schedule
