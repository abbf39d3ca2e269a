// Samples with the loads of candidate resources worked out once, so that values are fitted fast.
#pragma once

#include <vector>

#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure::detail {

/// A set of resources by their columns in the table, with values.
struct Chosen {
    std::vector<std::size_t> columns;
    std::vector<double> values;
};

class LoadTable {
public:
    static constexpr int kNone = -1;

    LoadTable(const SharedInput& input, const std::vector<SharedResource>& columns);

    [[nodiscard]] std::size_t samples() const { return samples_.size(); }
    [[nodiscard]] double squared_error(std::size_t sample, const Chosen& chosen) const;
    /// The values with the least squared log error over the samples but those of a part.
    [[nodiscard]] Chosen fitted(Chosen chosen, int without_part = kNone) const;
    [[nodiscard]] double mean_squared_error(const Chosen& chosen) const;
    /// The same with every name predicted without its samples; starts from `all`, fitted to all.
    [[nodiscard]] double left_out(const Chosen& all) const;

private:
    struct Set {
        double alpha_s;
        double pair_s;
        std::vector<double> unit;  ///< a column each
    };
    struct Sample {
        int part;
        Extreme extreme;
        double seconds;
        std::vector<Set> sets;
    };
    [[nodiscard]] double error_at(const Chosen& chosen, int without_part) const;
    void fit_one(Chosen& chosen, std::size_t which, int without_part) const;

    std::vector<Sample> samples_;
    int parts_ = 0;
    std::vector<std::pair<double, double>> limits_;  ///< of the value of each column
};

}  // namespace longhaul::measure::detail
