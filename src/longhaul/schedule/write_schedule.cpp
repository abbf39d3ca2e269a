#include <fmt/format.h>

#include "longhaul/schedule/schedule_file.hpp"

namespace longhaul::schedule {

using core::Value;

namespace {

Value matrix_value(const core::Grid<double>& grid) {
    Value rows = Value::array();
    for (std::size_t r = 0; r < grid.rows(); ++r) {
        rows.append(Value(std::vector<double>(grid.row(r).begin(), grid.row(r).end())));
    }
    return rows;
}

Value trees_value(const std::vector<topology::StreamTree>& trees,
                  const std::vector<std::string>& names) {
    Value list = Value::array();
    for (const topology::StreamTree& tree : trees) {
        Value links = Value::array();
        for (const std::uint32_t link : tree.links) {
            links.append(names[link]);
        }
        list.append(std::move(links));
    }
    return list;
}

Value clique_value(const TimedClique& clique,
                   double payload_gb,
                   const Islands& islands,
                   const std::vector<std::string>& names) {
    Value value = Value::object();
    Value members = Value::array();
    for (const int member : members_of(clique.members)) {
        members.append(islands.islands[static_cast<std::size_t>(member)].name);
    }
    value.set("members", std::move(members));
    if (clique_size(clique.members) > 1) {
        value.set("sending_ms", clique.sending_ms);
        value.set("rate_gbps", payload_gb * 8e3 / clique.sending_ms);
        value.set("time_ms", clique.time_ms);
        value.set("offset_ms", Value(clique.offset_ms));
        if (!clique.sender_ms.empty()) {
            value.set("sender_ms", Value(clique.sender_ms));
        }
        value.set("trees", trees_value(clique.trees, names));
    } else {
        value.set("sending_ms", clique.sending_ms);
        value.set("time_ms", clique.time_ms);
        value.set("offset_ms", Value(clique.offset_ms));
    }
    if (!clique.weights.empty()) {
        value.set("weights", matrix_value(clique.weights));
    }
    return value;
}

}  // namespace

Value schedule_value(const TimedSchedule& schedule, const Islands& islands) {
    const std::vector<std::string> names = link_names(islands);
    Value value = Value::object();
    value.set("format", "longhaul.schedule/1");
    Value network = Value::object();
    network.set("name", schedule.network_name);
    network.set("sha256", schedule.network_sha256);
    value.set("network", std::move(network));
    value.set("pace", name_of(schedule.pace));
    value.set("payload_gb", schedule.payload_gb);
    if (schedule.forgetting != 1) {
        value.set("forgetting", schedule.forgetting);
    }
    value.set("guard_ms", schedule.guard_ms);
    value.set("timeout_ms", schedule.timeout_ms);
    value.set("slot_elements", static_cast<double>(schedule.slot_elements));
    Value memory = Value::object();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        memory.set(islands.islands[i].name, schedule.memory_gb[i]);
    }
    value.set("memory_gb", std::move(memory));
    Value rounds = Value::array();
    for (const TimedRound& round : schedule.rounds) {
        Value entry = Value::object();
        entry.set("length_ms", round.length_ms);
        Value cliques = Value::array();
        for (const TimedClique& clique : round.cliques) {
            cliques.append(clique_value(clique, schedule.payload_gb, islands, names));
        }
        entry.set("cliques", std::move(cliques));
        rounds.append(std::move(entry));
    }
    value.set("rounds", std::move(rounds));
    return value;
}

std::string write_schedule(const TimedSchedule& schedule, const Islands& islands) {
    return core::write_json(schedule_value(schedule, islands));
}

}  // namespace longhaul::schedule
