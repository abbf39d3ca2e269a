#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/schedule/islands.hpp"

namespace longhaul::schedule {

using core::Cursor;

namespace {

/// Members of one clique of names that are not in `taken`; what is wrong is reported.
std::optional<Clique> read_clique(const Cursor& at, const Islands& islands, Clique& taken) {
    if (!at.is_array()) {
        return std::nullopt;
    }
    if (at.value().size() == 0) {
        at.report("a clique without members", "at least one island");
        return std::nullopt;
    }
    bool sound = true;
    Clique clique = 0;
    for (std::size_t i = 0; i < at.value().size(); ++i) {
        const Cursor item = at.item(i);
        const auto name = item.string();
        const auto island = name ? islands.find(*name) : std::nullopt;
        if (name && !island) {
            item.report(
                fmt::format("{} is no island of {}", core::shown(*name), core::shown(islands.name)),
                "a name in nodes");
        }
        const Clique bit = island ? Clique{1} << *island : 0;
        if ((taken & bit) != 0) {
            item.report(fmt::format("{} is in this round already", core::shown(*name)),
                        "each island at most once a round");
        }
        sound = sound && bit != 0 && (taken & bit) == 0;
        clique |= bit & ~taken;
        taken |= bit;
    }
    return sound ? std::optional(clique) : std::nullopt;
}

}  // namespace

core::Result<Islands> islands_of(const topology::Topology& topology,
                                 const IslandDefaults& defaults) {
    const std::string& file = topology.declaration().file;
    const std::size_t sites = topology.sites().size();
    if (!topology.wan()) {
        return core::fail({file,
                           "",
                           "the network has no sites: islands are the sites of a WAN",
                           "a topology with [[site]] and [[link]], or a network of islands"});
    }
    if (sites > static_cast<std::size_t>(kMaxIslands)) {
        return core::fail({file,
                           "",
                           fmt::format("{} sites", sites),
                           fmt::format("at most {} islands", kMaxIslands)});
    }
    Islands islands;
    islands.name = topology.declaration().name;
    islands.provenance = topology.declaration().provenance;
    islands.file = file;
    islands.payload_gb = defaults.payload_gb;
    for (const topology::Site& site : topology.sites()) {
        islands.islands.push_back({.name = site.name,
                                   .region = "",
                                   .egress_gbps = defaults.access_gbps,
                                   .ingress_gbps = defaults.access_gbps,
                                   .memory_gb = defaults.memory_gb});
    }
    islands.network = topology::site_network(topology);
    for (topology::Link& link : islands.network.links) {
        link.cost = latency_cost(link.latency_ms);
    }
    islands.jitter_ms.assign(islands.network.links.size(), 0);
    topology::Stream all{0, {}, 1};
    for (std::size_t i = 1; i < sites; ++i) {
        all.receivers.push_back(static_cast<int>(i));
    }
    const auto trees = topology::shortest_trees(islands.network, {all});
    const auto latencies = topology::stream_latencies(islands.network, all, trees.front());
    for (std::size_t i = 0; i < latencies.size(); ++i) {
        if (!(latencies[i] < 1e300)) {
            return core::fail({file,
                               "",
                               fmt::format("no path from {} to {}",
                                           core::shown(islands.islands[0].name),
                                           core::shown(islands.islands[i + 1].name)),
                               "links that join all sites"});
        }
    }
    return islands;
}

std::optional<Schedule> read_rounds(const Cursor& rounds, const Islands& islands) {
    if (!rounds.is_array()) {
        return std::nullopt;
    }
    if (rounds.value().size() == 0) {
        rounds.report("no round", "at least one round, a list of cliques");
        return std::nullopt;
    }
    bool sound = true;
    Schedule schedule;
    for (std::size_t k = 0; k < rounds.value().size(); ++k) {
        const Cursor round = rounds.item(k);
        if (!round.is_array()) {
            sound = false;
            continue;
        }
        std::vector<Clique> cliques;
        Clique taken = 0;
        for (std::size_t c = 0; c < round.value().size(); ++c) {
            const auto clique = read_clique(round.item(c), islands, taken);
            sound = sound && clique.has_value();
            cliques.push_back(clique.value_or(0));
        }
        schedule.rounds.push_back(make_round(cliques, static_cast<int>(islands.size())));
    }
    return sound ? std::optional(std::move(schedule)) : std::nullopt;
}

}  // namespace longhaul::schedule
