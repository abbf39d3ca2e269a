#include "longhaul/measure/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "longhaul/core/document.hpp"

namespace longhaul::measure {
namespace {

using core::Value;

constexpr std::size_t kMostParties = 4096;

template <class Kind>
std::optional<Kind> kind_of(const std::string& name, std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) {
        if (name_of(kind) == name) {
            return kind;
        }
    }
    return std::nullopt;
}

const std::vector<Value>& items_member(const Value& object, std::string_view key) {
    static const std::vector<Value> none;
    const Value* found = object.find(key);
    return found != nullptr ? found->items : none;
}

void read_numbers(const Value& value, TaskOrder& order) {
    order.attempt = integer_member(value, "attempt", 1);
    order.idle_s = number_member(value, "idle_s");
    order.streams = integer_member(value, "streams", 1);
    order.block = integer_member(value, "block");
    order.smallest_bytes = number_member(value, "smallest_bytes");
    order.largest_bytes = number_member(value, "largest_bytes");
    order.repeats = integer_member(value, "repeats", 1);
    order.most_repeats = integer_member(value, "most_repeats", 1);
    order.half_width = number_member(value, "half_width");
    order.skew_factor = number_member(value, "skew_factor");
    order.pair_bytes = number_member(value, "pair_bytes");
    order.seconds = number_member(value, "seconds");
}

bool sensible(const TaskOrder& order) {
    constexpr int kMostStreams = 64;
    constexpr double kLongest = 1e5;
    return !order.task.empty() && order.streams >= 1 && order.streams <= kMostStreams &&
           order.idle_s >= 0 && order.idle_s < kLongest && order.seconds > 0 &&
           order.seconds < kLongest && order.smallest_bytes >= 0 && order.largest_bytes >= 0 &&
           order.pair_bytes >= 0 && order.repeats >= 1 && order.most_repeats >= order.repeats &&
           !order.flows.empty() && order.flows.size() <= kMostParties &&
           order.parties.size() <= kMostParties && !order.leader.empty();
}

}  // namespace

Value command(std::string_view what) {
    return Value::object().set("do", what);
}

Value object_of(std::string_view text) {
    core::Result<core::Document> document = core::parse_json(text, "message");
    return document ? std::move(document->root) : Value();
}

std::string text_member(const Value& object, std::string_view key) {
    const Value* found = object.find(key);
    return found != nullptr ? found->string : "";
}

double number_member(const Value& object, std::string_view key, double otherwise) {
    const Value* found = object.find(key);
    return found != nullptr && found->kind == Value::Kind::kNumber ? found->number : otherwise;
}

int integer_member(const Value& object, std::string_view key, int otherwise) {
    const double number = number_member(object, key, otherwise);
    const bool fits = std::abs(number) <= std::numeric_limits<int>::max();
    return fits ? static_cast<int>(number) : otherwise;
}

bool flag_member(const Value& object, std::string_view key) {
    const Value* found = object.find(key);
    return found != nullptr && found->boolean;
}

Value to_value(const TaskOrder& order) {
    Value flows = Value::array();
    for (const FlowOrder& flow : order.flows) {
        flows.append(
            Value::object().set("from", flow.from).set("to", flow.to).set("ticket", flow.ticket));
    }
    Value parties = Value::array();
    for (const PartyOrder& party : order.parties) {
        parties.append(Value::object()
                           .set("id", party.id)
                           .set("address", party.address)
                           .set("port", party.port)
                           .set("ticket", party.ticket));
    }
    Value value = command("prepare");
    value.set("task", order.task).set("attempt", order.attempt);
    value.set("pattern", name_of(order.pattern)).set("state", name_of(order.state));
    value.set("idle_s", order.idle_s).set("streams", order.streams).set("block", order.block);
    value.set("congestion_control", order.congestion_control);
    value.set("smallest_bytes", order.smallest_bytes).set("largest_bytes", order.largest_bytes);
    value.set("repeats", order.repeats).set("most_repeats", order.most_repeats);
    value.set("skew_factor", order.skew_factor);
    value.set("half_width", order.half_width).set("pair_bytes", order.pair_bytes);
    value.set("seconds", order.seconds).set("leader", order.leader);
    return value.set("flows", flows).set("parties", parties);
}

std::optional<transport::Address> address_of(const TaskOrder& order, std::string_view id) {
    const auto party = std::ranges::find(order.parties, id, &PartyOrder::id);
    const auto address = party == order.parties.end()
                             ? core::Result<transport::Address>(core::fail({}))
                             : transport::resolve(party->address, 0);
    return address && !address->is_wildcard() ? std::optional(*address) : std::nullopt;
}

std::optional<TaskOrder> order_of(const Value& value) {
    TaskOrder order;
    order.task = text_member(value, "task");
    const auto pattern = kind_of(text_member(value, "pattern"),
                                 {Pattern::kPing,
                                  Pattern::kPeer,
                                  Pattern::kBothWays,
                                  Pattern::kFanOut,
                                  Pattern::kFanIn,
                                  Pattern::kRelay,
                                  Pattern::kCrossing});
    const auto state =
        kind_of(text_member(value, "state"), {State::kWarm, State::kIdle, State::kCold});
    if (!pattern || !state) {
        return std::nullopt;
    }
    order.pattern = *pattern;
    order.state = *state;
    order.congestion_control = text_member(value, "congestion_control");
    order.leader = text_member(value, "leader");
    read_numbers(value, order);
    for (const Value& flow : items_member(value, "flows")) {
        order.flows.push_back(
            {text_member(flow, "from"), text_member(flow, "to"), text_member(flow, "ticket")});
    }
    for (const Value& party : items_member(value, "parties")) {
        order.parties.push_back({text_member(party, "id"),
                                 text_member(party, "address"),
                                 integer_member(party, "port"),
                                 text_member(party, "ticket")});
    }
    return sensible(order) ? std::optional(order) : std::nullopt;
}

std::string to_payload(const DataHello& hello) {
    return core::write_json(Value::object()
                                .set("ticket", hello.ticket)
                                .set("flow", hello.flow)
                                .set("stream", hello.stream)
                                .set("serial", hello.serial));
}

std::optional<DataHello> data_hello_of(std::string_view payload) {
    const Value value = object_of(payload);
    const DataHello hello{text_member(value, "ticket"),
                          integer_member(value, "flow", -1),
                          integer_member(value, "stream"),
                          integer_member(value, "serial")};
    return hello.ticket.empty() || hello.stream < 0 || hello.serial < 0 ? std::nullopt
                                                                        : std::optional(hello);
}

}  // namespace longhaul::measure
