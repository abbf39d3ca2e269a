// Device 0 has rank 1 of a 2 x 2 grid (pipelines contiguous): stage 1 of replica 0. Where stages
// are the slow axis (Megatron's order) that is rank 1 * dp + 0 = 2.
#include <iostream>
#include <vector>

#include "longhaul/launch/convention.hpp"

int main() {
    namespace launch = longhaul::launch;
    const auto* megatron = launch::find_convention("megatron");
    const std::vector<int> rank_map = {1, 0, 3, 2};
    const auto ranks =
        megatron == nullptr
            ? longhaul::core::Result<std::vector<int>>(std::vector<int>{})
            : launch::translate(
                  rank_map, launch::axis_sizes({2, 2}), launch::plan_convention(), *megatron);
    const bool good = ranks && *ranks == std::vector<int>{2, 0, 3, 1};
    std::cout << "launch " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
