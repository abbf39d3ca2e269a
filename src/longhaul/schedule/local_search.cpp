#include "longhaul/schedule/detail/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

void sort_cliques(Round& round) {
    std::erase(round.cliques, Clique{0});
    std::ranges::sort(round.cliques, {}, [](Clique clique) { return std::countr_zero(clique); });
}

std::size_t clique_of(const Round& round, int island) {
    std::size_t c = 0;
    while ((round.cliques[c] >> island & 1U) == 0) {
        ++c;
    }
    return c;
}

void swap_islands(Round& round, int i, int j) {
    const std::size_t a = clique_of(round, i);
    const std::size_t b = clique_of(round, j);
    if (a != b) {
        const Clique both = Clique{1} << i | Clique{1} << j;
        round.cliques[a] ^= both;
        round.cliques[b] ^= both;
    }
}

/// Random changes of a schedule.
class Mutation {
public:
    Mutation(Judge& judge, core::Random& random) : judge_(judge), random_(random) {}

    [[nodiscard]] Schedule of(Schedule schedule) {
        Round& round = schedule.rounds[random_.index(schedule.rounds.size())];
        switch (random_.below(12)) {
            case 0:
            case 1:
            case 2:
            case 3: {
                const auto [i, j] = two();
                swap_islands(round, i, j);
                break;
            }
            case 4:
            case 5:
            case 6:
                move(round);
                break;
            case 7:
                merge(round);
                break;
            case 8:
                split(round);
                break;
            case 9: {
                const auto [i, j] = two();
                for (Round& each : schedule.rounds) {
                    swap_islands(each, i, j);
                    sort_cliques(each);
                }
                break;
            }
            case 10: {
                const Round copy = schedule.rounds[random_.index(schedule.rounds.size())];
                round = copy;
                const auto [i, j] = two();
                swap_islands(round, i, j);
                break;
            }
            default:
                std::swap(round, schedule.rounds[random_.index(schedule.rounds.size())]);
                break;
        }
        sort_cliques(round);
        return schedule;
    }

private:
    std::pair<int, int> two() {
        const auto n = static_cast<std::uint32_t>(judge_.islands());
        const int i = static_cast<int>(random_.below(n));
        const int j = static_cast<int>(random_.below(n - 1));
        return {i, j < i ? j : j + 1};
    }

    void move(Round& round) {
        const int i = static_cast<int>(random_.below(static_cast<std::uint32_t>(judge_.islands())));
        round.cliques[clique_of(round, i)] ^= Clique{1} << i;
        const std::size_t to = random_.index(round.cliques.size() + 1);
        if (to == round.cliques.size()) {
            round.cliques.push_back(0);
        }
        round.cliques[to] |= Clique{1} << i;
    }

    void merge(Round& round) {
        if (round.cliques.size() < 2) {
            return;
        }
        const std::size_t a = random_.index(round.cliques.size());
        const std::size_t b = random_.index(round.cliques.size());
        if (a != b) {
            round.cliques[a] |= round.cliques[b];
            round.cliques[b] = 0;
        }
    }

    void split(Round& round) {
        Clique& clique = round.cliques[random_.index(round.cliques.size())];
        Clique part = 0;
        for (Clique left = clique; left != 0; left &= left - 1) {
            part |= random_.below(2) == 0 ? left & (~left + 1) : 0;
        }
        clique ^= part;
        round.cliques.push_back(part);
    }

    Judge& judge_;
    core::Random& random_;
};

/// Takes every change that helps until a number of them in a row does not.
Candidate descend(Judge& judge, Candidate best, std::uint64_t patience, core::Random& random) {
    Mutation mutation(judge, random);
    for (std::uint64_t idle = 0; idle < patience && !judge.stopped(); ++idle) {
        Schedule next = mutation.of(best.schedule);
        const double score = judge.score(next, best.score_ms);
        if (score < best.score_ms) {
            best = {std::move(next), score};
            idle = 0;
        }
    }
    return best;
}

/// For every clique of `to` the clique of `from` that becomes it: most common islands first.
std::vector<Clique> matched(const Round& from, const Round& to) {
    struct Overlap {
        int common;
        std::size_t to;
        std::size_t from;
    };
    std::vector<Overlap> overlaps;
    for (std::size_t t = 0; t < to.cliques.size(); ++t) {
        for (std::size_t f = 0; f < from.cliques.size(); ++f) {
            overlaps.push_back({clique_size(to.cliques[t] & from.cliques[f]), t, f});
        }
    }
    std::ranges::stable_sort(overlaps, std::greater<>(), &Overlap::common);
    std::vector<Clique> start(to.cliques.size(), 0);
    std::vector<char> taken(from.cliques.size(), 0);
    for (const Overlap& overlap : overlaps) {
        if (start[overlap.to] == 0 && taken[overlap.from] == 0) {
            start[overlap.to] = from.cliques[overlap.from];
            taken[overlap.from] = 1;
        }
    }
    for (std::size_t f = 0; f < from.cliques.size(); ++f) {
        if (taken[f] == 0) {
            start.push_back(from.cliques[f]);  // to be emptied
        }
    }
    return start;
}

}  // namespace

Candidate anneal(Judge& judge, Candidate start, std::uint64_t steps, core::Random& random) {
    constexpr double kHot = 0.05;
    constexpr double kCold = 0.0003;
    Candidate best = start;
    Candidate now = std::move(start);
    if (judge.islands() < 2) {
        return best;
    }
    Mutation mutation(judge, random);
    for (std::uint64_t step = 0; step < steps && !judge.stopped(); ++step) {
        const double heat =
            kHot * std::pow(kCold / kHot, static_cast<double>(step) / static_cast<double>(steps));
        Schedule next = mutation.of(now.schedule);
        const double allowed = now.score_ms * (1 - heat * std::log(1 - random.uniform()));
        const double score = judge.score(next, allowed);
        if (score < allowed) {
            now = {std::move(next), score};
            if (now.score_ms < best.score_ms) {
                best = now;
            }
        }
    }
    return best;
}

namespace {

/// Cliques of each round, as they stand on the way from one schedule to another.
using Cliques = std::vector<std::vector<Clique>>;

/// The best schedule with one island moved to where it is in the goal, and its cliques; none when
/// nothing is left to move.
std::pair<Candidate, Cliques> best_step(Judge& judge, const Cliques& at, const Cliques& goal) {
    std::pair<Candidate, Cliques> best{{{}, kNever}, {}};
    const auto try_move = [&](std::size_t p, std::size_t c, int island) {
        Cliques moved = at;
        for (Clique& clique : moved[p]) {
            clique &= ~(Clique{1} << island);
        }
        moved[p][c] |= Clique{1} << island;
        Schedule schedule;
        for (const auto& cliques : moved) {
            schedule.rounds.push_back(make_round(cliques, judge.islands()));
        }
        const double score = judge.score(schedule, kNever);
        if (best.second.empty() || score < best.first.score_ms) {
            best.first = {std::move(schedule), score};
            best.second = std::move(moved);
        }
    };
    for (std::size_t p = 0; p < at.size(); ++p) {
        for (std::size_t c = 0; c < goal[p].size(); ++c) {
            for (const int island : members_of(goal[p][c] & ~at[p][c])) {
                try_move(p, c, island);
            }
        }
    }
    return best;
}

}  // namespace

Candidate relink(Judge& judge, const Candidate& from, const Candidate& to, core::Random& random) {
    Candidate best = from.score_ms < to.score_ms ? from : to;
    if (from.schedule.rounds.size() != to.schedule.rounds.size()) {
        return best;
    }
    Cliques at;
    Cliques goal;
    for (std::size_t p = 0; p < from.schedule.rounds.size(); ++p) {
        at.push_back(matched(from.schedule.rounds[p], to.schedule.rounds[p]));
        goal.push_back(to.schedule.rounds[p].cliques);
        goal.back().resize(at.back().size(), 0);
    }
    Candidate inner{{}, kNever};
    while (!judge.stopped()) {
        auto [step, step_at] = best_step(judge, at, goal);
        if (step_at.empty() || step_at == goal) {
            break;
        }
        at = std::move(step_at);
        if (step.score_ms < inner.score_ms) {
            inner = std::move(step);
        }
    }
    if (inner.score_ms != kNever) {
        inner = descend(judge, std::move(inner), 200, random);
        best = inner.score_ms < best.score_ms ? inner : best;
    }
    return best;
}

Schedule chain_start(int islands) {
    std::vector<Clique> even;
    std::vector<Clique> odd;
    for (int i = 0; i + 1 < islands; ++i) {
        (i % 2 == 0 ? even : odd).push_back(Clique{3} << i);
    }
    return {{make_round(even, islands), make_round(odd, islands)}};
}

std::vector<Schedule> grid_starts(const core::Grid<double>& latency_ms,
                                  int largest,
                                  core::Random& random) {
    const int n = static_cast<int>(latency_ms.rows());
    // Neighbours behind each other: a walk to the nearest island not yet seen.
    std::vector<int> order = {static_cast<int>(random.below(static_cast<std::uint32_t>(n)))};
    std::vector<char> seen(slot(n), 0);
    seen[slot(order.front())] = 1;
    while (static_cast<int>(order.size()) < n) {
        int nearest = -1;
        for (int i = 0; i < n; ++i) {
            if (seen[slot(i)] == 0 &&
                (nearest < 0 || latency_ms(slot(order.back()), slot(i)) <
                                    latency_ms(slot(order.back()), slot(nearest)))) {
                nearest = i;
            }
        }
        seen[slot(nearest)] = 1;
        order.push_back(nearest);
    }
    std::vector<Schedule> starts;
    for (int size = 2; size <= std::min(n, largest); ++size) {
        const int groups = (n + size - 1) / size;
        std::vector<Clique> near(slot(groups), 0);
        std::vector<Clique> across(slot(size), 0);
        for (int i = 0; i < n; ++i) {
            const Clique bit = Clique{1} << order[slot(i)];
            near[slot(i / size)] |= bit;
            across[slot(i % size)] |= bit;
        }
        starts.push_back({{make_round(near, n), make_round(across, n)}});
    }
    return starts;
}

}  // namespace longhaul::schedule::detail
