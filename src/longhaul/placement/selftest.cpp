#include "longhaul/placement/selftest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/certify.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/instances.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint32_t kLevels[] = {0, 2, 5};

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

/// Instance i of a check: a stream of its own, and every mix of ties and equal rows in turn.
struct Draw {
    Draw(std::uint64_t seed, std::uint64_t check, int i)
        : random(seed, check << 32U | static_cast<std::uint64_t>(i)),
          levels(kLevels[i % 3]),
          equal_rows(i % 2 == 1) {}
    core::Random random;
    std::uint32_t levels;
    bool equal_rows;
};

Check check_matching(std::uint64_t seed) {
    Check check{"bottleneck matching equals brute force, and its pairs attain the value"};
    for (int i = 0; i < 300; ++i) {
        Draw draw(seed, 1, i);
        const std::size_t n = 1 + draw.random.index(6);
        core::Grid<double> costs = random_costs(2 * n, draw.levels, draw.equal_rows, draw.random);
        core::Grid<double> between(n, n);
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t c = 0; c < n; ++c) {
                between(r, c) = costs(r, n + c);
            }
        }
        const Matching matching = bottleneck_matching(between);
        double attained = 0;
        std::vector<char> taken(n, 0);
        for (std::size_t r = 0; r < n; ++r) {
            attained = std::max(attained, between(r, matching.column[r]));
            taken[matching.column[r]] = 1;
        }
        const bool perfect = std::ranges::count(taken, 1) == static_cast<std::ptrdiff_t>(n);
        check.agreed += perfect && attained == matching.value &&
                        matching.value == brute_force_bottleneck(between);
        ++check.tried;
    }
    return check;
}

Check check_path(std::uint64_t seed) {
    Check check{"open Hamiltonian path equals brute force"};
    for (int i = 0; i < 300; ++i) {
        Draw draw(seed, 2, i);
        const core::Grid<double> edges =
            random_costs(1 + draw.random.index(7), draw.levels, draw.equal_rows, draw.random);
        const Path path = held_karp(edges);
        double length = 0;
        for (std::size_t k = 1; k < path.order.size(); ++k) {
            length += edges(path.order[k - 1], path.order[k]);
        }
        std::vector<int> sorted = path.order;
        std::ranges::sort(sorted);
        std::vector<int> all(edges.rows());
        std::iota(all.begin(), all.end(), 0);
        check.agreed += sorted == all && close(length, path.length) &&
                        close(path.length, brute_force_path(edges));
        ++check.tried;
    }
    return check;
}

Shape small_shape(int i) {
    constexpr Shape kShapes[] = {{1, 4}, {4, 1}, {2, 3}, {3, 2}, {2, 4}, {4, 2}, {3, 3}};
    return kShapes[i % std::size(kShapes)];
}

Check check_partition(std::uint64_t seed) {
    Check check{"inner problems and composed pipelines equal the definition of the score"};
    for (int i = 0; i < 210; ++i) {
        Draw draw(seed, 3, i);
        const Problem problem =
            random_problem(small_shape(i), draw.levels, draw.equal_rows, draw.random);
        std::vector<int> devices(problem.shape.devices());
        std::iota(devices.begin(), devices.end(), 0);
        draw.random.shuffle(std::span<int>(devices));
        const Stages stages = Placement(problem.shape, devices).stages();
        const Solved solved = solve_inner(problem.costs, stages);
        std::vector<int> host_of(devices.size());
        for (int& host : host_of) {
            host = static_cast<int>(draw.random.below(4));
        }
        const Placement placement = compose(problem.costs, stages, solved.order, host_of);
        check.agreed +=
            close(solved.score.total(), brute_force_partition(problem.costs, stages)) &&
            close(score_as_mapped(problem.costs, placement).total(), solved.score.total());
        ++check.tried;
    }
    return check;
}

Check check_search(std::uint64_t seed) {
    Check check{"the search finds the optimum of exhaustive enumeration"};
    SearchOptions options;
    options.budget = 20'000;
    options.restarts = 4;
    options.seed = seed;
    for (int i = 0; i < 42; ++i) {
        Draw draw(seed, 4, i);
        const Problem problem =
            random_problem(small_shape(i), draw.levels, draw.equal_rows, draw.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, options).score;
        check.agreed +=
            close(make_search(SearchKind::kPortfolio)->run(problem, options).score, best);
        ++check.tried;
    }
    return check;
}

Check check_proof(std::uint64_t seed) {
    Check check{"branch and bound proves the optimum of exhaustive enumeration"};
    for (int i = 0; i < 84; ++i) {
        Draw draw(seed, 5, i);
        const Problem problem = random_problem(small_shape(i), draw.levels, true, draw.random);
        const double best = make_search(SearchKind::kExhaustive)->run(problem, {}).score;
        const double host = make_search(SearchKind::kHostOrder)->run(problem, {}).score;
        const Certificate certificate = certify(problem, host, {});
        const bool found =
            certificate.better
                ? close(solve_inner(problem.costs, *certificate.better).score.total(), best)
                : close(host, best);
        check.agreed += found && close(certificate.bound.value, best);
        ++check.tried;
    }
    return check;
}

Check check_refusal() {
    Check check{"a path over 17 stages is refused"};
    check.tried = 1;
    check.agreed = shortest_path(core::Grid<double>(17, 17, 0.0)).has_value() ? 0 : 1;
    return check;
}

}  // namespace

std::vector<Check> run_selftest(std::uint64_t seed) {
    return {check_matching(seed),
            check_path(seed),
            check_partition(seed),
            check_search(seed),
            check_proof(seed),
            check_refusal()};
}

}  // namespace longhaul::placement
