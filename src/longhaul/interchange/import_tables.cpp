// CSV tables of links between cloud regions: Skyplane (throughput, latency), intercloud-throughput.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"
#include "longhaul/measure/utc.hpp"

namespace longhaul::interchange::detail {
namespace {

using measure::Pattern;

/// A CSV table with its head: cells by name of column.
class Table {
public:
    explicit Table(const SourceText& file) : lines_(lines_of(file.text)) {
        if (!lines_.empty()) {
            const std::vector<std::string> names = cells_of(lines_[0].text, ',');
            for (std::size_t i = 0; i < names.size(); ++i) {
                columns_.emplace(trimmed(names[i]), i);
            }
            width_ = names.size();
        }
    }

    [[nodiscard]] bool has(const std::string& name) const { return columns_.contains(name); }
    [[nodiscard]] std::size_t rows() const { return lines_.empty() ? 0 : lines_.size() - 1; }
    [[nodiscard]] int line(std::size_t row) const { return lines_[row + 1].number; }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::vector<std::string> row(std::size_t i) const {
        return cells_of(lines_[i + 1].text, ',');
    }
    /// Cell of a row that has all columns; empty when there is no such column.
    [[nodiscard]] std::string cell(const std::vector<std::string>& row,
                                   const std::string& name) const {
        const auto found = columns_.find(name);
        return found == columns_.end() ? std::string() : std::string(trimmed(row[found->second]));
    }

private:
    std::vector<Line> lines_;
    std::map<std::string, std::size_t, std::less<>> columns_;
    std::size_t width_ = 0;
};

bool require_columns(const Table& table,
                     std::initializer_list<std::string> names,
                     const Report& report) {
    bool all = true;
    for (const std::string& name : names) {
        if (!table.has(name)) {
            report.at(1, fmt::format("the head has no column {}", name), "give the whole table");
            all = false;
        }
    }
    return all;
}

/// Rows that have all columns; others are problems, empty lines are not.
template <class Read>
void for_rows(const Table& table, const Report& report, Read read) {
    for (std::size_t i = 0; i < table.rows(); ++i) {
        const std::vector<std::string> row = table.row(i);
        if (row.size() == 1 && trimmed(row[0]).empty()) {
            continue;
        }
        if (row.size() != table.width()) {
            report.at(table.line(i),
                      fmt::format("has {} cells, the head has {}", row.size(), table.width()),
                      "give the whole row");
            continue;
        }
        read(row, table.line(i));
    }
}

/// A number, or nothing where the table says "not measured": empty or nan.
struct Cell {
    std::optional<double> value;
    bool bad = false;
};

Cell number_cell(const std::string& text) {
    if (text.empty() || lower(text) == "nan") {
        return {};
    }
    const auto value = number_of(text);
    return {value, !value || *value <= 0};
}

/// Region with its network tier where that is not the usual one: "gcp:us-west1-a:STANDARD".
Ends skyplane_ends(const Table& table, const std::vector<std::string>& row) {
    const auto name = [&](const std::string& side) {
        const std::string tier = table.cell(row, side + "_tier");
        const std::string region = table.cell(row, side + "_region");
        return tier.empty() || tier == "PREMIUM" ? region : region + ":" + tier;
    };
    return {name("src"), name("dst")};
}

void report_cell(const Report& report, int line, const std::string& name, const std::string& text) {
    report.at(line,
              fmt::format("{} is {}", name, core::shown(text)),
              "it must be a number above 0; empty or nan where it was not measured");
}

void read_throughput(const Table& table,
                     const std::string& column,
                     Imported& imported,
                     const Report& report) {
    std::size_t left_out = 0;
    for_rows(table, report, [&](const std::vector<std::string>& row, int line) {
        const Cell rate = number_cell(table.cell(row, column));
        const Ends ends = skyplane_ends(table, row);
        if (rate.bad) {
            report_cell(report, line, column, table.cell(row, column));
        } else if (!rate.value || ends.from == ends.to || table.cell(row, "success") == "False") {
            ++left_out;
        } else {
            const double seconds = number_of(table.cell(row, "iperf3_runtime")).value_or(5);
            measure::Sample sample =
                make_steady(Pattern::kPeer, ends, *rate.value / 8 * seconds, seconds);
            if (!plausible(sample.bytes, seconds, line, report)) {
                return;
            }
            const double streams = number_of(table.cell(row, "iperf3_connections")).value_or(1);
            sample.streams = static_cast<int>(std::clamp(streams, 1.0, 1e4));
            imported.raw.samples.push_back(std::move(sample));
        }
    });
    note(imported, "Skyplane throughput: bits a second of many streams together, one rate a pair");
    if (left_out > 0) {
        note(imported, fmt::format("{} rows without a measurement were left out", left_out));
    }
}

void read_latency(const Table& table, Imported& imported, const Report& report) {
    std::size_t left_out = 0;
    for_rows(table, report, [&](const std::vector<std::string>& row, int line) {
        const Ends ends = skyplane_ends(table, row);
        const auto of = [&](const std::string& name) {
            const Cell cell = number_cell(table.cell(row, name));
            if (cell.bad) {
                report_cell(report, line, name, table.cell(row, name));
            }
            return cell.value ? std::optional(*cell.value / 1000) : std::nullopt;
        };
        const auto least = of("min_rtt");
        const auto mean = of("avg_rtt");
        const auto most = of("max_rtt");
        if (!mean || ends.from == ends.to) {
            ++left_out;
        } else if (plausible(1, *mean, line, report)) {
            measure::Sample ping = make_ping(ends, 0);
            ping.transport = "icmp";
            add_summary(imported.raw.samples, std::move(ping), least, *mean, most);
        }
    });
    note(imported, "Skyplane latency: round trips of ping, ms; alpha is half of one");
    if (left_out > 0) {
        note(imported, fmt::format("{} rows without a measurement were left out", left_out));
    }
}

}  // namespace

void read_skyplane(const SourceText& file,
                   const ImportOptions& /*options*/,
                   Imported& imported,
                   const Report& report) {
    const Table table(file);
    if (!require_columns(table, {"src_region", "dst_region"}, report)) {
        return;
    }
    for (const std::string column : {"throughput_received", "throughput_recieved"}) {
        if (table.has(column)) {
            read_throughput(table, column, imported, report);
            return;
        }
    }
    if (table.has("avg_rtt")) {
        read_latency(table, imported, report);
        return;
    }
    report.at(1,
              "the head has neither throughput_received nor avg_rtt",
              "give Skyplane's throughput.csv or latency.csv");
}

void read_intercloud(const SourceText& file,
                     const ImportOptions& /*options*/,
                     Imported& imported,
                     const Report& report) {
    const Table table(file);
    if (!require_columns(
            table, {"from_cloud", "from_region", "to_cloud", "to_region", "bitrate_Bps"}, report)) {
        return;
    }
    for_rows(table, report, [&](const std::vector<std::string>& row, int line) {
        const Ends ends{table.cell(row, "from_cloud") + ":" + table.cell(row, "from_region"),
                        table.cell(row, "to_cloud") + ":" + table.cell(row, "to_region")};
        const Cell rate = number_cell(table.cell(row, "bitrate_Bps"));
        const Cell rtt = number_cell(table.cell(row, "avgrtt"));
        if (rate.bad) {
            report_cell(report, line, "bitrate_Bps", table.cell(row, "bitrate_Bps"));
        }
        if (rtt.bad) {
            report_cell(report, line, "avgrtt", table.cell(row, "avgrtt"));
        }
        if (ends.from == ends.to) {
            return;
        }
        constexpr double kSeconds = 10;
        if (rate.value && plausible(*rate.value * kSeconds, kSeconds, line, report)) {
            imported.raw.samples.push_back(
                make_steady(Pattern::kPeer, ends, *rate.value * kSeconds, kSeconds));
            const std::string when(table.cell(row, "timestamp"));
            imported.raw.samples.back().t = measure::is_utc(when) ? when : "";
        }
        if (rtt.value && plausible(1, *rtt.value / 1000, line, report)) {
            imported.raw.samples.push_back(make_ping(ends, *rtt.value / 1000));
            imported.raw.samples.back().transport = "icmp";
        }
    });
    note(imported,
         "intercloud-throughput: bitrate_Bps is bytes a second; small machines, so rates may be "
         "those of the machine");
}

}  // namespace longhaul::interchange::detail
