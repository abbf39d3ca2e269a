// rank = replica * pp + stage: with pp = 2, rank 3 is stage 1 of replica 1; a repeated rank is
// refused.
#include <iostream>

#include "longhaul/placement/shape.hpp"

int main() {
    using longhaul::placement::Placement;
    const longhaul::placement::Shape shape{2, 2};
    const auto placement = Placement::from_rank_map(shape, {3, 0, 1, 2});
    const bool good = placement && placement->device(1, 1) == 0 && placement->device(0, 0) == 1 &&
                      !Placement::from_rank_map(shape, {0, 0, 1, 2});
    std::cout << "placement " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
