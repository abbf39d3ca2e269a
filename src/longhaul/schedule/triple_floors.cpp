#include <algorithm>
#include <cmath>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"

namespace longhaul::schedule::detail {

namespace {

/// For every two cliques how far the weights between them after a round are from those of the mean
/// of all.
void distances_from_mean(const RoundTable& table, std::size_t round, std::vector<double>& off) {
    const std::size_t cliques = table.cliques.size();
    off.resize(cliques * cliques);
    for (std::size_t x = 0; x < cliques; ++x) {
        for (std::size_t y = 0; y <= x; ++y) {
            double weight = -table.mass[x] * table.mass[y];
            for (const std::uint32_t id : table.cliques_of(round)) {
                weight += table.mass_of(table.cliques[x] & table.cliques[id]) *
                          table.mass_of(table.cliques[y] & table.cliques[id]) / table.mass[id];
            }
            off[x * cliques + y] = off[y * cliques + x] = std::abs(weight) / table.start;
        }
    }
}

/// Least errors of products of three rounds: of all in the classes up to each, and with each round
/// as an end or in the middle.
struct LeastOfThree {
    std::vector<double> of_classes;
    std::vector<double> end;
    std::vector<double> centre;
};

/// What each clique adds to the error when the first two rounds are `one` and that of `off`.
void errors_behind(const RoundTable& table,
                   const std::vector<double>& off,
                   std::size_t one,
                   std::vector<double>& errors) {
    const std::size_t cliques = table.cliques.size();
    for (std::size_t x = 0; x < cliques; ++x) {
        errors[x] = 0;
        for (const std::uint32_t id : table.cliques_of(one)) {
            errors[x] += off[x * cliques + id];
        }
    }
}

/// Every round behind `one` and `middle`.
void try_thirds(const RoundTable& table,
                std::size_t middle,
                std::size_t one,
                const std::vector<double>& errors,
                LeastOfThree& least) {
    const std::size_t from = std::max(table.classes[middle], table.classes[one]);
    for (std::size_t other = 0; other < table.size(); ++other) {
        double error = 0;
        for (const std::uint32_t id : table.cliques_of(other)) {
            error += errors[id];
        }
        least.end[one] = std::min(least.end[one], error);
        least.centre[middle] = std::min(least.centre[middle], error);
        std::size_t c = std::max(from, table.classes[other]);
        for (; c < least.of_classes.size() && error < least.of_classes[c]; ++c) {
            least.of_classes[c] = error;
        }
    }
}

}  // namespace

bool ErrorFloors::look_at_triples(const RoundTable& table,
                                  const SetErrors& set_errors,
                                  const std::function<bool()>& stop) {
    LeastOfThree least{std::vector<double>(least_.size(), kNever),
                       std::vector<double>(table.size(), kNever),
                       std::vector<double>(table.size(), kNever)};
    std::vector<double> off;
    std::vector<double> errors(table.cliques.size());
    for (std::size_t middle = 0; middle < table.size(); ++middle) {
        if (stop && stop()) {
            return false;
        }
        distances_from_mean(table, middle, off);
        for (std::size_t one = 0; one < table.size(); ++one) {
            errors_behind(table, off, one, errors);
            const std::size_t from = std::max(table.classes[middle], table.classes[one]);
            const double floor = table.least_of_rows(errors);
            // The least only falls with the class.
            const double highest =
                std::max({least.end[one], least.centre[middle], least.of_classes[from]});
            if (floor < highest) {
                try_thirds(table, middle, one, errors, least);
            }
        }
    }
    for (std::size_t c = 0; c < table.class_ms.size(); ++c) {
        least_[c][3] = std::max(least_[c][3], least.of_classes[c] - kFloorRounding);
    }
    const double worth = forgetting_ * forgetting_ * forgetting_;
    for (std::size_t round = 0; round < table.size(); ++round) {
        double pair = kNever;
        for (const ListedRound& other : table.rounds) {
            pair = std::min(pair, set_errors.two(table.rounds[round].round, other.round));
        }
        first_of_two_[round] = forgetting_ * forgetting_ * std::max(0.0, pair - kFloorRounding);
        first_of_three_[round] = worth * std::max(0.0, least.end[round] - kFloorRounding);
        middle_of_three_[round] = worth * std::max(0.0, least.centre[round] - kFloorRounding);
    }
    sum_up();
    return true;
}

}  // namespace longhaul::schedule::detail
