// Looks for the beginning of a schedule that scores less than another.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"
#include "longhaul/schedule/detail/start_bounds.hpp"

namespace longhaul::schedule::detail {

/// All sequences of rounds of a table, depth first, as long as all sums of their first starts leave
/// hope (the cycle lemma of docs/mathematics/schedule-extensions.md).
class PrefixSearch {
public:
    /// `starts` (two at most), tables and calls must outlive it. `seen` gets the sequences that are
    /// left, `stop` ends the search.
    PrefixSearch(const RoundTable& table,
                 const ErrorFloors& floors,
                 std::span<const StartBounds* const> starts,
                 double forgetting,
                 const std::function<bool()>& stop,
                 const std::function<void(std::span<const std::size_t>)>& seen);

    /// Whether no schedule of any period whose longest round takes at least `longest` scores less;
    /// false also when the work is used up.
    [[nodiscard]] bool proves(double score, double longest, double& work);

private:
    static constexpr std::size_t kDeepest = 40;
    static constexpr std::size_t kMostBounds = 2;
    using Sums = std::array<double, kDeepest + 1>;

    /// What is known of a start.
    struct Start {
        explicit Start(const RoundTable& table) : rounds(table), rows(rounds.width()) {}

        RoundsOnRows rounds;      ///< of these rows, when looked at
        std::vector<float> rows;  ///< product of the rounds from there on
        double sum = 0;           ///< rho e(1) + rho^2 e(2) + ... of the known rounds
        double whole = 0;         ///< at least that of all rounds
        double next = 0;          ///< least e after one more round, when looked at
        bool looked = false;
        std::array<StartBounds::Product, kMostBounds> products{};
    };

    [[nodiscard]] double target(double longest) const;
    [[nodiscard]] const Start& start(std::size_t k, std::size_t p) const;
    template <class Whole>
    [[nodiscard]] bool hopeful(double longest, std::size_t starts, const Whole& whole) const;
    [[nodiscard]] bool look_ahead(std::size_t k, double longest);
    void find_room(std::size_t k, double longest, std::vector<double>& room) const;
    bool errors_with(std::size_t k,
                     std::size_t round,
                     const std::vector<double>& room,
                     Sums& added) const;
    [[nodiscard]] double whole_with(std::size_t k,
                                    std::size_t p,
                                    std::size_t round,
                                    double added) const;
    void append(std::size_t k, std::size_t round, const Sums& added, const Sums& whole);
    bool extend(std::size_t k, double longest);

    const RoundTable& table_;
    const ErrorFloors& floors_;
    std::vector<const StartBounds*> bounds_;
    const std::function<bool()>& stop_;
    const std::function<void(std::span<const std::size_t>)>& seen_;
    std::vector<std::size_t> prefix_;
    std::vector<std::vector<Start>> depths_;
    Start none_;  ///< no round behind it yet
    std::vector<double> worth_;
    double score_ = 0;
    double work_ = 0;
};

}  // namespace longhaul::schedule::detail
