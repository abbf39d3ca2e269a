// Small problems whose shared capacity has another rate each way and whose passes send different
// amounts, and what every rank map of them scores; for tests.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement::testing {

/// A fabric, and a problem on it.
struct DirectedCase {
    fabric::Fabric fabric;
    Problem problem;
};

inline fabric::SharedCapacity rates(std::string name, double there, double back) {
    fabric::SharedCapacity resource(std::move(name), there, {}, {});
    resource.back_gbps = back;
    return resource;
}

/// 4 to 6 devices in two or three places; links of their own, or alike between places.
inline fabric::FabricParts directed_parts(std::size_t n, bool alike, core::Random& random) {
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    const std::size_t places = 2 + random.index(2);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("r" + std::to_string(i < places ? i : random.index(places)));
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool near = parts.labels[i] == parts.labels[j];
            alpha(i, j) = alpha(j, i) = alike ? (near ? 1 : 30) : 50 * random.uniform();
            beta(i, j) = beta(j, i) = alike ? (near ? 10 : 2) : 0.5 + 10 * random.uniform();
        }
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    const auto rate = [&] { return std::array{0.05, 0.5, 2.0, 5.0, 20.0}[random.index(5)]; };
    parts.shared.push_back(rates("s0", rate(), rate()));
    if (random.below(2) == 0) {
        parts.shared.back().of = {"r0"};
    } else {
        parts.shared.back().between = {"r0", "r1"};
    }
    if (random.below(2) == 0) {
        parts.shared.push_back(rates("s1", rate(), rate()));
        parts.shared.back().of = {"r1"};
    }
    return parts;
}

inline DirectedCase directed_case(int i, core::Random& random) {
    const std::array<Shape, 7> shapes{{{2, 2}, {4, 1}, {5, 1}, {2, 2}, {3, 2}, {2, 3}, {3, 1}}};
    const Shape shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const std::size_t spare = shape.devices() < 5 ? random.index(2) : 0;
    fabric::Fabric fabric =
        fabric::Fabric::make(directed_parts(shape.devices() + spare, i % 3 == 0, random), "f")
            .value();
    const auto gb = [&] {
        return std::array{0.0, 0.1, 0.5, 2 * random.uniform()}[random.index(4)];
    };
    workload::Workload load = payloads(gb(), gb());
    load.c_pp_backward = core::Gigabytes(gb() + (random.below(4) == 0 ? 0 : 0.3));
    load.pp_messages = std::array{1, 4, 16}[random.index(3)];
    load.pp_backward_messages = std::array{1, 3, 8}[random.index(3)];
    if (random.below(3) == 0) {
        load.stage_seconds = std::vector<double>(static_cast<std::size_t>(shape.pp), 0.5);
        load.stage_seconds.front() = 2 * random.uniform();
    }
    Terms terms;
    terms.objective = i % 2 == 0 ? Objective::kAdditive : Objective::kPipelined;
    Problem problem = make_problem(fabric, "f", load, shape, terms).value();
    return {std::move(fabric), std::move(problem)};
}

/// The score from its definition (docs/mathematics/terms.md), position r of each stage in pipeline
/// r.
class Definition {
public:
    explicit Definition(const DirectedCase& made)
        : problem_(made.problem),
          sides_(made.fabric.shared_sides()),
          shared_(made.fabric.parts().shared),
          pipelined_(problem_.terms.objective == Objective::kPipelined),
          forward_units_(problem_.workload.pp_messages),
          backward_units_(problem_.workload.pp_backward_messages.value()) {}

    [[nodiscard]] double score(const Stages& stages) const {
        const double forward = problem_.workload.c_pp.value() / (pipelined_ ? forward_units_ : 1);
        const double backward =
            problem_.workload.c_pp_backward->value() / (pipelined_ ? backward_units_ : 1);
        double total = exchange(stages);
        double interval = 0;
        std::vector<std::pair<int, int>> all(shared_.size(), {0, 0});
        for (std::size_t s = 1; s < stages.size(); ++s) {
            double edge = 0;
            for (std::size_t r = 0; r < stages[s].size(); ++r) {
                const int a = stages[s - 1][r];
                const int b = stages[s][r];
                const double latency = problem_.links.latency_s(a, b);
                const double slowness = problem_.links.slowness(a, b);
                edge = std::max(edge,
                                latency * (pipelined_ ? 2 : forward_units_ + backward_units_) +
                                    (forward + backward) * slowness);
                interval = std::max(interval, slowness);
            }
            for (std::size_t k = 0; k < shared_.size(); ++k) {
                const auto [up, down] = crossing(k, stages[s - 1], stages[s]);
                edge = std::max(edge,
                                load(k, forward * up, forward * down) +
                                    load(k, backward * down, backward * up));
                all[k].first += up;
                all[k].second += down;
            }
            total += edge;
        }
        for (std::size_t k = 0; k < shared_.size(); ++k) {
            const auto [up, down] = all[k];
            interval = std::max({interval, load(k, up, down), load(k, down, up)});
        }
        return total +
               compute(pipelined_ ? forward * interval : 0, pipelined_ ? backward * interval : 0);
    }

private:
    [[nodiscard]] double load(std::size_t k, double there, double back) const {
        return std::max(8 * there / shared_[k].there_gbps, 8 * back / shared_[k].back_gbps);
    }

    [[nodiscard]] std::pair<int, int> crossing(std::size_t k,
                                               const std::vector<int>& from,
                                               const std::vector<int>& to) const {
        std::pair<int, int> pairs{0, 0};
        for (std::size_t r = 0; r < from.size(); ++r) {
            const int a = sides_[k][static_cast<std::size_t>(from[r])];
            const int b = sides_[k][static_cast<std::size_t>(to[r])];
            pairs.first += a == 1 && b == 2 ? 1 : 0;
            pairs.second += a == 2 && b == 1 ? 1 : 0;
        }
        return pairs;
    }

    [[nodiscard]] double exchange(const Stages& stages) const {
        const double shard = 2 * problem_.workload.c_dp.value() / problem_.shape.dp;
        double worst = 0;
        std::vector<std::pair<double, double>> loads(shared_.size(), {0, 0});
        for (const std::vector<int>& group : stages) {
            for (const int a : group) {
                double seconds = 0;
                for (const int b : group) {
                    seconds += a == b ? 0
                                      : 2 * problem_.links.latency_s(a, b) +
                                            shard * problem_.links.slowness(a, b);
                    for (std::size_t k = 0; k < shared_.size(); ++k) {
                        const auto [up, down] = crossing(k, {a}, {b});
                        loads[k].first += shard * up;
                        loads[k].second += shard * down;
                    }
                }
                worst = std::max(worst, seconds);
            }
        }
        for (std::size_t k = 0; k < shared_.size(); ++k) {
            worst = std::max(worst, load(k, loads[k].first, loads[k].second));
        }
        return worst;
    }

    /// One message through all stages, and what follows it.
    [[nodiscard]] double compute(double forward_s, double backward_s) const {
        double sum = 0;
        double most = 0;
        for (const double seconds : problem_.workload.stage_seconds) {
            sum += seconds;
            most = std::max(most, seconds);
        }
        const double share = problem_.terms.forward_share;
        const double ahead = share / forward_units_;
        const double astern = (1 - share) / backward_units_;
        return (ahead + astern) * sum + (forward_units_ - 1) * std::max(forward_s, ahead * most) +
               (backward_units_ - 1) * std::max(backward_s, astern * most);
    }

    const Problem& problem_;
    std::vector<std::vector<int>> sides_;
    std::vector<fabric::SharedCapacity> shared_;
    bool pipelined_;
    int forward_units_;
    int backward_units_;
};

/// The least score of any rank map; of those with the stage groups of a map; within each number of
/// moves from it.
struct Truth {
    double least = std::numeric_limits<double>::infinity();
    double of_groups = std::numeric_limits<double>::infinity();
    std::map<int, double> of_moves;
    [[nodiscard]] double within(int limit) const {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& [moves, score] : of_moves) {
            best = moves <= limit ? std::min(best, score) : best;
        }
        return best;
    }
};

inline Stages sorted_groups(Stages stages) {
    for (std::vector<int>& group : stages) {
        std::ranges::sort(group);
    }
    std::ranges::sort(stages);
    return stages;
}

inline Truth truth_of(const DirectedCase& made, const Stages& old) {
    const Shape shape = made.problem.shape;
    const Definition definition(made);
    const Stages groups = sorted_groups(old);
    std::vector<int> stage_of(made.problem.devices(), -1);
    for (std::size_t s = 0; s < old.size(); ++s) {
        for (const int device : old[s]) {
            stage_of[static_cast<std::size_t>(device)] = static_cast<int>(s);
        }
    }
    Truth truth;
    std::vector<int> devices = counted(made.problem.devices());
    do {
        Stages stages(static_cast<std::size_t>(shape.pp));
        int moves = 0;
        for (std::size_t i = 0; i < shape.devices(); ++i) {
            const std::size_t s = i / static_cast<std::size_t>(shape.dp);
            stages[s].push_back(devices[i]);
            moves += stage_of[static_cast<std::size_t>(devices[i])] == static_cast<int>(s) ? 0 : 1;
        }
        if (!std::ranges::is_sorted(stages.front())) {
            continue;  // the same with other numbers of replicas
        }
        const double score = definition.score(stages);
        truth.least = std::min(truth.least, score);
        const auto [known, fresh] = truth.of_moves.try_emplace(moves, score);
        known->second = std::min(known->second, score);
        if (sorted_groups(stages) == groups) {
            truth.of_groups = std::min(truth.of_groups, score);
        }
    } while (std::next_permutation(devices.begin(), devices.end()));
    return truth;
}

/// A random map, as stages in path order with position r in pipeline r.
inline Stages random_map(const Problem& problem, core::Random& random) {
    const std::vector<int> devices = shuffled(problem.devices(), random);
    Stages stages(static_cast<std::size_t>(problem.shape.pp));
    for (std::size_t i = 0; i < problem.shape.devices(); ++i) {
        stages[i / static_cast<std::size_t>(problem.shape.dp)].push_back(devices[i]);
    }
    return stages;
}

}  // namespace longhaul::placement::testing
