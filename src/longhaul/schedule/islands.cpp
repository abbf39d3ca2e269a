#include "longhaul/schedule/islands.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"

namespace longhaul::schedule {

using core::Cursor;
using core::Diagnostics;
using core::shown;

namespace {

constexpr double kLongestMs = 1e5;  ///< of one link; a circle of the earth takes 200
constexpr double kFastest = 1e6;    ///< Gbit/s
constexpr double kSlowest = 1e-6;   ///< Gbit/s, as of --access-gbps; of targets, too
constexpr double kLargest = 1e6;    ///< GB
constexpr double kSmallest = 1e-9;  ///< GB, a byte, as of --payload-gb
constexpr int kMaxTransit = 1000;

/// The file as it is read: names before numbers.
class Reader {
public:
    Reader(const core::Document& document, Diagnostics& problems)
        : document_(document), problems_(problems) {}

    Islands read() {
        const Cursor root(document_, problems_);
        core::check_format(root, "longhaul.islands", 1, false);
        root.only_keys({"format",
                        "name",
                        "note",
                        "provenance",
                        "payload_gb",
                        "ingress_gbps",
                        "egress_gbps",
                        "memory_gb",
                        "fpga_mem_gb",
                        "nodes",
                        "transit",
                        "regions",
                        "links",
                        "islands",
                        "schedules",
                        "paper"});
        islands_.file = document_.name;
        const auto named = root.find("name");
        islands_.name = named ? named->name().value_or("") : document_.name;
        islands_.provenance = text_of(root, "provenance", text_of(root, "note", ""));
        if (const auto payload =
                root.require("payload_gb", "the size of the parameters that islands exchange")) {
            islands_.payload_gb = positive(*payload, kSmallest, kLargest).value_or(1);
        }
        read_nodes(root);
        read_defaults(root);
        read_regions(root);
        read_islands_of(root);
        read_links(root);
        if (problems_.empty()) {
            check_joined(root);
        }
        if (problems_.empty()) {
            read_schedules(root);
        }
        return std::move(islands_);
    }

private:
    static std::string text_of(const Cursor& at, std::string_view key, std::string fallback) {
        const auto found = at.find(key);
        return found ? found->string().value_or(fallback) : std::move(fallback);
    }

    static std::optional<double> positive(const Cursor& at, double least, double most) {
        const auto value = at.positive_number();
        if (value && (*value < least || *value > most)) {
            const bool small = *value < least;
            at.report(fmt::format("{} is too {}", *value, small ? "small" : "large"),
                      small ? fmt::format("at least {}", least) : fmt::format("at most {}", most));
            return std::nullopt;
        }
        return value;
    }

    void read_nodes(const Cursor& root) {
        if (const auto nodes = root.require("nodes", "the names of the islands");
            nodes && nodes->is_array()) {
            if (nodes->value().size() > static_cast<std::size_t>(kMaxIslands)) {
                nodes->report(fmt::format("{} islands", nodes->value().size()),
                              fmt::format("at most {}", kMaxIslands));
                all_names_ = false;
                return;
            }
            for (std::size_t i = 0; i < nodes->value().size(); ++i) {
                if (auto name = new_name(nodes->item(i))) {
                    islands_.islands.emplace_back().name = std::move(*name);
                }
            }
            if (nodes->value().size() == 0) {
                nodes->report("no island", "at least one name");
            }
        }
        if (const auto transit = root.find("transit"); transit && transit->is_array()) {
            if (transit->value().size() > kMaxTransit) {
                transit->report(fmt::format("{} nodes", transit->value().size()),
                                fmt::format("at most {}", kMaxTransit));
                all_names_ = false;
                return;
            }
            for (std::size_t i = 0; i < transit->value().size(); ++i) {
                if (auto name = new_name(transit->item(i))) {
                    islands_.transit.push_back(std::move(*name));
                }
            }
        }
        islands_.network.nodes =
            static_cast<int>(islands_.islands.size() + islands_.transit.size());
    }

    std::optional<std::string> new_name(const Cursor& at) {
        auto name = at.name();
        if (!name) {
            return std::nullopt;
        }
        if (name->empty()) {
            at.report("an empty name", "a name");
            return std::nullopt;
        }
        if (!names_.insert(*name).second) {
            at.report(fmt::format("{} is listed twice", shown(*name)), "each name once");
            return std::nullopt;
        }
        return name;
    }

    /// Index of a named node; what is no node is reported.
    std::optional<int> node_at(const Cursor& at, bool island_only) {
        const auto name = at.string();
        if (!name) {
            return std::nullopt;
        }
        if (const auto island = islands_.find(*name)) {
            return island;
        }
        const auto transit = std::ranges::find(islands_.transit, *name);
        if (!island_only && transit != islands_.transit.end()) {
            return static_cast<int>(islands_.islands.size()) +
                   static_cast<int>(transit - islands_.transit.begin());
        }
        if (all_names_) {
            at.report(fmt::format("{} is no {}", shown(*name), island_only ? "island" : "node"),
                      island_only ? "a name in nodes" : "a name in nodes or transit");
        }
        return std::nullopt;
    }

    void read_defaults(const Cursor& root) {
        double ingress = 0;
        double egress = 0;
        double memory = 0;
        if (const auto at = root.require("ingress_gbps", "the access rate into an island")) {
            ingress = positive(*at, kSlowest, kFastest).value_or(1);
        }
        if (const auto at = root.require("egress_gbps", "the access rate out of an island")) {
            egress = positive(*at, kSlowest, kFastest).value_or(1);
        }
        if (root.find("memory_gb") && root.find("fpga_mem_gb")) {
            root.find("fpga_mem_gb")
                ->report("memory_gb says the same",
                         "one of the two: fpga_mem_gb is the older name");
        }
        for (const char* key : {"memory_gb", "fpga_mem_gb"}) {
            if (const auto at = root.find(key)) {
                memory = at->number_in(0, kLargest).value_or(0);
            }
        }
        for (Island& island : islands_.islands) {
            island.ingress_gbps = ingress;
            island.egress_gbps = egress;
            island.memory_gb = memory;
        }
    }

    void read_regions(const Cursor& root) {
        const auto regions = root.find("regions");
        if (!regions || !regions->is_object() || !regions->check_names_of_keys()) {
            return;
        }
        for (const core::Member& member : regions->value().members) {
            const auto list = regions->find(member.key);
            if (!list->is_array()) {
                continue;
            }
            for (std::size_t i = 0; i < list->value().size(); ++i) {
                const Cursor at = list->item(i);
                const auto island = node_at(at, true);
                if (!island) {
                    continue;
                }
                std::string& region = islands_.islands[static_cast<std::size_t>(*island)].region;
                if (!region.empty()) {
                    at.report(fmt::format("{} is in two regions", shown(*at.string())),
                              "one region");
                }
                region = member.key;
            }
        }
    }

    /// What single islands have of their own.
    void read_islands_of(const Cursor& root) {
        const auto own = root.find("islands");
        if (!own || !own->is_object()) {
            return;
        }
        for (const core::Member& member : own->value().members) {
            const auto at = own->find(member.key);
            const auto index = islands_.find(member.key);
            if (!index) {
                if (all_names_) {
                    at->report(fmt::format("{} is no island", shown(member.key)),
                               "a name in nodes");
                }
                continue;
            }
            if (!at->is_object()) {
                continue;
            }
            at->only_keys({"ingress_gbps", "egress_gbps", "memory_gb", "target"});
            Island& island = islands_.islands[static_cast<std::size_t>(*index)];
            for (const auto& [key, field] : {std::pair{"ingress_gbps", &island.ingress_gbps},
                                             std::pair{"egress_gbps", &island.egress_gbps},
                                             std::pair{"target", &island.target}}) {
                if (const auto value = at->find(key)) {
                    *field = positive(*value, kSlowest, kFastest).value_or(1);
                }
            }
            if (const auto value = at->find("memory_gb")) {
                island.memory_gb = value->number_in(0, kLargest).value_or(0);
            }
        }
    }

    void read_links(const Cursor& root) {
        const auto links = root.find("links");
        if (!links) {
            if (islands_.islands.size() > 1) {
                (void)root.require("links", "the links between the nodes");
            }
            return;
        }
        if (!links->is_array()) {
            return;
        }
        std::set<std::pair<int, int>> seen;
        for (std::size_t i = 0; i < links->value().size(); ++i) {
            read_link(links->item(i), seen);
        }
    }

    void read_link(const Cursor& at, std::set<std::pair<int, int>>& seen) {
        if (!at.is_object()) {
            return;
        }
        at.only_keys({"a",
                      "b",
                      "latency_ms",
                      "back_latency_ms",
                      "gbps",
                      "back_gbps",
                      "jitter_ms",
                      "source",
                      "ref",
                      "note"});
        const auto a_at = at.require("a", "one end");
        const auto b_at = at.require("b", "the other end");
        const auto a = a_at ? node_at(*a_at, false) : std::nullopt;
        const auto b = b_at ? node_at(*b_at, false) : std::nullopt;
        const auto latency_at = at.require("latency_ms", "the one-way latency, ms");
        const auto gbps_at = at.require("gbps", "the capacity of each direction, Gbit/s");
        const double latency = latency_at ? latency_at->number_in(0, kLongestMs).value_or(0) : 0;
        const double gbps = gbps_at ? positive(*gbps_at, kSlowest, kFastest).value_or(1) : 1;
        const auto back_latency_at = at.find("back_latency_ms");
        const auto back_gbps_at = at.find("back_gbps");
        const auto jitter_at = at.find("jitter_ms");
        const double back_latency =
            back_latency_at ? back_latency_at->number_in(0, kLongestMs).value_or(0) : latency;
        const double back_gbps =
            back_gbps_at ? positive(*back_gbps_at, kSlowest, kFastest).value_or(1) : gbps;
        const double jitter = jitter_at ? jitter_at->number_in(0, kLongestMs).value_or(0) : 0;
        if (!a || !b) {
            return;
        }
        if (*a == *b) {
            at.report("a link from a node to itself", "two different ends");
            return;
        }
        if (!seen.insert(std::minmax(*a, *b)).second) {
            at.report(fmt::format("a second link between {} and {}",
                                  shown(islands_.node_name(static_cast<std::size_t>(*a))),
                                  shown(islands_.node_name(static_cast<std::size_t>(*b)))),
                      "one link with the sum of the capacities");
            return;
        }
        const auto from = static_cast<topology::NodeId>(*a);
        const auto to = static_cast<topology::NodeId>(*b);
        islands_.network.links.push_back({from, to, gbps, latency, latency_cost(latency), false});
        islands_.network.links.push_back(
            {to, from, back_gbps, back_latency, latency_cost(back_latency), false});
        islands_.jitter_ms.insert(islands_.jitter_ms.end(), 2, jitter);
    }

    /// Every link has both directions, so a search from the first island finds all it can reach.
    void check_joined(const Cursor& root) {
        std::vector<char> reached(static_cast<std::size_t>(islands_.network.nodes), 0);
        std::vector<std::size_t> open = {0};
        reached[0] = 1;
        while (!open.empty()) {
            const std::size_t node = open.back();
            open.pop_back();
            for (const topology::Link& link : islands_.network.links) {
                if (link.from == node && reached[link.to] == 0) {
                    reached[link.to] = 1;
                    open.push_back(link.to);
                }
            }
        }
        for (std::size_t i = 0; i < islands_.size(); ++i) {
            if (reached[i] == 0) {
                const auto links = root.find("links");
                (links ? *links : root)
                    .report(fmt::format("no path from {} to {}",
                                        shown(islands_.islands[0].name),
                                        shown(islands_.islands[i].name)),
                            "links that join all islands");
                return;
            }
        }
    }

    void read_schedules(const Cursor& root) {
        const auto schedules = root.find("schedules");
        if (!schedules || !schedules->is_object() || !schedules->check_names_of_keys()) {
            return;
        }
        for (const core::Member& member : schedules->value().members) {
            if (auto schedule = read_rounds(*schedules->find(member.key), islands_)) {
                islands_.schedules.push_back({member.key, std::move(*schedule)});
            }
        }
    }

    const core::Document& document_;
    Diagnostics& problems_;
    Islands islands_;
    std::set<std::string> names_;
    bool all_names_ = true;  ///< else a name that is not known says nothing
};

}  // namespace

const std::string& Islands::node_name(std::size_t node) const {
    return node < islands.size() ? islands[node].name : transit[node - islands.size()];
}

std::optional<int> Islands::find(std::string_view island) const {
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if (islands[i].name == island) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

const NamedSchedule* Islands::schedule(std::string_view schedule_name) const {
    const auto found = std::ranges::find(schedules, schedule_name, &NamedSchedule::name);
    return found == schedules.end() ? nullptr : &*found;
}

int latency_cost(double latency_ms) {
    return std::max(1, static_cast<int>(std::llround(latency_ms * 1e4)));
}

core::Result<Islands> read_islands(const core::Document& document) {
    Diagnostics problems;
    Islands islands = Reader(document, problems).read();
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return islands;
}

}  // namespace longhaul::schedule
