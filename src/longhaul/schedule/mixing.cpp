#include "longhaul/schedule/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule {

using detail::kNever;

namespace {

std::vector<double> shares(const std::vector<double>& target, std::size_t islands) {
    if (target.empty()) {
        return std::vector<double>(islands, 1.0 / static_cast<double>(islands));
    }
    LONGHAUL_ASSERT(target.size() == islands);
    const double sum = std::accumulate(target.begin(), target.end(), 0.0);
    std::vector<double> share = target;
    for (double& part : share) {
        part /= sum;
    }
    return share;
}

/// sum_i pi_i |row_i - pi|, over its value when every island has only its own.
class Disagreement {
public:
    explicit Disagreement(std::vector<double> share) : share_(std::move(share)) {
        for (const double part : share_) {
            start_ += part * 2 * (1 - part);
        }
    }

    [[nodiscard]] double operator()(const MixingMatrix& phi) const {
        if (start_ == 0) {
            return 0;  // one island
        }
        double sum = 0;
        for (std::size_t i = 0; i < share_.size(); ++i) {
            double row = 0;
            for (std::size_t j = 0; j < share_.size(); ++j) {
                row += std::abs(phi(i, j) - share_[j]);
            }
            sum += share_[i] * row;
        }
        return sum / start_;
    }

private:
    std::vector<double> share_;
    double start_ = 0;
};

MixingMatrix identity(std::size_t n) {
    MixingMatrix phi(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        phi(i, i) = 1;
    }
    return phi;
}

/// Applies one round: phi = W phi.
class Step {
public:
    explicit Step(const MixingMatrix& weights) {
        for (std::size_t i = 0; i < weights.rows(); ++i) {
            auto& row = rows_.emplace_back();
            for (std::size_t j = 0; j < weights.columns(); ++j) {
                if (weights(i, j) != 0) {
                    row.emplace_back(j, weights(i, j));
                }
            }
        }
    }

    void apply(const MixingMatrix& phi, MixingMatrix& next) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const auto to = next.row(i);
            if (i > 0 && rows_[i] == rows_[i - 1]) {
                std::ranges::copy(next.row(i - 1), to.begin());
                continue;
            }
            std::ranges::fill(to, 0.0);
            for (const auto& [j, weight] : rows_[i]) {
                const auto from = phi.row(j);
                for (std::size_t x = 0; x < to.size(); ++x) {
                    to[x] += weight * from[x];
                }
            }
        }
    }

private:
    std::vector<std::vector<std::pair<std::size_t, double>>> rows_;
};

/// Whether the islands are one piece when all rounds of the period are laid over each other.
bool connected(const std::vector<MixingMatrix>& period) {
    const std::size_t n = period.front().rows();
    std::vector<char> reached(n, 0);
    std::vector<std::size_t> open = {0};
    reached[0] = 1;
    while (!open.empty()) {
        const std::size_t i = open.back();
        open.pop_back();
        for (const MixingMatrix& weights : period) {
            for (std::size_t j = 0; j < n; ++j) {
                if (reached[j] == 0 && (weights(i, j) != 0 || weights(j, i) != 0)) {
                    reached[j] = 1;
                    open.push_back(j);
                }
            }
        }
    }
    return std::ranges::find(reached, 0) == reached.end();
}

/// One curve: an update born in a phase, seen after every round; and a guess at what is missing
/// behind its end, a geometric series with the decay of the last period.
struct Curve {
    std::vector<double> errors;
    double rest = 0;
};
Curve curve_of(std::size_t phase,
               const std::vector<Step>& steps,
               const Disagreement& disagreement,
               std::size_t islands,
               const MixingOptions& options) {
    const std::size_t period = steps.size();
    MixingMatrix phi = identity(islands);
    MixingMatrix next(islands, islands, 0);
    Curve found{{1}, 0};
    std::vector<double>& curve = found.errors;
    double area = 1;
    double worth = 1;
    for (int h = 1; h < options.longest; ++h) {
        steps[(phase + static_cast<std::size_t>(h)) % period].apply(phi, next);
        std::swap(phi, next);
        const double error = disagreement(phi);
        worth *= options.forgetting;
        if (error * worth < 1e-15) {
            found.rest = 0;
            break;
        }
        curve.push_back(error);
        area += worth * error;
        if (curve.size() > period) {
            const double decay = error / curve[curve.size() - 1 - period] *
                                 std::pow(options.forgetting, static_cast<double>(period));
            const double tail = static_cast<double>(period) * error * worth * decay;
            found.rest = decay < 1 ? tail / (1 - decay) : 0;
            if (decay < 1 && found.rest < options.precision * area) {
                break;
            }
        }
    }
    return found;
}

}  // namespace

MixingMatrix mixing_matrix(const Round& round, int islands, const std::vector<double>& target) {
    const auto n = static_cast<std::size_t>(islands);
    const std::vector<double> share = shares(target, n);
    MixingMatrix weights(n, n, 0);
    for (const Clique clique : round.cliques) {
        const std::vector<int> members = members_of(clique);
        double sum = 0;
        for (const int j : members) {
            sum += share[static_cast<std::size_t>(j)];
        }
        for (const int i : members) {
            for (const int j : members) {
                const auto column = static_cast<std::size_t>(j);
                weights(static_cast<std::size_t>(i), column) =
                    target.empty() ? 1.0 / static_cast<double>(members.size())
                                   : share[column] / sum;
            }
        }
    }
    return weights;
}

Survival survival(const std::vector<MixingMatrix>& period, const MixingOptions& options) {
    LONGHAUL_ASSERT(!period.empty() && options.forgetting > 0 && options.forgetting <= 1);
    Survival found;
    const std::size_t n = period.front().rows();
    found.mixes = connected(period);
    const Disagreement disagreement(shares(options.target, n));
    std::vector<Step> steps;
    steps.reserve(period.size());
    for (const MixingMatrix& weights : period) {
        steps.emplace_back(weights);
    }
    MixingOptions bounded = options;
    if (!found.mixes) {
        bounded.longest = std::min(options.longest, 64);  // for pictures; the area is infinite
    }
    double sum = 0;
    for (std::size_t phase = 0; phase < period.size(); ++phase) {
        Curve curve = curve_of(phase, steps, disagreement, n, bounded);
        sum += curve.rest;
        found.curves.push_back(std::move(curve.errors));
        double worth = 1;
        for (const double error : found.curves.back()) {
            sum += worth * error;
            worth *= options.forgetting;
        }
    }
    found.area = 0.5 + sum / static_cast<double>(period.size());
    if (!found.mixes && options.forgetting == 1) {
        found.area = kNever;
    }
    return found;
}

Survival survival(const Schedule& schedule, int islands, const MixingOptions& options) {
    std::vector<MixingMatrix> period;
    period.reserve(schedule.rounds.size());
    for (const Round& round : schedule.rounds) {
        period.push_back(mixing_matrix(round, islands, options.target));
    }
    return survival(period, options);
}

double error_of(const Round& round, int islands) {
    if (islands == 1) {
        return 0;
    }
    double sum = 0;
    for (const Clique clique : round.cliques) {
        const int size = clique_size(clique);
        sum += static_cast<double>(size) * (islands - size);
    }
    return sum / islands / (islands - 1);
}

double error_of(const Round& a, const Round& b, int islands) {
    if (islands == 1) {
        return 0;
    }
    double sum = 0;
    for (const Clique x : a.cliques) {
        const int x_size = clique_size(x);
        for (const Clique y : b.cliques) {
            sum += std::abs(clique_size(x & y) -
                            static_cast<double>(x_size) * clique_size(y) / islands);
        }
    }
    return sum / (2.0 * (islands - 1));
}

}  // namespace longhaul::schedule
