#include "longhaul/schedule/detail/round_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>

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
}

}  // namespace longhaul::schedule::detail
