#include "longhaul/schedule/detail/error_floors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr double kMostClasses = 24;

/// Error of a row of multiples of 1 / parts, 1 / n each at best.
double row_of_parts(double parts, std::size_t n) {
    const auto islands = static_cast<double>(n);
    const double low = std::floor(parts / islands);
    const double more = parts - low * islands;
    return more * ((low + 1) / parts - 1 / islands) +
           (islands - more) * (1 / islands - low / parts);
}

using Row = std::array<double, RoundTable::kWidth>;

/// The row after one more round, rounded a little so that equal ones meet.
Row row_after(const RoundTable& table, std::size_t round, const Row& from) {
    Row to{};
    for (const std::uint32_t id : table.cliques_of(round)) {
        double sum = 0;
        for (const std::size_t member : table.members[id]) {
            sum += from[member];
        }
        for (const std::size_t member : table.members[id]) {
            to[member] = std::round(sum * table.share[member] / table.mass[id] * 1e14) / 1e14;
        }
    }
    return to;
}

double row_error(const RoundTable& table, const Row& row) {
    double off = 0;
    for (std::size_t x = 0; x < table.n; ++x) {
        off += std::abs(row[x] - table.share[x]);
    }
    return off;
}

/// Least error after one more round, every island in its best clique.
double least_after(const RoundTable& table, const Row& row) {
    Row least;
    least.fill(kNever);
    for (std::size_t c = 0; c < table.cliques.size(); ++c) {
        double off = -table.mass[c];
        for (const std::size_t member : table.members[c]) {
            off += row[member];
        }
        for (const std::size_t member : table.members[c]) {
            least[member] = std::min(least[member], std::abs(off) / table.mass[c]);
        }
    }
    double sum = 0;
    for (std::size_t x = 0; x < table.n; ++x) {
        sum += table.share[x] * least[x];
    }
    return sum;
}

}  // namespace

RoundTable::RoundTable(const std::vector<ListedRound>& listed,
                       int islands,
                       const MixingOptions& mixing)
    : n(slot(islands)), rounds(listed), share(mixing.target), equal(mixing.target.empty()) {
    LONGHAUL_ASSERT(!rounds.empty() && rounds.front().time_ms > 0);
    share.resize(n, 1);
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    for (double& part : share) {
        part /= sum;
        start += part * 2 * (1 - part);
    }
    LONGHAUL_ASSERT(n <= kWidth);
    share.resize(kWidth, 0);
    divide();
    number_cliques();
}

void RoundTable::number_cliques() {
    cliques.clear();
    members.clear();
    mass.clear();
    ids.clear();
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

void RoundTable::divide() {
    const double least = rounds.front().time_ms;
    const double step = std::pow(rounds.back().time_ms / least, 1 / kMostClasses);
    double end = 0;
    for (const ListedRound& round : rounds) {
        if (class_ms.empty() || round.time_ms > end) {
            class_ms.push_back(round.time_ms);
            for (end = std::max(end, least); end <= round.time_ms && step > 1;) {
                end *= step;
            }
        }
        classes.push_back(class_ms.size() - 1);
    }
    LONGHAUL_ASSERT(class_ms.size() <= 64);
}

double RoundTable::mass_of(Clique clique) const {
    double sum = 0;
    for (; clique != 0; clique &= clique - 1) {
        sum += share[static_cast<std::size_t>(std::countr_zero(clique))];
    }
    return sum;
}

void RoundTable::keep_classes(std::size_t count) {
    const auto end = std::ranges::lower_bound(classes, count);
    const auto kept = static_cast<std::size_t>(end - classes.begin());
    classes.resize(kept);
    rounds.resize(kept);
    class_ms.resize(std::min(count, class_ms.size()));
    number_cliques();
}

void RoundTable::errors_of_means(const double* rows, std::vector<double>& errors) const {
    errors.resize(cliques.size());
    for (std::size_t c = 0; c < cliques.size(); ++c) {
        // Loops of a fixed length, so that compilers unroll them.
        std::array<double, kWidth> sum{};
        for (const std::size_t member : members[c]) {
            const double weight = share[member];
            const double* row = rows + member * kWidth;
            for (std::size_t x = 0; x < kWidth; ++x) {
                sum[x] += weight * row[x];
            }
        }
        double even = 0;
        double odd = 0;
        for (std::size_t x = 0; x < kWidth; x += 2) {
            even += std::abs(sum[x] - mass[c] * share[x]);
            odd += std::abs(sum[x + 1] - mass[c] * share[x + 1]);
        }
        errors[c] = (even + odd) / start;
    }
}

double RoundTable::least_of_rows(const std::vector<double>& errors) const {
    std::array<double, kWidth> least{};
    least.fill(kNever);
    for (std::size_t c = 0; c < cliques.size(); ++c) {
        const double part = errors[c] / mass[c];
        for (const std::size_t member : members[c]) {
            least[member] = std::min(least[member], part);
        }
    }
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += share[i] * least[i];
    }
    return std::max(0.0, sum - kFloorRounding);
}

void RoundTable::apply(std::size_t round, const double* before, double* after) const {
    for (const std::uint32_t id : cliques_of(round)) {
        std::array<double, kWidth> mean{};
        for (const std::size_t member : members[id]) {
            const double weight = share[member] / mass[id];
            const double* row = before + member * kWidth;
            for (std::size_t x = 0; x < kWidth; ++x) {
                mean[x] += weight * row[x];
            }
        }
        for (const std::size_t member : members[id]) {
            std::copy_n(mean.begin(), kWidth, after + member * kWidth);
        }
    }
}

ErrorFloors::ErrorFloors(const RoundTable& table, const SetErrors& errors, double forgetting)
    : forgetting_(forgetting),
      least_(table.class_ms.size(), std::vector<double>(kMost + 2, 0)),
      floors_(least_),
      after_(least_),
      first_of_two_(table.size(), 0),
      first_of_three_(table.size(), 0),
      middle_of_three_(table.size(), 0) {
    from_single_rounds(table, errors);
    from_pairs(table, errors);
    sum_up();
}

void ErrorFloors::from_single_rounds(const RoundTable& table, const SetErrors& errors) {
    double least = kNever;
    double widest = 1;
    std::uint64_t common = 1;
    std::size_t at = 0;
    for (std::size_t c = 0; c < least_.size(); ++c) {
        for (; at < table.size() && table.classes[at] == c; ++at) {
            const ListedRound& round = table.rounds[at];
            least = std::min(least, round.error);
            widest = std::max(widest, static_cast<double>(round.widest));
            for (const Clique clique : round.round.cliques) {
                common = std::lcm(common, static_cast<std::uint64_t>(clique_size(clique)));
            }
        }
        least_[c][1] = std::max(0.0, least - kFloorRounding);
        for (std::size_t h = 2; h <= kMost; ++h) {
            double floor = errors.at_least(std::pow(widest, static_cast<double>(h)));
            // Weights of rows are multiples of 1 / (least common multiple of all sizes)^h.
            const double parts = std::pow(static_cast<double>(common), static_cast<double>(h));
            if (table.equal && parts < 1e12) {
                floor = std::max(floor, row_of_parts(parts, table.n) / table.start);
            }
            least_[c][h] = std::max(0.0, floor - kFloorRounding);
        }
    }
}

void ErrorFloors::from_pairs(const RoundTable& table, const SetErrors& errors) {
    double least = kNever;
    for (std::size_t b = 0; b < table.size(); ++b) {
        std::vector<double>& floors = least_[table.classes[b]];
        const ListedRound& later = table.rounds[b];
        for (std::size_t a = 0; a <= b && least > floors[2]; ++a) {
            const ListedRound& round = table.rounds[a];
            if (errors.at_least(static_cast<double>(round.widest) * later.widest) < least) {
                least = std::min(least, errors.two(round.round, later.round));
            }
        }
        if (b + 1 == table.size() || table.classes[b + 1] != table.classes[b]) {
            floors[2] = std::max(floors[2], least - kFloorRounding);
        }
    }
}

void ErrorFloors::look_at_rows(const RoundTable& table, double most) {
    std::vector<double> sum(kMost + 2, 0);
    for (std::size_t i = 0; i < table.n; ++i) {
        Row row{};
        row[i] = 1;
        std::set<Row> reached = {row};
        std::size_t h = 1;
        for (; h <= kMost; ++h) {
            const bool last = static_cast<double>(reached.size() * table.size()) > most;
            std::set<Row> next;
            double least = kNever;
            for (const Row& from : reached) {
                if (last) {
                    least = std::min(least, least_after(table, from));
                    continue;
                }
                for (std::size_t round = 0; round < table.size(); ++round) {
                    next.insert(row_after(table, round, from));
                }
            }
            for (const Row& to : next) {
                least = std::min(least, row_error(table, to));
            }
            sum[h] += table.share[i] * least / table.start;
            if (last) {
                break;
            }
            reached = std::move(next);
        }
    }
    for (auto& floors : least_) {
        for (std::size_t h = 2; h <= kMost; ++h) {
            floors[h] = std::max(floors[h], sum[h] - kFloorRounding);
        }
    }
    sum_up();
}

void ErrorFloors::sum_up() {
    for (std::size_t c = 0; c < least_.size(); ++c) {
        for (std::size_t h = kMost; h > 1; --h) {
            // One more round never adds disagreement.
            least_[c][h - 1] = std::max(least_[c][h - 1], least_[c][h]);
        }
        double worth = 1;
        floors_[c][0] = 1;
        for (std::size_t h = 1; h <= kMost; ++h) {
            worth *= forgetting_;
            floors_[c][h] = worth * least_[c][h];
        }
        after_[c][kMost] = 0;
        for (std::size_t h = kMost; h > 0; --h) {
            after_[c][h - 1] = after_[c][h] + floors_[c][h];
        }
    }
}

}  // namespace longhaul::schedule::detail
