// Raw samples of DeepSpeed's affine transfer calibration (calibrate_links): every pattern.
#include <map>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using core::Value;
using measure::Pattern;
using measure::Sample;

constexpr int kMostProcess = 1'000'000;

std::string process_name(int process) {
    return fmt::format("process{}", process);
}

/// The first of the keys that is there.
std::optional<Cursor> any_of(const Cursor& object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const auto found = object.find(key)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<std::string> process_at(const Cursor& object,
                                      std::initializer_list<std::string_view> keys) {
    const auto found = any_of(object, keys);
    if (!found) {
        static_cast<void>(object.require(*keys.begin(), "the number of a process"));
        return std::nullopt;
    }
    const auto process = found->integer(0, kMostProcess);
    return process ? std::optional(process_name(*process)) : std::nullopt;
}

std::string text_at(const Cursor& object, std::initializer_list<std::string_view> keys) {
    const auto found = any_of(object, keys);
    return found ? found->string().value_or("") : "";
}

std::optional<double> seconds_at(const Cursor& object, std::string_view key) {
    const auto found = object.require(key, "seconds");
    return found ? found->positive_number() : std::nullopt;
}

double bytes_at(const Cursor& object) {
    const auto found = any_of(object, {"bytes", "size"});
    if (!found) {
        static_cast<void>(object.require("bytes", "bytes of a message"));
        return 0;
    }
    return found->number_in(0, 1e15).value_or(0);
}

void read_local(const Cursor& object, Imported& imported) {
    const auto process = process_at(object, {"process", "from_process", "rank"});
    const auto seconds = seconds_at(object, "seconds");
    const double bytes = bytes_at(object);
    if (process && seconds) {
        Sample sample = make_sample(Pattern::kLocal, {*process, *process}, bytes, *seconds);
        sample.path = text_at(object, {"path"});
        imported.raw.samples.push_back(std::move(sample));
    }
}

void read_peer(const Cursor& object, Imported& imported) {
    const auto from = process_at(object, {"from_process", "from", "src"});
    const auto to = process_at(object, {"to_process", "to", "dst"});
    const auto seconds = seconds_at(object, "seconds");
    const double bytes = bytes_at(object);
    const auto both = object.find("both_ways");
    const bool both_ways = both && both->boolean().value_or(false);
    if (from && to && seconds) {
        Sample sample = make_sample(
            both_ways ? Pattern::kBothWays : Pattern::kPeer, {*from, *to}, bytes, *seconds);
        sample.path = text_at(object, {"path"});
        imported.raw.samples.push_back(std::move(sample));
    }
}

/// A process that receives from p - shift while it sends to p + shift.
void read_relay(const Cursor& object, Imported& imported) {
    const auto from = process_at(object, {"from_process", "from"});
    const auto next = process_at(object, {"to_process", "to"});
    const auto seconds = seconds_at(object, "seconds");
    const double bytes = bytes_at(object);
    if (!from || !next || !seconds) {
        return;
    }
    const auto own = object.find("process") ? process_at(object, {"process"}) : next;
    Sample sample = make_sample(Pattern::kRelay, {*from, own.value_or(*next)}, bytes, *seconds);
    sample.path = text_at(object, {"receive_path", "path"});
    sample.send_path = text_at(object, {"send_path"});
    sample.unknown.set("sends_to", *next);
    imported.raw.samples.push_back(std::move(sample));
}

std::vector<std::string> fan_peers(const Cursor& object) {
    std::vector<std::string> peers;
    const auto list = object.require("peers", "the processes of the fan");
    for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
        if (const auto peer = list->item(i).integer(0, kMostProcess)) {
            peers.push_back(process_name(*peer));
        }
    }
    return peers;
}

/// Entry i of a list, or the value itself where it is one for all.
std::optional<Cursor> each_or_one(const std::optional<Cursor>& value, std::size_t i) {
    if (!value || value->value().kind != Value::Kind::kArray) {
        return value;
    }
    if (i < value->value().size()) {
        return value->item(i);
    }
    value->report(fmt::format("has {} entries", value->value().size()), "one a peer is needed");
    return std::nullopt;
}

/// One peer an object (`peer`), or all peers at once with lists `seconds` and `path`.
void read_fan(const Cursor& object, bool in, Imported& imported) {
    const auto root = process_at(object, {"root"});
    const std::vector<std::string> peers = fan_peers(object);
    const double bytes = bytes_at(object);
    const auto whole = object.find("root_seconds");
    const auto root_s = whole ? whole->positive_number() : std::nullopt;
    const auto seconds = object.require("seconds", "the time of each peer");
    const auto paths = any_of(object, {"path", "paths"});
    if (!root || peers.empty() || !seconds) {
        return;
    }
    const auto single = object.find("peer") ? process_at(object, {"peer"}) : std::nullopt;
    for (std::size_t i = 0; i < (single ? 1 : peers.size()); ++i) {
        const std::string& peer = single ? *single : peers[i];
        const auto time = each_or_one(seconds, i);
        const auto value = time ? time->positive_number() : std::nullopt;
        if (!value) {
            return;
        }
        Sample sample = make_sample(in ? Pattern::kFanIn : Pattern::kFanOut,
                                    in ? Ends{peer, *root} : Ends{*root, peer},
                                    bytes,
                                    *value);
        const auto path = each_or_one(paths, i);
        sample.path = path ? path->string().value_or("") : "";
        sample.peers = peers;
        sample.root_s = root_s;
        imported.raw.samples.push_back(std::move(sample));
    }
}

void read_sample(const Cursor& object, std::string_view pattern, Imported& imported) {
    if (!object.is_object()) {
        return;
    }
    if (pattern == "local") {
        read_local(object, imported);
    } else if (pattern == "peer" || pattern == "both_ways") {
        read_peer(object, imported);
    } else if (pattern == "fan_out" || pattern == "fan_in") {
        read_fan(object, pattern == "fan_in", imported);
    } else if (pattern == "relay") {
        read_relay(object, imported);
    } else {
        object.report(fmt::format("the pattern is {}", core::shown(pattern)),
                      "it must be local, peer, fan_out, fan_in or relay");
    }
}

/// Repetitions of the same message are numbered, so that files can be compared.
void number_repetitions(std::vector<Sample>& samples, std::size_t first) {
    std::map<std::string, int> seen;
    for (std::size_t i = first; i < samples.size(); ++i) {
        Sample& sample = samples[i];
        std::string key = fmt::format(
            "{} {} {} {}", measure::name_of(sample.pattern), sample.from, sample.to, sample.bytes);
        for (const std::string& peer : sample.peers) {
            key += " " + peer;
        }
        sample.rep = seen[key]++;
    }
}

}  // namespace

void read_deepspeed(const SourceText& file,
                    const ImportOptions& /*options*/,
                    Imported& imported,
                    const Report& report) {
    const auto document = core::parse_foreign_json(file.text, file.name);
    if (!document) {
        report.problems().insert(
            report.problems().end(), document.error().begin(), document.error().end());
        return;
    }
    const Cursor root(*document, report.problems());
    const std::size_t first = imported.raw.samples.size();
    bool any = false;
    for (const std::string_view pattern : {"local", "peer", "fan_out", "fan_in", "relay"}) {
        const auto list = root.find(pattern);
        any = any || list;
        for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
            read_sample(list->item(i), pattern, imported);
        }
    }
    const auto samples = root.find("samples");
    for (std::size_t i = 0; samples && samples->is_array() && i < samples->value().size(); ++i) {
        const Cursor object = samples->item(i);
        const auto pattern = object.require("pattern", "local, peer, fan_out, fan_in or relay");
        const auto name = pattern ? pattern->string() : std::nullopt;
        if (name) {
            read_sample(object, *name, imported);
        }
    }
    if (!any && !samples) {
        report.whole("holds none of local, peer, fan_out, fan_in, relay and samples",
                     "give the raw result of calibrate_links as JSON, not that of fit_links");
        return;
    }
    number_repetitions(imported.raw.samples, first);
    note(imported,
         "fits keyed by the set of peers come from longhaul measure fit; calibrate in the group "
         "that the transfer uses");
}

}  // namespace longhaul::interchange::detail
