#include "longhaul/flowsim/fair_rates.hpp"

#include <algorithm>
#include <utility>

#include "longhaul/core/assert.hpp"

namespace longhaul::flowsim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// State of one filling: which flows still rise, and what is left of each link.
struct Filling {
    std::span<const Link> links;
    std::span<const Demand> demands;
    std::vector<double> rate;
    std::vector<bool> open;

    /// The level at which the link is full if all open flows on it rise on; infinite without any.
    [[nodiscard]] std::vector<double> full_levels() const {
        std::vector<double> room;
        std::vector<double> weight(links.size());
        room.reserve(links.size());
        for (const Link& link : links) {
            room.push_back(link.capacity.value());
        }
        for (std::size_t f = 0; f < demands.size(); ++f) {
            for (const Hop& hop : demands[f].path) {
                if (open[f]) {
                    weight[hop.link] += hop.load * demands[f].weight;
                } else {
                    room[hop.link] -= hop.load * rate[f];
                }
            }
        }
        std::vector<double> level(links.size(), kInfinite);
        for (std::size_t l = 0; l < links.size(); ++l) {
            if (weight[l] > 0) {
                level[l] = std::max(room[l], 0.0) / weight[l];
            }
        }
        return level;
    }
};

}  // namespace

std::vector<double> fair_rates(std::span<const Link> links, std::span<const Demand> demands) {
    Filling filling{links,
                    demands,
                    std::vector<double>(demands.size()),
                    std::vector<bool>(demands.size(), true)};
    for (std::size_t left = demands.size(); left > 0;) {
        const std::vector<double> full = filling.full_levels();
        const auto limit = [&](const Demand& demand) {
            double level = demand.cap_gbps / demand.weight;
            for (const Hop& hop : demand.path) {
                level = std::min(level, full[hop.link]);
            }
            return level;
        };
        double lowest = kInfinite;
        for (std::size_t f = 0; f < demands.size(); ++f) {
            if (filling.open[f]) {
                lowest = std::min(lowest, limit(demands[f]));
            }
        }
        LONGHAUL_ASSERT(lowest < kInfinite);
        for (std::size_t f = 0; f < demands.size(); ++f) {
            if (filling.open[f] && limit(demands[f]) <= lowest) {
                filling.rate[f] = lowest * demands[f].weight;
                filling.open[f] = false;
                --left;
            }
        }
    }
    return std::move(filling.rate);
}

}  // namespace longhaul::flowsim
