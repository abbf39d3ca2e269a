#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string_view>

#include "longhaul/measure/detail/load_table.hpp"
#include "longhaul/measure/detail/loads.hpp"

namespace longhaul::measure::detail {
namespace {

constexpr int kMaxParts = 24;
constexpr int kScanSteps = 40;
constexpr int kGoldenSteps = 30;
constexpr int kMaxSweeps = 12;
constexpr double kSmallGain = 1e-9;
constexpr double kLeastConcurrency = 0.25;
constexpr double kMostConcurrency = 64;

/// Values that a resource may have: nothing slower than a tenth of the slowest pair.
std::pair<double, double> limits_of(const SharedInput& input, Rule rule) {
    if (rule == Rule::kOccupancy) {
        return {kLeastConcurrency, kMostConcurrency};
    }
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const double rate : input.bytes_per_s.cells()) {
        if (rate > 0) {
            least = std::min(least, rate);
            most = std::max(most, rate);
        }
    }
    return {least / 10, most * kMostConcurrency};
}

/// x in [a, b] with the least f, when f falls and then rises there.
template <class F>
double golden(double a, double b, const F& f) {
    const double ratio = std::numbers::phi - 1;
    double x = b - ratio * (b - a);
    double y = a + ratio * (b - a);
    double fx = f(x);
    double fy = f(y);
    for (int step = 0; step < kGoldenSteps; ++step) {
        if (fx <= fy) {
            b = y;
            y = x;
            fy = fx;
            x = b - ratio * (b - a);
            fx = f(x);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + ratio * (b - a);
            fy = f(y);
        }
    }
    return (a + b) / 2;
}

}  // namespace

LoadTable::LoadTable(const SharedInput& input, const std::vector<SharedResource>& columns) {
    std::map<std::string_view, int> numbers;
    for (const LoadSample& sample : input.samples) {
        const int number =
            numbers.try_emplace(sample.name, static_cast<int>(numbers.size())).first->second;
        Sample row{number % kMaxParts, sample.extreme, sample.seconds, {}};
        for (const std::vector<Transfer>& transfers : sample.sets) {
            const PairLoad pair = pair_load(input, transfers);
            Set set{pair.alpha_s, pair.seconds, {}};
            for (const SharedResource& column : columns) {
                set.unit.push_back(unit_load(input, column, transfers));
            }
            row.sets.push_back(std::move(set));
        }
        samples_.push_back(std::move(row));
    }
    parts_ = std::min(kMaxParts, static_cast<int>(numbers.size()));
    for (const SharedResource& column : columns) {
        limits_.push_back(limits_of(input, column.rule));
    }
}

double LoadTable::squared_error(std::size_t sample, const Chosen& chosen) const {
    const Sample& row = samples_[sample];
    double extreme = 0;
    for (std::size_t s = 0; s < row.sets.size(); ++s) {
        const Set& set = row.sets[s];
        double busiest = set.pair_s;
        for (std::size_t k = 0; k < chosen.columns.size(); ++k) {
            busiest = std::max(busiest, set.unit[chosen.columns[k]] / chosen.values[k]);
        }
        const double seconds = set.alpha_s + busiest;
        const bool takes =
            s == 0 || (row.extreme == Extreme::kFastest ? seconds < extreme : seconds > extreme);
        extreme = takes ? seconds : extreme;
    }
    const double error = std::log(extreme / row.seconds);
    return error * error;
}

double LoadTable::error_at(const Chosen& chosen, int without_part) const {
    double sum = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        sum += samples_[i].part == without_part ? 0 : squared_error(i, chosen);
    }
    return sum;
}

void LoadTable::fit_one(Chosen& chosen, std::size_t which, int without_part) const {
    const auto [low, high] = limits_[chosen.columns[which]];
    const double step = std::log(high / low) / kScanSteps;
    const auto error = [&](double log_value) {
        chosen.values[which] = std::exp(log_value);
        return error_at(chosen, without_part);
    };
    // A value that nothing tells apart stays at the top, where the resource does not bind.
    const double top = std::log(high);
    const double free = error(top);
    double best = top;
    double least = free;
    double binds = top;  // the largest value of the scan at which it does
    for (int k = kScanSteps - 1; k >= 0; --k) {
        const double at = std::log(low) + k * step;
        const double value = error(at);
        binds = binds == top && std::abs(value - free) > kSmallGain ? at : binds;
        if (value < least - kSmallGain) {
            least = value;
            best = at;
        }
    }
    // Between the last value that binds and the next a little of it may be best.
    const double refined =
        best == top ? golden(binds, binds + step, error) : golden(best - step, best + step, error);
    const double refined_error = error(refined);
    chosen.values[which] = std::exp(refined_error < least ? refined : best);
}

Chosen LoadTable::fitted(Chosen chosen, int without_part) const {
    double error = error_at(chosen, without_part);
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        for (std::size_t k = 0; k < chosen.columns.size(); ++k) {
            fit_one(chosen, k, without_part);
        }
        const double now = error_at(chosen, without_part);
        const bool done = chosen.columns.size() < 2 || now > error - kSmallGain;
        error = now;
        if (done) {
            break;
        }
    }
    return chosen;
}

double LoadTable::mean_squared_error(const Chosen& chosen) const {
    return samples_.empty() ? 0 : error_at(chosen, kNone) / static_cast<double>(samples_.size());
}

double LoadTable::left_out(const Chosen& all) const {
    double sum = 0;
    for (int part = 0; part < parts_; ++part) {
        const Chosen without = parts_ > 1 ? fitted(all, part) : all;
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            sum += samples_[i].part == part ? squared_error(i, without) : 0;
        }
    }
    return samples_.empty() ? 0 : sum / static_cast<double>(samples_.size());
}

}  // namespace longhaul::measure::detail
