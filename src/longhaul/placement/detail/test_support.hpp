// Shared by the tests and benchmarks of this module; no part of the library.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/placement/instances.hpp"
#include "longhaul/placement/search.hpp"

namespace longhaul::placement::testing {

/// Text of a file of the source tree.
inline std::string source_file(const std::string& path) {
    std::ifstream file(std::string(LONGHAUL_SOURCE_DIR) + "/" + path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A fabric of the folder fabrics/; throws when it cannot be read.
inline fabric::Fabric shipped(const std::string& name) {
    return fabric::read_fabric(source_file("fabrics/" + name), name).value();
}

/// Devices of these memories (GB) with random links, two labels in turn.
inline fabric::Fabric fabric_with_memory(const std::vector<double>& memory_gb,
                                         core::Random& random) {
    const std::size_t n = memory_gb.size();
    fabric::FabricParts parts;
    core::Grid<double> alpha(n, n, 1.0);
    core::Grid<double> beta(n, n, 1.0);
    for (double& gbps : beta.cells()) {
        gbps = 1 + static_cast<double>(random.below(20));
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back(i % 2 == 0 ? "even" : "odd");
        fabric::Device device;
        device.host = "host-" + std::to_string(i);
        device.memory_gb = memory_gb[i];
        parts.devices.push_back(std::move(device));
    }
    return fabric::Fabric::make(std::move(parts), "f").value();
}

inline workload::Workload payloads(double c_pp_gb, double c_dp_gb) {
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(c_pp_gb);
    workload.c_dp = core::Gigabytes(c_dp_gb);
    return workload;
}

/// A shipped fabric at 8 x 8 with one message each.
inline Problem shipped_problem(const std::string& name, double c_pp_gb, double c_dp_gb) {
    return make_problem(shipped(name), name, payloads(c_pp_gb, c_dp_gb), {8, 8}).value();
}

/// Replaces the costs of all ordered pairs: f(i, j, cost).
template <class F>
void change_pairs(PairMatrix& costs, F f) {
    core::Grid<double> grid(costs.size(), costs.size(), 0.0);
    for (std::size_t i = 0; i < grid.rows(); ++i) {
        for (std::size_t j = 0; j < grid.columns(); ++j) {
            grid(i, j) = i == j ? 0 : f(i, j, costs(i, j));
        }
    }
    costs = std::move(grid);
}

/// 0 .. n - 1.
inline std::vector<int> counted(std::size_t n) {
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

inline std::vector<int> shuffled(std::size_t n, core::Random& random) {
    std::vector<int> numbers = counted(n);
    random.shuffle(std::span<int>(numbers));
    return numbers;
}

/// Instance i of a test: a stream of its own, and every mix of ties and equal rows in turn.
struct Instance {
    Instance(std::uint64_t test, int i)
        : random(20221206, test << 32U | static_cast<std::uint64_t>(i)),
          levels(std::vector<std::uint32_t>{0, 2, 5}[static_cast<std::size_t>(i % 3)]),
          equal_rows(i % 2 == 1) {}

    /// n x n entries with no symmetry, such as those between two stage groups.
    core::Grid<double> rectangle(std::size_t n) {
        const core::Grid<double> both = random_costs(2 * n, levels, equal_rows, random);
        core::Grid<double> between(n, n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                between(i, j) = both(i, n + j);
            }
        }
        return between;
    }

    core::Random random;
    std::uint32_t levels;
    bool equal_rows;
};

/// Small shapes in turn, the degenerate ones among them.
inline Shape small_shape(int i) {
    const std::vector<Shape> shapes{
        {1, 1}, {1, 5}, {5, 1}, {2, 3}, {3, 2}, {2, 4}, {4, 2}, {3, 3}, {2, 2}};
    return shapes[static_cast<std::size_t>(i) % shapes.size()];
}

/// The best over all sets of devices of the right size.
inline double optimum_over_sets(const Problem& problem) {
    std::vector<char> chosen(problem.devices(), 0);
    std::fill(
        chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(problem.shape.devices()), 1);
    double best = std::numeric_limits<double>::infinity();
    do {
        std::vector<int> devices;
        for (std::size_t device = 0; device < chosen.size(); ++device) {
            if (chosen[device] != 0) {
                devices.push_back(static_cast<int>(device));
            }
        }
        best = std::min(
            best,
            make_search(SearchKind::kExhaustive)->run(restricted(problem, devices), {}).score);
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return best;
}

}  // namespace longhaul::placement::testing
