// Linear programs in rows and columns, solved by Clp (docs/adr/0022): the only header that hides
// it.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace longhaul::schedule::detail {

inline constexpr double kFree = std::numeric_limits<double>::infinity();

struct Solution {
    double objective = 0;
    std::vector<double> values;  ///< one a variable
    std::vector<double> prices;  ///< one a row: what one more on its right side costs
};

/// min sum(cost x), with rows sum(a x) >= b.
class LinearProgram {
public:
    using Terms = std::vector<std::pair<int, double>>;  ///< variable, coefficient

    /// Returns its number.
    int add_variable(double lower, double cost, double upper = kFree);
    void add_at_least(Terms terms, double bound);
    void add_at_most(Terms terms, double bound);
    void set_cost(int variable, double cost);

    [[nodiscard]] int variables() const { return static_cast<int>(lower_.size()); }

    /// Dual simplex, then primal; nothing when infeasible or unbounded.
    [[nodiscard]] std::optional<Solution> minimise() const;

private:
    std::vector<double> lower_;
    std::vector<double> upper_;
    std::vector<double> cost_;
    std::vector<Terms> rows_;
    std::vector<double> bound_;
};

}  // namespace longhaul::schedule::detail
