#include "longhaul/topology/artifact.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/read.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

using core::Value;

template <class Range>
Value numbers(const Range& range) {
    std::vector<double> list;
    for (const auto& each : range) {
        list.push_back(static_cast<double>(each));
    }
    return {std::move(list)};
}

Value rule_value(const Rule& rule) {
    Value conditions = Value::array();
    for (const Condition& each : rule.conditions) {
        conditions.append(Value(std::vector<double>{static_cast<double>(each.axis),
                                                    static_cast<double>(each.low),
                                                    static_cast<double>(each.high)}));
    }
    Value actions = Value::array();
    for (const Action& each : rule.actions) {
        std::vector<double> list{static_cast<double>(each.link_class), each.reverse ? 1.0 : 0.0};
        for (const Pick pick : each.picks) {
            list.push_back(static_cast<double>(pick));
        }
        actions.append(Value(std::move(list)));
    }
    return Value::object().set("if", std::move(conditions)).set("to", std::move(actions));
}

Value table_value(const Shape& shape, const RuleTable& table) {
    Value roles = Value::object();
    for (std::size_t r = 0; r < table.roles.size(); ++r) {
        Value list = Value::array();
        for (const Rule& rule : table.roles[r]) {
            list.append(rule_value(rule));
        }
        const Role& role = shape.roles()[r];
        roles.set(role.level == 0 ? "endpoint" : fmt::format("level {}", role.level),
                  std::move(list));
    }
    return roles;
}

Value chain_value(const Shape& shape, const ChainRoutes& routes) {
    std::vector<double> radices;
    for (int axis = 0; axis < 2 * shape.levels(); ++axis) {
        radices.push_back(shape.radix(axis));
    }
    Value roles = Value::array();
    for (const Role& role : shape.roles()) {
        roles.append(Value::object()
                         .set("level", role.level)
                         .set("axes", numbers(role.axes))
                         .set("first", static_cast<double>(role.base))
                         .set("count", static_cast<double>(role.count)));
    }
    Value classes = Value::array();
    for (const LinkClass& each : shape.classes()) {
        classes.append(Value::object()
                           .set("level", each.level)
                           .set("low", each.low)
                           .set("high", each.high)
                           .set("first", static_cast<double>(each.base))
                           .set("count", static_cast<double>(each.count)));
    }
    Value value = Value::object();
    value.set("radices", Value(std::move(radices)))
        .set("roles", std::move(roles))
        .set("links", std::move(classes))
        .set("to_endpoint", table_value(shape, routes.to_endpoint()));
    if (const RuleTable* port = routes.to_port()) {
        value.set("to_port", table_value(shape, *port));
    }
    if (const RuleTable* exit = routes.to_exit()) {
        value.set("to_border", table_value(shape, *exit));
    }
    return value;
}

Value sets_value(const std::vector<std::vector<std::uint32_t>>& sets) {
    Value value = Value::array();
    for (const auto& set : sets) {
        value.append(numbers(set));
    }
    return value;
}

Value patches_value(const Patches& patches) {
    Value entries = Value::array();
    for (const Patches::Entry& each : patches.entries()) {
        entries.append(Value(std::vector<double>{static_cast<double>(each.node),
                                                 static_cast<double>(each.lo),
                                                 static_cast<double>(each.hi),
                                                 static_cast<double>(each.set)}));
    }
    return Value::object()
        .set("dead", numbers(patches.dead()))
        .set("entries", std::move(entries))
        .set("sets", sets_value(patches.sets()));
}

Value plane_value(const Topology& topology, const Routes::Plane& plane) {
    Value sites = Value::object();
    for (std::size_t s = 0; s < plane.sites.size(); ++s) {
        if (!plane.sites[s].empty()) {
            const std::string& name = topology.sites()[s].name;
            sites.set(name.empty() ? "all" : name, patches_value(plane.sites[s]));
        }
    }
    Value value = Value::object().set("patches", std::move(sites));
    if (topology.wan()) {
        Value rows = Value::array();
        const int n = static_cast<int>(topology.sites().size());
        for (int a = 0; a < n; ++a) {
            std::vector<double> row;
            for (int b = 0; b < n; ++b) {
                row.push_back(plane.wan.set(a, b));
            }
            rows.append(Value(std::move(row)));
        }
        value.set("wan_sets", sets_value(plane.wan.sets())).set("wan_next", std::move(rows));
    }
    return value;
}

}  // namespace

Value tables_value(const Routes& routes) {
    const Topology& topology = routes.topology();
    Value chains = Value::array();
    for (std::size_t c = 0; c < topology.declaration().chains.size(); ++c) {
        const Shape shape(topology.declaration().chains[c]);
        chains.append(chain_value(shape, routes.chain(static_cast<int>(c))));
    }
    Value planes = Value::array();
    for (const Routes::Plane& plane : routes.planes()) {
        planes.append(plane_value(topology, plane));
    }
    Value led = Value::array();
    for (std::size_t p = 0; p < topology.declaration().policies.size(); ++p) {
        Value pairs = Value::object();
        routes.for_each_led(p, [&](int a, int b, const std::vector<WanPath>& paths) {
            pairs.set(topology.sites()[slot(a)].name + " " + topology.sites()[slot(b)].name,
                      sets_value(paths));
        });
        led.append(std::move(pairs));
    }
    return Value::object()
        .set("chains", std::move(chains))
        .set("planes", std::move(planes))
        .set("led", std::move(led));
}

std::string tables_hash(const Routes& routes) {
    return core::sha256_hex(core::write_json_line(tables_value(routes)));
}

Value to_value(const Routes& routes) {
    Value tables = tables_value(routes);
    const std::string hash = core::sha256_hex(core::write_json_line(tables));
    return Value::object()
        .set("format", "longhaul.routes/1")
        .set("sha256", hash)
        .set("topology", routes.topology().declaration().source)
        .set("tables", std::move(tables));
}

core::Result<Routes> read_routes(std::string_view text, std::string_view name) {
    if (auto other =
            core::refuse_other_format(text, name, {"longhaul.topology", "longhaul.routes"});
        !other) {
        return tl::unexpected(other.error());
    }
    core::Result<core::Document> document = core::parse_document(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    const Value* format = document->root.find("format");
    const bool routes = format != nullptr && format->string.starts_with("longhaul.routes/");
    std::string hash;
    if (routes) {
        core::Diagnostics problems;
        const core::Cursor root(*document, problems);
        core::check_format(root, "longhaul.routes", 1, true);
        const auto place = root.require("sha256", "the hash of the tables");
        hash = place ? place->string().value_or("") : "";
        const auto topology = root.require("topology", "the topology file");
        if (topology && topology->is_object() && problems.empty()) {
            Value inner = topology->value();
            document->root = std::move(inner);
        }
        if (!problems.empty()) {
            return tl::unexpected(std::move(problems));
        }
    }
    auto topology = read_topology(*document);
    if (!topology) {
        return tl::unexpected(topology.error());
    }
    auto compiled = Routes::compile(std::move(*topology));
    if (compiled && routes && tables_hash(*compiled) != hash) {
        return core::fail({std::string(name),
                           "sha256",
                           "the tables are not those of the topology in the file",
                           "compile the topology again: longhaul route compile"});
    }
    return compiled;
}

}  // namespace longhaul::topology
