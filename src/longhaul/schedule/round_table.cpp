#include "longhaul/schedule/detail/round_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

Sides finest_sides(std::size_t islands) {
    Sides sides(islands);
    std::iota(sides.begin(), sides.end(), std::uint8_t{0});
    return sides;
}

std::size_t count_sides(const Sides& sides) {
    return std::size_t{std::ranges::max(sides)} + 1;
}

namespace {

/// Whether every clique of the finer round lies in one of the other, which has fewer.
bool is_coarser(const Round& round, const Round& finer) {
    return round.cliques.size() < finer.cliques.size() &&
           std::ranges::all_of(
               finer.cliques,
               [&](Clique part) {
                   return std::ranges::any_of(round.cliques,
                                              [&](Clique clique) { return (part & ~clique) == 0; });
               });
}

std::uint64_t print(Clique clique) {
    std::uint64_t mixed = clique * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ mixed >> 32U) * 0xBF58476D1CE4E5B9U;
    return mixed ^ mixed >> 29U;
}

}  // namespace

RoundTable::RoundTable(std::span<const ListedRound> listed,
                       int islands,
                       const MixingOptions& mixing)
    : n(slot(islands)),
      rounds(listed.begin(), listed.end()),
      share(mixing.target),
      equal(mixing.target.empty()) {
    LONGHAUL_ASSERT(!rounds.empty() && n <= kMostIslands);
    share.resize(n, 1);
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    for (double& part : share) {
        part /= sum;
        start += part * 2 * (1 - part);
    }
    first = {0};
    std::map<Clique, std::uint32_t> known;
    for (const ListedRound& round : rounds) {
        for (const Clique clique : round.round.cliques) {
            const auto [entry, fresh] =
                known.try_emplace(clique, static_cast<std::uint32_t>(cliques.size()));
            if (fresh) {
                cliques.push_back(clique);
                mass.push_back(0);
                auto& all = members.emplace_back();
                for (const int member : members_of(clique)) {
                    all.push_back(slot(member));
                    mass.back() += share[slot(member)];
                }
            }
            ids.push_back(entry->second);
        }
        first.push_back(ids.size());
    }
    find_coarser();
}

std::vector<std::uint32_t> RoundTable::rounds_at(bool end) const {
    std::vector<std::uint32_t> of(size());
    std::iota(of.begin(), of.end(), 0U);
    if (end) {
        std::erase_if(of, [&](std::uint32_t round) { return !coarsest(round); });
    }
    return of;
}

/// Two cliques merged at a time, as long as that is a round. Rounds are found by the sum of prints
/// of their cliques. O(rounds islands^2).
void RoundTable::find_coarser() {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::vector<std::uint64_t> prints;
    for (const ListedRound& round : rounds) {
        std::uint64_t sum = 0;
        for (const Clique clique : round.round.cliques) {
            sum += print(clique);
        }
        known.try_emplace(sum, static_cast<std::uint32_t>(prints.size()));
        prints.push_back(sum);
    }
    const auto merged = [&](std::uint32_t r) {
        const std::vector<Clique>& of = rounds[r].round.cliques;
        for (std::size_t a = 0; a < of.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const auto found =
                    known.find(prints[r] - print(of[a]) - print(of[b]) + print(of[a] | of[b]));
                if (found != known.end() &&
                    is_coarser(rounds[found->second].round, rounds[r].round)) {
                    return found->second;
                }
            }
        }
        return r;
    };
    std::vector<std::uint32_t> order(rounds.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t r) { return rounds[r].round.cliques.size(); });
    coarser.resize(rounds.size());
    for (const std::uint32_t r : order) {
        const std::uint32_t with = merged(r);
        coarser[r] = with == r ? r : coarser[with];
    }
}

std::vector<std::size_t> ends_of_classes(std::span<const ListedRound> rounds, double classes) {
    const double least = rounds.front().time_ms;
    LONGHAUL_ASSERT(least > 0);
    const double step = std::pow(rounds.back().time_ms / least, 1 / classes);
    std::vector<std::size_t> ends;
    double end = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        if (rounds[r].time_ms > end) {
            ends.push_back(r);
            for (end = std::max(end, least); end <= rounds[r].time_ms && step > 1;) {
                end *= step;
            }
        }
    }
    ends.push_back(rounds.size());
    ends.erase(ends.begin());
    return ends;
}

}  // namespace longhaul::schedule::detail
