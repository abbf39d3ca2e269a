// Looks for the beginning of a schedule that scores less than another.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/remainders.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"

namespace longhaul::schedule::detail {

struct PrefixCalls {
    std::function<bool()> stop;  ///< true: no more time
    /// Gets the sequences that are left, as indices of rounds: made periodic they may be good
    /// schedules.
    std::function<void(std::span<const std::size_t>)> seen;
};

/// All sequences of rounds of a table, depth first, as long as all sums of their first starts leave
/// hope (the cycle lemma of docs/mathematics/schedule-extensions.md). What is still to come behind
/// the rounds of a start is proved where that is worth while: as far as all starts together must
/// be raised to leave no hope, when a beam search did not get below.
class PrefixSearch {
public:
    /// All must outlive it.
    PrefixSearch(const RoundTable& table,
                 const ErrorFloors& floors,
                 Remainders& remainders,
                 double forgetting,
                 const PrefixCalls& calls);

    /// Whether no schedule of any period whose longest round takes at least `longest` scores less;
    /// false also when the work is used up. `most`: work for the remainder of one product.
    [[nodiscard]] bool proves(double score, double longest, double& work, double most);

private:
    static constexpr std::size_t kDeepest = 40;
    using Sums = std::array<double, kDeepest + 1>;

    /// What is known of a start.
    struct Start {
        explicit Start(const RoundTable& table) : rounds(table), rows(rounds.width()) {}

        RoundsOnRows rounds;      ///< of these rows
        std::vector<float> rows;  ///< product of the rounds from there on
        double sum = 0;           ///< rho e(1) + rho^2 e(2) + ... of the known rounds
        Remainders::Product product = 0;
    };

    [[nodiscard]] double target(double longest) const;
    [[nodiscard]] const Start& start(std::size_t k, std::size_t p) const;
    [[nodiscard]] double whole(std::size_t k, std::size_t p) const;
    [[nodiscard]] bool hopeful(std::size_t k, double longest) const;
    [[nodiscard]] bool settle(std::size_t k, double longest);
    void find_room(std::size_t k, double longest, std::vector<double>& room) const;
    bool errors_with(std::size_t k,
                     std::size_t round,
                     const std::vector<double>& room,
                     Sums& added) const;
    void append(std::size_t k, std::size_t round, const Sums& added);
    bool extend(std::size_t k, double longest);

    const RoundTable& table_;
    const ErrorFloors& floors_;
    Remainders& remainders_;
    const PrefixCalls& calls_;
    std::vector<std::size_t> prefix_;
    std::vector<std::vector<Start>> depths_;
    Start none_;  ///< no round behind it yet
    std::vector<double> worth_;
    double score_ = 0;
    double work_ = 0;
    double most_ = 0;
};

}  // namespace longhaul::schedule::detail
