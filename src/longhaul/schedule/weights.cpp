#include "longhaul/schedule/weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule {

using detail::slot;

namespace {

/// The weight of a pair of members, which both give each other.
struct Edge {
    std::size_t round = 0;
    std::size_t a = 0;  ///< islands
    std::size_t b = 0;
};

std::vector<Edge> edges_of(const Schedule& schedule) {
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        for (const Clique clique : schedule.rounds[k].cliques) {
            const std::vector<int> members = members_of(clique);
            for (std::size_t i = 0; i < members.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    edges.push_back({k, slot(members[j]), slot(members[i])});
                }
            }
        }
    }
    return edges;
}

class Descent {
public:
    Descent(std::vector<MixingMatrix> start, const std::vector<Edge>& edges, double forgetting)
        : period_(std::move(start)), edges_(edges) {
        options_.forgetting = forgetting;
        area_ = survival(period_, options_).area;
    }

    /// One pair after the other; returns by how much the area fell.
    double sweep() {
        const double before = area_;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            std::vector<double> direction(edges_.size(), 0);
            direction[e] = 1;
            search(direction);
        }
        return before - area_;
    }

    /// Along a few random directions: kinks may stop single pairs.
    double wander(core::Random& random, int directions) {
        const double before = area_;
        std::vector<double> direction(edges_.size(), 0);
        for (int d = 0; d < directions; ++d) {
            for (double& part : direction) {
                part = 2 * random.uniform() - 1;
            }
            search(direction);
        }
        return before - area_;
    }

    [[nodiscard]] double area() const { return area_; }
    [[nodiscard]] const std::vector<MixingMatrix>& period() const { return period_; }

private:
    [[nodiscard]] std::vector<MixingMatrix> moved(const std::vector<double>& direction,
                                                  double step) const {
        std::vector<MixingMatrix> next = period_;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const Edge& edge = edges_[e];
            MixingMatrix& weights = next[edge.round];
            const double weight = std::max(0.0, weights(edge.a, edge.b) + step * direction[e]);
            weights(edge.a, edge.b) = weight;
            weights(edge.b, edge.a) = weight;
        }
        // What others leave is an island's own.
        for (MixingMatrix& weights : next) {
            for (std::size_t i = 0; i < weights.rows(); ++i) {
                double others = 0;
                for (std::size_t j = 0; j < weights.columns(); ++j) {
                    others += i == j ? 0 : weights(i, j);
                }
                weights(i, i) = std::max(0.0, 1 - others);
            }
        }
        return next;
    }

    /// How far weights stay >= 0, the own ones included.
    [[nodiscard]] double longest(const std::vector<double>& direction, double sign) const {
        double step = 2;
        std::vector<std::vector<double>> own;
        for (const MixingMatrix& weights : period_) {
            own.emplace_back(weights.rows(), 0);
        }
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const Edge& edge = edges_[e];
            const double slope = sign * direction[e];
            own[edge.round][edge.a] -= slope;
            own[edge.round][edge.b] -= slope;
            if (slope < 0) {
                step = std::min(step, period_[edge.round](edge.a, edge.b) / -slope);
            }
        }
        for (std::size_t k = 0; k < own.size(); ++k) {
            for (std::size_t i = 0; i < own[k].size(); ++i) {
                if (own[k][i] < 0) {
                    step = std::min(step, period_[k](i, i) / -own[k][i]);
                }
            }
        }
        return step;
    }

    /// Golden section on the segment of steps that are allowed.
    void search(const std::vector<double>& direction) {
        constexpr double kGolden = 0.6180339887498949;
        double low = -longest(direction, -1);
        double high = longest(direction, 1);
        const auto value = [&](double step) {
            return survival(moved(direction, step), options_).area;
        };
        double best = 0;
        double least = area_;
        const auto look = [&](double step) {
            const double area = value(step);
            if (area < least - 1e-12) {
                least = area;
                best = step;
            }
            return area;
        };
        double left = high - kGolden * (high - low);
        double right = low + kGolden * (high - low);
        double at_left = look(left);
        double at_right = look(right);
        while (high - low > 1e-5) {
            if (at_left <= at_right) {
                high = right;
                right = left;
                at_right = at_left;
                left = high - kGolden * (high - low);
                at_left = look(left);
            } else {
                low = left;
                left = right;
                at_left = at_right;
                right = low + kGolden * (high - low);
                at_right = look(right);
            }
        }
        if (best != 0) {
            period_ = moved(direction, best);
            area_ = survival(period_, options_).area;
        }
    }

    std::vector<MixingMatrix> period_;
    const std::vector<Edge>& edges_;
    MixingOptions options_;
    double area_ = 0;
};

/// Random weights: each pair gets a random part of what equal weights would give it twice over.
std::vector<MixingMatrix> random_start(const std::vector<MixingMatrix>& equal,
                                       const std::vector<Edge>& edges,
                                       core::Random& random) {
    std::vector<MixingMatrix> start = equal;
    for (const Edge& edge : edges) {
        const double weight = equal[edge.round](edge.a, edge.b) * random.uniform();
        start[edge.round](edge.a, edge.b) = weight;
        start[edge.round](edge.b, edge.a) = weight;
    }
    for (MixingMatrix& weights : start) {
        for (std::size_t i = 0; i < weights.rows(); ++i) {
            weights(i, i) = 1;
            for (std::size_t j = 0; j < weights.columns(); ++j) {
                weights(i, i) -= i == j ? 0 : weights(i, j);
            }
        }
    }
    return start;
}

void descend(Descent& descent, core::Random& random, int sweeps) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        if (descent.sweep() + descent.wander(random, 4) < 1e-7 * descent.area()) {
            return;
        }
    }
}

}  // namespace

std::vector<MixingMatrix> CliqueWeights::matrices(const Schedule& schedule, int islands) const {
    std::vector<MixingMatrix> period;
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        MixingMatrix& weights = period.emplace_back(slot(islands), slot(islands), 0);
        for (std::size_t c = 0; c < schedule.rounds[k].cliques.size(); ++c) {
            const std::vector<int> members = members_of(schedule.rounds[k].cliques[c]);
            for (std::size_t i = 0; i < members.size(); ++i) {
                for (std::size_t j = 0; j < members.size(); ++j) {
                    weights(slot(members[i]), slot(members[j])) = blocks[k][c](i, j);
                }
            }
        }
    }
    return period;
}

CliqueWeights best_weights(const Schedule& schedule, int islands, const WeightOptions& options) {
    LONGHAUL_ASSERT(!schedule.rounds.empty());
    std::vector<MixingMatrix> equal;
    for (const Round& round : schedule.rounds) {
        equal.push_back(mixing_matrix(round, islands));
    }
    const std::vector<Edge> edges = edges_of(schedule);
    CliqueWeights found;
    Descent best(equal, edges, options.forgetting);
    found.equal_area = best.area();
    std::vector<MixingMatrix> period = equal;
    found.area = found.equal_area;
    if (std::isfinite(found.equal_area)) {
        for (int restart = 0; restart <= options.restarts; ++restart) {
            core::Random random(options.seed, static_cast<std::uint64_t>(restart));
            Descent descent(restart == 0 ? equal : random_start(equal, edges, random),
                            edges,
                            options.forgetting);
            descend(descent, random, options.sweeps);
            if (descent.area() < found.area - 1e-9) {
                found.area = descent.area();
                period = descent.period();
            }
        }
    }
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        auto& blocks = found.blocks.emplace_back();
        for (const Clique clique : schedule.rounds[k].cliques) {
            const std::vector<int> members = members_of(clique);
            auto& block = blocks.emplace_back(members.size(), members.size(), 0);
            for (std::size_t i = 0; i < members.size(); ++i) {
                for (std::size_t j = 0; j < members.size(); ++j) {
                    block(i, j) = period[k](slot(members[i]), slot(members[j]));
                }
            }
        }
    }
    return found;
}

}  // namespace longhaul::schedule
