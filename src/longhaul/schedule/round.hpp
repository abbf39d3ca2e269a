// Who averages with whom: cliques, rounds and schedules, as sets of islands by number.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::schedule {

/// Islands that average together in a round: bit i stands for island i.
using Clique = std::uint64_t;

[[nodiscard]] constexpr int clique_size(Clique clique) {
    return std::popcount(clique);
}

/// Members by number, ascending.
[[nodiscard]] std::vector<int> members_of(Clique clique);

/// A partition of the islands, islands alone included; sorted by the lowest member.
struct Round {
    std::vector<Clique> cliques;

    friend bool operator==(const Round&, const Round&) = default;
    friend auto operator<=>(const Round&, const Round&) = default;
};

/// The partition with these cliques; islands of 0 .. islands - 1 that are in none are alone.
/// The cliques must be disjoint.
[[nodiscard]] Round make_round(std::vector<Clique> cliques, int islands);

/// Rounds that repeat: round k of the training is rounds[k mod period].
struct Schedule {
    std::vector<Round> rounds;

    [[nodiscard]] std::size_t period() const { return rounds.size(); }
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The first `period` rounds of the training under a schedule. O(period islands).
[[nodiscard]] Schedule repeated(const Schedule& schedule, std::size_t period);

/// The same rounds without repetitions of the whole.
[[nodiscard]] Schedule shortest_period(const Schedule& schedule);

struct NamedSchedule {
    std::string name;
    Schedule schedule;
};

/// Number of partitions of `islands` islands into cliques of at most `largest`; saturates at 2^62.
/// O(islands largest).
[[nodiscard]] std::uint64_t count_rounds(int islands, int largest);

/// All of them, each once, in a fixed order. O(their number).
[[nodiscard]] std::vector<Round> all_rounds(int islands, int largest);

}  // namespace longhaul::schedule
