#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "longhaul/launch/convention.hpp"

namespace longhaul::launch {
namespace {

struct Case {
    AxisValues sizes;
    const Convention* from;
    const Convention* to;
    std::vector<int> map;
};

/// Sizes that both conventions have, and a random permutation.
Case any_case() {
    const auto pick = [] {
        return &conventions()[*rc::gen::inRange<std::size_t>(0, conventions().size())];
    };
    Case c{{}, pick(), pick(), {}};
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        c.sizes[axis] = *rc::gen::inRange(1, 6);
        if (!refuses(*c.from, c.sizes).empty() || !refuses(*c.to, c.sizes).empty()) {
            AxisValues probe{1, 1, 1, 1};
            probe[axis] = c.sizes[axis];
            if (!refuses(*c.from, probe).empty() || !refuses(*c.to, probe).empty()) {
                c.sizes[axis] = 1;
            }
        }
    }
    c.map.resize(static_cast<std::size_t>(c.sizes[0] * c.sizes[1] * c.sizes[2] * c.sizes[3]));
    std::iota(c.map.begin(), c.map.end(), 0);
    for (std::size_t i = c.map.size(); i > 1; --i) {
        std::swap(c.map[i - 1], c.map[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    return c;
}

RC_GTEST_PROP(Translate, IsABijection, ()) {
    const Case c = any_case();
    std::vector<int> translated = *translate(c.map, c.sizes, *c.from, *c.to);
    std::ranges::sort(translated);
    std::vector<int> all(translated.size());
    std::iota(all.begin(), all.end(), 0);
    RC_ASSERT(translated == all);
}

RC_GTEST_PROP(Translate, GoesThereAndBack, ()) {
    const Case c = any_case();
    const std::vector<int> there = *translate(c.map, c.sizes, *c.from, *c.to);
    RC_ASSERT(*translate(there, c.sizes, *c.to, *c.from) == c.map);
}

RC_GTEST_PROP(Translate, KeepsTheCoordinatesOfEveryDevice, ()) {
    const Case c = any_case();
    const std::vector<int> there = *translate(c.map, c.sizes, *c.from, *c.to);
    for (std::size_t device = 0; device < c.map.size(); ++device) {
        RC_ASSERT(coordinates(*c.from, c.sizes, c.map[device]) ==
                  coordinates(*c.to, c.sizes, there[device]));
    }
}

}  // namespace
}  // namespace longhaul::launch
