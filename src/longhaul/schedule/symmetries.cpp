#include "longhaul/schedule/detail/symmetries.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

using Images = std::array<std::uint8_t, RoundTable::kMostIslands>;

/// Permutations that are tried on all rounds before more islands are left alone.
constexpr std::size_t kMostTried = 2000;
/// With more rounds than these no products are looked for that symmetries would help with.
constexpr std::size_t kMostRounds = 20'000;

class SymmetrySearch {
public:
    explicit SymmetrySearch(const RoundTable& table) : table_(table) {
        for (std::uint32_t r = 0; r < table.size(); ++r) {
            std::vector<Clique> cliques = table.rounds[r].round.cliques;
            for (const Clique clique : cliques) {
                count(clique);
            }
            std::ranges::sort(cliques);
            numbers_.try_emplace(std::move(cliques), r);
        }
    }

    /// All permutations that leave the first islands alone; false when there are too many.
    bool look(std::size_t fixed) {
        fixed_ = fixed;
        tried_ = 0;
        found.clear();
        rounds.clear();
        return extend(0, 0);
    }

    std::vector<Images> found;
    std::vector<std::vector<std::uint32_t>> rounds;

private:
    void count(Clique clique) {
        const std::vector<int> members = members_of(clique);
        for (const int i : members) {
            for (const int j : members) {
                ++together_[slot(i)][slot(j)];
            }
        }
    }

    bool extend(std::size_t island, std::uint32_t used) {
        if (island == table_.n) {
            if (found.size() == Symmetries::kMost || ++tried_ > kMostTried) {
                return false;
            }
            keep();
            return true;
        }
        for (std::size_t to = 0; to < table_.n; ++to) {
            if ((used >> to & 1U) != 0 || !may_become(island, to)) {
                continue;
            }
            images_[island] = static_cast<std::uint8_t>(to);
            if (!extend(island + 1, used | 1U << to)) {
                return false;
            }
        }
        return true;
    }

    /// Whether it meets the islands before as often as the other meets what they become.
    [[nodiscard]] bool may_become(std::size_t island, std::size_t to) const {
        if ((island < fixed_ && to != island) || table_.share[to] != table_.share[island] ||
            together_[to][to] != together_[island][island]) {
            return false;
        }
        for (std::size_t i = 0; i < island; ++i) {
            if (together_[island][i] != together_[to][images_[i]]) {
                return false;
            }
        }
        return true;
    }

    /// Keeps the permutation if all rounds become rounds.
    void keep() {
        std::vector<std::uint32_t> become;
        for (const ListedRound& listed : table_.rounds) {
            std::vector<Clique> cliques;
            for (const Clique clique : listed.round.cliques) {
                Clique other = 0;
                for (const int member : members_of(clique)) {
                    other |= Clique{1} << images_[slot(member)];
                }
                cliques.push_back(other);
            }
            std::ranges::sort(cliques);
            const auto number = numbers_.find(cliques);
            if (number == numbers_.end()) {
                return;
            }
            become.push_back(number->second);
        }
        found.push_back(images_);
        rounds.push_back(std::move(become));
    }

    const RoundTable& table_;
    std::map<std::vector<Clique>, std::uint32_t> numbers_;
    std::array<std::array<std::uint32_t, RoundTable::kMostIslands>, RoundTable::kMostIslands>
        together_{};  ///< rounds in which two islands meet
    Images images_{};
    std::size_t fixed_ = 0;
    std::size_t tried_ = 0;
};

}  // namespace

Symmetries::Symmetries(const RoundTable& table) : islands_(table.n) {
    SymmetrySearch search(table);
    for (std::size_t fixed = table.size() > kMostRounds ? table.n : 0; !search.look(fixed);
         ++fixed) {
        LONGHAUL_ASSERT(fixed < table.n);
    }
    images_ = std::move(search.found);
    rounds_ = std::move(search.rounds);
    std::map<Images, Index> numbers;
    for (const Images& images : images_) {
        numbers.emplace(images, static_cast<Index>(numbers.size()));
    }
    for (const Images& first : images_) {
        for (const Images& second : images_) {
            Images both{};
            for (std::size_t i = 0; i < islands_; ++i) {
                both[i] = second[first[i]];
            }
            products_.push_back(numbers.at(both));
        }
    }
}

}  // namespace longhaul::schedule::detail
