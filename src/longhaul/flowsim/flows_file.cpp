#include "longhaul/flowsim/flows_file.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/flowsim/over_routes.hpp"

namespace longhaul::flowsim {
namespace {

using core::Cursor;
using core::shown;

constexpr double kSlowest = 1e-6;  // Gbit/s
constexpr double kFastest = 1e6;
constexpr double kLongest = 1e9;  // ms: 11.6 days
constexpr double kMostPayload = 1e9;
constexpr double kMostWeight = 1e3;
constexpr double kMostLoad = 1e6;

using Numbers = std::map<std::string, std::uint32_t, std::less<>>;

/// Reads a file piece by piece; problems go to the cursors.
class FlowsReader {
public:
    explicit FlowsReader(const topology::Routes* routes) : topology_routes_(routes) {
        if (routes != nullptr) {
            file_.links = links_of(routes->topology());
            file_.link_names = link_names_of(routes->topology());
            file_.declared_links = file_.links.size();
        }
    }

    void read(const Cursor& root) {
        root.only_keys({"format", "name", "provenance", "cold_start", "link", "route", "flow"});
        check_format(root, "longhaul.flows", 1, false);
        if (const auto table = root.find("cold_start"); table && table->is_object()) {
            table->only_keys({"first_window_kb"});
            if (const auto window =
                    table->require("first_window_kb", "payload of the first round")) {
                file_.cold.first_window =
                    core::Gigabytes(window->number_in(0.001, 1e9).value_or(14.48) / 1e6);
            }
        }
        if (topology_routes_ == nullptr || root.find("link")) {
            each(root, "link", "the links that flows share", &FlowsReader::read_link);
        }
        if (root.find("route")) {
            each(root, "route", "named paths", &FlowsReader::read_route);
        }
        each(root, "flow", "the flows to run", &FlowsReader::read_flow);
        for (const auto& [flow, table] : waiting_) {
            file_.flows[flow].after = flows_named(table, "after");
            file_.flows[flow].after_sent = flows_named(table, "after_sent");
        }
    }

    /// Flows that wait for each other; call when all else is sound.
    void refuse_circle(const Cursor& root) const {
        const std::vector<FlowId> circle = find_circle(file_.flows);
        if (circle.empty()) {
            return;
        }
        constexpr std::size_t kShown = 4;
        std::string text;
        for (std::size_t i = 0; i < circle.size() && i < kShown; ++i) {
            text += shown(file_.flow_names[circle[i]]) + ", which waits for ";
        }
        text += circle.size() > kShown ? "others, and so on, back to " : "";
        root.find("flow")->report(
            fmt::format("flow {}{}", text, shown(file_.flow_names[circle.front()])),
            "flows must not wait for each other in a circle");
    }

    FlowsFile take() { return std::move(file_); }

private:
    using Reader = void (FlowsReader::*)(const Cursor&);

    void each(const Cursor& root, std::string_view key, std::string_view meaning, Reader reader) {
        const auto list = root.require(key, meaning);
        if (!list || !list->is_array()) {
            return;
        }
        if (list->value().size() == 0) {  // NOLINT: Value has no empty()
            list->report("the list is empty", "it must have one entry at least");
        }
        for (std::size_t i = 0; i < list->value().size(); ++i) {
            const Cursor table = list->item(i);
            if (table.is_object()) {
                (this->*reader)(table);
            }
        }
    }

    /// Takes a name that no other of its kind has.
    static std::optional<std::string> take_name(const Cursor& table, Numbers& taken) {
        const auto cursor = table.require("name", "its name");
        auto name = cursor ? cursor->name() : std::nullopt;
        if (name && !taken.emplace(*name, static_cast<std::uint32_t>(taken.size())).second) {
            cursor->report(fmt::format("{} exists already", shown(*name)), "names must differ");
        }
        return name;
    }

    void read_link(const Cursor& table) {
        table.only_keys({"name", "gbps", "latency_ms"});
        const std::size_t before = links_.size();
        const auto name = take_name(table, links_);
        Link link{core::GbitPerSecond(1), Time{}};
        if (const auto gbps = table.require("gbps", "its capacity in Gbit/s")) {
            link.capacity = core::GbitPerSecond(gbps->number_in(kSlowest, kFastest).value_or(1));
        }
        link.latency = read_time(table, "latency_ms");
        if (links_.size() > before) {
            links_[*name] = static_cast<LinkId>(file_.links.size());
            file_.link_names.push_back(*name);
            file_.links.push_back(link);
        }
    }

    void read_route(const Cursor& table) {
        table.only_keys({"name", "path"});
        const std::size_t before = routes_.size();
        static_cast<void>(take_name(table, routes_));
        const auto list = table.require("path", "the names of its links");
        Path path = list ? read_path(*list) : Path{};
        if (routes_.size() > before) {
            paths_.push_back(std::move(path));
        }
    }

    /// "name", or { link = "name", load = 0.5 }.
    Path read_path(const Cursor& list) const {
        Path path;
        if (!list.is_array()) {
            return path;
        }
        for (std::size_t i = 0; i < list.value().size(); ++i) {
            const Cursor item = list.item(i);
            const bool table = item.value().kind == core::Value::Kind::kObject;
            const auto link = table ? item.require("link", "the name of a link") : item;
            const auto name = link ? link->string() : std::nullopt;
            Hop hop;
            if (table) {
                item.only_keys({"link", "load"});
                const auto load = item.require("load", "what a flow takes of it");
                hop.load = load ? load->number_in(1 / kMostLoad, kMostLoad).value_or(1) : 1;
            }
            if (!name) {
                continue;
            }
            if (const auto found = links_.find(*name); found != links_.end()) {
                hop.link = found->second;
                path.push_back(hop);
            } else {
                link->report("there is no link " + shown(*name), "it must be the name of a link");
            }
        }
        return path;
    }

    void read_flow(const Cursor& table) {
        table.only_keys({"name",
                         "path",
                         "route",
                         "from",
                         "to",
                         "hash",
                         "payload_gb",
                         "start_ms",
                         "weight",
                         "cap_gbps",
                         "cold",
                         "after",
                         "after_sent",
                         "wait_ms"});
        PlannedFlow flow;
        flow.path = path_of_flow(table);
        if (const auto payload = table.require("payload_gb", "what it sends, in GB")) {
            flow.payload = core::Gigabytes(payload->number_in(0, kMostPayload).value_or(0));
        }
        flow.start = read_time(table, "start_ms");
        flow.wait = read_time(table, "wait_ms");
        if (const auto weight = table.find("weight")) {
            flow.weight = weight->number_in(1 / kMostWeight, kMostWeight).value_or(1);
        }
        if (const auto cap = table.find("cap_gbps")) {
            flow.cap = core::GbitPerSecond(cap->number_in(kSlowest, kFastest).value_or(1));
        }
        if (const auto cold = table.find("cold")) {
            flow.cold = cold->boolean().value_or(false);
        }
        const auto number = static_cast<FlowId>(file_.flows.size());
        name_flow(table, number);
        if (table.find("after") || table.find("after_sent")) {
            waiting_.emplace_back(number, table);
        } else if (const auto wait = table.find("wait_ms")) {
            wait->report("the flow waits for no other", "use start_ms, or add after or after_sent");
        }
        file_.flows.push_back(std::move(flow));
    }

    void name_flow(const Cursor& table, FlowId number) {
        std::string name = fmt::format("flow {}", number);
        if (const auto cursor = table.find("name")) {
            name = cursor->string().value_or(name);
            if (!named_flows_.emplace(name, number).second) {
                cursor->report(fmt::format("{} exists already", shown(name)), "names must differ");
            }
        }
        file_.flow_names.push_back(std::move(name));
    }

    Path path_of_flow(const Cursor& table) const {
        const auto path = table.find("path");
        const auto route = table.find("route");
        const bool ends = table.find("from") || table.find("to");
        const int given = (path ? 1 : 0) + (route ? 1 : 0) + (ends ? 1 : 0);
        if (given != 1) {
            table.report(given == 0 ? "has neither path nor route" : "has more than one way to go",
                         "give the links in path, the name of a route in route, or from and to");
            return {};
        }
        if (ends) {
            return path_between(table);
        }
        if (path) {
            return read_path(*path);
        }
        const auto name = route->string();
        const auto found = name ? routes_.find(*name) : routes_.end();
        if (name && found == routes_.end()) {
            route->report("there is no route " + shown(*name), "it must be the name of a route");
        }
        return found != routes_.end() && found->second < paths_.size() ? paths_[found->second]
                                                                       : Path{};
    }

    /// The path between two endpoints of the topology.
    Path path_between(const Cursor& table) const {
        if (topology_routes_ == nullptr) {
            table.report("from and to need a topology", "name one with --topology, or give a path");
            return {};
        }
        const auto from = endpoint(table, "from");
        const auto to = endpoint(table, "to");
        constexpr int kMostHash = 1'000'000'000;
        const auto hash = table.find("hash");
        const int number =
            hash ? hash->integer(0, kMostHash).value_or(0) : static_cast<int>(file_.flows.size());
        if (!from || !to) {
            return {};
        }
        auto path = path_of(*topology_routes_, *from, *to, static_cast<std::uint64_t>(number));
        if (!path) {
            table.report("no route leads there", "the topology must join from and to");
        }
        return std::move(path).value_or(Path{});
    }

    std::optional<topology::NodeId> endpoint(const Cursor& table, std::string_view key) const {
        const topology::Topology& network = topology_routes_->topology();
        const auto cursor = table.require(key, "the name of an endpoint");
        const auto name = cursor ? cursor->string() : std::nullopt;
        const auto node = name ? network.find(*name) : std::nullopt;
        if (name && (!node || *node >= network.endpoints())) {
            cursor->report("the topology has no endpoint " + shown(*name),
                           "an endpoint is named as by longhaul route show");
            return std::nullopt;
        }
        return node;
    }

    [[nodiscard]] std::vector<FlowId> flows_named(const Cursor& table, std::string_view key) const {
        std::vector<FlowId> flows;
        const auto list = table.find(key);
        if (!list || !list->is_array()) {
            return flows;
        }
        for (std::size_t i = 0; i < list->value().size(); ++i) {
            const auto name = list->item(i).string();
            const auto found = name ? named_flows_.find(*name) : named_flows_.end();
            if (found != named_flows_.end()) {
                flows.push_back(found->second);
            } else if (name) {
                list->item(i).report("there is no flow " + shown(*name),
                                     "it must be the name of a flow");
            }
        }
        return flows;
    }

    static Time read_time(const Cursor& table, std::string_view key) {
        const auto cursor = table.find(key);
        const double ms = cursor ? cursor->number_in(0, kLongest).value_or(0) : 0;
        return to_time(core::milliseconds(ms));
    }

    const topology::Routes* topology_routes_;
    FlowsFile file_;
    Numbers links_;
    Numbers routes_;
    std::vector<Path> paths_;
    Numbers named_flows_;
    std::vector<std::pair<FlowId, Cursor>> waiting_;
};

}  // namespace

core::Result<FlowsFile> read_flows(std::string_view text,
                                   std::string_view name,
                                   const topology::Routes* routes) {
    if (auto other = core::refuse_other_format(text, name, {"longhaul.flows"}); !other) {
        return tl::unexpected(other.error());
    }
    const auto document =
        name.ends_with(".json") ? core::parse_json(text, name) : core::parse_toml(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    FlowsReader reader(routes);
    reader.read(root);
    if (problems.empty()) {
        reader.refuse_circle(root);
    }
    if (!problems.empty()) {
        return tl::unexpected(problems);
    }
    return reader.take();
}

core::Value to_value(const FlowsFile& file, const BatchResult& result) {
    const auto seconds = [](Time time) { return to_seconds(time).value(); };
    core::Value flows = core::Value::array();
    for (std::size_t f = 0; f < file.flows.size(); ++f) {
        const FlowTimes& times = result.flows[f];
        flows.append(core::Value::object()
                         .set("name", file.flow_names[f])
                         .set("start_s", seconds(times.started))
                         .set("sent_s", seconds(times.sent))
                         .set("delivered_s", seconds(times.delivered)));
    }
    core::Value links = core::Value::array();
    const double end_s = seconds(result.end);
    for (std::size_t l = 0; l < file.links.size(); ++l) {
        const LinkUse& use = result.links[l];
        if (l < file.declared_links && use.carried.value() <= 0) {
            continue;
        }
        const double most = file.links[l].capacity.value() * end_s / 8;
        links.append(core::Value::object()
                         .set("name", file.link_names[l])
                         .set("carried_gb", use.carried.value())
                         .set("use", most > 0 ? use.carried.value() / most : 0.0)
                         .set("used_s", seconds(use.used))
                         .set("limiting_s", seconds(use.limiting)));
    }
    return core::Value::object()
        .set("format", "longhaul.flow-times/1")
        .set("end_s", end_s)
        .set("flows", std::move(flows))
        .set("links", std::move(links));
}

}  // namespace longhaul::flowsim
