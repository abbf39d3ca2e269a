// Round trips: ping (iputils and BusyBox) and sockperf ping-pong.
#include <fmt/format.h>

#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

/// The number behind "key=" or "key = " in a line.
std::optional<double> number_behind(std::string_view line, std::string_view key) {
    const std::size_t start = line.find(key);
    if (start == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = trimmed(line.substr(start + key.size()));
    if (rest.starts_with('=')) {
        rest = trimmed(rest.substr(1));
    }
    const auto measure = measure_of(rest.substr(0, rest.find_first_of(" \t/;")));
    return measure ? std::optional(measure->value) : std::nullopt;
}

/// "rtt min/avg/max/mdev = a/b/c/d ms" as seconds, in that order.
std::vector<double> ping_summary(std::string_view line) {
    const std::size_t equals = line.find('=');
    const std::vector<std::string> cells =
        cells_of(trimmed(line.substr(0, line.rfind(" ms")).substr(equals + 1)), '/');
    std::vector<double> seconds;
    for (const std::string& text : cells) {
        const auto value = number_of(trimmed(text));
        if (!value || *value < 0) {
            return {};
        }
        seconds.push_back(*value / 1000);
    }
    return seconds.size() < 3 ? std::vector<double>() : seconds;
}

/// What a run of ping printed.
struct Pings {
    std::string target;
    std::vector<std::pair<double, int>> replies;  ///< seconds, line
    std::vector<double> summary;
    int summary_line = 0;
    double sent = 0;  ///< 0 when not told
    double received = 0;
};

/// "20 packets transmitted, 19 received, 5% packet loss"; BusyBox writes "19 packets received".
void read_counts(const std::vector<std::string_view>& words, Pings& pings) {
    const auto sent = number_of(words[0]);
    const auto received = number_of(words[3]);
    if (sent && received && *received >= 0 && *sent >= *received) {
        pings.sent = *sent;
        pings.received = *received;
    }
}

/// Pings that had no answer: a note for people and an event in the file.
void add_loss(const Pings& pings, const Ends& ends, Imported& imported) {
    if (!(pings.received < pings.sent)) {
        return;
    }
    const std::string loss = fmt::format("{:.0f} of {:.0f} pings had no answer ({:.3g} % lost)",
                                         pings.sent - pings.received,
                                         pings.sent,
                                         100 * (pings.sent - pings.received) / pings.sent);
    imported.raw.events.push_back({"", "", "packet_loss", ends.to, loss});
    note(imported,
         fmt::format("{}: {}; loss slows TCP far more than the round trip tells: measure the "
                     "bandwidth of this link too",
                     ends.to,
                     loss));
}

Pings pings_of(const SourceText& file, const Report& report) {
    Pings pings;
    for (const Line& line : lines_of(file.text)) {
        const std::vector<std::string_view> words = words_of(line.text);
        if (words.size() > 1 && words[0] == "PING") {
            pings.target = std::string(words[1]);
        } else if (line.text.find(" bytes from ") != std::string_view::npos) {
            const auto ms = number_behind(line.text, "time=");
            if (!ms || *ms < 0) {
                report.at(line.number, "has no time=... ms", "give the output as it was printed");
                continue;
            }
            pings.replies.emplace_back(*ms / 1000, line.number);
        } else if (words.size() > 4 && words[1] == "packets" && words[2] == "transmitted,") {
            read_counts(words, pings);
        } else if (line.text.find("min/avg/max") != std::string_view::npos) {
            pings.summary = ping_summary(line.text);
            pings.summary_line = line.number;
            if (pings.summary.empty()) {
                report.at(line.number,
                          "the round trips are not numbers",
                          "the line must end like 'min/avg/max/mdev = 1.0/1.1/1.2/0.1 ms'");
            }
        }
    }
    return pings;
}

}  // namespace

void read_ping(const SourceText& file,
               const ImportOptions& options,
               Imported& imported,
               const Report& report) {
    const std::size_t known = report.problems().size();
    const Pings pings = pings_of(file, report);
    if (report.problems().size() != known) {
        return;
    }
    if (pings.target.empty()) {
        report.whole("has no line 'PING ...'", "give the whole output of ping");
        return;
    }
    if (pings.replies.empty() && pings.summary.empty()) {
        report.whole(fmt::format("{} answered no ping", core::shown(pings.target)),
                     "ICMP may be blocked: measure with sockperf or longhaul measure");
        return;
    }
    const Ends ends = ends_of(options, "local", pings.target, report);
    add_loss(pings, ends, imported);
    for (const auto& [seconds, line] : pings.replies) {
        if (plausible(1, seconds, line, report)) {
            imported.raw.samples.push_back(make_ping(ends, seconds));
            imported.raw.samples.back().rep = static_cast<int>(&seconds - &pings.replies[0].first);
        }
    }
    if (pings.replies.empty() && plausible(1, pings.summary[1], pings.summary_line, report)) {
        add_summary(imported.raw.samples,
                    make_ping(ends, 0),
                    pings.summary[0],
                    pings.summary[1],
                    pings.summary[2]);
        note(imported, "a summary of ping: least, mean and most stand for the single round trips");
    }
    int rep = 0;
    for (measure::Sample& sample : imported.raw.samples) {
        if (sample.task.empty()) {
            sample.transport = "icmp";
            sample.rep = rep++;
        }
    }
    note(imported,
         "ping gives round trips: alpha is half of one, the same in both directions; routers may "
         "treat ICMP worse than data");
}

void read_sockperf(const SourceText& file,
                   const ImportOptions& options,
                   Imported& imported,
                   const Report& report) {
    std::optional<double> least, median, most;
    std::string target;
    for (const Line& line : lines_of(file.text)) {
        if (line.text.find("Summary: BandWidth") != std::string_view::npos) {
            report.at(line.number,
                      "is a throughput run: it counts what the sender handed over",
                      "measure bandwidth with iperf3; give sockperf's ping-pong here");
            return;
        }
        if (line.text.find("IP = ") != std::string_view::npos) {
            const std::string_view rest = line.text.substr(line.text.find("IP = ") + 5);
            target = std::string(rest.substr(0, rest.find(' ')));
        }
        const auto set = [&](std::optional<double>& value, std::string_view key) {
            if (const auto found = number_behind(line.text, key)) {
                value = *found * 2e-6;  // printed: half a round trip, microseconds
            }
        };
        set(least, "<MIN> observation");
        set(most, "<MAX> observation");
        set(median, "percentile 50.000");
        if (!median) {
            set(median, "Summary: Latency is");
        }
    }
    if (!median || !plausible(1, *median, 1, report)) {
        report.whole("has no line 'percentile 50.000' or 'Summary: Latency is'",
                     "give the whole output of sockperf ping-pong");
        return;
    }
    const Ends ends = ends_of(options, "local", target.empty() ? "server" : target, report);
    measure::Sample ping = make_ping(ends, 0);
    ping.transport = "tcp";
    add_summary(imported.raw.samples, std::move(ping), least, *median, most);
    note(imported, "sockperf prints half round trips; least, median and most are kept, doubled");
}

}  // namespace longhaul::interchange::detail
