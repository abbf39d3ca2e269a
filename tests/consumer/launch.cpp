// A plan of two pipelines of two stages, numbered for Megatron: rank = replica + dp * stage.
#include "longhaul/launch/convention.hpp"

#include <cstdio>
#include <vector>

int main() {
    using namespace longhaul;
    const std::vector<int> plan{0, 1, 2, 3};
    const auto translated = launch::translate(plan,
                                              launch::axis_sizes({2, 2}),
                                              launch::plan_convention(),
                                              *launch::find_convention("megatron"));
    const bool right = translated && *translated == std::vector<int>({0, 2, 1, 3});
    std::puts(right ? "launch: ok" : "launch: wrong ranks");
    return right ? 0 : 1;
}
