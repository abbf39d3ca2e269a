#include "longhaul/placement/place_path.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace longhaul::placement {
namespace {

constexpr double kNoPath = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<int> path_with_places(const core::Grid<double>& edges,
                                  const core::Grid<double>& price) {
    const std::size_t p = edges.rows();
    const std::size_t sets = std::size_t{1} << p;
    std::vector<double> cost(sets * p, kNoPath);
    std::vector<std::uint8_t> before(sets * p, 0);
    for (std::size_t g = 0; g < p; ++g) {
        cost[(std::size_t{1} << g) * p + g] = price(g, 0);
    }
    for (std::size_t set = 1; set < sets; ++set) {
        const auto place = static_cast<std::size_t>(std::popcount(set));
        for (std::size_t last = 0; last < p; ++last) {
            const double here = cost[set * p + last];
            if (here == kNoPath || place == p) {
                continue;
            }
            for (std::size_t g = 0; g < p; ++g) {
                const std::size_t next = set | std::size_t{1} << g;
                const double there = here + edges(last, g) + price(g, place);
                if (next != set && there < cost[next * p + g]) {
                    cost[next * p + g] = there;
                    before[next * p + g] = static_cast<std::uint8_t>(last);
                }
            }
        }
    }
    std::size_t set = sets - 1;
    std::size_t last = 0;
    for (std::size_t g = 1; g < p; ++g) {
        last = cost[set * p + g] < cost[set * p + last] ? g : last;
    }
    std::vector<int> order(p);
    for (std::size_t place = p; place-- > 0;) {
        order[place] = static_cast<int>(last);
        const std::size_t rest = set & ~(std::size_t{1} << last);
        last = before[set * p + last];
        set = rest;
    }
    return order;
}

}  // namespace longhaul::placement
