// The checks that `longhaul selftest` runs: fast solvers against their plain twins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace longhaul::placement {

struct Check {
    std::string name;
    int agreed = 0;  ///< instances on which both agree
    int tried = 0;
    [[nodiscard]] bool passed() const { return tried > 0 && agreed == tried; }
};

/// Random instances from `seed`, with many ties and equal rows among them. About half a second.
[[nodiscard]] std::vector<Check> run_selftest(std::uint64_t seed);

}  // namespace longhaul::placement
