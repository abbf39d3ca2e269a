// read_raw: one reader a kind of record.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/json_lines.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/measure/raw.hpp"
#include "longhaul/measure/utc.hpp"

namespace longhaul::measure {
namespace {

using core::Cursor;
using core::Value;

constexpr double kMaxSeconds = 1e7;
constexpr unsigned char kDelete = 0x7F;
constexpr double kLeastSeconds = 1e-12;
constexpr double kMaxBytes = 1e15;
constexpr double kMaxRate = 1e9;  // Gbit/s
constexpr int kMaxCount = 1'000'000'000;

std::string text_at(const Cursor& record, std::string_view key) {
    const auto found = record.find(key);
    return found ? found->string().value_or("") : "";
}

/// A time, or nothing.
std::string time_at(const Cursor& record, std::string_view key) {
    const auto found = record.find(key);
    std::string text = found ? found->string().value_or("") : "";
    if (!text.empty() && !is_utc(text)) {
        found->report("found " + core::shown(text),
                      "a time is in UTC, such as 2026-11-29T12:00:00Z");
    }
    return text;
}

std::string required_text(const Cursor& record, std::string_view key, std::string_view meaning) {
    const auto found = record.require(key, meaning);
    const auto text = found ? found->string() : std::nullopt;
    if (text && text->empty()) {
        found->report("found an empty text", fmt::format("it holds {}", meaning));
    }
    const auto control = [](unsigned char c) { return c < ' ' || c == kDelete; };
    if (text && std::ranges::any_of(*text, control)) {
        found->report("found " + core::shown(*text), "a name has no line breaks and control bytes");
    }
    return text.value_or("");
}

std::vector<std::string> texts_at(const Cursor& record, std::string_view key) {
    std::vector<std::string> texts;
    const auto found = record.find(key);
    if (found && found->is_array()) {
        for (std::size_t i = 0; i < found->value().size(); ++i) {
            texts.push_back(found->item(i).string().value_or(""));
        }
    }
    return texts;
}

int count_at(const Cursor& record, std::string_view key, int minimum, int otherwise) {
    const auto found = record.find(key);
    return found ? found->integer(minimum, kMaxCount).value_or(otherwise) : otherwise;
}

std::optional<double> number_at(const Cursor& record, std::string_view key, double maximum) {
    const auto found = record.find(key);
    return found ? found->number_in(0, maximum) : std::nullopt;
}

/// One of the names of an enumeration.
template <class Kind, std::size_t Count>
Kind named(const Cursor& record,
           std::string_view key,
           const std::array<Kind, Count>& kinds,
           std::optional<Kind> otherwise) {
    const auto found = otherwise ? record.find(key) : record.require(key, "what was timed");
    const auto text = found ? found->string() : std::nullopt;
    if (!text) {
        return otherwise.value_or(kinds.front());
    }
    const auto kind =
        std::ranges::find(kinds, *text, [](Kind each) { return std::string(name_of(each)); });
    if (kind == kinds.end()) {
        std::string names;
        for (const Kind each : kinds) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(each));
        }
        found->report("found " + core::shown(*text), "known: " + names);
        return kinds.front();
    }
    return *kind;
}

Pattern pattern_at(const Cursor& record) {
    return named<Pattern, 8>(record,
                             "pattern",
                             {Pattern::kLocal,
                              Pattern::kPing,
                              Pattern::kPeer,
                              Pattern::kBothWays,
                              Pattern::kFanOut,
                              Pattern::kFanIn,
                              Pattern::kRelay,
                              Pattern::kCrossing},
                             std::nullopt);
}

State state_at(const Cursor& record) {
    return named<State, 3>(
        record, "state", {State::kWarm, State::kIdle, State::kCold}, State::kWarm);
}

/// Members that the reader did not take, for rewriting.
Value rest_of(const Cursor& record, std::initializer_list<std::string_view> known) {
    Value rest = Value::object();
    for (const core::Member& member : record.value().members) {
        if (member.key != "record" && std::ranges::find(known, member.key) == known.end()) {
            rest.set(member.key, member.value);
        }
    }
    return rest;
}

RunRecord read_run(const Cursor& record) {
    check_format(record, "longhaul.raw", 1, true);
    RunRecord run;
    run.run = required_text(record, "run", "the name of the campaign");
    run.started = time_at(record, "started");
    run.tool = text_at(record, "tool");
    run.plan_sha256 = text_at(record, "plan_sha256");
    run.unknown = rest_of(record, {"format", "run", "started", "tool", "plan_sha256"});
    return run;
}

HostRecord read_host(const Cursor& record) {
    HostRecord host;
    host.id = required_text(record, "id", "the name of the host");
    host.site = text_at(record, "site");
    host.address = text_at(record, "address");
    host.groups = texts_at(record, "groups");
    host.facts = rest_of(record, {"id", "site", "address", "groups"});
    return host;
}

TaskRecord read_task(const Cursor& record) {
    TaskRecord task;
    task.task = required_text(record, "task", "the name of the task");
    task.attempt = count_at(record, "attempt", 1, 1);
    task.slot = count_at(record, "slot", 0, 0);
    task.pattern = pattern_at(record);
    task.state = state_at(record);
    task.root = text_at(record, "root");
    task.peers = texts_at(record, "peers");
    task.unknown =
        rest_of(record, {"task", "attempt", "slot", "pattern", "state", "root", "peers"});
    return task;
}

TcpFacts read_tcp(const Cursor& record) {
    TcpFacts tcp;
    tcp.min_rtt_s = number_at(record, "min_rtt_s", kMaxSeconds).value_or(0);
    tcp.retransmitted_bytes = number_at(record, "retransmitted_bytes", kMaxBytes).value_or(0);
    tcp.sndbuf_limited_s = number_at(record, "sndbuf_limited_s", kMaxSeconds).value_or(0);
    tcp.rwnd_limited_s = number_at(record, "rwnd_limited_s", kMaxSeconds).value_or(0);
    tcp.busy_s = number_at(record, "busy_s", kMaxSeconds).value_or(0);
    tcp.delivery_gbps = number_at(record, "delivery_gbps", kMaxRate).value_or(0);
    const auto limited = record.find("application_limited");
    tcp.application_limited = limited && limited->boolean().value_or(false);
    return tcp;
}

void read_times(const Cursor& record, Sample& sample) {
    const auto elapsed = record.require("elapsed_s", "seconds from first byte to acknowledgement");
    sample.elapsed_s = elapsed ? elapsed->number_in(0, kMaxSeconds).value_or(0) : 0;
    if (sample.elapsed_s > 0 && sample.elapsed_s < kLeastSeconds) {
        elapsed->report(fmt::format("found {}", sample.elapsed_s),
                        "no message takes less than a picosecond");
    }
    sample.receive_s = number_at(record, "receive_s", kMaxSeconds);
    sample.connect_s = number_at(record, "connect_s", kMaxSeconds);
    sample.root_s = number_at(record, "root_s", kMaxSeconds);
    sample.cpu_share = number_at(record, "cpu_share", kMaxSeconds);
    const auto streams = record.find("per_stream_s");
    if (streams && streams->is_array()) {
        for (std::size_t i = 0; i < streams->value().size(); ++i) {
            sample.per_stream_s.push_back(streams->item(i).number_in(0, kMaxSeconds).value_or(0));
        }
    }
    const auto tcp = record.find("tcp");
    if (tcp && tcp->is_object()) {
        sample.tcp = read_tcp(*tcp);
    }
}

/// Its own transfer is among those that it names.
void check_crossing(const Cursor& record, const Sample& sample) {
    const std::vector<std::string>& ends = sample.peers;
    bool own = false;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
        own = own || (ends[i] == sample.from && ends[i + 1] == sample.to);
    }
    if (!own || ends.size() % 2 != 0) {
        record.report(fmt::format("the transfer {} to {} is not among the peers of the crossing",
                                  core::shown(sample.from),
                                  core::shown(sample.to)),
                      "peers lists the ends of all its transfers: from, to, from, to, ...");
    }
}

void read_ends(const Cursor& record, Sample& sample) {
    sample.from = required_text(record, "from", "the sender");
    sample.to = required_text(record, "to", "the receiver");
    sample.peers = texts_at(record, "peers");
    sample.path = text_at(record, "path");
    sample.send_path = text_at(record, "send_path");
    if (sample.from == sample.to && !sample.from.empty() && sample.pattern != Pattern::kLocal) {
        record.report(fmt::format("from and to are both {}", core::shown(sample.from)),
                      "a transfer has two ends; a copy on one device is the pattern local");
    }
    if (sample.pattern == Pattern::kCrossing) {
        check_crossing(record, sample);
    }
    const bool fan = sample.pattern == Pattern::kFanIn || sample.pattern == Pattern::kFanOut;
    const std::string& peer = sample.pattern == Pattern::kFanIn ? sample.from : sample.to;
    if (fan && std::ranges::find(sample.peers, peer) == sample.peers.end()) {
        record.report(
            fmt::format("the peer {} of the fan is not among its peers", core::shown(peer)),
            "peers lists all of them");
    }
}

Sample read_sample(const Cursor& record) {
    Sample sample;
    sample.task = text_at(record, "task");
    sample.attempt = count_at(record, "attempt", 1, 1);
    sample.pattern = pattern_at(record);
    sample.state = state_at(record);
    sample.idle_s = number_at(record, "idle_s", kMaxSeconds).value_or(0);
    sample.transport = text_at(record, "transport");
    sample.streams = count_at(record, "streams", 1, 1);
    read_ends(record, sample);
    const auto bytes = record.require("bytes", "the payload of the message");
    sample.bytes = bytes ? bytes->number_in(0, kMaxBytes).value_or(0) : 0;
    sample.rep = count_at(record, "rep", 0, 0);
    sample.block = count_at(record, "block", 0, 0);
    sample.t = time_at(record, "t");
    read_times(record, sample);
    sample.concurrent = texts_at(record, "concurrent");
    const auto ok = record.find("ok");
    sample.ok = !ok || ok->boolean().value_or(false);
    sample.unknown = rest_of(
        record,
        {"task",  "attempt", "pattern",    "state",     "idle_s",      "transport", "streams",
         "from",  "to",      "peers",      "path",      "send_path",   "bytes",     "rep",
         "block", "t",       "elapsed_s",  "receive_s", "connect_s",   "root_s",    "cpu_share",
         "tcp",   "ok",      "concurrent", "width",     "per_stream_s"});
    return sample;
}

Event read_event(const Cursor& record) {
    return {time_at(record, "t"),
            text_at(record, "task"),
            required_text(record, "kind", "what happened"),
            text_at(record, "host"),
            text_at(record, "detail")};
}

TaskEnd read_end(const Cursor& record) {
    TaskEnd end;
    end.task = required_text(record, "task", "the name of the task");
    end.attempt = count_at(record, "attempt", 1, 1);
    const auto complete = record.require("complete", "whether all of the task was measured");
    end.complete = complete && complete->boolean().value_or(false);
    return end;
}

void read_record(const Cursor& record, Raw& raw) {
    const std::string kind = required_text(record, "record", "the kind of record");
    if (kind == "sample") {
        raw.samples.push_back(read_sample(record));
    } else if (kind == "task") {
        raw.tasks.push_back(read_task(record));
    } else if (kind == "task_end") {
        raw.ends.push_back(read_end(record));
    } else if (kind == "host") {
        Raw one;
        one.hosts.push_back(read_host(record));
        one.ended = raw.ended;
        append(raw, std::move(one));
    } else if (kind == "event") {
        raw.events.push_back(read_event(record));
    } else if (kind == "run") {
        raw.runs.push_back(read_run(record));
    } else if (kind == "end") {
        raw.ended = true;
    } else if (!kind.empty()) {
        raw.warnings.push_back(fmt::format("line {}: a record of unknown kind {} is passed over",
                                           record.value().line,
                                           core::shown(kind)));
    }
}

}  // namespace

core::Result<Raw> read_raw(std::string_view text, const std::string& name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.raw"}); !own) {
        return tl::unexpected(own.error());
    }
    Raw raw;
    const core::Result<bool> whole = core::each_json_line(
        text, name, [&](const core::Document& line, core::Diagnostics& problems) {
            read_record(Cursor(line, problems), raw);
        });
    if (!whole) {
        return tl::unexpected(whole.error());
    }
    if (!*whole) {
        raw.warnings.emplace_back("the last line was cut off and is left out");
    }
    if (raw.runs.empty()) {
        return core::fail({name,
                           "",
                           "no run record is in the file",
                           "the first line says {\"record\": \"run\", \"format\": "
                           "\"longhaul.raw/1\", \"run\": NAME}"});
    }
    return raw;
}

}  // namespace longhaul::measure
