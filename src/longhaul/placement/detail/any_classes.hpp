// Classes for the tests of what holds of any.
#pragma once

#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/placement/classes.hpp"

namespace longhaul::placement::testing {

/// Up to three classes of devices that need not be alike.
inline Classes any_classes(std::size_t n, core::Random& random) {
    const std::size_t most = 1 + random.index(3);
    Classes classes;
    std::vector<int> number(most, -1);
    for (std::size_t i = 0; i < n; ++i) {
        int& home = number[random.index(most)];
        if (home < 0) {
            home = static_cast<int>(classes.members.size());
            classes.members.emplace_back();
        }
        classes.of_device.push_back(home);
        classes.members[home].push_back(static_cast<int>(i));
    }
    return classes;
}

}  // namespace longhaul::placement::testing
