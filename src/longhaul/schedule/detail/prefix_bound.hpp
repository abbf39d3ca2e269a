// A bound over every period from the first rounds that a schedule may have.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/contrast_floors.hpp"
#include "longhaul/schedule/detail/error_floors.hpp"
#include "longhaul/schedule/detail/prefix_search.hpp"
#include "longhaul/schedule/detail/product_floors.hpp"
#include "longhaul/schedule/detail/remainders.hpp"
#include "longhaul/schedule/detail/round_table.hpp"
#include "longhaul/schedule/detail/symmetries.hpp"

namespace longhaul::schedule::detail {

/// A periodic schedule that scores less than S has a phase from which on the sum of the first m
/// lifetimes is less than m S / T for every m, so all sequences of rounds are tried as long as what
/// is known of them allows it (docs/mathematics/schedule-extensions.md). Uniform rounds, times
/// raised by prepare_for_bounds, two to ten islands.
class PrefixBound {
public:
    /// Rounds must be ascending by time. `above`: a score that is known; none above it is asked for
    /// later.
    PrefixBound(const std::vector<ListedRound>& rounds,
                const SetErrors& errors,
                int islands,
                const MixingOptions& mixing,
                double above);

    /// A proved bound in [below, above]. Limited to about `work` products looked at.
    [[nodiscard]] double prove(double below, double above, double work, const PrefixCalls& calls);

private:
    static constexpr std::size_t kFirstLength = 3;

    /// Products of rounds, islands of a side being as one.
    struct Division {
        ProductFloors floors;
        double work = 0;  ///< of the last length
    };

    /// Schedules whose longest round takes at least so long, and less than that of the next class.
    struct Class {
        double least_ms;
        RoundTable table;  ///< of all rounds that they may have
        ErrorFloors floors;
        std::vector<Division> divisions = {};    ///< the finest first
        std::size_t exact = kFirstLength;        ///< of products to look at, islands apart
        std::size_t next_length = kFirstLength;  ///< the same, made coarser
        std::vector<ContrastFloors> contrasts = {};
        std::size_t next_contrast = 0;          ///< length of products; 0: none are chosen yet
        bool hard = false;                      ///< contrasts were tried anew with more work
        std::vector<LaterProducts> ahead = {};  ///< of 1, 2, ... rounds
        std::optional<Symmetries> symmetries = {};
        std::optional<Remainders> remainders = {};
        double proved = 0;
    };

    [[nodiscard]] bool proves(Class& of, double score, double& work, const PrefixCalls& calls);
    [[nodiscard]] double least_by_sides(Class& of, double limit, const std::function<bool()>& stop);
    void look_at_products(Class& of,
                          double needed,
                          double limit,
                          const std::function<bool()>& stop);
    void look_at_contrasts(Class& of,
                           double needed,
                           double limit,
                           const std::function<bool()>& stop);
    void divide(Class& of, double limit, const std::function<bool()>& stop);
    /// Zero when it would take more than a part of the work.
    [[nodiscard]] double least_product(Division& with,
                                       std::size_t length,
                                       double part,
                                       const std::function<bool()>& stop);
    void prepare_search(Class& of, const std::function<bool()>& stop) const;

    double forgetting_;
    double product_work_ = 0;
    double contrast_work_ = 0;
    std::vector<std::unique_ptr<Class>> classes_;  ///< ascending times: the hard ones first
};

}  // namespace longhaul::schedule::detail
