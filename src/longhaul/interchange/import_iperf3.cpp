// iperf3 --json (3.x): a steady rate as the receiver counts it.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using core::Value;
using measure::Pattern;

/// Member of a member; no problem when one is missing.
std::optional<Cursor> at(const Cursor& root, std::initializer_list<std::string_view> path) {
    std::optional<Cursor> node = root;
    for (const std::string_view key : path) {
        node = node ? node->find(key) : std::nullopt;
    }
    return node;
}

double flag(const Cursor& root, std::string_view key) {
    const auto found = at(root, {"start", "test_start", key});
    return found && found->value().kind == Value::Kind::kNumber ? found->value().number : 0;
}

/// What of a run says nothing about a link.
bool refused(const Cursor& root, const Report& report) {
    if (const auto error = root.find("error")) {
        report.whole("iperf3 failed: " + core::shown(error->value().string, 120), "repeat the run");
        return true;
    }
    const auto protocol = at(root, {"start", "test_start", "protocol"});
    if (protocol && protocol->value().string != "TCP") {
        report.whole(fmt::format("is a {} run: its rate is what was asked for",
                                 core::shown(protocol->value().string)),
                     "run iperf3 without -u");
        return true;
    }
    if (flag(root, "bytes") > 0 || flag(root, "blocks") > 0) {
        report.whole(
            "is a run of a set size (-n or -k): what the receiver has counted when it "
            "ends is not that size, so it times no message",
            "run for a time, iperf3 -t 10 -O 1");
        return true;
    }
    return false;
}

/// Ends as iperf3 names them, client first.
std::optional<Ends> iperf3_ends(const Cursor& root,
                                const ImportOptions& options,
                                const Report& report) {
    std::string local;
    std::string remote;
    if (const auto connected = at(root, {"start", "connected"});
        connected && connected->is_array() && connected->value().size() > 0) {
        const Cursor first = connected->item(0);
        const auto from = first.find("local_host");
        const auto to = first.find("remote_host");
        local = from ? from->value().string : "";
        remote = to ? to->value().string : "";
    }
    if ((local.empty() && options.from.empty()) || (remote.empty() && options.to.empty())) {
        report.whole("start.connected names no hosts", "name both ends with --from and --to");
        return std::nullopt;
    }
    return ends_of(options, local, remote, report);
}

/// The least of the round trips that the senders saw, seconds.
std::optional<double> least_round_trip(const Cursor& root) {
    std::optional<double> least;
    const auto streams = at(root, {"end", "streams"});
    for (std::size_t i = 0; streams && streams->is_array() && i < streams->value().size(); ++i) {
        const auto rtt = at(streams->item(i), {"sender", "min_rtt"});
        if (rtt && rtt->value().kind == Value::Kind::kNumber && rtt->value().number > 0) {
            const double seconds = rtt->value().number * 1e-6;
            least = least ? std::min(*least, seconds) : seconds;
        }
    }
    return least;
}

/// Adds what one direction received in all.
void add_total(const Cursor& root,
               std::string_view key,
               measure::Sample sample,
               Imported& imported,
               const Report& report) {
    const auto end = root.require("end", "the totals; the run did not end");
    const auto sum = end ? end->require(key, "what the receiver counted") : std::nullopt;
    if (!sum || !sum->is_object()) {
        return;
    }
    const auto bytes = sum->require("bytes", "bytes received");
    const auto seconds = sum->require("seconds", "seconds of the transfer");
    sample.bytes = bytes ? bytes->positive_number().value_or(0) : 0;
    sample.elapsed_s = seconds ? seconds->positive_number().value_or(0) : 0;
    if (sample.bytes == 0 || sample.elapsed_s == 0 ||
        !plausible(sample.bytes, sample.elapsed_s, sum->value().line, report)) {
        return;
    }
    sample.streams = std::max(1, static_cast<int>(std::min(flag(root, "num_streams"), 1e4)));
    const auto own = at(root, {"end", "cpu_utilization_percent", "host_total"});
    const auto other = at(root, {"end", "cpu_utilization_percent", "remote_total"});
    if (own && other) {
        sample.cpu_share = std::max(own->value().number, other->value().number) / 100;
    }
    imported.raw.samples.push_back(std::move(sample));
}

void add_facts(const Cursor& root, const Ends& ends, Imported& imported) {
    for (const auto& [key, host] :
         {std::pair{"sender_tcp_congestion", &ends.from}, {"receiver_tcp_congestion", &ends.to}}) {
        if (const auto found = at(root, {"end", key})) {
            host_of(imported.raw, *host).facts.set("congestion_control", found->value());
        }
    }
}

}  // namespace

void read_iperf3(const SourceText& file,
                 const ImportOptions& options,
                 Imported& imported,
                 const Report& report) {
    if (!trimmed(file.text).starts_with('{')) {
        report.whole("is not JSON: this reads no text output of iperf3", "run iperf3 with --json");
        return;
    }
    const auto document = core::parse_foreign_json(file.text, file.name);
    if (!document) {
        report.problems().insert(
            report.problems().end(), document.error().begin(), document.error().end());
        return;
    }
    const Cursor root(*document, report.problems());
    if (refused(root, report)) {
        return;
    }
    auto ends = iperf3_ends(root, options, report);
    if (!ends) {
        return;
    }
    if (flag(root, "reverse") == 1) {
        std::swap(ends->from, ends->to);
        note(imported, "a run with -R sends from the server to the client: directions are swapped");
    }
    if (flag(root, "bidir") == 1) {
        add_total(
            root, "sum_received", make_steady(Pattern::kBothWays, *ends, 0, 0), imported, report);
        add_total(root,
                  "sum_received_bidir_reverse",
                  make_steady(Pattern::kBothWays, {ends->to, ends->from}, 0, 0),
                  imported,
                  report);
    } else {
        add_total(root, "sum_received", make_steady(Pattern::kPeer, *ends, 0, 0), imported, report);
    }
    if (const auto round_trip = least_round_trip(root)) {
        measure::Sample ping = make_ping(*ends, *round_trip);
        ping.transport = "tcp";
        imported.raw.samples.push_back(std::move(ping));
        note(
            imported,
            "iperf3: the least round trip was seen under load, so half of it is at most alpha plus "
            "queueing; measure alpha with ping");
    }
    note(imported,
         "iperf3: one steady rate (bytes that the receiver counted); it times no message");
    add_facts(root, *ends, imported);
}

}  // namespace longhaul::interchange::detail
