// qperf (tcp_lat, tcp_bw) and netperf's omni output (KEY=value).
#include <map>

#include <fmt/format.h>

#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

using measure::Pattern;

constexpr double kSteadySeconds = 10;  // a rate without a duration is written as that of 10 s

void add_rate(const Ends& ends, double gbps, double seconds, Imported& imported) {
    imported.raw.samples.push_back(
        make_steady(Pattern::kPeer, ends, gbps * 1e9 / 8 * seconds, seconds));
}

/// qperf prints decimal units: "1.89 GB/sec", "941 Mb/sec".
std::optional<double> qperf_gbps(std::string_view value, std::string_view unit) {
    const auto number = number_of(value);
    if (!number || !unit.ends_with("/sec")) {
        return std::nullopt;
    }
    const auto factor = gbps_of_rate_unit(std::string(unit.substr(0, unit.size() - 4)) + "ps");
    return factor ? std::optional(*number * *factor) : std::nullopt;
}

std::map<std::string, std::pair<std::string, int>> netperf_values(const SourceText& file) {
    std::map<std::string, std::pair<std::string, int>> values;
    for (const Line& line : lines_of(file.text)) {
        const std::size_t equals = line.text.find('=');
        if (equals != std::string_view::npos) {
            values[std::string(trimmed(line.text.substr(0, equals)))] = {
                std::string(trimmed(line.text.substr(equals + 1))), line.number};
        }
    }
    return values;
}

/// netperf's units of throughput: "10^6bits/s", "MBytes/s" (2^20), "Trans/s", ...
std::optional<double> netperf_gbps_unit(std::string_view unit) {
    const std::map<std::string_view, double> units = {{"10^3bits/s", 1e-6},
                                                      {"10^6bits/s", 1e-3},
                                                      {"10^9bits/s", 1},
                                                      {"KBytes/s", 8 * 1024e-9},
                                                      {"MBytes/s", 8 * 1048576e-9},
                                                      {"GBytes/s", 8 * 1073741824e-9}};
    const auto found = units.find(unit);
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void read_qperf(const SourceText& file,
                const ImportOptions& options,
                Imported& imported,
                const Report& report) {
    const Ends ends = ends_of(options, "client", "server", report);
    std::string test;
    for (const Line& line : lines_of(file.text)) {
        const std::vector<std::string_view> words = words_of(line.text);
        if (words.size() == 1 && words[0].ends_with(':')) {
            test = std::string(words[0].substr(0, words[0].size() - 1));
        } else if (words.size() == 4 && words[0] == "bw" && test.starts_with("tcp")) {
            const auto gbps = qperf_gbps(words[2], words[3]);
            if (!gbps || *gbps <= 0) {
                report.at(line.number,
                          "the bandwidth is not a number with a unit such as GB/sec",
                          "give the output as it was printed");
                continue;
            }
            add_rate(ends, *gbps, kSteadySeconds, imported);
            note(imported, "qperf prints a rate without its time: it is kept as 10 s at that rate");
        } else if (words.size() == 4 && words[0] == "latency" && test.starts_with("tcp")) {
            const auto value = number_of(words[2]);
            const auto unit = seconds_of_unit(words[3]);
            if (!value || !unit || !plausible(1, 2 * *value * *unit, line.number, report)) {
                report.at(line.number,
                          "the latency is not a number with a unit such as us",
                          "give the output as it was printed");
                continue;
            }
            imported.raw.samples.push_back(make_ping(ends, 2 * *value * *unit));
            imported.raw.samples.back().transport = "tcp";
            note(imported, "qperf tcp_lat is half a round trip; it is kept as a ping, doubled");
        }
    }
}

void read_netperf(const SourceText& file,
                  const ImportOptions& options,
                  Imported& imported,
                  const Report& report) {
    const auto values = netperf_values(file);
    const auto text = [&](const std::string& key) {
        const auto found = values.find(key);
        return found == values.end() ? std::string() : found->second.first;
    };
    const auto throughput = values.find("THROUGHPUT");
    const auto number = number_of(text("THROUGHPUT"));
    if (throughput == values.end() || !number || *number <= 0) {
        report.whole("has no THROUGHPUT above 0",
                     "run netperf with -- -k THROUGHPUT,THROUGHPUT_UNITS,DIRECTION,ELAPSED_TIME");
        return;
    }
    Ends ends = ends_of(options, "client", "server", report);
    const std::string unit = text("THROUGHPUT_UNITS");
    const int line = throughput->second.second;
    if (unit == "Trans/s") {
        if (plausible(1, 1 / *number, line, report)) {
            imported.raw.samples.push_back(make_ping(ends, 1 / *number));
            imported.raw.samples.back().transport = "tcp";
            note(imported,
                 "netperf TCP_RR: a transaction is a round trip; its mean is kept as a ping");
        }
        return;
    }
    const auto factor = netperf_gbps_unit(unit);
    if (!factor) {
        report.at(line,
                  fmt::format("the unit of THROUGHPUT is {}", core::shown(unit)),
                  "it must be 10^3bits/s, 10^6bits/s, 10^9bits/s, KBytes/s, MBytes/s, GBytes/s or "
                  "Trans/s");
        return;
    }
    if (text("DIRECTION") == "Receive") {
        std::swap(ends.from, ends.to);
    }
    const double seconds = number_of(text("ELAPSED_TIME")).value_or(kSteadySeconds);
    if (plausible(*number * *factor * 1e9 / 8 * seconds, seconds, line, report)) {
        add_rate(ends, *number * *factor, seconds, imported);
    }
    note(imported, "netperf TCP_STREAM: one steady rate; it times no message");
}

}  // namespace longhaul::interchange::detail
