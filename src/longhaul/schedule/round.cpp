#include "longhaul/schedule/round.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/core/assert.hpp"

namespace longhaul::schedule {

namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 62;

/// Puts `island` into every clique with room, or into a new one, and goes on with the next.
void extend(int island, int islands, int largest, Round& round, std::vector<Round>& found) {
    if (island == islands) {
        found.push_back(round);
        return;
    }
    const Clique bit = Clique{1} << island;
    for (std::size_t c = 0; c < round.cliques.size(); ++c) {
        if (clique_size(round.cliques[c]) < largest) {
            round.cliques[c] |= bit;
            extend(island + 1, islands, largest, round, found);
            round.cliques[c] &= ~bit;
        }
    }
    round.cliques.push_back(bit);
    extend(island + 1, islands, largest, round, found);
    round.cliques.pop_back();
}

}  // namespace

std::vector<int> members_of(Clique clique) {
    std::vector<int> members;
    members.reserve(static_cast<std::size_t>(clique_size(clique)));
    for (; clique != 0; clique &= clique - 1) {
        members.push_back(std::countr_zero(clique));
    }
    return members;
}

Round make_round(std::vector<Clique> cliques, int islands) {
    Clique covered = 0;
    for (const Clique clique : cliques) {
        LONGHAUL_ASSERT((covered & clique) == 0);
        covered |= clique;
    }
    for (int i = 0; i < islands; ++i) {
        if ((covered >> i & 1U) == 0) {
            cliques.push_back(Clique{1} << i);
        }
    }
    std::erase(cliques, Clique{0});
    std::ranges::sort(cliques, {}, [](Clique clique) { return std::countr_zero(clique); });
    return {std::move(cliques)};
}

Schedule repeated(const Schedule& schedule, std::size_t period) {
    Schedule other;
    for (std::size_t k = 0; k < period; ++k) {
        other.rounds.push_back(schedule.rounds[k % schedule.rounds.size()]);
    }
    return other;
}

Schedule shortest_period(const Schedule& schedule) {
    const std::size_t all = schedule.rounds.size();
    for (std::size_t period = 1; period < all; ++period) {
        bool repeats = all % period == 0;
        for (std::size_t k = period; k < all && repeats; ++k) {
            repeats = schedule.rounds[k] == schedule.rounds[k - period];
        }
        if (repeats) {
            return repeated(schedule, period);
        }
    }
    return schedule;
}

std::uint64_t count_rounds(int islands, int largest) {
    // ways[n]: partitions of n islands; the clique of the last island takes j of the other n - 1.
    std::vector<double> ways(static_cast<std::size_t>(islands) + 1, 0);
    ways[0] = 1;
    for (std::size_t n = 1; n < ways.size(); ++n) {
        double choose = 1;  // (n - 1 over j)
        for (std::size_t j = 0; j < n && j < static_cast<std::size_t>(largest); ++j) {
            ways[n] += choose * ways[n - 1 - j];
            choose = choose * static_cast<double>(n - 1 - j) / static_cast<double>(j + 1);
        }
    }
    return ways.back() >= static_cast<double>(kMany) ? kMany
                                                     : static_cast<std::uint64_t>(ways.back());
}

std::vector<Round> all_rounds(int islands, int largest) {
    std::vector<Round> found;
    Round round;
    extend(0, islands, largest, round, found);
    return found;
}

}  // namespace longhaul::schedule
