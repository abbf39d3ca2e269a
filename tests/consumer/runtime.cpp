// Two contributions to a block, one of them twice.
#include <array>
#include <cstdio>

#include "longhaul/runtime/aggregator.hpp"

int main() {
    using namespace longhaul;
    std::int32_t sum = 0;
    runtime::Aggregator aggregator({4, 10, 100, [](std::uint32_t) { return 0b11; }},
                                   [&](const runtime::PartialSum& part) { sum += part.sums[0]; });
    aggregator.take(0, 0, 5, 0, std::array{20});
    aggregator.take(1, 0, 5, 0, std::array{20});
    aggregator.take(2, 0, 5, 1, std::array{22});
    std::puts(sum == 42 ? "runtime: ok" : "runtime: wrong sum");
    return sum == 42 ? 0 : 1;
}
