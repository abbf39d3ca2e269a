#include "longhaul/schedule/detail/linear_program.hpp"

#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/CoinPackedVector.hpp>

namespace longhaul::schedule::detail {

int LinearProgram::add_variable(double lower, double cost, double upper) {
    lower_.push_back(lower);
    upper_.push_back(upper);
    cost_.push_back(cost);
    return variables() - 1;
}

void LinearProgram::add_at_least(Terms terms, double bound) {
    rows_.push_back(std::move(terms));
    bound_.push_back(bound);
}

void LinearProgram::add_at_most(Terms terms, double bound) {
    for (auto& [variable, coefficient] : terms) {
        coefficient = -coefficient;
    }
    add_at_least(std::move(terms), -bound);
}

void LinearProgram::set_cost(int variable, double cost) {
    cost_[static_cast<std::size_t>(variable)] = cost;
}

std::optional<Solution> LinearProgram::minimise() const {
    CoinPackedMatrix matrix(false, 0, 0);  // by rows
    matrix.setDimensions(0, variables());
    for (const Terms& terms : rows_) {
        CoinPackedVector row;
        // Terms of one variable may come in parts.
        std::vector<double> sum(lower_.size(), 0);
        for (const auto& [variable, coefficient] : terms) {
            sum[static_cast<std::size_t>(variable)] += coefficient;
        }
        for (std::size_t v = 0; v < sum.size(); ++v) {
            if (sum[v] != 0) {
                row.insert(static_cast<int>(v), sum[v]);
            }
        }
        matrix.appendRow(row);
    }
    const auto clp = [](double value) {
        return value == kFree ? COIN_DBL_MAX : value == -kFree ? -COIN_DBL_MAX : value;
    };
    std::vector<double> lower;
    std::vector<double> upper;
    for (std::size_t v = 0; v < lower_.size(); ++v) {
        lower.push_back(clp(lower_[v]));
        upper.push_back(clp(upper_[v]));
    }
    const std::vector<double> no_limit(rows_.size(), COIN_DBL_MAX);
    ClpSimplex model;
    model.setLogLevel(0);
    model.loadProblem(
        matrix, lower.data(), upper.data(), cost_.data(), bound_.data(), no_limit.data());
    model.dual();
    if (!model.isProvenOptimal()) {
        // With free variables the dual simplex may say infeasible of what is not.
        model.primal();
    }
    if (!model.isProvenOptimal()) {
        return std::nullopt;
    }
    const double* values = model.primalColumnSolution();
    const double* prices = model.dualRowSolution();
    return Solution{
        model.objectiveValue(), {values, values + lower_.size()}, {prices, prices + rows_.size()}};
}

}  // namespace longhaul::schedule::detail
