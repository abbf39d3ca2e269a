#include "longhaul/placement/instances.hpp"

#include <vector>

namespace longhaul::placement {
namespace {

std::vector<std::size_t> originals(std::size_t n, bool equal_rows, core::Random& random) {
    std::vector<std::size_t> original(n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool copy = equal_rows && i > 0 && random.below(2) == 0;
        original[i] = copy ? original[random.index(i)] : i;
    }
    return original;
}

core::Grid<double> costs_of(const std::vector<std::size_t>& original,
                            std::uint32_t levels,
                            core::Random& random) {
    const std::size_t n = original.size();
    core::Grid<double> base(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) {
            base(i, j) = base(j, i) =
                levels == 0 ? 1 - random.uniform() : 1.0 + random.below(levels);
        }
    }
    core::Grid<double> costs(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            costs(i, j) = i == j ? 0 : base(original[i], original[j]);
        }
    }
    return costs;
}

}  // namespace

core::Grid<double> random_costs(std::size_t n,
                                std::uint32_t levels,
                                bool equal_rows,
                                core::Random& random) {
    return costs_of(originals(n, equal_rows, random), levels, random);
}

Problem random_problem(Shape shape, std::uint32_t levels, bool equal_rows, core::Random& random) {
    const auto original = originals(shape.devices(), equal_rows, random);
    core::Grid<double> pipeline = costs_of(original, levels, random);
    core::Grid<double> exchange = costs_of(original, levels, random);
    return {shape, {std::move(pipeline), std::move(exchange)}};
}

}  // namespace longhaul::placement
