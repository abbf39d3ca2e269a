#include "longhaul/study/island_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/statistics.hpp"
#include "longhaul/fabric/limits.hpp"

namespace longhaul::study {
namespace {

constexpr double kNoRate = fabric::SharedCapacity::kNoLimit;

std::string place_of(const fabric::Fabric& fabric, std::size_t device, IslandBy by) {
    if (by == IslandBy::kLabel) {
        return fabric.labels()[device];
    }
    const std::vector<fabric::Device>& devices = fabric.parts().devices;
    if (devices.empty()) {
        return "";
    }
    if (by == IslandBy::kHost) {
        return devices[device].host;
    }
    return devices[device].groups.empty() ? "" : devices[device].groups.front();
}

/// Rates of a resource from side 1 to side 2 and back, each by itself.
std::pair<double, double> rates_of(const fabric::SharedCapacity& resource) {
    return resource.duplex ? std::pair(resource.there_gbps, resource.back_gbps)
                           : std::pair(resource.there_gbps / 2, resource.back_gbps / 2);
}

/// Where the devices of islands stand towards the shared resources of a fabric.
class SharedSides {
public:
    SharedSides(const fabric::Fabric& fabric, const std::vector<IslandGroup>& groups)
        : shared_(fabric.parts().shared) {
        for (const std::vector<int>& sides : fabric.shared_sides()) {
            std::vector<int>& mine = side_of_.emplace_back();
            for (const IslandGroup& group : groups) {
                mine.push_back(common_side(sides, group));
            }
            exact_.push_back({ones(sides, 1), ones(sides, 2)});
        }
        for (const IslandGroup& group : groups) {
            size_.push_back(group.devices.size());
        }
    }

    struct Rate {
        double own = 0;          ///< shared by exactly these two islands; 0: not stated
        double limit = kNoRate;  ///< of what else all of its pairs load
    };

    /// What all pairs from one island to another load.
    [[nodiscard]] Rate between(std::size_t from, std::size_t to) const {
        Rate rate;
        for (std::size_t r = 0; r < shared_.size(); ++r) {
            const int a = side_of_[r][from];
            const int b = side_of_[r][to];
            if (a == 0 || b == 0 || a == b) {
                continue;
            }
            const auto [there, back] = rates_of(shared_[r]);
            const double gbps = a == 1 ? there : back;
            rate.limit = std::min(rate.limit, gbps);
            if (fills(r, a, from) && fills(r, b, to)) {
                rate.own = rate.own == 0 ? gbps : std::min(rate.own, gbps);
            }
        }
        return rate;
    }

    /// Out of an island to all others, and back: without limit where nothing is stated.
    [[nodiscard]] std::pair<double, double> access(std::size_t island) const {
        std::pair<double, double> least{kNoRate, kNoRate};
        for (std::size_t r = 0; r < shared_.size(); ++r) {
            const int side = side_of_[r][island];
            if (shared_[r].of.empty() || side == 0 || !fills(r, side, island)) {
                continue;
            }
            const auto [there, back] = rates_of(shared_[r]);
            least.first = std::min(least.first, side == 1 ? there : back);
            least.second = std::min(least.second, side == 1 ? back : there);
        }
        return least;
    }

private:
    static std::size_t ones(const std::vector<int>& sides, int side) {
        return static_cast<std::size_t>(std::ranges::count(sides, side));
    }
    /// The side that all devices of an island are on; 0: on none, or on different ones.
    static int common_side(const std::vector<int>& sides, const IslandGroup& group) {
        const int first = sides[static_cast<std::size_t>(group.devices.front())];
        const bool same = std::ranges::all_of(group.devices, [&](int device) {
            return sides[static_cast<std::size_t>(device)] == first;
        });
        return same ? first : 0;
    }
    /// Whether an island is all that stands on its side.
    [[nodiscard]] bool fills(std::size_t resource, int side, std::size_t island) const {
        const auto& [first, second] = exact_[resource];
        return size_[island] == (side == 1 ? first : second);
    }

    const std::vector<fabric::SharedCapacity>& shared_;
    std::vector<std::vector<int>> side_of_;  ///< [resource][island]
    std::vector<std::pair<std::size_t, std::size_t>> exact_;
    std::vector<std::size_t> size_;
};

struct PairFacts {
    double latency_ms = 0;
    double best_gbps = 0;
};

PairFacts facts_of(const fabric::Fabric& fabric, const IslandGroup& from, const IslandGroup& to) {
    PairFacts facts;
    std::vector<double> starts;
    starts.reserve(from.devices.size() * to.devices.size());
    for (const int i : from.devices) {
        for (const int j : to.devices) {
            const auto a = static_cast<std::size_t>(i);
            const auto b = static_cast<std::size_t>(j);
            starts.push_back(fabric.parts().alpha_ms(a, b));
            facts.best_gbps = std::max(facts.best_gbps, fabric.parts().beta_gbps(a, b));
        }
    }
    facts.latency_ms = core::median(std::move(starts));
    return facts;
}

std::vector<std::size_t> island_of_devices(std::size_t devices,
                                           const std::vector<IslandGroup>& groups) {
    std::vector<std::size_t> island(devices, groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const int device : groups[g].devices) {
            island[static_cast<std::size_t>(device)] = g;
        }
    }
    return island;
}

double within_limits(double gbps) {
    return std::clamp(gbps, fabric::kMinBetaGbps, fabric::kMaxBetaGbps);
}

/// Whether some pair that loads a resource joins two islands.
bool joins_islands(const std::vector<int>& sides, const std::vector<std::size_t>& island) {
    std::array<std::set<std::size_t>, 3> on;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        on[static_cast<std::size_t>(sides[i])].insert(island[i]);
    }
    return std::ranges::any_of(on[1], [&](std::size_t a) {
        return std::ranges::any_of(on[2], [&](std::size_t b) { return a != b; });
    });
}

/// Whether no kind of device is in two islands.
bool kinds_are_inside(const std::vector<int>& kind_of, const std::vector<std::size_t>& island) {
    std::map<int, std::size_t> seen;
    for (std::size_t i = 0; i < kind_of.size(); ++i) {
        if (seen.emplace(kind_of[i], island[i]).first->second != island[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string_view name_of(IslandBy by) {
    switch (by) {
        case IslandBy::kLabel:
            return "label";
        case IslandBy::kHost:
            return "host";
        case IslandBy::kGroup:
            return "group";
    }
    return "";
}

core::Result<std::vector<IslandGroup>> island_groups(const fabric::Fabric& fabric,
                                                     IslandBy by,
                                                     const std::string& file) {
    std::vector<IslandGroup> groups;
    std::map<std::string, std::size_t> number;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        const std::string place = place_of(fabric, i, by);
        if (place.empty() && by != IslandBy::kLabel) {
            return core::fail({file,
                               fmt::format("devices[{}]", i),
                               fmt::format("has no {}", name_of(by)),
                               fmt::format("name the {} of every device, or take islands by label",
                                           name_of(by))});
        }
        const auto [at, fresh] = number.emplace(place, groups.size());
        if (fresh) {
            groups.push_back({place, {}});
        }
        groups[at->second].devices.push_back(static_cast<int>(i));
    }
    const std::size_t most = schedule::kMaxIslands;
    if (groups.size() < 2 || groups.size() > most) {
        return core::fail(
            {file,
             "",
             fmt::format(
                 "{} island{} by {}", groups.size(), groups.size() == 1 ? "" : "s", name_of(by)),
             fmt::format("from 2 to {} islands; see --island-by", most)});
    }
    return groups;
}

schedule::Islands islands_of_fabric(const fabric::Fabric& fabric,
                                    const std::vector<IslandGroup>& groups,
                                    const IslandNetworkOptions& options,
                                    const std::string& file) {
    const SharedSides sides(fabric, groups);
    schedule::Islands islands;
    islands.name = file;
    islands.file = file;
    islands.payload_gb = options.payload_gb;
    islands.network.nodes = static_cast<int>(groups.size());
    std::vector<double> out(groups.size(), 0);
    std::vector<double> in(groups.size(), 0);
    for (std::size_t a = 0; a < groups.size(); ++a) {
        for (std::size_t b = 0; b < groups.size(); ++b) {
            if (a == b) {
                continue;
            }
            const PairFacts facts = facts_of(fabric, groups[a], groups[b]);
            const SharedSides::Rate rate = sides.between(a, b);
            const std::size_t pairs = std::min({static_cast<std::size_t>(options.parallel),
                                                groups[a].devices.size(),
                                                groups[b].devices.size()});
            const double together = facts.best_gbps * static_cast<double>(pairs);
            const double gbps = std::min(rate.own > 0 ? rate.own : together, rate.limit);
            const double real = std::isfinite(gbps) ? gbps : together;
            topology::Link link;
            link.from = static_cast<topology::NodeId>(a);
            link.to = static_cast<topology::NodeId>(b);
            link.gbps = real;
            link.latency_ms = facts.latency_ms;
            link.cost = 1;  // always straight: one hop is shortest
            islands.network.links.push_back(link);
            out[a] += real;
            in[b] += real;
        }
    }
    islands.jitter_ms.assign(islands.network.links.size(), 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto [egress, ingress] = sides.access(g);
        islands.islands.push_back(
            {.name = groups[g].name,
             .region = "",
             .egress_gbps = options.access_gbps.value_or(std::min(out[g], egress)),
             .ingress_gbps = options.access_gbps.value_or(std::min(in[g], ingress)),
             .memory_gb = options.memory_gb,
             .target = 1});
    }
    return islands;
}

fabric::Fabric with_faster_links(const fabric::Fabric& fabric,
                                 const std::vector<IslandGroup>& groups,
                                 double factor) {
    fabric::FabricParts parts = fabric.parts();
    const std::vector<std::size_t> island = island_of_devices(fabric.size(), groups);
    parts.beta_interval.reset();
    if (!kinds_are_inside(parts.beta_gbps.kind_of_device(), island)) {
        parts.alpha_ms = fabric::PairMatrix(parts.alpha_ms.full());
        parts.beta_gbps = fabric::PairMatrix(parts.beta_gbps.full());
        parts.alpha_interval.reset();
        parts.estimated = {};
    }
    const std::vector<int>& kind_of = parts.beta_gbps.kind_of_device();
    std::vector<std::size_t> island_of_kind(parts.beta_gbps.kinds(), groups.size());
    for (std::size_t i = 0; i < kind_of.size(); ++i) {
        island_of_kind[static_cast<std::size_t>(kind_of[i])] = island[i];
    }
    core::Grid<double>& table = parts.beta_gbps.table();
    for (std::size_t a = 0; a < table.rows(); ++a) {
        for (std::size_t b = 0; b < table.columns(); ++b) {
            if (island_of_kind[a] != island_of_kind[b]) {
                table(a, b) = within_limits(table(a, b) * factor);
            }
        }
    }
    const auto sides = fabric.shared_sides();
    for (std::size_t r = 0; r < parts.shared.size(); ++r) {
        if (joins_islands(sides[r], island)) {
            for (double* rate : {&parts.shared[r].there_gbps, &parts.shared[r].back_gbps}) {
                *rate = std::isfinite(*rate) ? within_limits(*rate * factor) : *rate;
            }
        }
    }
    auto scaled = fabric::Fabric::make(std::move(parts), "scaled");
    LONGHAUL_ASSERT(scaled.has_value());
    return std::move(*scaled);
}

schedule::Islands with_faster_links(const schedule::Islands& islands, double factor) {
    schedule::Islands scaled = islands;
    for (topology::Link& link : scaled.network.links) {
        link.gbps *= factor;
    }
    for (schedule::Island& island : scaled.islands) {
        island.egress_gbps *= factor;
        island.ingress_gbps *= factor;
    }
    return scaled;
}

}  // namespace longhaul::study
