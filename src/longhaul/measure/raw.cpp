#include "longhaul/measure/raw.hpp"

#include <algorithm>
#include <map>

namespace longhaul::measure {
namespace {

using core::Value;

Value strings(const std::vector<std::string>& texts) {
    Value array = Value::array();
    for (const std::string& text : texts) {
        array.append(text);
    }
    return array;
}

/// Starts a record: its kind comes first, so that a person sees it.
Value record_of(std::string_view kind) {
    return Value::object().set("record", kind);
}

void set_text(Value& record, std::string_view key, const std::string& text) {
    if (!text.empty()) {
        record.set(key, text);
    }
}

void set_texts(Value& record, std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) {
        record.set(key, strings(texts));
    }
}

void set_number(Value& record, std::string_view key, const std::optional<double>& number) {
    if (number) {
        record.set(key, *number);
    }
}

void set_unknown(Value& record, const Value& unknown) {
    for (const core::Member& member : unknown.members) {
        record.set(member.key, member.value);
    }
}

Value tcp_value(const TcpFacts& tcp) {
    return Value::object()
        .set("min_rtt_s", tcp.min_rtt_s)
        .set("retransmitted_bytes", tcp.retransmitted_bytes)
        .set("sndbuf_limited_s", tcp.sndbuf_limited_s)
        .set("rwnd_limited_s", tcp.rwnd_limited_s)
        .set("busy_s", tcp.busy_s)
        .set("delivery_gbps", tcp.delivery_gbps)
        .set("application_limited", tcp.application_limited);
}

void set_times(Value& record, const Sample& sample) {
    record.set("elapsed_s", sample.elapsed_s);
    set_number(record, "receive_s", sample.receive_s);
    set_number(record, "connect_s", sample.connect_s);
    set_number(record, "root_s", sample.root_s);
    if (!sample.per_stream_s.empty()) {
        record.set("per_stream_s", sample.per_stream_s);
    }
    set_number(record, "cpu_share", sample.cpu_share);
    if (sample.tcp) {
        record.set("tcp", tcp_value(*sample.tcp));
    }
}

}  // namespace

std::string_view name_of(Pattern pattern) {
    switch (pattern) {
        case Pattern::kLocal:
            return "local";
        case Pattern::kPing:
            return "ping";
        case Pattern::kPeer:
            return "peer";
        case Pattern::kBothWays:
            return "both_ways";
        case Pattern::kFanOut:
            return "fan_out";
        case Pattern::kFanIn:
            return "fan_in";
        case Pattern::kRelay:
            return "relay";
        case Pattern::kCrossing:
            return "crossing";
    }
    return "";
}

std::string_view name_of(State state) {
    switch (state) {
        case State::kWarm:
            return "warm";
        case State::kIdle:
            return "idle";
        case State::kCold:
            return "cold";
    }
    return "";
}

std::string to_line(const RunRecord& record) {
    Value value = record_of("run");
    value.set("format", "longhaul.raw/1").set("run", record.run);
    set_text(value, "started", record.started);
    set_text(value, "tool", record.tool);
    set_text(value, "plan_sha256", record.plan_sha256);
    set_unknown(value, record.unknown);
    return core::write_json_line(value);
}

std::string to_line(const HostRecord& record) {
    Value value = record_of("host");
    value.set("id", record.id);
    set_text(value, "site", record.site);
    set_text(value, "address", record.address);
    set_texts(value, "groups", record.groups);
    set_unknown(value, record.facts);
    return core::write_json_line(value);
}

std::string to_line(const TaskRecord& record) {
    Value value = record_of("task");
    value.set("task", record.task).set("attempt", record.attempt).set("slot", record.slot);
    value.set("pattern", name_of(record.pattern)).set("state", name_of(record.state));
    set_text(value, "root", record.root);
    set_texts(value, "peers", record.peers);
    set_unknown(value, record.unknown);
    return core::write_json_line(value);
}

std::string to_line(const Sample& record) {
    Value value = record_of("sample");
    set_text(value, "task", record.task);
    value.set("attempt", record.attempt);
    value.set("pattern", name_of(record.pattern)).set("state", name_of(record.state));
    if (record.state == State::kIdle) {
        value.set("idle_s", record.idle_s);
    }
    set_text(value, "transport", record.transport);
    value.set("streams", record.streams).set("from", record.from).set("to", record.to);
    set_texts(value, "peers", record.peers);
    set_text(value, "path", record.path);
    set_text(value, "send_path", record.send_path);
    value.set("bytes", record.bytes).set("rep", record.rep).set("block", record.block);
    set_text(value, "t", record.t);
    set_times(value, record);
    set_texts(value, "concurrent", record.concurrent);
    value.set("ok", record.ok);
    set_unknown(value, record.unknown);
    return core::write_json_line(value);
}

std::string to_line(const Event& record) {
    Value value = record_of("event");
    set_text(value, "t", record.t);
    set_text(value, "task", record.task);
    value.set("kind", record.kind);
    set_text(value, "host", record.host);
    set_text(value, "detail", record.detail);
    return core::write_json_line(value);
}

std::string to_line(const TaskEnd& record) {
    return core::write_json_line(record_of("task_end")
                                     .set("task", record.task)
                                     .set("attempt", record.attempt)
                                     .set("complete", record.complete));
}

std::string end_line() {
    return core::write_json_line(record_of("end"));
}

std::string to_text(const Raw& raw) {
    std::string text;
    const auto add = [&](const auto& records) {
        for (const auto& record : records) {
            text += to_line(record);
        }
    };
    add(raw.runs);
    add(raw.hosts);
    add(raw.tasks);
    add(raw.samples);
    add(raw.events);
    add(raw.ends);
    return raw.ended ? text + end_line() : text;
}

void append(Raw& raw, Raw more) {
    const auto join = [](auto& to, auto& from) {
        to.insert(
            to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    for (HostRecord& host : more.hosts) {
        std::erase_if(raw.hosts, [&](const HostRecord& old) { return old.id == host.id; });
        raw.hosts.push_back(std::move(host));
    }
    join(raw.runs, more.runs);
    join(raw.tasks, more.tasks);
    join(raw.samples, more.samples);
    join(raw.events, more.events);
    join(raw.ends, more.ends);
    join(raw.warnings, more.warnings);
    raw.ended = raw.ended && more.ended;
}

std::vector<Sample> usable_samples(const Raw& raw) {
    constexpr int kNone = -1;
    std::map<std::string, int> attempt;  // the last complete one of every task that has records
    for (const TaskRecord& task : raw.tasks) {
        attempt.emplace(task.task, kNone);
    }
    for (const TaskEnd& end : raw.ends) {
        int& last = attempt.emplace(end.task, kNone).first->second;
        last = end.complete ? std::max(last, end.attempt) : last;
    }
    std::vector<Sample> usable;
    std::ranges::copy_if(raw.samples, std::back_inserter(usable), [&](const Sample& sample) {
        const auto found = attempt.find(sample.task);
        return sample.ok && (found == attempt.end() || found->second == sample.attempt);
    });
    return usable;
}

}  // namespace longhaul::measure
