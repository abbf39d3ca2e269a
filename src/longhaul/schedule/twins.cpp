#include "longhaul/schedule/detail/twins.hpp"

#include <algorithm>
#include <set>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

using Cliques = std::vector<Clique>;

Clique swapped(Clique clique, std::size_t i, std::size_t j) {
    const Clique differ = (clique >> i ^ clique >> j) & Clique{1};
    return clique ^ (differ << i | differ << j);
}

bool can_change(const std::set<Cliques>& rounds, std::size_t i, std::size_t j) {
    return std::ranges::all_of(rounds, [&](const Cliques& round) {
        Cliques with = round;
        for (Clique& clique : with) {
            clique = swapped(clique, i, j);
        }
        std::ranges::sort(with);
        return rounds.contains(with);
    });
}

}  // namespace

Twins find_twins(const RoundTable& table) {
    std::set<Cliques> rounds;
    for (const ListedRound& listed : table.rounds) {
        Cliques cliques = listed.round.cliques;
        std::ranges::sort(cliques);
        rounds.insert(std::move(cliques));
    }
    // Who can change places with a first can do so with a second that can with the first.
    Twins twins;
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < table.n; ++i) {
        const auto first = std::ranges::find_if(firsts, [&](std::size_t other) {
            return table.share[other] == table.share[i] && can_change(rounds, other, i);
        });
        twins.push_back(static_cast<std::uint8_t>(first - firsts.begin()));
        if (first == firsts.end()) {
            firsts.push_back(i);
        }
    }
    return twins;
}

}  // namespace longhaul::schedule::detail
